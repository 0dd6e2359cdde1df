"""prove: a run of its store, `manifest.json` and `episodes/part-*.parquet`; it keeps its salt, so runs pair."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any, ClassVar

from poisson_store.episode_lines import TEXT, WORD, read_value
from poisson_store.errors import ImportRefusedError
from poisson_store.importers.arrow import parquet_columns, read_parquet
from poisson_store.importers.case import Case, brief
from poisson_store.importers.files import open_text
from poisson_store.importers.reader import Reader, as_object, number, pick
from poisson_store.importers.tables import parse_json
from poisson_store.keys import KEY_LENGTH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from poisson_store.importers.declared import Declared

MANIFEST = "manifest.json"
NEEDED = ("config", "replicate_index", "seed", "outcome")
WANTED = (*NEEDED, "config_hash", "error", "meta", "t", "horizon", "wall_time")
TEXTS = ("trace_obs",)


def _is_seed(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


SEED = (_is_seed, "a whole number")

_ENDED = {"complete": "complete", "completed": "complete", "partial": "partial"}
_SEEDS = 1 << 63


class ProveReader(Reader):
    """Reads one run; its config is the condition."""

    suffixes: ClassVar[tuple[str, ...]] = (".parquet",)
    identity: ClassVar[None] = None
    passes_or_fails: ClassVar[bool] = False

    def __init__(self, files: Sequence[Path], declared: Declared) -> None:
        if len(files) != 1 or not (files[0] / MANIFEST).is_file():
            raise ImportRefusedError(
                f"{files[0]} is no run of prove: one directory with a {MANIFEST} is expected."
            )
        self.folder = files[0]
        parts = sorted((self.folder / "episodes").glob("part-*.parquet"))
        if not parts:
            raise ImportRefusedError(f"{self.folder} holds no episodes/part-*.parquet.")
        super().__init__((self.folder / MANIFEST, *parts), declared)
        self._read_manifest()

    def cases(self) -> Iterator[Case]:
        """Yield a case for each row; one without an outcome errored."""
        for path in self.files[1:]:
            columns = parquet_columns(path)
            missing = [name for name in NEEDED if name not in columns]
            if missing:
                raise ImportRefusedError(f"{path} has no column {missing[0]!r}; it has {', '.join(columns)}.")
            wanted = (*WANTED, *TEXTS) if self.declared.keep_text else WANTED
            for position, row in enumerate(read_parquet(path, wanted)):
                yield self._case(row, f"{path} row {position + 1}")

    def _case(self, row: dict[str, Any], where: str) -> Case:
        written, meta = (read_value(row, name, *TEXT, where) for name in ("config", "meta"))
        if written is None:
            raise ImportRefusedError(f"{where} has no config, so its condition is unknown.")
        config = as_object(parse_json(written, f"{where}, config"), f"{where}, config")
        if row.get("config_hash") not in (None, *_hashes(config)):
            raise ImportRefusedError(
                f"{where}: config_hash={row['config_hash']!r} is not that of its config."
            )
        outcome = None if row["outcome"] == "" else read_value(row, "outcome", *WORD, where)
        seed = read_value(row, "seed", *SEED, where)
        return Case(
            where,
            config,
            replicate=row["replicate_index"],
            outcome=outcome,
            cause="errored" if outcome is None else None,
            seed=None if seed is None else seed % _SEEDS,
            t=_finite(row.get("t")),
            horizon=_finite(row.get("horizon")),
            wall_s=_finite(row.get("wall_time")),
            error=brief(row["error"]) if row.get("error") else None,
            meta=as_object(parse_json(meta, f"{where}, meta"), f"{where}, meta") or None if meta else None,
            texts=pick(row, *TEXTS),
        )

    def _read_manifest(self) -> None:
        path = self.folder / MANIFEST
        with open_text(path) as file:
            manifest = as_object(parse_json(file.read(), str(path)), str(path))
        salt = manifest.get("run_salt")
        if not isinstance(salt, (str, int)) or isinstance(salt, bool):
            raise ImportRefusedError(f"{path} names no run_salt, so it is no run of prove.")
        self.rollout = str(manifest.get("target_id") or "prove")
        self.t_unit = read_value(manifest, "t_unit", *TEXT, str(path))
        self.origin = replace(
            self.origin,
            salt=str(salt),
            status=_ENDED.get(str(manifest.get("status")), "interrupted"),
            environment={"tool": "prove", **as_object(manifest.get("environment") or {}, str(path))},
            settings={"exported_from": pick(manifest, "target_id", "created_at", "axis_types")},
        )


def _hashes(config: dict[str, Any]) -> set[str]:
    """Give the hashes a config may have: of its compact JSON with sorted keys, with and without escapes."""
    texts = (
        json.dumps(config, sort_keys=True, separators=(",", ":"), ensure_ascii=escaped)
        for escaped in (True, False)
    )
    return {sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:KEY_LENGTH] for text in texts}


def _finite(value: Any) -> float | None:
    """Give a number; a column writes NaN where it has none."""
    found = number(value)
    return None if found is None or not math.isfinite(found) else found
