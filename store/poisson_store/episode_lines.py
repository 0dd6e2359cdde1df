"""Episodes as JSON Lines: the documented format that `export` writes and `import jsonl` reads.

The first line may be a header, an object with `schema`; every other line is one episode. Keys that are absent
are null. `docs/importing.md` describes each of them.
"""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

from poisson_store.errors import ImportRefusedError
from poisson_store.records import CAUSES, KINDS, STATUSES, Attempt, Cut, RolloutRecord, Span, Tokens

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from poisson_store.records import ConditionRecord, Episode, Json, RunRecord

SCHEMA = "pytest-poisson.episodes/1"

INT64 = 1 << 63

EPISODE_KEYS = frozenset(
    (
        *(
            "condition",
            "rollout",
            "replicate",
            "seed",
            "outcome",
            "cause",
            "t",
            "horizon",
            "started_ns",
            "wall_s",
        ),
        *("error", "meta", "tokens_in", "tokens_out", "unknown_usage", "spans_left_out", "spans", "attempts"),
    )
)
SPAN_KEYS = frozenset(field.name for field in fields(Span))
ROLLOUT_KEYS = frozenset(field.name for field in fields(RolloutRecord))
HEADER_KEYS = frozenset(
    (
        *("schema", "salt", "status", "rollouts", "conditions", "run_id", "name", "created_at", "ended_at"),
        *("paired_with", "selection", "suite", "shard", "environment", "variant", "settings"),
    )
)
CONDITION_KEYS = frozenset(("rollout", "axes", "nodeid", "planned"))


def header_line(run: RunRecord) -> dict[str, Json]:
    """Give a run's record as the header of its lines."""
    return {
        "schema": SCHEMA,
        "salt": run.salt,
        "status": run.status,
        "rollouts": [_given(each, ROLLOUT_KEYS) for each in run.rollouts],
        "conditions": [
            {"rollout": each.rollout, "axes": each.axes, "nodeid": each.nodeid, "planned": each.planned}
            for each in run.conditions
        ],
        "run_id": run.run_id,
        "name": run.name,
        "created_at": run.created_at,
        "ended_at": run.ended_at,
        "paired_with": run.paired_with,
        "selection": run.selection,
        "suite": run.suite,
        "shard": None if run.shard is None else list(run.shard),
        "environment": run.environment,
        "variant": run.variant,
        "settings": run.settings,
    }


def episode_line(episode: Episode, condition: ConditionRecord) -> dict[str, Any]:
    """Give an episode as an object that says by itself which condition it is of."""
    line: dict[str, Any] = {"condition": condition.axes, "rollout": condition.rollout}
    line |= _given(episode, EPISODE_KEYS - {"condition", "rollout", "spans", "attempts"})
    if episode.spans:
        line["spans"] = [_span_object(span) for span in episode.spans]
    if episode.attempts:
        line["attempts"] = [_given(each, frozenset(Attempt.__slots__)) for each in episode.attempts]
    return line


def _span_object(span: Span) -> dict[str, Any]:
    written = _given(span, SPAN_KEYS - {"tokens", "input_cut", "output_cut", "attrs"})
    if span.tokens is not None:
        written["tokens"] = {"in": span.tokens.input, "out": span.tokens.output}
    if span.attrs:
        written["attrs"] = span.attrs
    for name in ("input_cut", "output_cut"):
        cut = getattr(span, name)
        if cut is not None:
            written[name] = {"bytes": cut.bytes, "digest": cut.digest}
    return written


def _given(record: Any, names: frozenset[str]) -> dict[str, Any]:
    """Give the named fields of a record that are not None, in the order of the record."""
    found = ((field.name, getattr(record, field.name)) for field in fields(record) if field.name in names)
    return {
        name: list(value) if isinstance(value, tuple) else value for name, value in found if value is not None
    }


