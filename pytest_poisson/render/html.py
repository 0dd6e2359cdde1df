"""Parts of a page: text that stays text, blocks of a report, data for a script, and the frame around them."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING

from pytest_poisson.render.sheet import Code, Points

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pytest_poisson.render.documents import Document
    from pytest_poisson.render.sheet import Block, Grid, Section

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
"""Nothing is loaded from anywhere, whatever a text may say."""

SCRIPTS = ("page.js", "conditions.js", "picture.js", "replicates.js", "details.js", "table.js", "start.js")
"""The parts of the script, in the order in which they need each other."""

LONGEST_WORD = 40
"""Letters of a word that stays in one line of a table."""


def text(words: str) -> str:
    """Return text as HTML, in an element or in a quoted attribute."""
    return escape(words, quote=True)


def page(title: str, body: Iterable[str], *, data: Document | None = None) -> str:
    """Return a whole page.

    Parameters
    ----------
    title
        Of the window.
    body
        Pieces of HTML.
    data
        What the script shows: see `render.page_data`. Without it the page has no script.
    """
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{text(title)}</title><style>{asset('report.css')}</style>"
    )
    content = "\n".join(piece for piece in body if piece)
    scripts = "" if data is None else f"{data_block(data)}\n<script>{script()}</script>"
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body><main>\n{content}\n</main>\n'
        f"{scripts}</body></html>\n"
    )


def data_block(data: Document) -> str:
    """Return data for the script: no text in it can end the element that holds it."""
    written = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    for char in "<>&\u2028\u2029":
        written = written.replace(char, f"\\u{ord(char):04x}")
    safe = written.encode(
        "utf-8", "backslashreplace"
    ).decode()  # a lone surrogate becomes JSON's escape for it
    return f'<script type="application/json" id="data">{safe}</script>'


@cache
def asset(name: str) -> str:
    """Return a file of `render/assets`."""
    return files("pytest_poisson.render").joinpath("assets", name).read_text(encoding="utf-8")


def script() -> str:
    """Return the script: one function around all parts, so that it leaves no name behind."""
    parts = "\n".join(asset(name) for name in SCRIPTS)
    return f'(function () {{\n"use strict";\n{parts}\n}})();'


def section(heading: str, *pieces: str) -> str:
    """Return a section with its heading."""
    return f"<section><h2>{text(heading)}</h2>{''.join(pieces)}</section>"


def sheet_section(part: Section) -> str:
    """Return a section of a sheet."""
    return section(part.heading, *map(block, part.blocks))


def block(part: Block) -> str:
    """Return a paragraph, a list, commands to copy, or a table."""
    if isinstance(part, str):
        return f"<p>{text(part)}</p>"
    if isinstance(part, Points):
        return f"<ul>{''.join(f'<li>{text(each)}</li>' for each in part.sentences)}</ul>"
    if isinstance(part, Code):
        return f"<pre tabindex='0'>{text(chr(10).join(part.lines))}</pre>"
    return wide(f"<table><thead>{_heads(part)}</thead><tbody>{''.join(_rows(part))}</tbody></table>")


def wide(piece: str) -> str:
    """Let a piece that is wider than the window scroll by itself, with the keyboard too."""
    return f"<div class='wide' tabindex='0'>{piece}</div>"


def _heads(grid: Grid) -> str:
    cells = "".join(
        f'<th scope="col"{_side(column.right)}>{text(column.header)}</th>' for column in grid.columns
    )
    return f"<tr>{cells}</tr>"


def _rows(grid: Grid) -> Iterable[str]:
    sides = [_side(column.right) for column in grid.columns]
    for row in grid.rows:
        cells = "".join(
            f"<td{side or _length(cell)}>{text(cell)}</td>" for side, cell in zip(sides, row, strict=True)
        )
        yield f"<tr>{cells}</tr>"


def _side(right: bool) -> str:  # noqa: FBT001 (a column's own field)
    return ' class="number"' if right else ""


def _length(cell: str) -> str:
    """Let a cell break in a word that would push the next column out of sight, as a digest does."""
    return ' class="long"' if max(map(len, cell.split()), default=0) > LONGEST_WORD else ""
