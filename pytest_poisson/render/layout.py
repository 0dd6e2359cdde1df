"""Lines, tables and colours of terminal text."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_poisson.render.formatting import width

if TYPE_CHECKING:
    from collections.abc import Sequence

GAP = "  "
INDENT = "  "
CODES = {"red": "31", "green": "32", "yellow": "33", "bold": "1", "dim": "2"}


@dataclass(frozen=True, slots=True)
class Paint:
    """Colours, or none of them: the text is the same without."""

    on: bool = False

    def __call__(self, text: str, *colours: str) -> str:
        """Return the text in these colours."""
        if not self.on or not text:
            return text
        return f"\x1b[{';'.join(CODES[colour] for colour in colours)}m{text}\x1b[0m"


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column: its header and on which side its cells stand."""

    header: str
    right: bool = False

    def pad(self, cell: str, columns: int) -> str:
        """Return a cell filled up to a width."""
        blanks = " " * (columns - width(cell))
        return blanks + cell if self.right else cell + blanks


def column_widths(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    """Return how wide every column must be."""
    cells = ([column.header for column in columns], *rows)
    return [max(width(row[index]) for row in cells) for index in range(len(columns))]


def table(columns: Sequence[Column], rows: Sequence[Sequence[str]], *, rule: bool = True) -> list[str]:
    """Return a table's lines: headers, a rule, rows."""
    widths = column_widths(columns, rows)
    header = _line(columns, [column.header for column in columns], widths)
    body = [_line(columns, row, widths) for row in rows]
    return [header, *(["-" * max(map(width, [header, *body]))] if rule else []), *body]


def wrap(text: str, columns: int, *, first: str = "", rest: str | None = None) -> list[str]:
    """Break a text into lines, the first begun by `first` and the others by as many blanks or by `rest`."""
    return textwrap.wrap(
        text,
        columns,
        initial_indent=first,
        subsequent_indent=" " * len(first) if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _line(columns: Sequence[Column], cells: Sequence[str], widths: Sequence[int]) -> str:
    padded = (column.pad(cell, wide) for column, cell, wide in zip(columns, cells, widths, strict=True))
    return GAP.join(padded).rstrip()