def check_keys(given: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    """Refuse a key that has no meaning: a misspelt one would lose what it says.

    Raises
    ------
    ImportRefusedError
        If there is one.
    """
    if not known.issuperset(given):
        stranger = next(name for name in given if name not in known)
        raise ImportRefusedError(
            f"{where}: the key {stranger!r} is unknown; known are {', '.join(sorted(known))}."
        )


def read_value(
    given: Mapping[str, Any], name: str, check: Callable[[Any], bool], what: str, where: str
) -> Any:
    """Give a value of an object; None where it is absent or null.

    Raises
    ------
    ImportRefusedError
        If it is not what it must be.
    """
    value = given.get(name)
    if value is not None and not check(value):
        raise ImportRefusedError(f"{where}: {name}={value!r} must be {what}.")
    return value


def is_text(value: Any) -> bool:
    """Tell whether a value is a text."""
    return isinstance(value, str)


def is_word(value: Any) -> bool:
    """Tell whether a value can be an outcome."""
    return isinstance(value, str) and value != "" and value.isprintable()


def is_count(value: Any) -> bool:
    """Tell whether a value is a whole number that a store holds, from 0."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < INT64


def is_number(value: Any) -> bool:
    """Tell whether a value is a finite number that a store holds."""
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < INT64


def is_object(value: Any) -> bool:
    """Tell whether a value is a JSON object."""
    return isinstance(value, dict)


def is_array(value: Any) -> bool:
    """Tell whether a value is a JSON array."""
    return isinstance(value, list)


def is_words(value: Any) -> bool:
    """Tell whether a value is an array of outcomes."""
    return isinstance(value, list) and all(map(is_word, value))


TEXT = (is_text, "a text")
WORD = (is_word, "a printable word")
WORDS = (is_words, "an array of printable words")
COUNT = (is_count, "a whole number from 0 to 2**63 - 1")
NUMBER = (is_number, "a finite number")
OBJECT = (is_object, "an object")
ARRAY = (is_array, "an array")
CAUSE = (CAUSES.__contains__, f"one of {', '.join(CAUSES)}")
KIND = (KINDS.__contains__, f"one of {', '.join(KINDS)}")
STATUS = (STATUSES.__contains__, f"one of {', '.join(STATUSES)}")


def read_span(given: Any, where: str) -> Span:
    """Read a span.

    Raises
    ------
    ImportRefusedError
        If it is no span.
    """
    if not isinstance(given, dict):
        raise ImportRefusedError(f"{where}: a span must be an object.")
    check_keys(given, SPAN_KEYS, f"{where}, a span")
    text = {
        name: read_value(given, name, *TEXT, where)
        for name in ("parent_id", "input", "output", "error", "step")
    }
    return Span(
        span_id=_needed(given, "span_id", TEXT, where),
        kind=_needed(given, "kind", KIND, where),
        name=_needed(given, "name", TEXT, where),
        start_ns=_needed(given, "start_ns", COUNT, where),
        end_ns=_needed(given, "end_ns", COUNT, where),
        tokens=_tokens(read_value(given, "tokens", *OBJECT, where), where),
        attrs=read_value(given, "attrs", *OBJECT, where) or {},
        input_cut=_cut(read_value(given, "input_cut", *OBJECT, where), where),
        output_cut=_cut(read_value(given, "output_cut", *OBJECT, where), where),
        **text,
    )


def read_attempt(given: Any, where: str) -> Attempt:
    """Read an earlier attempt.

    Raises
    ------
    ImportRefusedError
        If it is none.
    """
    if not isinstance(given, dict):
        raise ImportRefusedError(f"{where}: an attempt must be an object.")
    check_keys(given, frozenset(Attempt.__slots__), f"{where}, an attempt")
    return Attempt(
        _needed(given, "number", COUNT, where),
        _needed(given, "error", TEXT, where),
        _needed(given, "started_ns", COUNT, where),
        _needed(given, "wall_s", NUMBER, where),
    )


def read_rollout(given: Any, where: str) -> RolloutRecord:
    """Read a rollout's declaration.

    Raises
    ------
    ImportRefusedError
        If it is none.
    """
    if not isinstance(given, dict):
        raise ImportRefusedError(f"{where}: a rollout must be an object.")
    check_keys(given, ROLLOUT_KEYS, f"{where}, a rollout")
    return RolloutRecord(
        _needed(given, "id", TEXT, where),
        tuple(_needed(given, "outcomes", WORDS, where)),
        tuple(read_value(given, "failures", *WORDS, where) or ()),
        tuple(read_value(given, "successes", *WORDS, where) or ()),
        read_value(given, "t_unit", *TEXT, where),
        read_value(given, "nodeid", *TEXT, where) or "",
        read_value(given, "settings", *OBJECT, where) or {},
    )


def _needed(given: Mapping[str, Any], name: str, kind: tuple[Callable[[Any], bool], str], where: str) -> Any:
    value = read_value(given, name, *kind, where)
    if value is None:
        raise ImportRefusedError(f"{where}: {name} is missing; it must be {kind[1]}.")
    return value


def _tokens(given: Mapping[str, Any] | None, where: str) -> Tokens | None:
    if given is None:
        return None
    check_keys(given, frozenset(("in", "out")), f"{where}, tokens")
    return Tokens(read_value(given, "in", *COUNT, where), read_value(given, "out", *COUNT, where))


def _cut(given: Mapping[str, Any] | None, where: str) -> Cut | None:
    if given is None:
        return None
    return Cut(_needed(given, "bytes", COUNT, where), _needed(given, "digest", TEXT, where))
