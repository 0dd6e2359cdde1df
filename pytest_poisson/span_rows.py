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
    tokens_in, tokens_out, unknown = sum_usage([_usage(span) for span in (*trace.spans, *trace.left_out)])
    return [
        tokens_in,
        tokens_out,
        unknown or None,
        len(trace.left_out) or None,
        [span_row(span) for span in trace.spans],
    ]


def _usage(span: Span) -> SpanUsage:
    tokens = span.tokens or NO_TOKENS
    return SpanUsage(span.span_id, span.parent_id, span.kind_index, tokens["in"], tokens["out"])


def span_row(span: Span) -> list[Any]:
    """Return a span as `poisson_store.SpanRow` orders it."""
    if not span.end_ns:
        span.end_ns, span.error = span.trace.now_ns(), span.error or UNFINISHED
    rules = span.trace.rules or ContentRules()
    tokens = span.tokens or NO_TOKENS
    name, *bodies, attrs, error = span.written or rules.keep(span)
    return [
        span.span_id,
        span.parent_id,
        span.kind_index,
        name,
        span.start_ns,
        span.end_ns,
        *bodies,
        tokens["in"],
        tokens["out"],
        attrs,
        error,
        span.step,
    ]
