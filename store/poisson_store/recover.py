"""Saving what can be read of a damaged run file."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING, Any

from poisson_store.codec import points_inside, read_run
from poisson_store.connection import connect, copy_aside
from poisson_store.errors import DamagedRunError, storage_errors
from poisson_store.spans import COLUMNS
from poisson_store.texts import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typing_extensions import Self

_SUMS = "tokens_in, tokens_out, unknown_usage, spans_left_out"

_LEAST_PAGE = 512


class Wreck:
    """A damaged run file, read as far as that goes; a context manager.

    Raises
    ------
    DamagedRunError
        If not even the run's declarations can be read.
    """

    def __init__(self, path: Path) -> None:
        with ExitStack() as stack, storage_errors(path, "read"):
            copy = copy_aside(path, stack)
            _trim(copy)
            self._connection = stack.enter_context(closing(connect(copy, "rw")))
            # Lets SQLite begin on a file that is shorter than it says.
            self._connection.execute("PRAGMA writable_schema = ON")
            try:
                self.run = read_run(self._connection, "interrupted")
            except (sqlite3.DatabaseError, TypeError, ValueError, LookupError) as error:
                raise DamagedRunError(
                    f"{path} cannot be recovered: what the run declares is lost ({error})."
                ) from error
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._stack.close()

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Yield every episode that can still be read, in the order of `EpisodeRow`, with what can be of its spans."""
        conditions, outcomes = len(self.run.conditions), len(self.run.outcomes)
        for replicate in range(max((condition.planned for condition in self.run.conditions), default=0)):
            for numbers in self._numbers(replicate):
                if points_inside(numbers, conditions, outcomes):
                    yield self._row(numbers)

    def _numbers(self, replicate: int) -> list[tuple[Any, ...]]:
        """Read one replicate of all conditions, one by one where they cannot be read together."""
        everything = "SELECT * FROM episodes WHERE replicate = ?"
        found = self._attempt(everything, replicate)
        if found is not None:
            return found
        each = (
            self._attempt(f"{everything} AND condition = ?", replicate, condition)
            for condition in range(len(self.run.conditions))
        )
        return [row for rows in each for row in rows or ()]

    def _row(self, numbers: tuple[Any, ...]) -> tuple[Any, ...]:
        place = numbers[:2]
        ((error, meta),) = self._of("notes", "error, meta", place) or [(None,) * 2]
        ((*tokens, left_out),) = self._of("traces", _SUMS, place) or [(None,) * 4]
        attempts = self._of("attempts", "attempt, error, started_ns, wall_s", place)
        spans = self._spans(place)
        if spans is None:  # lost, which is not the same as none: the episode counts as capped
            left_out = max(left_out or 0, 1)
        return (*numbers, error, meta, *tokens, left_out, spans or None, attempts or None)

    def _spans(self, place: tuple[int, int]) -> list[tuple[Any, ...]] | None:
        """Read spans in the order of `SpanRow`; a text that is lost is None."""
        spans = self._of("spans", f"position, {COLUMNS}", place)
        if not spans:
            return spans
        cuts = {
            tuple(cut[:2]): cut[2:] for cut in self._of("cuts", "position, side, bytes, digest", place) or ()
        }
        none = (None, None)
        return [
            (
                *(*span[:6], self._text(span[6]), self._text(span[7])),
                *(*cuts.get((position, "input"), none), *cuts.get((position, "output"), none)),
                *(*span[8:10], self._text(span[10]), *span[11:]),
            )
            for position, *span in spans
        ]

    def _of(self, table: str, columns: str, place: tuple[int, int]) -> list[tuple[Any, ...]] | None:
        """Read what an episode has in a table; None where that cannot be read."""
        return self._attempt(f"SELECT {columns} FROM {table} WHERE condition = ? AND replicate = ?", *place)

    def _text(self, number: int | None) -> str | None:
        try:
            return read_text(self._connection, number)
        except (sqlite3.DatabaseError, DamagedRunError, UnicodeDecodeError):
            return None

    def _attempt(self, query: str, *values: int) -> list[tuple[Any, ...]] | None:
        try:
            return self._connection.execute(query, values).fetchall()
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            return None


def _trim(path: Path) -> None:
    """Cut off a last page that is not whole: SQLite would read its missing end as zeros."""
    with path.open("rb+") as file:
        page_bytes = int.from_bytes(file.read(18)[16:], "big")
        if page_bytes >= _LEAST_PAGE:
            file.truncate(path.stat().st_size // page_bytes * page_bytes)
