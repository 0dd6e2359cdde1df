"""The frame of a plot over steps: scales, ticks and grid lines."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor, log10
from typing import TYPE_CHECKING

from pytest_poisson.render.svg.elements import GREY, INK, PALE, element, label

if TYPE_CHECKING:
    from collections.abc import Sequence

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)
MOST_TICKS = 8


@dataclass(frozen=True, slots=True)
class Frame:
    """A rectangle in which steps from 0 to `last` run to the right and shares from 0 to 1 upward."""

    left: float
    top: float
    width: float
    height: float
    last: float

    def x(self, step: float) -> float:
        """Return where a step stands."""
        return self.left + self.width * step / self.last

    def y(self, share: float) -> float:
        """Return where a share stands."""
        return self.top + self.height * (1 - share)

    @property
    def right(self) -> float:
        """The right edge."""
        return self.left + self.width

    @property
    def bottom(self) -> float:
        """The lower edge."""
        return self.top + self.height

    def axes(self, *, x_title: str, y_title: str) -> list[str]:
        """Draw grid lines, ticks and the titles of both axes."""
        drawn = []
        for share in SHARES:
            y = self.y(share)
            drawn.append(
                element("path", d=f"M{self.left:g} {y:g}H{self.right:g}", stroke=PALE, stroke_width=1)
            )
            drawn.append(label(self.left - 8, y + 4, f"{share:g}", anchor="end", size=11, fill=GREY))
        for step in ticks(self.last):
            x = self.x(step)
            drawn.append(element("path", d=f"M{x:.2f} {self.bottom:g}v5", stroke=INK, stroke_width=1))
            drawn.append(label(x, self.bottom + 18, f"{step:g}", anchor="middle", size=11, fill=GREY))
        drawn.append(
            element("path", d=f"M{self.left:g} {self.bottom:g}H{self.right:g}", stroke=INK, stroke_width=1)
        )
        drawn.append(label(self.left, self.top - 10, y_title, size=12))
        drawn.append(label(self.right, self.bottom + 34, x_title, anchor="end", size=12))
        return drawn


def ticks(last: float) -> list[float]:
    """Return at most 8 round steps from 0 to `last`, 1, 2 or 5 times a power of ten apart."""
    apart = 10.0 ** floor(log10(max(last, 1)))
    for finer in (0.1, 0.2, 0.5, 1.0, 2.0):
        width = max(1.0, apart * finer)
        if last // width < MOST_TICKS:
            break
    return [width * number for number in range(int(last / width) + 1)]


def spread(wanted: Sequence[float], gap: float, top: float, bottom: float) -> list[float]:
    """Move label positions apart, keeping their order, so that none stands less than `gap` from its neighbour."""
    order = sorted(range(len(wanted)), key=lambda i: (wanted[i], i))
    placed = [0.0] * len(wanted)
    floor_y = top
    for i in order:
        placed[i] = max(wanted[i], floor_y)
        floor_y = placed[i] + gap
    ceiling = bottom
    for i in reversed(order):
        placed[i] = min(placed[i], ceiling)
        ceiling = placed[i] - gap
    return placed
