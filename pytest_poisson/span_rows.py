"""What a replicate's spans become in its row: one row a span, and what their tokens add up to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poisson_store.usage import SpanUsage, sum_usage
from pytest_poisson.content import ContentRules

if TYPE_CHECKING:
    from pytest_poisson.spans import Span, Trace

UNFINISHED = "the replicate ended before this span did"
NO_TOKENS = {"in": None, "out": None}


def trace_row(trace: Trace | None) -> list[Any]:
    """Return the items of an episode's row from `tokens_in` to `spans`; none where nothing was recorded."""
    if trace is None or not (trace.spans or trace.left_out):
        return []
    kept, left_out = list(trace.spans), list(trace.left_out)  # the replicate may still be recording
    tokens_in, tokens_out, unknown = sum_usage([_usage(span) for span in (*kept, *left_out)])
    return [
        tokens_in,
        tokens_out,
        unknown or None,
        len(left_out) or None,
        [span_row(span) for span in kept],
    ]


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
        span.start_ns,
        span.end_ns or span.trace.now_ns(),
        *bodies,
        tokens["in"],
        tokens["out"],
        attrs,
        error,
        span.step,
    ]
