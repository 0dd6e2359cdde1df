"""Spans as rows and rows as spans."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from poisson_store.codec import find_position, marks, to_json
from poisson_store.records import KINDS, Cut, Span, SpanRow, Tokens
from poisson_store.texts import read_text, storable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

_COLUMNS = ", ".join(SpanRow._fields)
INSERT_SPAN = f"INSERT INTO spans (condition, replicate, position, {_COLUMNS}) VALUES ({marks(3 + len(SpanRow._fields))})"

_KINDS = {kind: number for number, kind in enumerate(KINDS)}


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
    """Replace the bodies and attributes of a span's row by their numbers among the texts of the run."""
    span_id, parent_id, kind, name, start_ns, end_ns, given, gave, *cuts_and_tokens, attrs, error, step = span
    return (
        *(storable(span_id), storable(parent_id), kind, storable(name), start_ns, end_ns),
        *(intern(given), intern(gave), *cuts_and_tokens, intern(attrs), storable(error), storable(step)),
    )


def count_leaves(spans: Sequence[tuple[Any, ...]]) -> tuple[int | None, int | None]:
    """Count the spans that are parent of none, and find the place of the last one by start, then id."""
    if not spans:
        return None, None
    parents = {span[1] for span in spans}
    leaves = [place for place, span in enumerate(spans) if span[0] not in parents]
    return len(leaves), max(leaves, key=lambda place: (spans[place][4], spans[place][0]), default=None)


def read_spans(connection: sqlite3.Connection, condition: int, replicate: int) -> tuple[Span, ...]:
    """Read the spans of one episode, in the order they were recorded."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM spans WHERE replicate = ? AND condition = ? ORDER BY position",
        (replicate, condition),
    ).fetchall()
    return tuple(_span(connection, SpanRow._make(row)) for row in rows)


def _span(connection: sqlite3.Connection, row: Any) -> Span:
    unknown = row.tokens_in is None and row.tokens_out is None
    return Span(
        span_id=row.span_id,
        parent_id=row.parent_id,
        kind=KINDS[row.kind],
        name=row.name,
        start_ns=row.start_ns,
        end_ns=row.end_ns,
        input=read_text(connection, row.input),
        output=read_text(connection, row.output),
        tokens=None if unknown else Tokens(row.tokens_in, row.tokens_out),
        attrs=json.loads(read_text(connection, row.attrs) or "{}"),
        error=row.error,
        step=row.step,
        input_cut=None if row.input_bytes is None else Cut(row.input_bytes, row.input_digest),
        output_cut=None if row.output_bytes is None else Cut(row.output_bytes, row.output_digest),
    )
