"""One replicate of a stored run, with its spans as the tree they were."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_store.records import CAUSES
from poisson_store.usage import SpanUsage, counted_spans
from pytest_poisson.analyses.coverage import in_order
from pytest_poisson.analyses.find_condition import find_condition
from pytest_poisson.capture.attributes import model_of
from pytest_poisson.errors import UserError
from pytest_poisson.events import failures_of
from pytest_poisson.spans import KIND_INDEX

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord, Episode, OutcomeColumns, RunRecord, Span


@dataclass(frozen=True, slots=True)
class Node:
    """One span in its place.

    Attributes
    ----------
    depth
        How many spans it is inside of.
    after_s, took_s
        When it began after the first span did, and how long it took, in seconds.
    model
        The model that its attributes name.
    counted
        Whether its tokens count, or are repeated by a span inside it.
    silent
        Whether it is a model call whose provider reported no usage.
    """

    span: Span
    depth: int
    after_s: float
    took_s: float
    model: str | None
    counted: bool
    silent: bool


@dataclass(frozen=True, slots=True)
class EpisodeTrace:
    """One replicate.

    Attributes
    ----------
    alike
        Every replicate that could have been shown, by condition key and number, this one first.
    """

    run: RunRecord
    condition: ConditionRecord
    episode: Episode
    nodes: tuple[Node, ...]
    alike: tuple[tuple[str, int], ...]


def trace_episode(
    reader: RunReader, *, condition: str | None = None, replicate: int | None = None, failures: bool = False
) -> EpisodeTrace:
    """Return the first replicate that fits: of one condition, of one number, or of those that failed.

    Parameters
    ----------
    condition
        As `find_condition` takes it.
    replicate
        Its number.
    failures
        Only replicates that failed, as `events.failures_of` has it, or ended without an outcome though they were not skipped.

    Raises
    ------
    UserError
        If no stored replicate fits.
    """
    wanted = None if condition is None else find_condition(reader.conditions, condition)
    if (
        wanted is not None and replicate is not None and not failures
    ):  # there is one at most: nothing to go through
        alike = tuple((each.condition, each.replicate) for each in reader.episodes(wanted.key, replicate))
    else:
        alike = _alike(reader, wanted, replicate, failures=failures)
    if not alike:
        raise UserError(f"Run {reader.run.name!r} has no {_described(wanted, replicate, failures=failures)}.")
    return read_trace(reader, *alike[0], alike=alike)


def read_trace(
    reader: RunReader, key: str, number: int, *, alike: tuple[tuple[str, int], ...] = ()
) -> EpisodeTrace:
    """Return a stored replicate by its condition's key and its number."""
    episode = next(reader.episodes(key, number, spans=True))
    shown = next(each for each in reader.conditions if each.key == key)
    return EpisodeTrace(reader.run, shown, episode, tuple(_nodes(episode.spans)), alike)


def _alike(
    reader: RunReader, wanted: ConditionRecord | None, replicate: int | None, *, failures: bool
) -> tuple[tuple[str, int], ...]:
    """Return what fits, by condition as they are shown, then by replicate, without reading more than outcomes."""
    columns = reader.outcome_columns()
    fits = np.ones(columns.condition.size, dtype=bool)
    if wanted is not None:
        fits &= columns.condition == columns.conditions.index(wanted.key)
    if replicate is not None:
        fits &= columns.replicate == replicate
    if failures:
        fits &= _failed(reader, columns)
    shown = {condition.key: place for place, condition in enumerate(in_order(reader.conditions))}
    rank = np.array([shown[key] for key in columns.conditions], dtype=np.int64)[columns.condition[fits]]
    order = np.lexsort((columns.replicate[fits], rank))
    keys, numbers = columns.condition[fits][order], columns.replicate[fits][order]
    return tuple(
        (columns.conditions[key], number) for key, number in zip(keys, numbers.tolist(), strict=True)
    )


def _failed(reader: RunReader, columns: OutcomeColumns) -> NDArray[np.bool_]:
    """Tell which episodes failed, or ended without an outcome though they were not skipped."""
    failures = {rollout.id: failures_of(rollout) for rollout in reader.run.rollouts}
    shape = (len(reader.conditions), len(columns.outcomes) + 1)  # at -1, no outcome
    is_failure = np.zeros(shape, dtype=bool)
    for row, condition in zip(is_failure, reader.conditions, strict=True):
        row[:-1] = [word in failures[condition.rollout] for word in columns.outcomes]
    lost = (columns.cause >= 0) & (columns.cause != CAUSES.index("skipped"))
    failed: NDArray[np.bool_] = is_failure[columns.condition, columns.outcome] | lost
    return failed


def _described(wanted: ConditionRecord | None, replicate: int | None, *, failures: bool) -> str:
    what = "stored replicate" if replicate is None else f"stored replicate {replicate}"
    where = "" if wanted is None else f" of condition {wanted.key}"
    return f"{what}{where}{' that failed' if failures else ''}"


def _nodes(spans: Sequence[Span]) -> Iterator[Node]:
    """Yield spans from the outermost inwards, those side by side by their beginning."""
    places = {span.span_id: place for place, span in enumerate(spans)}
    parents = [places.get(span.parent_id, -1) if span.parent_id is not None else -1 for span in spans]
    inside: dict[int, list[int]] = {}
    order = sorted(range(len(spans)), key=lambda place: (spans[place].start_ns, spans[place].span_id))
    for place in order:
        inside.setdefault(parents[place], []).append(place)
    counted, silent = (set(places) for places in counted_spans([_usage(span) for span in spans]))
    first = min((span.start_ns for span in spans), default=0)
    seen: set[int] = set()
    # In a circle, as a file may have it, no span is outermost: each that was not reached begins a tree of its own.
    for outermost in (*inside.get(-1, ()), *order):
        waiting = [(outermost, 0)]
        while waiting:
            place, depth = waiting.pop()
            if place in seen:
                continue
            seen.add(place)
            span = spans[place]
            yield Node(
                span,
                depth,
                (span.start_ns - first) / 1e9,
                (span.end_ns - span.start_ns) / 1e9,
                model_of(span.attrs),
                place in counted,
                place in silent,
            )
            waiting += [(each, depth + 1) for each in reversed(inside.get(place, []))]


def _usage(span: Span) -> SpanUsage:
    tokens = (None, None) if span.tokens is None else (span.tokens.input, span.tokens.output)
    return SpanUsage(span.span_id, span.parent_id, KIND_INDEX[span.kind], *tokens)
