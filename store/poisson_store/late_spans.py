"""Adding spans to episodes that are stored already: what a proxy or a collector recorded on its own."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from poisson_store.codec import marks
from poisson_store.connection import SETTLE_S, leave_plain, open_for_writing, transaction
from poisson_store.errors import storage_errors
from poisson_store.spans import INTO_CUTS, INTO_SPANS, count_leaves, span_row, stored_cuts, stored_span
from poisson_store.texts import TextTable
from poisson_store.usage import SpanUsage, sum_usage

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from poisson_store.records import Span


@dataclass(frozen=True, slots=True)
class AddedSpans:
    """What became of the spans: added, in their episode already (by span id), or of no stored episode."""

    added: int
    repeated: int
    without_episode: int


def add_spans(path: Path, spans: Iterable[tuple[str, int, Span]]) -> AddedSpans:
    """Add spans by condition key and replicate, in one transaction; sums and leaves are counted anew.

    Raises
    ------
    StoreError
        If a span cannot be stored, or the disk refuses.
    """
    by_episode: dict[tuple[str, int], list[Span]] = {}
    for key, replicate, span in spans:
        by_episode.setdefault((key, replicate), []).append(span)
    added = repeated = without_episode = 0
    with storage_errors(path, "write"), closing(open_for_writing(path)) as connection:
        texts = TextTable(connection)
        with transaction(connection):
            for (key, replicate), group in by_episode.items():
                episode = _find(connection, key, replicate)
                if episode is None:
                    without_episode += len(group)
                    continue
                new = _add(connection, texts, episode, group)
                added += new
                repeated += len(group) - new
            texts.store()
        connection.execute(f"PRAGMA busy_timeout = {int(SETTLE_S * 1000)}")
        leave_plain(connection)
    return AddedSpans(added, repeated, without_episode)


def _find(connection: sqlite3.Connection, key: str, replicate: int) -> tuple[int, int] | None:
    """Return an episode's position in the keys of its tables: (condition, replicate)."""
    row: tuple[int, int] | None = connection.execute(
        "SELECT condition, replicate FROM episodes JOIN conditions USING (condition) WHERE replicate = ? AND key = ?",
        (replicate, key),
    ).fetchone()
    return row


def _add(
    connection: sqlite3.Connection, texts: TextTable, episode: tuple[int, int], group: Sequence[Span]
) -> int:
    before = _present(connection, episode)
    known = {row[0] for row in before}
    rows: list[tuple[Any, ...]] = []
    for span in group:
        if span.span_id not in known:
            known.add(span.span_id)
            rows.append(span_row(span))
    for position, row in enumerate(rows, start=len(before)):
        values = (*episode, position, *stored_span(row, texts.intern))
        connection.execute(f"INSERT INTO {INTO_SPANS} VALUES ({marks(len(values))})", values)
        for cut in stored_cuts(row):
            connection.execute(f"INSERT INTO {INTO_CUTS} VALUES ({marks(6)})", (*episode, position, *cut))
    if rows:
        _sum_anew(connection, episode, before, _present(connection, episode))
    return len(rows)


def _present(connection: sqlite3.Connection, episode: tuple[int, int]) -> list[tuple[Any, ...]]:
    """Return the spans an episode has, as `count_leaves` and usage need them."""
    return connection.execute(
        "SELECT span_id, parent_id, kind, name, start_ns, tokens_in, tokens_out FROM spans"
        " WHERE condition = ? AND replicate = ? ORDER BY position",
        episode,
    ).fetchall()


def _sum_anew(
    connection: sqlite3.Connection,
    episode: tuple[int, int],
    before: Sequence[tuple[Any, ...]],
    after: Sequence[tuple[Any, ...]],
) -> None:
    """Put down what the spans add up to now; spans beyond the cap, whose sums alone were kept, count as they did."""
    row = connection.execute(
        "SELECT tokens_in, tokens_out, unknown_usage, spans_left_out FROM traces WHERE condition = ? AND replicate = ?",
        episode,
    ).fetchone()
    *sums, left_out = row or (None, None, None, None)
    now = [
        _moved(total, was, becomes)
        for total, was, becomes in zip(sums, _usage(before), _usage(after), strict=True)
    ]
    values = (*episode, *now[:2], now[2] or None, left_out, *count_leaves(after))
    connection.execute(f"REPLACE INTO traces VALUES ({marks(len(values))})", values)


def _usage(spans: Sequence[tuple[Any, ...]]) -> tuple[int | None, int | None, int]:
    return sum_usage(
        [SpanUsage(span_id, parent, kind, *tokens) for span_id, parent, kind, _, _, *tokens in spans]
    )


def _moved(total: int | None, was: int | None, becomes: int | None) -> int | None:
    beyond = (total or 0) - (was or 0)
    return becomes if not beyond else (becomes or 0) + beyond
