"""Inspect AI: its logs, `.json` and `.eval`; a sample is a condition's axis, an epoch a replicate."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from poisson_store.errors import ImportRefusedError
from poisson_store.importers.case import Case, Planned, brief
from poisson_store.importers.files import open_text
from poisson_store.importers.inspect_spans import read_spans, token_sums
from poisson_store.importers.instants import nanoseconds
from poisson_store.importers.json_stream import stream_json
from poisson_store.importers.reader import (
    Reader,
    as_object,
    items,
    parts,
    pick,
    seconds,
    unknown_metric,
    whole,
)
from poisson_store.importers.zip_entries import open_zip, read_entry

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from poisson_store.records import Span

OPENED = frozenset(((), ("samples",)))
SAMPLE = "samples, one by one"
HEADERS = ("header.json", "_journal/start.json")
"""Where an `.eval` keeps what is of the log as a whole: the first is written when it ends, the other at its start."""


class InspectReader(Reader):
    """Reads one scorer's value of each sample and epoch."""

    suffixes: ClassVar[tuple[str, ...]] = (".json", ".eval")
    identity: ClassVar[tuple[str, ...]] = ("task", "sample")
    alike: ClassVar[tuple[str, ...]] = ("model",)

    def cases(self) -> Iterator[Case]:
        """Yield a case for each sample of each epoch; an error and a limit are causes of having no outcome."""
        self._headers: list[dict[str, Any]] = []
        seen: list[str] = []
        for path in self.files:
            header: dict[str, Any] = {}
            for key, value in _read_log(path):
                if key != SAMPLE:
                    header[key] = value
                    continue
                sample = as_object(value, f"{path}, a sample")
                seen += [name for name in parts(sample.get("scores")) if name not in seen]
                where = f"{path}, sample {sample.get('id')!r} epoch {sample.get('epoch')}"
                yield self._case(_about(header, path), sample, where)
            self._headers.append({"status": header.get("status"), "eval": _about(header, path)})
        if seen and self.declared.scorer not in seen:
            raise unknown_metric("Scorer", self.declared.scorer, seen, self.files)
        self.origin = replace(self.origin, status=self._status(), environment=self._environment())

    def planned(self) -> Iterable[Planned]:
        """Give every sample of each data set as many replicates as there were to be epochs."""
        for header in self._headers:
            about = header["eval"]
            epochs = whole(parts(about.get("config")).get("epochs")) or 1
            for sample in items(parts(about.get("dataset")).get("sample_ids")):
                yield Planned(_fields(about, {"id": sample}), None, epochs)

    def is_text(self, field: str) -> bool:
        """Tell whether a field holds a prompt."""
        return field in {"input", "target"}

    def _case(self, about: Mapping[str, Any], sample: dict[str, Any], where: str) -> Case:
        score = parts(sample.get("scores")).get(str(self.declared.scorer))
        cause, error = self._cause(sample, score)
        value = None if cause else self._value(as_object(score, where).get("value"), where)
        if isinstance(value, float) and math.isnan(value):
            cause, error, value = "skipped", "the scorer gave no score", None
        tokens_in, tokens_out = token_sums(parts(sample.get("model_usage")).values())
        spans = read_spans(sample, keep_text=self.declared.keep_text)
        return Case(
            where,
            _fields(about, sample),
            replicate=_replicate(sample.get("epoch"), where),
            cause=cause,
            score=value,
            started_ns=nanoseconds(sample.get("started_at")) or _first(spans),
            wall_s=seconds(sample.get("total_time")),
            error=error,
            meta=None if value is None else {"score": value},
            tokens_in=tokens_in,
            tokens_out=tokens_out,
            unknown_usage=sum(span.kind == "llm" and span.tokens is None for span in spans)
            if spans
            else None,
            spans=spans,
            texts=pick(sample, "input", "target", "messages") | pick(parts(score), "answer", "explanation"),
        )

    def _cause(self, sample: Mapping[str, Any], score: Any) -> tuple[str | None, str | None]:
        if sample.get("error"):
            return "errored", brief(parts(sample["error"]).get("message") or "error")
        if sample.get("invalidation"):
            return "cancelled", "the sample was invalidated"
        limit = parts(sample.get("limit"))
        if limit and not (self.declared.limits_score and score):
            cause = "cancelled" if limit.get("type") == "operator" else "timed_out"
            return cause, f"{limit.get('type')} limit {limit.get('limit')}"
        return (None, None) if score else ("skipped", f"not scored by {self.declared.scorer}")

    def _value(self, value: Any, where: str) -> Any:
        """Pick the metric where a scorer gives several values."""
        metric = self.declared.metric
        if not isinstance(value, dict):
            if metric is not None:
                raise ImportRefusedError(
                    f"{where}: scorer {self.declared.scorer!r} gives one value, so it has no metric {metric!r}."
                )
            return value
        if metric not in value:
            known = ", ".join(value)
            raise ImportRefusedError(
                f"{where}: scorer {self.declared.scorer!r} gives {known}; name one of them with --metric."
            )
        return value[metric]

    def _status(self) -> str:
        return "complete" if all(header["status"] == "success" for header in self._headers) else "interrupted"

    def _environment(self) -> dict[str, Any]:
        about = self._headers[0]["eval"]
        return {"tool": "inspect_ai"} | pick(
            about, "model", "task", "packages", "revision", "task_args", "model_generate_config"
        )


def _about(header: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Give what a log says of its evaluation, which stands before its samples."""
    return as_object(header.get("eval"), f"{path} is no log of Inspect, part 'eval'")


def _read_log(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a log by name, and each sample as `SAMPLE`."""
    if path.suffix == ".eval":
        yield from _read_eval(path)
        return
    with open_text(path) as file:
        for place, value in stream_json(file, str(path), OPENED.__contains__):
            yield SAMPLE if place[:-1] == ("samples",) else str(*place[:1]), value


def _read_eval(path: Path) -> Iterator[tuple[str, Any]]:
    with open_zip(path) as archive:
        names = dict.fromkeys(archive.namelist())
        header = next((name for name in HEADERS if name in names), None)
        if header is None:
            raise ImportRefusedError(f"{path} is no log of Inspect: it has no {' or '.join(HEADERS)}.")
        yield from as_object(_parse(path, read_entry(path, archive, header)), f"{path}, {header}").items()
        for name in names:
            if name.startswith("samples/") and name.endswith(".json"):
                yield SAMPLE, _parse(path, read_entry(path, archive, name))


def _parse(path: Path, content: bytes) -> Any:
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ImportRefusedError(f"{path} holds broken JSON: {error}.") from error


def _fields(about: Mapping[str, Any], sample: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {f"metadata.{key}": value for key, value in parts(sample.get("metadata")).items()}
    return {
        "task": about.get("task"),
        "sample": sample.get("id"),
        "model": about.get("model"),
        **pick(sample, "input", "target"),
        **metadata,
    }


def _replicate(epoch: Any, where: str) -> int:
    if isinstance(epoch, bool) or not isinstance(epoch, int) or epoch < 1:
        raise ImportRefusedError(f"{where}: the epoch is no number from 1.")
    return epoch - 1


def _first(spans: Sequence[Span]) -> int | None:
    return min((span.start_ns for span in spans), default=None)
