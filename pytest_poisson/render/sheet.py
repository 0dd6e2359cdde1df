"""A report in parts, written once and rendered as terminal text or as Markdown."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pytest_poisson.render.formatting import shorten, width
from pytest_poisson.render.layout import INDENT, Column, Paint, column_widths, table, wrap

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

NARROWEST_LABEL = 12


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; where it is too wide for a terminal, its first column gives way."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Points:
    """A list of sentences."""

    sentences: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """Commands to copy: each on a line of its own, never broken."""

    lines: tuple[str, ...]


Block: TypeAlias = "str | Grid | Points | Code"


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it: paragraphs, tables, lists."""

    heading: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Bold:
    """The one sentence of a report to take home."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Sheet:
    """A report: its title, and its parts in order."""

    title: str
    parts: tuple[Section | Bold, ...]


def section(heading: str, *blocks: Block | None) -> Section | None:
    """Return a section of the blocks there are; None where there is none."""
    present = tuple(block for block in blocks if block)
    return Section(heading, present) if present else None


def sheet(title: str, parts: Iterable[Section | Bold | None]) -> Sheet:
    """Return a report of the parts there are."""
    return Sheet(title, tuple(part for part in parts if part is not None))


def as_text(report: Sheet, *, columns: int = 80, colour: bool = False) -> str:
    """Return a report as terminal text; the bold sentence stands between asterisks where there are no colours."""
    paint = Paint(colour)
    parts = [
        [report.title],
        *(
            _bold_text(part, columns, paint) if isinstance(part, Bold) else _text(part, columns)
            for part in report.parts
        ),
    ]
    return "\n\n".join("\n".join(lines) for lines in parts) + "\n"


def as_markdown(report: Sheet) -> str:
    """Return a report as Markdown with tables as GitHub renders them."""
    parts = [f"# {escape(report.title)}"]
    for part in report.parts:
        if isinstance(part, Bold):
            parts.append(f"**{escape(part.sentence)}**")
        else:
            parts += [f"## {escape(part.heading)}", *map(_markdown, part.blocks)]
    return "\n\n".join(parts) + "\n"


def escape(text: str) -> str:
    """Return text with whatever Markdown or HTML would act upon made literal: mentions and bare links too."""
    return (
        re.sub(r"([\\`*_\[\]|~#])", r"\\\1", text.replace("&", "&amp;"))
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("@", "&#64;")
        .replace("://", "&#58;//")
        .replace("www.", "www&#46;")
    )


def _bold_text(bold: Bold, columns: int, paint: Paint) -> list[str]:
    if paint.on:
        return [paint(line, "bold") for line in wrap(bold.sentence, columns)]
    return wrap(f"**{bold.sentence}**", columns)


def _text(part: Section, columns: int) -> list[str]:
    lines = [part.heading]
    for number, block in enumerate(part.blocks):
        if number and isinstance(block, Grid):
            lines.append("")
        lines += _block_text(block, columns)
        if isinstance(block, Grid) and number + 1 < len(part.blocks):
            lines.append("")
    return lines


def _block_text(block: Block, columns: int) -> list[str]:
    if isinstance(block, str):
        return wrap(block, columns, first=INDENT)
    if isinstance(block, Points):
        return [line for each in block.sentences for line in wrap(each, columns, first=f"{INDENT}- ")]
    if isinstance(block, Code):
        return [INDENT * 2 + line for line in block.lines]
    return [INDENT + line for line in _grid_text(block, columns - len(INDENT))]


def _grid_text(grid: Grid, columns: int) -> list[str]:
    """Return a grid's lines: one a row, or two where different first cells would be cut to one text."""
    rows = _fitted(grid, columns)
    if len({row[0] for row in rows}) == len({row[0] for row in grid.rows}):
        return table(grid.columns, rows)
    head, rule, *lines = (INDENT + line for line in table(grid.columns[1:], [row[1:] for row in grid.rows]))
    pairs = zip((shorten(row[0], columns) for row in grid.rows), lines, strict=True)
    return [grid.columns[0].header, head, rule, *(line for pair in pairs for line in pair)]


def _fitted(grid: Grid, columns: int) -> Sequence[tuple[str, ...]]:
    """Return a grid's rows with the first cell of each shortened to what the others leave."""
    widths = column_widths(grid.columns, grid.rows)
    room = max(
        columns - sum(widths[1:]) - 2 * (len(widths) - 1), NARROWEST_LABEL, width(grid.columns[0].header)
    )
    return [(shorten(row[0], room), *row[1:]) for row in grid.rows]


def _markdown(block: Block) -> str:
    if isinstance(block, str):
        return escape(block)
    if isinstance(block, Points):
        return "\n".join(f"- {escape(each)}" for each in block.sentences)
    if isinstance(block, Code):
        return _fenced(block)
    rule = ["---:" if column.right else ":---" for column in block.columns]
    head, *body = (
        [escape(cell) for cell in row] for row in ([column.header for column in block.columns], *block.rows)
    )
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (head, rule, *body))


def _fenced(code: Code) -> str:
    """Return a fenced block whose fence is longer than any row of backticks in it."""
    longest = max((len(row) for line in code.lines for row in re.findall("`+", line)), default=0)
    fence = "`" * max(3, longest + 1)
    return "\n".join((f"{fence}sh", *code.lines, fence))
