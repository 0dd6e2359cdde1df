"""Flip rate of every item against its mean score, with the threshold of its cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.svg.elements import COLOURS, GREY, drawing, element, label, path, plain

if TYPE_CHECKING:
    from pytest_poisson.analyses.paired_result import Flips, PairedResult

WIDTH, MARGIN, PLOT_HEIGHT, GAP = 720.0, 60.0, 220.0, 70.0
DOT = 5.0


def flips_svg(result: PairedResult) -> str:
    """Draw one plot a cut: an item is a dot, at its mean score and its flip rate."""
    thresholds = {cut.name: float(cut.threshold) for cut in result.declaration.cuts}
    body: list[str] = []
    top = 40.0
    for flips in result.judged:
        body += _plot(flips, thresholds[flips.cut], top)
        top += PLOT_HEIGHT + GAP
    summary = "; ".join(
        f"{write.printable(each.cut)}: {len(each.points)} items, flip rate {each.rate:.3f}"
        for each in result.judged
    )
    return drawing(
        WIDTH,
        top,
        title="How often the decision on an item flips, against its mean score",
        description=f"{summary}. Items near the threshold flip most.",
        body=body,
    )


def _plot(flips: Flips, threshold: float, top: float) -> list[str]:
    right, bottom = WIDTH - MARGIN, top + PLOT_HEIGHT

    def x(score: float) -> float:
        return MARGIN + score * (right - MARGIN)

    def y(rate: float) -> float:
        return bottom - rate * PLOT_HEIGHT

    marks = [
        label(MARGIN, top - 12, f"{write.printable(flips.cut)}: flip rate by mean score", size=14),
        path([(MARGIN, top), (MARGIN, bottom), (right, bottom)], fill="none", stroke=GREY),
        path(
            [(x(threshold), top), (x(threshold), bottom)],
            fill="none",
            stroke=COLOURS[1],
            stroke_dasharray="6 4",
        ),
        label(x(threshold) + 4, top + 12, f"threshold {threshold:g}", size=11),
    ]
    for tick in (0.0, 0.25, 0.5, 0.75, 1.0):
        marks += [
            label(x(tick), bottom + 18, f"{tick:g}", size=11, anchor="middle"),
            label(MARGIN - 8, y(tick) + 4, f"{tick:g}", size=11, anchor="end"),
        ]
    for item, mean, count, pairs in flips.points:
        title = element("title", plain(f"{item}: {count} of {pairs} flipped, mean score {mean:.3f}"))
        marks.append(
            element(
                "circle", title, cx=x(mean), cy=y(count / pairs), r=DOT, fill=COLOURS[0], fill_opacity="0.7"
            )
        )
    return marks
