"""A report as one HTML file: no network, no library, whole without scripts, which only sort, filter and link."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from pytest_poisson.render.page_parts import SCRIPT, STYLE
from pytest_poisson.render.sheet import Bold, Code, Points

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_poisson.render.sheet import Block, Grid, Section, Sheet

POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'"
TABLES = ("Changes", "Shares")
"""Sections whose table is the one to sort and filter."""


def page(report: Sheet, *, drawing: str, details: Sequence[str], filters: Sequence[str], foot: str) -> str:
    """Return a report as a page.

    Parameters
    ----------
    report
        The report; the rows of its main table are in the order of `details`.
    drawing
        The picture, as SVG; its tiles carry the number of the row they stand for.
    details
        For each row of the main table, its number, a blank, and what to say of it when it is opened.
    filters
        For each row, the word by which it can be chosen.
    foot
        Provenance, in one sentence.
    """
    parts = [_bold(part) if isinstance(part, Bold) else "" for part in report.parts]
    sections = [part for part in report.parts if not isinstance(part, Bold)]
    main = next((part for part in sections if part.heading in TABLES), None)
    before = sections[: sections.index(main)] if main else sections
    after = sections[sections.index(main) + 1 :] if main else []
    open_drawing = drawing.replace('role="img"', 'role="group"', 1)  # its tiles can be reached one by one
    body = [
        f"<h1>{_text(report.title)}</h1>",
        *parts,
        *map(_section, before),
        f"<h2>Every condition</h2><div class='wide'>{open_drawing}</div>",
        _main(main, details, filters) if main else "",
        *map(_section, after),
        f"<footer><p>{_text(foot)}</p></footer>",
    ]
    head = (
        f'<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(report.title)}</title><style>{STYLE}</style>"
    )
    content = "\n".join(part for part in body if part)
    return (
        f'<!DOCTYPE html>\n<html lang="en"><head>{head}</head>\n<body><main>\n{content}\n</main>\n'
        f"<script>{SCRIPT}</script></body></html>\n"
    )


def _text(text: str) -> str:
    return escape(text, quote=True)


def _bold(part: Bold) -> str:
    return f'<p class="verdict">{_text(part.sentence)}</p>'


def _section(part: Section) -> str:
    return f"<section><h2>{_text(part.heading)}</h2>{''.join(map(_block, part.blocks))}</section>"


def _block(block: Block) -> str:
    if isinstance(block, str):
        return f"<p>{_text(block)}</p>"
    if isinstance(block, Points):
        return f"<ul>{''.join(f'<li>{_text(each)}</li>' for each in block.sentences)}</ul>"
    if isinstance(block, Code):
        return f"<pre>{_text(chr(10).join(block.lines))}</pre>"
    rows = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in block.rows)
    return (
        f"<div class='wide'><table><thead><tr>{_heads(block)}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _heads(grid: Grid, *, sortable: bool = False) -> str:
    names = (_text(column.header) for column in grid.columns)
    wrapped = (f'<button type="button">{name}</button>' if sortable else name for name in names)
    return "".join(f'<th scope="col">{name}</th>' for name in wrapped)


def _main(part: Section, details: Sequence[str], filters: Sequence[str]) -> str:
    """Return the section of the main table: controls, the table with a disclosure a row, and its legend."""
    written = []
    for block in part.blocks:
        if isinstance(block, (str, Points, Code)):
            written.append(_block(block))
            continue
        rows = "".join(
            _row(cells, detail, word)
            for cells, detail, word in zip(block.rows, details, filters, strict=True)
        )
        written.append(
            f"{_controls(filters)}<div class='wide'><table id='rows'><thead><tr>{_heads(block, sortable=True)}</tr>"
            f"</thead><tbody>{rows}</tbody></table></div>"
        )
    return f"<section><h2>{_text(part.heading)}</h2>{''.join(written)}</section>"


def _controls(filters: Sequence[str]) -> str:
    words = "".join(f"<option>{_text(word)}</option>" for word in dict.fromkeys(filters))
    return (
        '<p class="controls"><label>Find <input id="find" type="search"></label> <label>Show '
        f'<select id="word"><option value="">all</option>{words}</select></label> '
        '<output id="shown" aria-live="polite"></output></p>'
    )


def _row(cells: Sequence[str], detail: str, word: str) -> str:
    number, _, said = detail.partition(" ")
    first, *rest = cells
    opened = f"<details><summary>{_text(first)}</summary><p>{_text(said)}</p></details>"
    others = "".join(f"<td>{_text(cell)}</td>" for cell in rest)
    return f'<tr id="row-{_text(number)}" data-word="{_text(word)}"><td>{opened}</td>{others}</tr>'
