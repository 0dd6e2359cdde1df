"""A tracer provider for instrumentation packages that is not the program's.

What it makes is invisible to the program's own tracing: a span here has the context of the span that was current
before, so that ids, parents and propagated headers of the program's traces stay what they were.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from opentelemetry import trace as otel
from opentelemetry.trace import StatusCode

from pytest_poisson.capture.attributes import error_of
from pytest_poisson.spans import current_rollout, error_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from opentelemetry.trace import SpanContext

    from pytest_poisson.capture.recorder import Recorder
    from pytest_poisson.spans import Span


class ReplicateTracerProvider(otel.TracerProvider):
    """Hands out tracers whose spans become those of the replicate under way.

    Parameters
    ----------
    recorder
        Where spans go.
    client
        The client library that is instrumented; a replicate whose rollout does not capture it records nothing.
    propagates
        Whether the program's own spans may come to be inside, so that their parent must stay what it was. Without,
        an instrumentation that sends its context along sends none.
    """

    def __init__(self, recorder: Recorder, client: str, *, propagates: bool = True) -> None:
        self.recorder = recorder
        self.client = client
        self.propagates = propagates

    def get_tracer(self, *_: Any, **__: Any) -> otel.Tracer:
        """Return a tracer; which package asks does not matter."""
        return ReplicateTracer(self)


class ReplicateTracer(otel.Tracer):
    """Makes spans of the replicate under way, and none outside of one."""

    def __init__(self, provider: ReplicateTracerProvider) -> None:
        self.provider = provider

    def start_span(
        self,
        name: str,
        context: Any = None,
        kind: Any = None,  # noqa: ARG002
        attributes: Mapping[str, Any] | None = None,
        *_: Any,
        start_time: int | None = None,
        **__: Any,
    ) -> otel.Span:
        """Open a span inside what is current."""
        provider, around = self.provider, otel.get_current_span(context)
        visible = around.get_span_context() if provider.propagates else otel.INVALID_SPAN_CONTEXT
        rollout = current_rollout()
        if rollout is None or rollout.recording is None or provider.client not in rollout.recording.capture:
            return otel.NonRecordingSpan(around.get_span_context())
        trace = rollout.tracing()
        span = provider.recorder.begin(
            trace, name, provider.recorder.of(around, trace), started_ns=start_time
        )
        captured = CapturedSpan(provider.recorder, span, visible)
        captured.set_attributes(attributes or {})
        return captured

    @contextmanager
    def start_as_current_span(  # type: ignore[override]  # as above
        self, name: str, *args: Any, end_on_exit: bool = True, **kwargs: Any
    ) -> Iterator[otel.Span]:
        """Open a span and make it current."""
        with otel.use_span(self.start_span(name, *args, **kwargs), end_on_exit=end_on_exit) as span:
            yield span


class CapturedSpan(otel.Span):
    """Gathers what an instrumentation says of a call, until it ends."""

    def __init__(self, recorder: Recorder, span: Span, visible: SpanContext) -> None:
        self.poisson_span = span
        self._recorder = recorder
        self._visible = visible
        self._attributes: dict[str, Any] = {}
        self._events: list[tuple[str, Mapping[str, Any]]] = []
        self._failed = False
        self._error: str | None = None
        self._ended = False

    def get_span_context(self) -> SpanContext:
        """Return the context of the span that was current before."""
        return self._visible

    def is_recording(self) -> bool:
        """Tell whether the span has not ended."""
        return not self._ended

    def set_attribute(self, key: str, value: Any) -> None:
        """Keep an attribute."""
        self._attributes[key] = value

    def set_attributes(self, attributes: Mapping[str, Any]) -> None:
        """Keep attributes."""
        self._attributes.update(attributes)

    def add_event(self, name: str, attributes: Mapping[str, Any] | None = None, *_: Any, **__: Any) -> None:
        """Keep an event."""
        self._events.append((name, attributes or {}))

    def add_link(self, context: SpanContext, attributes: Any = None) -> None:
        """Forget a link: spans here have parents alone."""

    def update_name(self, name: str) -> None:
        """Take another name."""
        self.poisson_span.name = name

    def set_status(self, status: Any, description: str | None = None) -> None:
        """Learn whether the call failed."""
        code = getattr(status, "status_code", status)
        self._failed = code is StatusCode.ERROR
        self._error = getattr(status, "description", description) or self._error

    def record_exception(self, exception: BaseException, *_: Any, **__: Any) -> None:
        """Keep what was raised, in case the call is said to have failed."""
        self._error = self._error or error_line(exception)

    def end(self, end_time: int | None = None) -> None:
        """Write the span down, once."""
        if self._ended:
            return
        self._ended = True
        self._recorder.end(
            self.poisson_span,
            name=self.poisson_span.name,
            attributes=self._attributes,
            events=self._events,
            error=error_of(self._error, self._attributes) if self._failed else None,
            ended_ns=end_time,
        )
