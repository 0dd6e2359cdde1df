"""What a replicate's spans become in its row: one row a span, and what their tokens add up to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_poisson.spans import KIND_INDEX, as_json, as_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_poisson.spans import Span, Trace

UNFINISHED = "the replicate ended before this span did"

_LLM = KIND_INDEX["llm"]


def trace_row(trace: Trace | None) -> list[Any]:
    """Return the items of an episode's row from `tokens_in` to `spans`; none where nothing was recorded."""
    if trace is None or not trace.spans:
        return []
    sums = sum_tokens([*((span.kind_index, span.tokens) for span in trace.spans), *trace.left_out])
    return [*sums, len(trace.left_out) or None, [span_row(span) for span in trace.spans]]


def sum_tokens(
    usages: Iterable[tuple[int, dict[str, int | None] | None]],
) -> tuple[int | None, int | None, int | None]:
    """Return the input and output tokens as far as they are known, and how many llm spans reported none."""
    known_in = known_out = None
    unknown = 0
    for kind, tokens in usages:
        tokens_in, tokens_out = (None, None) if tokens is None else (tokens["in"], tokens["out"])
        if tokens_in is not None:
            known_in = tokens_in + (known_in or 0)
        if tokens_out is not None:
            known_out = tokens_out + (known_out or 0)
        unknown += kind == _LLM and tokens_in is None and tokens_out is None
    return known_in, known_out, unknown or None


def span_row(span: Span) -> list[Any]:
    """Return a span as `poisson_store.SpanRow` orders it."""
    if not span.end_ns:
        span.end_ns, span.error = span.trace.now_ns(), span.error or UNFINISHED
    tokens = span.tokens or {"in": None, "out": None}
    return [
        span.span_id,
        span.parent_id,
        span.kind_index,
        str(span.name),
        span.start_ns,
        span.end_ns,
        None if span.input is None else as_text(span.input),
        None if span.output is None else as_text(span.output),
        None,
        None,
        None,
        None,
        tokens["in"],
        tokens["out"],
        as_json(span.attrs) if span.attrs else None,
        None if span.error is None else str(span.error),
        span.step,
    ]
