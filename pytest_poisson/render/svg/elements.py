"""The elements of a drawing as text."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape, quoteattr

from pytest_poisson.render.formatting import printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Those of Okabe and Ito (2008) that stand out on white: told apart with any kind of colour vision."""

DASHES = ("", "7 4", "2 3", "9 3 2 3")
"""Line styles, so that curves are told apart in black and white too."""

HATCHES = (
    "M0 8L8 0",
    "M0 0L8 8",
    "M4 0V8",
    "M0 4H8",
    "M0 8L8 0M0 0L8 8",
    "M4 0V8M0 4H8",
    "M4 3V5",
)
"""Paths in a tile of 8 by 8, for areas."""

FONT = "Helvetica, Arial, sans-serif"
INK, GREY, PALE = "#000000", "#595959", "#D9D9D9"


def number(value: float) -> str:
    """Write a coordinate with at most 2 decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".") or "0"


def element(name: str, *children: str, **attributes: float | str) -> str:
    """Write an element; an underscore in an attribute's name stands for a hyphen, `class_` for `class`."""
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(value if isinstance(value, str) else number(value))}"
        for key, value in attributes.items()
        if value != ""
    )
    inner = "".join(children)
    return f"<{name}{written}>{inner}</{name}>" if inner else f"<{name}{written}/>"


def label(
    x: float, y: float, text: str, *, anchor: str = "start", size: float = 12, **more: float | str
) -> str:
    """Write text with its baseline at (x, y)."""
    return element("text", plain(text), x=x, y=y, text_anchor=anchor, font_size=size, **more)


def path(points: Iterable[tuple[float, float]], *, closed: bool = False, **attributes: float | str) -> str:
    """Draw straight lines through points."""
    steps = "L".join(f"{number(x)} {number(y)}" for x, y in points)
    return element("path", d=f"M{steps}{'Z' if closed else ''}", **attributes)


def hatch(index: int) -> tuple[str, str]:
    """Return the definition of a coloured hatched fill and the value that uses it."""
    colour, name = COLOURS[index % len(COLOURS)], f"poisson-hatch-{index}"
    tile = element("rect", width=8, height=8, fill=colour, fill_opacity=0.28)
    strokes = element("path", d=HATCHES[index % len(HATCHES)], stroke=colour, stroke_width=1.4, fill="none")
    defined = element("pattern", tile, strokes, id=name, width=8, height=8, patternUnits="userSpaceOnUse")
    return defined, f"url(#{name})"


def drawing(width: float, height: float, *, title: str, description: str, body: Sequence[str]) -> str:
    """Return a whole SVG file; title and description are what a screen reader reads."""
    background = element("rect", width=width, height=height, fill="#FFFFFF")
    attributes = {
        "xmlns": "http://www.w3.org/2000/svg",
        "viewBox": f"0 0 {number(width)} {number(height)}",
        "width": number(width),
        "height": number(height),
        "role": "img",
        "font_family": FONT,
        "fill": INK,
    }
    content = [
        element("title", plain(title)),
        element("desc", plain(description)),
        background,
        *body,
    ]
    return element("svg", "\n", "\n".join(content), "\n", **attributes) + "\n"


def plain(text: str) -> str:
    """Write text so that XML takes it as it is."""
    return escape(printable(text))
