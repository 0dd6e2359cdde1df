"""Spans: the timed steps of a replicate, recorded by hand or by what the program under test is instrumented with.

Code under test may import this module, so it needs the standard library alone, and outside a replicate every
call here does nothing.
"""

from __future__ import annotations

import time
from contextvars import ContextVar
from itertools import count
from math import isfinite
from typing import TYPE_CHECKING, Any, Protocol

from pytest_poisson.caps import DEFAULT_MAX_SPANS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from typing_extensions import Self

    from pytest_poisson.rollout import Rollout

KINDS = ("llm", "tool", "retrieval", "db", "http", "agent", "other")
KIND_INDEX = {kind: index for index, kind in enumerate(KINDS)}
IDENTITY = ("poisson.run_id", "poisson.condition", "poisson.replicate")
"""The attributes by which a span that was recorded elsewhere finds its replicate."""

MOST_TOKENS = 10**12  # of one span, so that their sums fit the 64 bits of the store
DEPTH = 50  # levels of a nested value that are written out

_ROLLOUT: ContextVar[Rollout | None] = ContextVar("pytest_poisson_rollout", default=None)
_SPAN: ContextVar[Span | None] = ContextVar("pytest_poisson_span", default=None)


def span(kind: str, name: str, *, input: Any = None) -> Span | NoSpan:  # noqa: A002  the word of the record
    """Open a span of the replicate under way; outside a replicate, one that records nothing.

    Parameters
    ----------
    kind
        ``llm``, ``tool``, ``retrieval``, ``db``, ``http``, ``agent`` or ``other``.
    name
        What the step is called, as in ``grader.request``.
    input
        What went in: text, bytes, or anything that has a JSON form.

    Raises
    ------
    ValueError
        If the kind is none of these.
    """
    rollout = _ROLLOUT.get()
    return NO_SPAN if rollout is None else rollout.span(kind, name, input=input)


def current_rollout() -> Rollout | None:
    """Return the rollout of the replicate under way in this context, or None outside of one."""
    return _ROLLOUT.get()


def current_span() -> Span | None:
    """Return the innermost span that is open in this context, or None."""
    return _SPAN.get()


def enter_replicate(rollout: Rollout) -> None:
    """Make a rollout the current one of this context, with no span open."""
    _SPAN.set(None)
    _ROLLOUT.set(rollout)


def leave_replicate() -> None:
    """Let this context belong to no replicate."""
    _SPAN.set(None)
    _ROLLOUT.set(None)


class Rules(Protocol):
    """What a trace must know of what is kept of texts; `content.ContentRules` is the one there is."""

    def is_long(self, text: object) -> bool:
        """Tell whether a text must be cut."""

    def keep(self, span: Span) -> tuple[Any, ...]:
        """Return what is kept of a span's texts, its name, input and output first."""


