"""Saving what can be read of a damaged run file."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from poisson_store.codec import points_inside, read_run
from poisson_store.connection import connect
from poisson_store.errors import DamagedRunError, storage_errors
from poisson_store.spans import COLUMNS
from poisson_store.texts import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from typing_extensions import Self

_SUMS = "tokens_in, tokens_out, unknown_usage, spans_left_out"


class Wreck:
    """A damaged run file, read as far as that goes; a context manager.

    Raises
    ------
    DamagedRunError
        If not even the run's declarations can be read.
    """

    def __init__(self, path: Path) -> None:
        with storage_errors(path, "read"):
            self._connection = connect(path, "ro")
        # Lets SQLite begin on a file that is shorter than it says.
        self._connection.execute("PRAGMA writable_schema = ON")
        try:
            self.run = read_run(self._connection, "interrupted")
        except (sqlite3.DatabaseError, TypeError, ValueError, LookupError) as error:
            self._connection.close()
            raise DamagedRunError(
                f"{path} cannot be recovered: what the run declares is lost ({error})."
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._connection.close()

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
        condition, replicate = numbers[:2]
        ((error, meta),) = self._of("notes", "error, meta", condition, replicate) or [(None,) * 2]
        (sums,) = self._of("traces", _SUMS, condition, replicate) or [(None,) * 4]
        attempts = self._of("attempts", "attempt, error, started_ns, wall_s", condition, replicate)
        spans = self._spans(condition, replicate)
        return (*numbers, error, meta, *sums, spans or None, attempts or None)

    def _spans(self, condition: int, replicate: int) -> list[tuple[Any, ...]]:
        """Read spans in the order of `SpanRow`; a text that is lost is None."""
        cuts = {
            tuple(cut[:2]): cut[2:]
            for cut in self._of("cuts", "position, side, bytes, digest", condition, replicate)
        }
        none = (None, None)
        return [
            (
                *(*span[:6], self._text(span[6]), self._text(span[7])),
                *(*cuts.get((position, "input"), none), *cuts.get((position, "output"), none)),
                *(*span[8:10], self._text(span[10]), *span[11:]),
            )
            for position, *span in self._of("spans", f"position, {COLUMNS}", condition, replicate)
        ]

    def _of(self, table: str, columns: str, condition: int, replicate: int) -> list[tuple[Any, ...]]:
        query = f"SELECT {columns} FROM {table} WHERE replicate = ? AND condition = ?"
        return self._attempt(query, replicate, condition) or []

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
