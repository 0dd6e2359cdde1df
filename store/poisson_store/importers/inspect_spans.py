"""The events of an Inspect sample as spans: model calls, tool calls, and the steps they belong to."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from poisson_store.importers.case import MODEL, brief, keep
from poisson_store.importers.instants import nanoseconds
from poisson_store.importers.reader import items, parts, text, whole
from poisson_store.records import Span, Tokens

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from poisson_store.records import Json

_ATTACHMENT = "attachment://"


def read_spans(sample: Mapping[str, Any], *, keep_text: bool) -> tuple[Span, ...]:
    """Give the spans of a sample in the order in which they began.

    Model and tool calls are spans, and so are the steps around them; a step in which nothing was called is none.
    What scored the sample is no part of it. A tool call is written twice, as a step and as an event: the event,
    which has the arguments and the result, is taken, and what happened inside belongs to the step around it.
    """
    events = [event for event in items(sample.get("events")) if isinstance(event, dict)]
    texts, steps = _Texts(sample, keep_text=keep_text), _Steps(events)
    calls = [
        _MAKERS[event["event"]](event, f"e{position}", texts)
        for position, event in enumerate(events)
        if text(event.get("event")) in _MAKERS and not steps.scored(event.get("span_id"))
    ]
    placed = [steps.place(call) for call in calls]
    return tuple(sorted((*steps.around(placed), *placed), key=lambda span: span.start_ns))


class _Steps:
    """The steps that a sample's events tell of, by their ids."""

    def __init__(self, events: Sequence[Mapping[str, Any]]) -> None:
        self._begun = {
            event["id"]: event
            for event in events
            if event.get("event") == "span_begin" and isinstance(event.get("id"), str)
        }
        self._ends = {
            str(event.get("id")): event.get("timestamp")
            for event in events
            if event.get("event") == "span_end"
        }

    def _path(self, step: Any) -> list[str]:
        """List a step and those around it, the innermost first."""
        path: list[str] = []
        while isinstance(step, str) and step in self._begun and step not in path:
            path.append(step)
            step = self._begun[step].get("parent_id")
        return path

    def scored(self, step: Any) -> bool:
        """Tell whether a step is a scorer's."""
        return any(text(self._begun[each].get("type")) in {"scorer", "scorers"} for each in self._path(step))

    def _shown(self, step: Any) -> list[str]:
        return [each for each in self._path(step) if self._begun[each].get("type") != "tool"]

    def place(self, call: Span) -> Span:
        """Put a call into the step around it, by whose name it is known unless it is a tool's."""
        shown = self._shown(call.parent_id)
        around = self._name(shown[0]) if shown else None
        return replace(
            call, parent_id=shown[0] if shown else None, step=call.name if call.kind == "tool" else around
        )

    def around(self, calls: Iterable[Span]) -> list[Span]:
        """Give the steps around calls as spans."""
        return [
            self._span(step)
            for step in dict.fromkeys(each for call in calls for each in self._shown(call.parent_id))
        ]

    def _span(self, step: str) -> Span:
        event = self._begun[step]
        start = nanoseconds(event.get("timestamp")) or 0
        return Span(
            span_id=step,
            parent_id=next(iter(self._shown(event.get("parent_id"))), None),
            kind="agent" if event.get("type") == "agent" else "other",
            name=self._name(step),
            start_ns=start,
            end_ns=nanoseconds(self._ends.get(step)) or start,
        )

    def _name(self, step: str) -> str:
        return str(self._begun[step].get("name") or self._begun[step].get("type") or "step")


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


def _model(event: Mapping[str, Any], span_id: str, texts: _Texts) -> Span:
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
        attrs={MODEL: str(event.get("model"))},
    )


def _tool(event: Mapping[str, Any], span_id: str, texts: _Texts) -> Span:
    result = event.get("result")
    given = json.dumps(event.get("arguments") or {}, ensure_ascii=False)
    gave = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
    what = ("tool", str(event.get("function") or "tool"))
    return _span(event, span_id, what, (texts.resolve(given), texts.resolve(gave)), kept=texts.kept)


def _span(
    event: Mapping[str, Any],
    span_id: str,
    what: tuple[str, str],
    bodies: Sequence[str],
    *,
    kept: bool,
    tokens: Tokens | None = None,
    attrs: Mapping[str, Json] | None = None,
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
        attrs=attrs or {},
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


_MAKERS = {"model": _model, "tool": _tool}
