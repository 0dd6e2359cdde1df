"""JSON Lines: our own format, the way in for everything that has no reader here."""

from __future__ import annotations

from dataclasses import replace
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING, Any, ClassVar

from poisson_store.episode_lines import (
    ARRAY,
    CAUSE,
    CONDITION_KEYS,
    COUNT,
    EPISODE_KEYS,
    HEADER_KEYS,
    NUMBER,
    OBJECT,
    SCHEMA,
    STATUS,
    TEXT,
    WORD,
    check_keys,
    is_count,
    is_number,
    is_word,
    read_attempt,
    read_rollout,
    read_span,
    read_value,
)
from poisson_store.errors import ImportRefusedError
from poisson_store.importers.case import Case, Origin, Planned, keep
from poisson_store.importers.files import open_text
from poisson_store.importers.reader import Reader

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from poisson_store.records import Span

_COMMON = ("outcome", "replicate", "seed", "t")
_RARE = EPISODE_KEYS - {"condition", *_COMMON}


def _is_shard(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(is_count, value))


SHARD = (_is_shard, "[part, parts]")


def _refuse_constant(literal: str) -> float:
    raise ValueError(f"the literal {literal} is no number in JSON")


_decode = JSONDecoder(parse_constant=_refuse_constant).raw_decode


class JsonlReader(Reader):
    """Reads episodes, one a line, with or without a header."""

    suffixes: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")
    identity: ClassVar[None] = None
    passes_or_fails: ClassVar[bool] = False

    def cases(self) -> Iterator[Case]:
        """Yield a case for each line."""
        self._planned: list[Planned] = []
        self.origin = Origin()
        for path in self.files:
            lines = 0
            with open_text(path, newline="\n") as file:
                for number, line in enumerate(file, 1):
                    if line.isspace():
                        continue
                    where = f"{path} line {number}"
                    given = _parse(line, where)
                    lines += 1
                    if "schema" in given:
                        self._header(given, where, first=lines == 1)
                    else:
                        yield self._case(given, where)
            if not lines:
                raise ImportRefusedError(f"{path} is empty.")

    def planned(self) -> Iterable[Planned]:
        """Give the conditions of the header what it says was planned."""
        return self._planned

    def _case(self, given: dict[str, Any], where: str) -> Case:
        if not EPISODE_KEYS.issuperset(given):
            check_keys(given, EPISODE_KEYS, where)
        get = given.get
        outcome, replicate, seed, t = get("outcome"), get("replicate"), get("seed"), get("t")
        if not (
            (outcome is None or is_word(outcome))
            and (replicate is None or is_count(replicate))
            and (seed is None or is_count(seed))
            and (t is None or is_number(t))
        ):
            self._refuse(given, where)
        if (outcome is None) == (given.get("cause") is None):
            raise ImportRefusedError(f"{where}: exactly one of outcome and cause must be given.")
        axes = _axes(given.get("condition"), where)
        case = Case(where, axes, None, replicate, outcome, None, None, seed, t)
        return case if _RARE.isdisjoint(given) else self._rest(case, given, where)

    def _refuse(self, given: dict[str, Any], where: str) -> None:
        for name, kind in zip(_COMMON, (WORD, COUNT, COUNT, NUMBER), strict=True):
            read_value(given, name, *kind, where)

    def _rest(self, case: Case, given: dict[str, Any], where: str) -> Case:
        """Add what few lines have."""
        counts = ("started_ns", "tokens_in", "tokens_out", "unknown_usage", "spans_left_out")
        return case._replace(
            rollout=read_value(given, "rollout", *TEXT, where),
            cause=read_value(given, "cause", *CAUSE, where),
            horizon=read_value(given, "horizon", *NUMBER, where),
            wall_s=read_value(given, "wall_s", *NUMBER, where),
            error=read_value(given, "error", *TEXT, where),
            meta=read_value(given, "meta", *OBJECT, where),
            spans=[
                self._cut(read_span(span, where)) for span in read_value(given, "spans", *ARRAY, where) or ()
            ],
            attempts=[
                read_attempt(each, where) for each in read_value(given, "attempts", *ARRAY, where) or ()
            ],
            **{name: read_value(given, name, *COUNT, where) for name in counts},
        )

    def _cut(self, span: Span) -> Span:
        """Leave out the texts of a span unless they are to be kept; what was cut before stays described."""
        if self.declared.keep_text:
            return span
        (given, given_cut), (gave, gave_cut) = (keep(text, kept=False) for text in (span.input, span.output))
        return replace(
            span,
            input=given,
            output=gave,
            input_cut=span.input_cut or given_cut,
            output_cut=span.output_cut or gave_cut,
        )

    def _header(self, given: dict[str, Any], where: str, *, first: bool) -> None:
        if given["schema"] != SCHEMA:
            raise ImportRefusedError(
                f"{where}: schema={given['schema']!r} is unknown; this version reads {SCHEMA!r}."
            )
        if not first or len(self.files) > 1:
            raise ImportRefusedError(f"{where}: a header must be the first line of the one file it is for.")
        check_keys(given, HEADER_KEYS, where)
        shard = read_value(given, "shard", *SHARD, where)
        source = {
            name: given[name] for name in ("run_id", "name", "created_at", "ended_at") if given.get(name)
        }
        self.origin = Origin(
            salt=read_value(given, "salt", *TEXT, where),
            status=read_value(given, "status", *STATUS, where) or "complete",
            rollouts=tuple(
                read_rollout(each, where) for each in read_value(given, "rollouts", *ARRAY, where) or ()
            ),
            paired_with=read_value(given, "paired_with", *TEXT, where),
            selection=read_value(given, "selection", *TEXT, where),
            suite=read_value(given, "suite", *TEXT, where),
            shard=None if shard is None else (shard[0], shard[1]),
            environment=read_value(given, "environment", *OBJECT, where) or {},
            variant=read_value(given, "variant", *OBJECT, where) or {},
            settings={**(read_value(given, "settings", *OBJECT, where) or {}), "exported_from": source},
        )
        self._planned = [_plan(each, where) for each in read_value(given, "conditions", *ARRAY, where) or ()]


def _parse(line: str, where: str) -> dict[str, Any]:
    text = line.strip()
    try:
        given, end = _decode(text)
    except JSONDecodeError as error:
        raise ImportRefusedError(
            f"{where} is broken JSON at character {error.pos + 1}: {error.msg}."
        ) from error
    except ValueError as error:
        raise ImportRefusedError(f"{where}: {error}.") from error
    except RecursionError as error:
        raise ImportRefusedError(f"{where} is nested too deeply.") from error
    if end < len(text):
        raise ImportRefusedError(f"{where} is broken JSON: more follows behind its object.")
    if not isinstance(given, dict):
        raise ImportRefusedError(f"{where}: a line must be an object, not {type(given).__name__}.")
    return given


def _axes(condition: Any, where: str) -> dict[str, Any]:
    """Give the axes of a condition; a text is the value of an axis of that name."""
    if isinstance(condition, dict):
        return condition
    if isinstance(condition, str):
        return {"condition": condition}
    raise ImportRefusedError(f"{where}: condition must be an object of axis values or a text.")


def _plan(given: Any, where: str) -> Planned:
    if not isinstance(given, dict):
        raise ImportRefusedError(f"{where}: a condition must be an object.")
    check_keys(given, CONDITION_KEYS, f"{where}, a condition")
    return Planned(
        _axes(given.get("axes"), where),
        read_value(given, "rollout", *TEXT, where),
        read_value(given, "planned", *COUNT, where) or 0,
        read_value(given, "nodeid", *TEXT, where) or "",
    )
