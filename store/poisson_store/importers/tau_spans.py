"""The messages of a tau-bench simulation as spans: what the agent said, the tools it called, what the user said."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from poisson_store.importers.case import MODEL, keep
from poisson_store.importers.instants import nanoseconds
from poisson_store.importers.reader import items, number, parts, text, whole
from poisson_store.records import Span, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from poisson_store.records import Json

_KINDS = {"assistant": "llm", "tool": "tool", "user": "other"}


def read_spans(row: Mapping[str, Any], *, keep_text: bool, model: str | None = None) -> tuple[Span, ...]:
    """Give a span for each message but the system's, in order.

    tau-bench keeps no times: there a span begins and ends at its position, as if it were nanoseconds.
    """
    messages = next(
        (row[name] for name in ("traj", "messages", "steps") if isinstance(row.get(name), list)), ()
    )
    calls: dict[str, tuple[str, str]] = {}
    spans = []
    for position, message in enumerate(_flat(messages)):
        called = list(_calls(message))
        calls |= {call_id: (name, given) for call_id, name, given in called if call_id}
        if text(message.get("role")) in _KINDS:
            attrs: dict[str, Json] = {"calls": [name for _, name, _ in called]} if called else {}
            if model is not None and message["role"] == "assistant":
                attrs[MODEL] = model
            spans.append(_span(message, position, attrs, calls, keep_text=keep_text))
    return tuple(spans)


def token_sums(spans: Iterable[Span]) -> tuple[int | None, int | None]:
    """Add up the agent's tokens, (in, out); None where no message reported any."""
    known = [span.tokens for span in spans if span.kind == "llm" and span.tokens is not None]
    given = [tokens.input for tokens in known if tokens.input is not None]
    gave = [tokens.output for tokens in known if tokens.output is not None]
    return sum(given) if given else None, sum(gave) if gave else None


def _flat(messages: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """Yield messages, those of several tool calls at once (tau2-bench) one by one."""
    for message in messages:
        if isinstance(message, dict):
            yield from map(parts, items(message.get("tool_messages")) or (message,))


def _calls(message: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (id, name, arguments) of the tool calls of a message: in OpenAI's form, tau2-bench's, or names alone."""
    for call in map(parts, items(message.get("tool_calls"))):
        function = parts(call.get("function")) or call
        given = function.get("arguments")
        yield (
            str(call.get("id") or ""),
            str(function.get("name")),
            given if isinstance(given, str) else json.dumps(given),
        )
    for name in items(message.get("tool")):
        yield "", str(name), ""


def _span(
    message: Mapping[str, Any],
    position: int,
    attrs: Mapping[str, Json],
    calls: Mapping[str, tuple[str, str]],
    *,
    keep_text: bool,
) -> Span:
    role = str(message["role"])
    name, given = calls.get(str(message.get("tool_call_id") or message.get("id") or ""), (role, None))
    said, said_cut = keep(text(message.get("content")), kept=keep_text)
    asked, asked_cut = keep(given if role == "tool" else None, kept=keep_text)
    name = str(message.get("name") or name) if role == "tool" else role
    end = nanoseconds(message.get("timestamp"))
    took = number(message.get("generation_time_seconds")) or 0
    end = position if end is None else end
    return Span(
        span_id=f"m{position}",
        parent_id=None,
        kind=_KINDS[role],
        name=name,
        start_ns=max(0, end - round(took * 1e9)),
        end_ns=end,
        input=asked,
        output=said,
        tokens=_tokens(message.get("usage")),
        attrs=attrs,
        error="the tool failed" if role == "tool" and message.get("error") else None,
        step=name,
        input_cut=asked_cut,
        output_cut=said_cut,
    )


def _tokens(usage: Any) -> Tokens | None:
    if not isinstance(usage, dict):
        return None
    return Tokens(whole(usage.get("prompt_tokens")), whole(usage.get("completion_tokens")))
