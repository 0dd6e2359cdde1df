"""Which spans' tokens count, where a span and what it contains both report the same usage."""

from __future__ import annotations

import json
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from poisson_store.records import KINDS
from poisson_store.texts import read_text

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from poisson_store.records import Json

_LLM = KINDS.index("llm")


class SpanUsage(NamedTuple):
    """What a span says of its usage; `kind` is a position in `KINDS`, None is unknown."""

    span_id: str
    parent_id: str | None
    kind: int
    tokens_in: int | None
    tokens_out: int | None

    @property
    def known(self) -> bool:
        """Whether the provider reported anything."""
        return self.tokens_in is not None or self.tokens_out is not None


def counted_spans(spans: Sequence[SpanUsage]) -> tuple[list[int], list[int]]:
    """Return the positions of the spans whose tokens count, and of the llm calls whose usage is unknown.

    An agent's span often repeats the sum of the calls inside it, and a client that uses another client is
    recorded twice. So a span's tokens count where no span inside it reports any. An llm span without usage is
    an unknown call where it contains no other llm span, and neither a span inside it nor one around it counts.
    """
    tree = _Tree(spans)
    known = [place for place, span in enumerate(spans) if span.known]
    around_known = tree.around(known)
    counted = [place for place in known if place not in around_known]
    silent = [place for place, span in enumerate(spans) if span.kind == _LLM and not span.known]
    if not silent:
        return counted, []
    around_llm = tree.around([place for place, span in enumerate(spans) if span.kind == _LLM])
    covering = set(counted)
    unknown = [
        place
        for place in silent
        if place not in around_llm and place not in around_known and not tree.is_inside(place, covering)
    ]
    return counted, unknown


def sum_usage(spans: Sequence[SpanUsage]) -> tuple[int | None, int | None, int]:
    """Return input and output tokens as far as they are known, None where no span knows, and the unknown calls."""
    counted, unknown = counted_spans(spans)
    return (
        _sum(spans[place].tokens_in for place in counted),
        _sum(spans[place].tokens_out for place in counted),
        len(unknown),
    )


def _sum(numbers: Iterable[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if known else None


class EpisodeUsage(NamedTuple):
    """The spans of one episode, as far as usage goes, and the attributes of each."""

    condition: str
    replicate: int
    spans: list[SpanUsage]
    attrs: list[Mapping[str, Json]]


def read_usage(connection: sqlite3.Connection, keys: Sequence[str]) -> Iterator[EpisodeUsage]:
    """Read the usage of every episode with spans, ordered by replicate, then condition; no bodies are read.

    Attributes are read of llm spans and of those with usage; of the others they are empty.
    """

    @lru_cache(maxsize=10_000)
    def parsed(number: int | None) -> Mapping[str, Json]:
        attrs: Mapping[str, Json] = json.loads(read_text(connection, number) or "{}")
        return attrs

    rows = connection.execute(
        "SELECT replicate, condition, span_id, parent_id, kind, tokens_in, tokens_out, attrs FROM spans"
        " ORDER BY replicate, condition, position"
    )
    for (replicate, condition), group in groupby(rows, key=_episode):
        spans: list[SpanUsage] = []
        attrs: list[Mapping[str, Json]] = []
        for *_, span_id, parent_id, kind, tokens_in, tokens_out, number in group:
            span = SpanUsage(span_id, parent_id, kind, tokens_in, tokens_out)
            spans.append(span)
            attrs.append(parsed(number) if span.known or kind == _LLM else {})
        yield EpisodeUsage(keys[condition], replicate, spans, attrs)


def _episode(row: Sequence[Any]) -> tuple[int, int]:
    return row[0], row[1]


class _Tree:
    """The parents of a replicate's spans, by position."""

    def __init__(self, spans: Sequence[SpanUsage]) -> None:
        places = {span.span_id: place for place, span in enumerate(spans)}
        self._parents = [None if span.parent_id is None else places.get(span.parent_id) for span in spans]

    def around(self, places: Iterable[int]) -> set[int]:
        """Return every span that contains one of these."""
        found: set[int] = set()
        for place in places:
            parent = self._parents[place]
            while parent is not None and parent not in found:
                found.add(parent)
                parent = self._parents[parent]
        return found

    def is_inside(self, place: int, others: set[int]) -> bool:
        """Tell whether one of the others contains this span."""
        seen: set[int] = set()
        parent = self._parents[place]
        while parent is not None and parent not in seen:
            if parent in others:
                return True
            seen.add(parent)
            parent = self._parents[parent]
        return False