class Trace:
    """The spans of one replicate, in the order they began.

    Parameters
    ----------
    max_spans
        How many are kept; of those beyond, number and tokens are.
    rules
        What is kept of texts.
    outside
        Finds the innermost open span that something other than `span` has made current, if there is one.
    """

    def __init__(
        self,
        *,
        max_spans: int = DEFAULT_MAX_SPANS,
        rules: Rules | None = None,
        outside: Callable[[Trace], Span | None] | None = None,
    ) -> None:
        self.max_spans = max_spans
        self.rules = rules
        self.outside = outside
        self.spans: list[Span] = []
        self.left_out: list[Span] = []
        self.step: str | None = None
        self._numbers = count()
        # A clock that jumps must not bend durations, so the wall clock is read once.
        self._epoch_ns = time.time_ns() - time.perf_counter_ns()

    def open(self, kind: str, name: str, given: Any) -> Span:
        """Return a new span, which begins when it is entered."""
        index = KIND_INDEX.get(kind)
        if index is None:
            raise ValueError(f"kind={kind!r} of span {name!r} is none of {', '.join(KINDS)}.")
        return Span(self, index, name, given)

    def now_ns(self) -> int:
        """Return the UTC epoch time in ns, on a clock that only goes forward."""
        return self._epoch_ns + time.perf_counter_ns()

    def begin(self, span: Span, parent: Span | None) -> None:
        """Give a span its number and its parent, and keep it, unless there are enough."""
        span.number = next(self._numbers)
        span.span_id = f"{span.number:04x}"
        if parent is not None:
            span.parent, span.parent_id = parent, parent.span_id
        (self.spans if span.number < self.max_spans else self.left_out).append(span)

    def innermost(self) -> Span | None:
        """Return the span of this trace that is open here, however it was made current."""
        return self.inner_of(None if self.outside is None else self.outside(self))

    def inner_of(self, theirs: Span | None) -> Span | None:
        """Return the inner one of a span and the one that `span` holds open here."""
        ours = _SPAN.get()
        if ours is None or ours.trace is not self:
            return theirs
        return theirs if theirs is not None and theirs.is_inside(ours) else ours

    def ended(self, span: Span) -> None:
        """Write long texts down at once, so that memory holds no more of them than the store will."""
        if span.number >= self.max_spans:
            span.input = span.output = None
            span.attrs = {}
            return
        rules = self.rules
        if rules is not None and (rules.is_long(span.input) or rules.is_long(span.output)):
            span.written = rules.keep(span)
            _, span.input, span.output, *_ = span.written


class Span:
    """One timed step: a context manager whose attributes may be set while it is open.

    Attributes
    ----------
    input, output
        What went in and came out: text, bytes, or anything that has a JSON form.
    tokens
        ``{"in": 12, "out": 3}`` as the provider reported them; None, or a part left out, is unknown.
    attrs
        Anything else by name, as in ``attrs["url.full"]``.
    error
        What was raised inside, or what is set by hand.
    """

    __slots__ = (
        "__weakref__",
        "_tokens",
        "attrs",
        "end_ns",
        "error",
        "input",
        "kind_index",
        "name",
        "number",
        "outer",
        "output",
        "parent",
        "parent_id",
        "span_id",
        "start_ns",
        "step",
        "trace",
        "written",
    )

    def __init__(self, trace: Trace, kind_index: int, name: str, given: Any) -> None:
        self.trace = trace
        self.kind_index = kind_index
        self.name = name
        self.input = given if given is None or type(given) is str else as_text(given)
        self.output: Any = None
        self.attrs: dict[str, Any] = {}
        self.error: str | None = None
        self.step = trace.step
        self.number = -1
        self.span_id = ""
        self.parent: Span | None = None
        self.parent_id: str | None = None
        self.outer: Span | None = None  # open around it in this context; the parent may be OpenTelemetry's
        self.start_ns = self.end_ns = 0
        self.written: tuple[Any, ...] | None = None
        self._tokens: dict[str, int | None] | None = None

    def __repr__(self) -> str:
        return f"<span {self.kind} {self.name!r}>"

    @property
    def kind(self) -> str:
        """What the span is: one of `KINDS`."""
        return KINDS[self.kind_index]

    @property
    def tokens(self) -> dict[str, int | None] | None:
        """What the provider reported: ``{"in": …, "out": …}``."""
        return self._tokens

    @tokens.setter
    def tokens(self, value: Mapping[str, int | None] | None) -> None:
        self._tokens = None if value is None else _checked_tokens(value, self.name)

    def is_inside(self, other: Span) -> bool:
        """Tell whether the other span contains this one."""
        span: Span | None = self.parent
        while span is not None and span is not other:
            span = span.parent
        return span is other

    def __enter__(self) -> Self:
        trace = self.trace
        if self.number < 0:  # entered anew, it is still one span: its tokens are those of one call
            trace.begin(self, trace.innermost())
            self.outer = _SPAN.get()
            self.start_ns = trace.now_ns()
        self.end_ns = 0
        _SPAN.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end_ns = self.trace.now_ns()
        if error is not None and self.error is None and not isinstance(error, GeneratorExit):
            self.error = error_line(error)
        outer = self.outer
        while outer is not None and outer.end_ns:  # two streams, read in turn, end in any order
            outer = outer.outer
        self.outer = outer
        if _SPAN.get() is self:  # not so where a generator is closed from another context
            _SPAN.set(outer)
        if self.output is not None and type(self.output) is not str:
            self.output = as_text(self.output)
        self.trace.ended(self)


