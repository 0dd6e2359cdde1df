"""What a replicate's spans become in its row: one row a span, and what their tokens add up to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from poisson_store.usage import SpanUsage, sum_usage
from pytest_poisson.caps import LARGEST_WHOLE
from pytest_poisson.content import ContentRules
from pytest_poisson.spans import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_poisson.spans import Span, Trace

UNFINISHED = "the replicate ended before this span did"
NO_TOKENS = {"in": None, "out": None}


class Spent(NamedTuple):
    """What some calls used: None where nothing is known, and how many calls reported no usage."""

    tokens_in: int | None = None
    tokens_out: int | None = None
    unknown: int = 0

    def plus(self, other: Spent) -> Spent:
        """Return both together."""
        return Spent(
            _add(self.tokens_in, other.tokens_in),
            _add(self.tokens_out, other.tokens_out),
            self.unknown + other.unknown,
        )


def spent(trace: Trace | None) -> Spent:
    """Return what a replicate's calls have used so far."""
    if trace is None:
        return Spent()
    return Spent(*sum_usage([_usage(span) for span in (*list(trace.spans), *list(trace.left_out))]))


def trace_row(trace: Trace | None, earlier: Sequence[Spent] = ()) -> list[Any]:
    """Return the items of an episode's row from `tokens_in` to `spans`; none where nothing was recorded.

    `earlier` is what attempts used that were made before this one and left no spans.
    """
    if trace is None and not earlier:
        return []
    total = spent(trace)
    for each in earlier:
        total = total.plus(each)
    kept = [] if trace is None else list(trace.spans)  # the replicate may still be recording
    left_out = 0 if trace is None else len(trace.left_out)
    if not kept and not left_out and total == Spent():
        return []
    sums = (total.tokens_in, total.tokens_out, total.unknown or None, left_out or None)
    return [*sums, [span_row(span) for span in kept] or None]


def _add(one: int | None, other: int | None) -> int | None:
    return None if one is None and other is None else (one or 0) + (other or 0)


def _usage(span: Span) -> SpanUsage:
    tokens = span.tokens or NO_TOKENS
    return SpanUsage(span.span_id, span.parent_id, span.kind_index, tokens["in"], tokens["out"])


def span_row(span: Span) -> list[Any]:
    """Return a span as `poisson_store.SpanRow` orders it."""
    rules = span.trace.rules or ContentRules()
    tokens = span.tokens or NO_TOKENS
    name, *bodies, attrs, error = span.written or rules.keep(span)
    if not span.end_ns:
        error = error or UNFINISHED
    return [
        span.span_id,
        span.parent_id,
        span.kind_index,
        name,
        _moment(span.start_ns, span),
        _moment(span.end_ns or None, span),
        *bodies,
        tokens["in"],
        tokens["out"],
        attrs,
        error,
        None if span.step is None else as_text(span.step),
    ]


def _moment(given_ns: Any, span: Span) -> int:
    """Return a time that the store can hold: now, where a span has not ended or was given something else."""
    return given_ns if type(given_ns) is int and 0 <= given_ns <= LARGEST_WHOLE else span.trace.now_ns()
