"""Failing replicates for a page and for JSON: bounded, with what was cut stated."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_poisson.render import formatting as write
from pytest_poisson.render.commands import replicate_command
from pytest_poisson.render.html import data_block
from pytest_poisson.render.trace_text import UNKNOWN, span_time

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from poisson_store.records import Cut, Episode
    from pytest_poisson.analyses.episode_trace import Node
    from pytest_poisson.analyses.failing import Failing, FailingReplicate
    from pytest_poisson.render.documents import Document

MOST_BYTES, LEAST_BYTES = 1_500_000, 500_000
"""What all replicates of a page may take: less by 1 kB a condition, so that a thousand of them stay below 2 MB."""


class Room(NamedTuple):
    """How many spans of a replicate are shown, and how many characters of an error, an input or an output."""

    spans: int
    characters: int


ROOM = Room(40, 500)
SMALLER_ROOMS = (Room(40, 160), Room(40, 40), Room(20, 40), Room(5, 40))


def replicates_data(failing: Failing, store: str | None) -> list[Document]:
    """Return the replicates as the page's script shows them, in the most room that the page has for all of them."""
    most = max(MOST_BYTES - 1000 * len(failing.total), LEAST_BYTES)
    for room in (ROOM, *SMALLER_ROOMS):
        data = [_written_out(replicate_data(each, store, room)) for each in failing.shown]
        if len(data_block({"replicates": data}).encode()) <= most:
            break
    return data


def replicate_data(each: FailingReplicate, store: str | None, room: Room) -> Document:
    """Return a replicate: every figure written out, texts as they are, what was cut stated."""
    trace, episode = each.trace, each.trace.episode
    return {
        "arm": each.arm,
        "number": episode.replicate,
        "ended": episode.outcome or episode.cause,
        "partner": each.partner,
        "facts": [[name, said] for name, said in _facts(episode, room)],
        "error": _begin(episode.error, room),
        "command": replicate_command(trace.run.name, trace.condition, episode.replicate, store),
        "spans": [_span(node, room) for node in trace.nodes[: room.spans]],
        "cut": _cut_spans(len(trace.nodes), episode.spans_left_out or 0, room),
    }


def _written_out(value: Any) -> Any:
    """Return data with every text as a page may show it: nothing in it that a reader would not see, or see elsewhere."""
    if isinstance(value, str):
        return write.printable_lines(value)
    if isinstance(value, list):
        return [_written_out(each) for each in value]
    if isinstance(value, dict):
        return {name: _written_out(each) for name, each in value.items()}
    return value


def failing_document(failing: Failing) -> list[Document]:
    """Return the replicates that a report shows, with their figures as they are."""
    return [_document(each) for each in failing.shown]


def _document(each: FailingReplicate) -> Document:
    episode, nodes = each.trace.episode, each.trace.nodes
    return {
        "condition": episode.condition,
        "run_id": each.trace.run.run_id,
        "replicate": episode.replicate,
        "seed": episode.seed,
        "outcome": episode.outcome,
        "cause": episode.cause,
        "partner": each.partner,
        "t": episode.t,
        "horizon": episode.horizon,
        "wall_s": episode.wall_s,
        "tokens": {"in": episode.tokens_in, "out": episode.tokens_out},
        "unknown_usage": episode.unknown_usage or 0,
        "error": episode.error,
        "spans": len(nodes),
        "spans_left_out": episode.spans_left_out or 0,
        "spans_shown": [_span_document(node) for node in nodes[: ROOM.spans]],
    }


def _span_document(node: Node) -> Document:
    span, tokens = node.span, node.span.tokens
    return {
        "depth": node.depth,
        "kind": span.kind,
        "name": span.name,
        "step": span.step,
        "model": node.model,
        "after_s": node.after_s,
        "took_s": node.took_s,
        "tokens": None if tokens is None else {"in": tokens.input, "out": tokens.output},
        "error": _begin(span.error, ROOM),
        "input": _begin(span.input, ROOM),
        "output": _begin(span.output, ROOM),
    }


def _facts(episode: Episode, room: Room) -> Iterator[tuple[str, str]]:
    if episode.t is not None:
        horizon = "" if episode.horizon is None else f" of {episode.horizon:g}"
        yield "t", f"{episode.t:g}{horizon}"
    if episode.wall_s is not None:
        yield "took", write.duration(episode.wall_s)
    if episode.seed is not None:
        yield "seed", str(episode.seed)
    if episode.tokens_in is not None or episode.tokens_out is not None or episode.unknown_usage:
        sides = (episode.tokens_in, episode.tokens_out)
        known = [UNKNOWN if side is None else write.integer(side) for side in sides]
        silent = episode.unknown_usage
        rest = f"; {write.plural(silent, 'call')} reported none" if silent else ""
        yield "tokens", f"{known[0]} in, {known[1]} out{rest}"
    if episode.attempts:
        yield "attempts", str(len(episode.attempts) + 1)
    if episode.meta:
        yield "meta", _begin(write.value(dict(episode.meta)), room) or ""


def _span(node: Node, room: Room) -> Document:
    span, tokens = node.span, node.span.tokens
    said = {
        "depth": node.depth,
        "kind": span.kind,
        "name": span.name,
        "step": span.step,
        "model": node.model,
        "after": span_time(node.after_s),
        "took": span_time(node.took_s),
        "tokens": None if tokens is None else _sides(tokens.input, tokens.output),
        "error": _begin(span.error, room),
        "input": _begin(span.input, room),
        "output": _begin(span.output, room),
        "cut": ", ".join(_cuts(node, room)),
    }
    return {name: value for name, value in said.items() if value not in (None, "")}


def _sides(given: int | None, gave: int | None) -> str:
    known = (UNKNOWN if side is None else write.integer(side) for side in (given, gave))
    return "{} in, {} out".format(*known)


def _cuts(node: Node, room: Room) -> Iterable[str]:
    span = node.span
    for side, said, cut in (("input", span.input, span.input_cut), ("output", span.output, span.output_cut)):
        yield from _cut_text(side, said, cut, room)


def _cut_text(side: str, said: str | None, cut: Cut | None, room: Room) -> Iterator[str]:
    if said is None and cut is not None:
        yield f"{side} of {write.plural(cut.bytes, 'byte')} not kept"
    elif said is not None and (cut is not None or len(said) > room.characters):
        whole = write.plural(len(said), "character") if cut is None else write.plural(cut.bytes, "byte")
        yield f"{side}: the first {write.integer(min(len(said), room.characters))} characters of {whole}"


def _cut_spans(stored: int, left_out: int, room: Room) -> str:
    """Say how many spans are not shown; empty where all are."""
    whole = stored + left_out
    shown = min(stored, room.spans)
    return f"{shown} of {write.plural(whole, 'span')} are shown." if shown < whole else ""


def _begin(words: str | None, room: Room) -> str | None:
    """Return the beginning of a text, with a sign where it was cut."""
    if words is None or len(words) <= room.characters:
        return words
    return words[: room.characters] + " [cut]"
