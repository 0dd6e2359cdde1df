"""Spans as rows and rows as spans."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING, Any

from poisson_store.codec import find_position, to_json
from poisson_store.records import KINDS, Cut, Span, SpanRow, Tokens
from poisson_store.texts import read_text, storable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator, Sequence

COLUMNS = "span_id, parent_id, kind, name, start_ns, end_ns, input, output, tokens_in, tokens_out, attrs, error, step"
INTO_SPANS = f"spans (condition, replicate, position, {COLUMNS})"
INTO_CUTS = "cuts (condition, replicate, position, side, bytes, digest)"

_KINDS = {kind: number for number, kind in enumerate(KINDS)}
_KIND_NUMBERS = frozenset(_KINDS.values())


def span_row(span: Span) -> SpanRow:
    """Turn a span into the row its writer takes.

    Raises
    ------
    StoreError
        If its kind is unknown or its attributes have no JSON form.
    """
    tokens, input_cut, output_cut = span.tokens or Tokens(), span.input_cut, span.output_cut
    return SpanRow(
        span_id=span.span_id,
        parent_id=span.parent_id,
        kind=find_position(_KINDS, span.kind, "kind", f"span {span.name!r}"),
        name=span.name,
        start_ns=span.start_ns,
        end_ns=span.end_ns,
        input=span.input,
        output=span.output,
        input_bytes=None if input_cut is None else input_cut.bytes,
        input_digest=None if input_cut is None else input_cut.digest,
        output_bytes=None if output_cut is None else output_cut.bytes,
        output_digest=None if output_cut is None else output_cut.digest,
        tokens_in=tokens.input,
        tokens_out=tokens.output,
        attrs=to_json(span.attrs, f"attrs of span {span.name!r}") if span.attrs else None,
        error=span.error,
        step=span.step,
    )


def stored_span(span: Sequence[Any], intern: Callable[[str | None], int | None]) -> tuple[Any, ...]:
    """Turn a span's row into that of `spans`: bodies and attributes become numbers of texts, cuts go elsewhere.

    Raises
    ------
    ValueError
        If the row has another length, or the kind is unknown.
    """
    span_id, parent_id, kind, name, start_ns, end_ns, given, gave, *rest = span
    _, _, _, _, tokens_in, tokens_out, attrs, error, step = rest
    if kind not in _KIND_NUMBERS:
        raise ValueError(f"span {name!r} has kind={kind!r}, which is no position in KINDS")
    return (
        *(storable(span_id), storable(parent_id), kind, storable(name), start_ns, end_ns),
        *(intern(given), intern(gave), tokens_in, tokens_out, intern(attrs), storable(error), storable(step)),
    )


def stored_cuts(span: Sequence[Any]) -> list[tuple[str, int, str]]:
    """List the rows of `cuts` that a span's row gives rise to."""
    sides = (("input", *span[8:10]), ("output", *span[10:12]))
    return [cut for cut in sides if cut[1] is not None]


def count_leaves(spans: Sequence[tuple[Any, ...]]) -> tuple[int | None, int | None]:
    """Count the spans that are parent of none, and find the place of the last one by start, then id."""
    if not spans:
        return None, None
    parents = {span[1] for span in spans}
    leaves = [place for place, span in enumerate(spans) if span[0] not in parents]
    return len(leaves), max(leaves, key=lambda place: (spans[place][4], spans[place][0]), default=None)


def read_spans(connection: sqlite3.Connection, condition: int, replicate: int) -> tuple[Span, ...]:
    """Read the spans of one episode, in the order they were recorded."""
    where = "WHERE replicate = ? AND condition = ?"
    rows = connection.execute(
        f"SELECT {COLUMNS} FROM spans {where} ORDER BY position", (replicate, condition)
    ).fetchall()
    cuts = {
        (position, side): Cut(length, digest)
        for position, side, length, digest in connection.execute(
            f"SELECT position, side, bytes, digest FROM cuts {where}", (replicate, condition)
        ).fetchall()
    }
    return tuple(
        _span(connection, row, cuts.get((position, "input")), cuts.get((position, "output")))
        for position, row in enumerate(rows)
    )


def read_answers(
    connection: sqlite3.Connection, below: int
) -> Iterator[tuple[tuple[int, int], tuple[Any, ...]]]:
    """Yield what llm spans gave, by (condition, replicate), of the replicates below a number; no bodies are read.

    Equal texts have equal numbers; one that was not kept stands as its digest.
    """
    rows = connection.execute(
        "SELECT condition, replicate, coalesce(output, (SELECT digest FROM cuts WHERE side = 'output'"
        " AND cuts.condition = spans.condition AND cuts.replicate = spans.replicate AND cuts.position = spans.position))"
        " FROM spans WHERE replicate < ? AND kind = ? ORDER BY replicate, condition, position",
        (below, _KINDS["llm"]),
    )
    for (condition, replicate), group in groupby(rows, key=lambda row: row[:2]):
        yield (condition, replicate), tuple(answer for _, _, answer in group)


def _span(
    connection: sqlite3.Connection, row: Sequence[Any], input_cut: Cut | None, output_cut: Cut | None
) -> Span:
    (
        span_id,
        parent_id,
        kind,
        name,
        start_ns,
        end_ns,
        given,
        gave,
        tokens_in,
        tokens_out,
        attrs,
        error,
        step,
    ) = row
    return Span(
        span_id=span_id,
        parent_id=parent_id,
        kind=KINDS[kind],
        name=name,
        start_ns=start_ns,
        end_ns=end_ns,
        input=read_text(connection, given),
        output=read_text(connection, gave),
        tokens=None if tokens_in is None and tokens_out is None else Tokens(tokens_in, tokens_out),
        attrs=json.loads(read_text(connection, attrs) or "{}"),
        error=error,
        step=step,
        input_cut=input_cut,
        output_cut=output_cut,
    )