class NoSpan:
    """What `span` returns outside a replicate: everything may be set on it, nothing is kept."""

    __slots__ = ()

    span_id = kind = name = ""
    input = output = tokens = error = parent_id = step = None
    start_ns = end_ns = 0

    @property
    def attrs(self) -> dict[str, Any]:
        """A mapping that nobody looks at."""
        return {}

    def __setattr__(self, name: str, value: object) -> None:
        """Forget the value."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        """Let everything pass."""

    def __repr__(self) -> str:
        return "<no span>"


NO_SPAN = NoSpan()


def error_line(error: BaseException) -> str:
    """Return an exception as `Type: message`."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001  an exception whose text raises must not hide the one under way
        message = "(its text cannot be made)"
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


def as_text(value: Any) -> str:
    """Return what a span was given as text.

    Text stays as it is. Bytes are read as UTF-8, and each byte that is none becomes a lone surrogate, so that
    `text.encode("utf-8", "surrogateescape")` gives them back. Anything else becomes JSON, in which a value that
    JSON does not know stands as its `str`.
    """
    if isinstance(value, str):
        return str(value)
    if isinstance(value, (bytes, bytearray, memoryview)):
        return bytes(value).decode("utf-8", "surrogateescape")
    return as_json(value)


def as_json(value: Any) -> str:
    """Return a value as compact JSON; what JSON does not know stands as its `str`."""
    from json import dumps

    try:
        return dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_json_form)
    except Exception:  # noqa: BLE001  recording must not raise into the program under test
        return dumps(plain(value), ensure_ascii=False, separators=(",", ":"))


def plain(value: Any, depth: int = 0) -> Any:
    """Return a value in plain JSON types, whatever it is; what nests deeper than 50 levels stands as its `str`."""
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if isinstance(value, dict) and depth < DEPTH:
        return {_described(key): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and depth < DEPTH:
        return [plain(item, depth + 1) for item in value]
    return _plain_object(value, depth)


def _plain_object(value: Any, depth: int) -> Any:
    try:
        form = None if depth >= DEPTH else _json_form(value)
    except Exception:  # noqa: BLE001  a value's own method raised
        form = None
    return _described(value) if form is None else plain(form, depth + 1)


def _json_form(value: Any) -> Any:
    """Return what stands for a value that JSON does not know."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return as_text(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=str)  # the order of a set differs from process to process
    if hasattr(value, "model_dump"):  # pydantic, which most client libraries speak
        return value.model_dump(mode="json")
    if hasattr(value, "tolist"):  # NumPy
        return value.tolist()
    if hasattr(value, "__dataclass_fields__") and not isinstance(value, type):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    return _described(value)


def _described(value: Any) -> str:
    try:
        return str(value)
    except Exception:  # noqa: BLE001  recording must not raise into the program under test
        return f"<{type(value).__name__}>"


def _checked_tokens(value: Mapping[str, int | None], name: str) -> dict[str, int | None]:
    if not hasattr(value, "get"):
        raise ValueError(f"tokens={value!r} of span {name!r} must be a mapping of 'in' and 'out', or None.")
    tokens = {side: value.get(side) for side in ("in", "out")}
    for number in tokens.values():
        if number is not None and (
            not isinstance(number, int) or isinstance(number, bool) or not 0 <= number <= MOST_TOKENS
        ):
            raise ValueError(
                f"tokens={value!r} of span {name!r} must be whole numbers from 0 to {MOST_TOKENS}, or None."
            )
    if not set(value) <= {"in", "out"}:
        raise ValueError(f"tokens={value!r} of span {name!r} takes 'in' and 'out' alone.")
    return tokens
