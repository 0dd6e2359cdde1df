"""From OpenTelemetry spans to ours: which replicate and parent, and what is written down at the end."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from pytest_poisson.caps import LARGEST_WHOLE
from pytest_poisson.capture.attributes import read_attributes
from pytest_poisson.spans import KIND_INDEX, Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pytest_poisson.spans import Trace

EXPLICIT_NS = 50_000_000
"""A time that is further than this from now was given by the program, and not read off the clock just before."""


class Recorder:
    """Opens and ends spans for whatever makes OpenTelemetry spans during a replicate."""

    def __init__(self) -> None:
        # Dropped with their trace: a span that ends after its replicate has nowhere to go.
        self._by_id: WeakValueDictionary[int, Span] = WeakValueDictionary()

    def begin(self, trace: Trace, name: str, parent: Span | None, *, started_ns: int | None = None) -> Span:
        """Open a span of a replicate; `parent` is what OpenTelemetry says it is inside of, if that is ours."""
        span = Span(trace, KIND_INDEX["other"], name, None)
        trace.begin(span, trace.inner_of(parent))
        span.start_ns = _moment(started_ns, trace)
        return span

    def remember(self, otel_id: int, span: Span) -> None:
        """Let a span be found by the id that OpenTelemetry gave it."""
        self._by_id[otel_id] = span

    def find(self, otel_id: int) -> Span | None:
        """Return the span that has an id of OpenTelemetry's, if it is of a replicate under way."""
        return self._by_id.get(otel_id)

    def of(self, otel_span: Any, trace: Trace) -> Span | None:
        """Return the span of a trace that an OpenTelemetry span became, if it did."""
        span = getattr(otel_span, "poisson_span", None) or self.find(otel_span.get_span_context().span_id)
        return span if isinstance(span, Span) and span.trace is trace else None

    def outside(self, trace: Trace) -> Span | None:
        """Return the span of a trace that OpenTelemetry holds current in this context, if there is one."""
        api = sys.modules.get("opentelemetry.trace")
        return None if api is None else self.of(api.get_current_span(), trace)

    def end(
        self,
        span: Span,
        *,
        name: str,
        attributes: Mapping[str, Any],
        events: Iterable[tuple[str, Mapping[str, Any]]] = (),
        error: str | None = None,
        ended_ns: int | None = None,
    ) -> None:
        """Write down what a span has become by its end."""
        reading = read_attributes(attributes, events)
        span.kind_index = KIND_INDEX[reading.kind]
        span.name = name
        span.input, span.output = reading.input, reading.output
        span.tokens, span.attrs, span.error = reading.tokens, reading.attrs, error
        span.end_ns = max(_moment(ended_ns, span.trace), span.start_ns)
        span.trace.ended(span)


def _moment(given_ns: int | None, trace: Trace) -> int:
    """Return the trace's own time, so that all its spans are on one clock, unless another was given on purpose."""
    if (
        given_ns is not None
        and 0 <= given_ns <= LARGEST_WHOLE
        and abs(given_ns - time.time_ns()) > EXPLICIT_NS
    ):
        return given_ns
    return trace.now_ns()
