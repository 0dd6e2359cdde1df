"""Inserting many rows at a time."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

_PARAMETERS = 999
"""The fewest parameters of one statement that an SQLite may allow."""


def insert_many(
    connection: sqlite3.Connection, into: str, rows: Sequence[Sequence[Any]], *, unless: str = ""
) -> int:
    """Insert rows of equal width and return how many were inserted.

    One statement for many rows takes about half the time of one for each.

    Parameters
    ----------
    into : str
        A table, with column names in brackets where not all are given.
    unless : str
        Columns of a key; a row whose key is present is left out.
    """
    if not rows:
        return 0
    width = len(rows[0])
    at_once = min(_PARAMETERS // width, len(rows))
    whole = len(rows) - len(rows) % at_once
    new = 0
    many = _statement(into, width, at_once, unless)
    for start in range(0, whole, at_once):
        values = tuple(chain.from_iterable(rows[start : start + at_once]))
        new += connection.execute(many, values).rowcount
    if whole < len(rows):
        new += connection.executemany(_statement(into, width, 1, unless), rows[whole:]).rowcount
    return new


@lru_cache(maxsize=64)
def _statement(into: str, width: int, count: int, unless: str) -> str:
    row = f"({', '.join('?' * width)})"
    tail = f" ON CONFLICT ({unless}) DO NOTHING" if unless else ""
    return f"INSERT INTO {into} VALUES {', '.join([row] * count)}{tail}"
