"""The OpenTelemetry SDK's side: every span of the program under test becomes one of its replicate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from opentelemetry import trace as otel
from opentelemetry.sdk.trace import SpanProcessor
from opentelemetry.trace import StatusCode

from pytest_poisson.capture.attributes import error_of
from pytest_poisson.spans import current_rollout

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import ReadableSpan
    from opentelemetry.sdk.trace import Span as SdkSpan

    from pytest_poisson.capture.recorder import Recorder


class ReplicateSpanProcessor(SpanProcessor):
    """Records spans beside whatever else a provider's processors do with them."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self.is_over = False  # providers keep it, and another session of this process has one of its own

    def on_start(self, span: SdkSpan, parent_context: Context | None = None) -> None:
        """Open our span where a replicate is under way, or in a thread to which only OpenTelemetry's context was carried."""
        if self.is_over:
            return
        rollout, parent = current_rollout(), otel.get_current_span(parent_context)
        if rollout is not None:
            trace = rollout.tracing()
        elif (inside := self._recorder.find(parent.get_span_context().span_id)) is not None:
            trace = inside.trace
        else:
            return
        around = self._recorder.of(parent, trace)
        ours = self._recorder.begin(trace, span.name, around, started_ns=span.start_time)
        self._recorder.remember(span.get_span_context().span_id, ours)

    def on_end(self, span: ReadableSpan) -> None:
        """Write our span down."""
        context = span.get_span_context()
        ours = None if context is None else self._recorder.find(context.span_id)
        if ours is None:
            return
        attributes, failed = span.attributes or {}, span.status.status_code is StatusCode.ERROR
        events = [(event.name, event.attributes or {}) for event in span.events]
        self._recorder.end(
            ours,
            name=span.name,
            attributes=attributes,
            events=events,
            error=error_of(span.status.description, attributes, events) if failed else None,
            ended_ns=span.end_time,
        )
