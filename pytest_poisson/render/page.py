"""A report as one HTML file: no network, no library; what it says at first it says without a script too."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.html import block, page, section, sheet_section, text, wide
from pytest_poisson.render.sheet import Bold, Grid
from pytest_poisson.render.svg.heatmap import MEANINGS, heatmap_svg, is_readable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_poisson.render.documents import Document
    from pytest_poisson.render.sheet import Section, Sheet
    from pytest_poisson.render.tiles import Tile

TABLES = ("Changes", "Shares", "Inputs")
"""Sections whose table the script sorts, filters and opens."""

STATIC_ROWS = 50


def report_page(
    report: Sheet,
    *,
    tiles: Sequence[Tile],
    importance: Sequence[int] | None,
    data: Document,
    drawings: Sequence[tuple[str, str]] = (),
    foot: str,
) -> str:
    """Return a report of conditions as a page.

    Parameters
    ----------
    report
        The report.
    tiles, importance
        The picture, as `svg.heatmap.heatmap_svg` takes it.
    data
        What the script shows, as `render.page_data` makes it.
    drawings
        Sections of a heading and an SVG drawing.
    foot
        Where the page comes from, in one sentence.
    """
    sections = [part for part in report.parts if not isinstance(part, Bold)]
    main = next((part for part in sections if part.heading in TABLES), None)
    at = sections.index(main) if main else len(sections)
    body = [
        *head(report),
        *map(sheet_section, sections[:at]),
        _picture(tiles, importance) if main else "",
        _table(main, data) if main else "",
        *map(sheet_section, sections[at + 1 :]),
        *(section(heading, drawn(drawing)) for heading, drawing in drawings),
        footer(foot),
    ]
    return page(f"{report.title}: {_sentence(report)}", body, data=data)


def plain_page(report: Sheet, *, drawings: Sequence[tuple[str, str]] = (), foot: str) -> str:
    """Return any other report as a page: its sections as they are, then drawings."""
    body = [
        *head(report),
        *(sheet_section(part) for part in report.parts if not isinstance(part, Bold)),
        *(section(heading, drawn(drawing)) for heading, drawing in drawings),
        footer(foot),
    ]
    return page(f"{report.title}: {_sentence(report)}", body)


def head(report: Sheet) -> list[str]:
    """Return a report's title and its one sentence to take home."""
    bold = [
        f'<p class="verdict">{text(part.sentence)}</p>' for part in report.parts if isinstance(part, Bold)
    ]
    return [f"<h1>{text(report.title)}</h1>", *bold]


def footer(words: str) -> str:
    """Return where a page comes from."""
    return f"<footer><p>{text(words)}</p></footer>"


def drawn(drawing: str) -> str:
    """Return a drawing that scrolls by itself where the window is narrow."""
    return f"<figure tabindex='0'>{drawing}</figure>"


def _sentence(report: Sheet) -> str:
    return next((part.sentence for part in report.parts if isinstance(part, Bold)), "")


def _picture(tiles: Sequence[Tile], importance: Sequence[int] | None) -> str:
    """Return the picture as it is drawn, an event each, and the places where the script draws its own."""
    figures = "".join(_figures(tiles, importance))
    return section(
        "Every condition",
        '<div id="choices" class="controls"></div>',
        f'<div id="picture"><div id="heat"></div><div id="drawn">{figures}</div></div>',
        _legend(),
        '<div id="readout" hidden><p>Point at a condition, or move to one with the arrow keys, to read its '
        "figures; Enter opens it in the table.</p></div>",
    )


def _figures(tiles: Sequence[Tile], importance: Sequence[int] | None) -> Iterator[str]:
    ranked = sorted(tiles, key=lambda tile: tile.event)
    for number, (event, group) in enumerate(groupby(ranked, key=lambda tile: tile.event)):
        panel = list(group)
        kind = "cells" if is_readable(panel) else "dots"
        drawing = heatmap_svg(panel, title=event, importance=importance, legend=kind == "cells")
        open_drawing = drawing.replace('role="img"', 'role="group"', 1)  # its tiles can be reached one by one
        yield f'<figure class="{kind}" data-event="{number}">{open_drawing}</figure>'


def _legend() -> str:
    """Return what the looks of a cell mean; shown by the script, whose cells they are."""
    marks = {"worse": "\u25b2", "safer": "\u25bc", "weakly worse": "\u25b3"}
    items = "".join(
        f'<li><span class="cell {look.replace(" ", "-")}"><span>{marks.get(look, "&nbsp;")}</span></span>'
        f"{text(words)}</li>"
        for look, words in MEANINGS
    )
    return f'<ul id="legend" hidden>{items}</ul>'


def _table(part: Section, data: Document) -> str:
    """Return the table with its first rows, and what the script needs to show the others."""
    pieces = []
    for each in part.blocks:
        if not isinstance(each, Grid):
            pieces.append(block(each))
            continue
        heads = "".join(f'<th scope="col">{text(column.header)}</th>' for column in each.columns)
        shown = each.rows[:STATIC_ROWS]
        rows = "".join(_static_row(row, data) for row in shown)
        pieces.append(
            '<div id="controls" class="controls"></div>'
            + wide(f'<table id="rows"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>')
            + f'<p id="pager">{text(_cut(len(shown), len(each.rows)))}</p><p id="cut"></p>'
        )
    return f'<section id="table"><h2>{text(part.heading)}</h2>{"".join(pieces)}</section>'


def _static_row(row: Sequence[str], data: Document) -> str:
    first, event, *rest = row
    cells = "".join(
        f"<td{' class=number' if column.get('right') else ''}>{text(cell)}</td>"
        for column, cell in zip(data["columns"], rest, strict=True)
    )
    return f'<tr><th scope="row">{text(first)}</th><td>{text(event)}</td>{cells}</tr>'


def _cut(shown: int, whole: int) -> str:
    if shown == whole:
        return ""
    return (
        f"The first {write.integer(shown)} of {write.plural(whole, 'row')}: the others are shown where scripts "
        "run, and in report.md."
    )
