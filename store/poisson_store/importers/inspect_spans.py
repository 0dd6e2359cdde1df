"""The events of an Inspect sample as spans: model calls, tool calls, and the steps they belong to."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from poisson_store.importers.case import brief, keep
from poisson_store.importers.instants import nanoseconds
from poisson_store.importers.reader import items, parts, text, whole
from poisson_store.records import Span, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_ATTACHMENT = "attachment://"


def read_spans(sample: Mapping[str, Any], *, keep_text: bool) -> tuple[Span, ...]:
    """Give the spans of a sample in the order in which they began.

    A tool call is written twice, as a step and as an event: the event, which has the arguments and the result,
    is taken, and what happened inside belongs to the step around it.
    """
    events = [event for event in items(sample.get("events")) if isinstance(event, dict)]
    texts = _Texts(sample, keep_text=keep_text)
    parents = {event["id"]: text(event.get("parent_id")) for event in events if _is_hidden(event)}
    ends = {
        str(event.get("id")): event.get("timestamp") for event in events if event.get("event") == "span_end"
    }
    spans = []
    for position, event in enumerate(events):
        make = _MAKERS.get(str(event.get("event")))
        if make is None or _is_hidden(event):
            continue
        span = make(event, f"e{position}", texts, ends)
        spans.append(replace(span, parent_id=_shown(span.parent_id, parents)))
    return tuple(spans)


def _is_hidden(event: Mapping[str, Any]) -> bool:
    return (
        event.get("event") == "span_begin"
        and event.get("type") == "tool"
        and isinstance(event.get("id"), str)
    )


def _shown(parent: str | None, hidden: Mapping[str, str | None]) -> str | None:
    for _ in hidden:
        if parent is None or parent not in hidden:
            break
        parent = hidden[parent]
    return parent


class _Texts:
    """Finds the texts that a sample's events refer to."""

    def __init__(self, sample: Mapping[str, Any], *, keep_text: bool) -> None:
        self._attachments = parts(sample.get("attachments"))
        self._messages = items(parts(sample.get("events_data")).get("messages"))
        self.kept = keep_text

    def request(self, event: Mapping[str, Any]) -> str:
        """Give the messages that a model was sent, as JSON: written in the event, or as ranges of shared ones."""
        sent = list(items(event.get("input")))
        for reference in items(event.get("input_refs")):
            sent += self._messages[slice(*map(whole, items(reference)[:2] or (0, 0)))]
        return self.resolve(json.dumps(sent, ensure_ascii=False))

    def resolve(self, body: str) -> str:
        """Put the attachments into a text that names them."""
        if _ATTACHMENT in body:
            for name, attachment in self._attachments.items():
                body = body.replace(f"{_ATTACHMENT}{name}", str(attachment))
        return body


def _model(event: Mapping[str, Any], span_id: str, texts: _Texts, _: Mapping[Any, Any]) -> Span:
    output = parts(event.get("output"))
    usage = parts(output.get("usage"))
    tokens = Tokens(whole(usage.get("input_tokens")), whole(usage.get("output_tokens")))
    return _span(
        event,
        span_id,
        ("llm", str(event.get("model") or "model")),
        (texts.request(event), texts.resolve(str(output.get("completion") or ""))),
        kept=texts.kept,
        tokens=tokens if usage else None,
    )


def _tool(event: Mapping[str, Any], span_id: str, texts: _Texts, _: Mapping[Any, Any]) -> Span:
    result = event.get("result")
    given = json.dumps(event.get("arguments") or {}, ensure_ascii=False)
    gave = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    what = ("tool", str(event.get("function") or "tool"))
    return _span(event, span_id, what, (texts.resolve(given), texts.resolve(gave)), kept=texts.kept)


def _step(event: Mapping[str, Any], span_id: str, _: _Texts, ends: Mapping[Any, Any]) -> Span:
    start = nanoseconds(event.get("timestamp")) or 0
    kind = "agent" if event.get("type") == "agent" else "other"
    return Span(
        span_id=str(event.get("id") or span_id),
        parent_id=text(event.get("parent_id")),
        kind=kind,
        name=str(event.get("name") or event.get("type") or "step"),
        start_ns=start,
        end_ns=nanoseconds(ends.get(str(event.get("id")))) or start,
    )


def _span(
    event: Mapping[str, Any],
    span_id: str,
    what: tuple[str, str],
    bodies: Sequence[str],
    *,
    kept: bool,
    tokens: Tokens | None = None,
) -> Span:
    start = nanoseconds(event.get("timestamp")) or 0
    (given, given_cut), (gave, gave_cut) = (keep(body, kept=kept) for body in bodies)
    return Span(
        span_id=span_id,
        parent_id=text(event.get("span_id")),
        kind=what[0],
        name=what[1],
        start_ns=start,
        end_ns=nanoseconds(event.get("completed")) or start,
        input=given,
        output=gave,
        tokens=tokens,
        error=_error(event.get("error")),
        input_cut=given_cut,
        output_cut=gave_cut,
    )


def _error(error: Any) -> str | None:
    if not error:
        return None
    return brief(error.get("message") or error.get("type") or "error" if isinstance(error, dict) else error)


def token_sums(usages: Iterable[Any]) -> tuple[int | None, int | None]:
    """Add up what a sample's models used, (in, out); None where no model reported any."""
    known = [usage for usage in usages if isinstance(usage, dict)]
    sums = [
        [count for usage in known if (count := whole(usage.get(name))) is not None]
        for name in ("input_tokens", "output_tokens")
    ]
    tokens_in, tokens_out = (sum(counts) if counts else None for counts in sums)
    return tokens_in, tokens_out


_MAKERS = {"model": _model, "tool": _tool, "span_begin": _step}
