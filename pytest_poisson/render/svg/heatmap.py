"""Conditions as a heatmap, or, where there are hundreds, as a ranked dot plot with intervals."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.svg.elements import COLOURS, GREY, INK, PALE, drawing, element, label, path, plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_poisson.render.tiles import Look, Tile

MOST_ROWS, MOST_COLUMNS, MOST_TILES = 60, 16, 400
MOST_DOTS = 300
CELL_WIDTH, CELL_HEIGHT, GAP = 92.0, 30.0, 2.0
LABEL_ROOM, MARGIN, HEAD = 260.0, 16.0, 62.0
PLOT_WIDTH, PITCH, LABELLED_PITCH = 480.0, 4.0, 15.0
LABEL_COLUMNS = 38
BLUE, RED = COLOURS[0], "#B34700"  # white text on either can be read
FILLS = {
    "worse": RED,
    "safer": BLUE,
    "weakly worse": "#FFFFFF",
    "weakly safer": "#FFFFFF",
    "no change": "#F2F2F2",
    "blind": "url(#poisson-blind)",
}
STROKES = {"worse": RED, "safer": BLUE, "weakly worse": RED, "weakly safer": BLUE}
MARKED = {*STROKES, "blind"}
"""The looks whose dot is no plain one."""

MEANINGS: tuple[tuple[Look, str], ...] = (
    ("worse", "worse: triangle up, filled"),
    ("safer", "safer: triangle down, filled"),
    ("weakly worse", "flagged, too weak to count: hollow"),
    ("no change", "no significant change: plain"),
    ("blind", "too small to tell: hatched"),
)
"""The looks that the legend explains."""


def heatmap_svg(
    tiles: Sequence[Tile], *, title: str, importance: Sequence[int] | None = None, legend: bool = True
) -> str:
    """Draw a panel an event: a heatmap where it can be read, else dots ranked by size.

    Parameters
    ----------
    tiles
        Every condition and event.
    title
        Of the drawing.
    importance
        The tiles' numbers, the most important first: of a dot plot the first 300 of a panel are drawn.
    legend
        Whether a comparison's drawing says what the looks mean.
    """
    ranks = {number: rank for rank, number in enumerate(importance or [tile.number for tile in tiles])}
    ordered = sorted(tiles, key=lambda tile: tile.panel)
    comparing = legend and any(tile.look != "share" for tile in tiles)
    body: list[str] = [_blind_pattern(), *(_legend() if comparing else [])]
    top, width = 66.0 if comparing else 20.0, LABEL_ROOM + PLOT_WIDTH + 2 * MARGIN
    for name, group in groupby(ordered, key=lambda tile: tile.panel):
        panel = sorted(group, key=lambda tile: tile.number)
        if _fits(panel):
            marks, height, wide = _heatmap(name, panel, top)
        else:
            marks, height, wide = _dots(name, panel, ranks, top)
        body += marks
        top, width = top + height, max(width, wide)
    counts = ", ".join(f"{count} {look}" for look, count in _counted(tiles) if count)
    return drawing(width, top, title=title, description=f"{len(tiles)} tiles: {counts}.", body=body)


def _counted(tiles: Sequence[Tile]) -> list[tuple[str, int]]:
    looks = [tile.look for tile in tiles]
    return [(look, looks.count(look)) for look in dict.fromkeys(looks)]


def is_readable(tiles: Sequence[Tile]) -> bool:
    """Tell whether every panel of some tiles can be read as a heatmap."""
    ordered = sorted(tiles, key=lambda tile: tile.panel)
    return all(_fits(list(group)) for _, group in groupby(ordered, key=lambda tile: tile.panel))


def _fits(panel: Sequence[Tile]) -> bool:
    rows, columns = ({getattr(tile, side) for tile in panel} for side in ("row", "column"))
    return len(rows) <= MOST_ROWS and len(columns) <= MOST_COLUMNS and len(panel) <= MOST_TILES


def _blind_pattern() -> str:
    ground = element("rect", width=8, height=8, fill="#FFFFFF")
    lines = element("path", d="M0 8L8 0M-2 2L2 -2M6 10L10 6", stroke=GREY, stroke_width=1.2, fill="none")
    tile = element(
        "pattern", ground, lines, id="poisson-blind", width=8, height=8, patternUnits="userSpaceOnUse"
    )
    return element("defs", tile)


def _legend() -> list[str]:
    marks = []
    for number, (look, text) in enumerate(MEANINGS):
        x, y = MARGIN + (number % 3) * 245, 10.0 + (number // 3) * 24
        marks += [*_box(look, x, y, 26, 16), label(x + 32, y + 12.5, text, size=11)]
    return marks


def _box(look: Look, x: float, y: float, width: float, height: float) -> list[str]:
    """Draw a tile's ground and its mark: what it means is told by fill, hatching and the triangle's way."""
    marks = [
        element(
            "rect",
            x=x,
            y=y,
            width=width,
            height=height,
            fill=FILLS.get(look, "#FFFFFF"),
            stroke=STROKES.get(look, "#8C8C8C"),
            stroke_width=1.5 if look in STROKES else 0.75,
        )
    ]
    if look in STROKES:
        filled = not look.startswith("weakly")
        up = look.endswith("worse")
        left, middle, size = x + 5, y + height / 2, 8.0
        points = [(left, middle + 4), (left + size, middle + 4), (left + size / 2, middle - 4)]
        turned = points if up else [(px, 2 * middle - py) for px, py in points]
        fill = "#FFFFFF" if filled else "none"
        marks.append(path(turned, closed=True, fill=fill, stroke="#FFFFFF" if filled else STROKES[look]))
    return marks


def _heatmap(name: str, panel: Sequence[Tile], top: float) -> tuple[list[str], float, float]:
    columns = list(dict.fromkeys(tile.column for tile in panel))
    rows = list(dict.fromkeys(tile.row for tile in panel))
    marks = [label(MARGIN, top + 16, write.shorten(name, 90), size=15, font_weight="bold")]
    for index, text in enumerate(columns):
        x = LABEL_ROOM + index * CELL_WIDTH + CELL_WIDTH / 2
        marks.append(label(x, top + 40, write.shorten(text, 15), size=11, anchor="middle"))
    for index, text in enumerate(rows):
        y = top + HEAD - 12 + index * CELL_HEIGHT + CELL_HEIGHT / 2
        marks.append(label(LABEL_ROOM - 8, y, write.shorten(text, LABEL_COLUMNS), size=11, anchor="end"))
    across, down = ({text: at for at, text in enumerate(texts)} for texts in (columns, rows))
    for tile in panel:
        x, y = LABEL_ROOM + across[tile.column] * CELL_WIDTH, top + HEAD - 16 + down[tile.row] * CELL_HEIGHT
        marks.append(_cell(tile, x, y))
    height = HEAD + len(rows) * CELL_HEIGHT + 12
    return marks, height, LABEL_ROOM + len(columns) * CELL_WIDTH + MARGIN


def _cell(tile: Tile, x: float, y: float) -> str:
    width, height = CELL_WIDTH - GAP, CELL_HEIGHT - GAP
    ink = "#FFFFFF" if tile.look in ("worse", "safer") else INK
    marks = (
        _share_box(tile, x, y, width, height)
        if tile.look == "share"
        else _box(tile.look, x, y, width, height)
    )
    if tile.look == "blind":
        marks.append(element("rect", x=x + 24, y=y + 6, width=width - 36, height=height - 12, fill="#FFFFFF"))
    text = label(x + width / 2 + 6, y + height / 2 + 4, tile.text, anchor="middle", fill=ink)
    return _focusable(tile, *marks, text)


def _share_box(tile: Tile, x: float, y: float, width: float, height: float) -> list[str]:
    """Draw a share as a bar from the left: length tells it, not shade."""
    frame = {"x": x, "y": y, "height": height}
    bar = element("rect", **frame, width=width * (tile.value or 0.0), fill="#BFD9E8")
    return [bar, element("rect", **frame, width=width, fill="none", stroke="#8C8C8C", stroke_width=0.75)]


def _focusable(tile: Tile, *marks: str) -> str:
    return element("g", element("title", plain(tile.tip)), *marks, class_="tile", data_row=str(tile.number))


def _dots(
    name: str, panel: Sequence[Tile], ranks: dict[int, int], top: float
) -> tuple[list[str], float, float]:
    measured = [tile for tile in panel if tile.value is not None]
    drawn = sorted(measured, key=lambda tile: ranks[tile.number])[:MOST_DOTS]
    ranked = sorted(drawn, key=lambda tile: (-(tile.value or 0.0), tile.number))
    pitch = LABELLED_PITCH if len(ranked) <= MOST_ROWS else PITCH
    low, high = (0.0, 1.0) if all(tile.look == "share" for tile in panel) else (-1.0, 1.0)

    def x(value: float) -> float:
        return LABEL_ROOM + (value - low) / (high - low) * PLOT_WIDTH

    first, bottom = top + HEAD, top + HEAD + len(ranked) * pitch
    marks = [label(MARGIN, top + 16, write.shorten(name, 90), size=15, font_weight="bold")]
    note = f"{write.integer(len(ranked))} of {write.integer(len(panel))} conditions, ranked, with intervals"
    if any(tile.look in MARKED for tile in panel):
        note += "; triangle up: worse, down: safer; hollow: too weak, or too small to tell"
    marks.append(label(MARGIN, top + 34, note, size=11, fill=GREY))
    for tick in (low, low / 2, 0.0, high / 2, high) if low else (0.0, 0.25, 0.5, 0.75, 1.0):
        marks.append(path([(x(tick), first - 6), (x(tick), bottom)], stroke=PALE, fill="none"))
        marks.append(
            label(
                x(tick), first - 10, f"{tick:+g}" if low and tick else f"{tick:g}", size=10, anchor="middle"
            )
        )
    for index, tile in enumerate(ranked):
        marks.append(_dot(tile, x, first + (index + 0.5) * pitch, pitch))
    marks += _named_ends(ranked, first, pitch) if pitch < LABELLED_PITCH else []
    return marks, bottom - top + 24, LABEL_ROOM + PLOT_WIDTH + MARGIN


def _named_ends(ranked: Sequence[Tile], first: float, pitch: float) -> list[str]:
    """Name as many conditions as stand apart: every fourth row has room for a line of text."""
    step = int(12 // pitch) + 1
    return [
        label(
            LABEL_ROOM - 8,
            first + (index + 0.5) * pitch + 3,
            write.shorten(ranked[index].label, LABEL_COLUMNS),
            size=9,
            anchor="end",
        )
        for index in range(0, len(ranked), step)
    ]


def _dot(tile: Tile, x: object, y: float, pitch: float) -> str:
    at = x if callable(x) else float
    value = tile.value or 0.0
    colour = STROKES.get(tile.look, GREY)
    room = {"x": LABEL_ROOM, "y": y - pitch / 2, "width": PLOT_WIDTH, "height": pitch}
    marks = [element("rect", **room, fill="none", pointer_events="all")]  # the line alone is hard to point at
    if tile.low is not None and tile.high is not None:
        marks.append(
            path([(at(tile.low), y), (at(tile.high), y)], stroke=colour, fill="none", stroke_width=1.2)
        )
    marks.append(_dot_mark(tile, at(value), y, colour))
    if pitch >= LABELLED_PITCH:
        text = write.shorten(tile.label, LABEL_COLUMNS)
        marks.append(label(LABEL_ROOM - 8, y + 4, text, size=11, anchor="end"))
    return _focusable(tile, *marks)


def _dot_mark(tile: Tile, x: float, y: float, colour: str) -> str:
    """Draw a triangle that points the way a change went, a hollow ring where nothing can be told, else a dot."""
    fill = "#FFFFFF" if tile.look == "blind" or tile.look.startswith("weakly") else colour
    if tile.look in STROKES:
        way = 1 if tile.look.endswith("worse") else -1
        points = [(x - 4, y + 3 * way), (x + 4, y + 3 * way), (x, y - 4 * way)]
        return path(points, closed=True, fill=fill, stroke=colour)
    return element("circle", cx=x, cy=y, r=2.5, fill=fill, stroke=colour)
