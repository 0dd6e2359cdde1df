"""Survival curves with their bands and censored runs, and what the runs died of, stacked."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.compare_text import headline as compare_headline
from pytest_poisson.render.svg.elements import (
    COLOURS,
    DASHES,
    GREY,
    drawing,
    element,
    hatch,
    label,
    number,
    path,
)
from pytest_poisson.render.svg.frame import Frame, spread
from pytest_poisson.render.where_text import headline as where_headline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_stats.competing_risks import CumulativeIncidence
    from poisson_stats.survival import SurvivalCurve
    from pytest_poisson.analyses.compare import CompareResult
    from pytest_poisson.analyses.where import WhereResult

WIDTH, MARGIN, LABELS = 800.0, 56.0, 196.0
CURVES_HEIGHT, STACK_HEIGHT = 240.0, 180.0
LINE = 15.0
LONGEST_LABEL = 22  # the id of a run, which is its name where none was given, has 21


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """One run's survival curve, with its name and the steps at which runs were censored."""

    name: str
    curve: SurvivalCurve
    censored: Sequence[int]


def where_svg(result: WhereResult) -> str:
    """Draw one run: survival with its band above, the causes stacked below."""
    name = write.printable(result.run.name)
    line = Line(name, result.curve, result.censored)
    title = f"Where the runs of '{name}' die"
    body = [_heading(f"Where the runs of '{_short(name)}' die"), *draw_curves([line], top=62)]
    height = 62 + CURVES_HEIGHT + 60
    if result.incidence is not None:
        causes = [each.cause for each in result.causes]
        frame = Frame(MARGIN, height + 14, WIDTH - MARGIN - LABELS, STACK_HEIGHT, max(result.curve.last, 1))
        body += draw_stack(frame, result.incidence, causes, title=f"share of runs dead, by {result.by}")
        height += 14 + STACK_HEIGHT + 50
    return drawing(
        WIDTH, height, title=title, description=f"{where_headline(result)} {in_words([line])}", body=body
    )


def curves_svg(lines: Sequence[Line]) -> str:
    """Draw the curves of runs that are described, not compared, in one frame."""
    title, shown = (
        f"How far the runs of {' and '.join(names)} get"
        for names in ([f"'{line.name}'" for line in lines], [f"'{_short(line.name)}'" for line in lines])
    )
    body = [_heading(shown), *draw_curves(lines, top=62)]
    return drawing(WIDTH, 62 + CURVES_HEIGHT + 60, title=title, description=in_words(lines), body=body)


def compare_svg(result: CompareResult) -> str:
    """Draw two runs: both survival curves with their bands."""
    found = result.comparison
    names = [write.printable(side.name) for side in (result.first, result.second)]
    lines = [
        Line(name, curve, censored)
        for name, curve, censored in zip(names, (found.first, found.second), result.censored, strict=True)
    ]
    title, shown = (
        f"Where the runs of '{first}' and '{second}' die" for first, second in (names, map(_short, names))
    )
    body = [_heading(shown), *draw_curves(lines, top=62)]
    height = 62 + CURVES_HEIGHT + 60
    if result.incidence is not None:
        body += _stacks(result, names, height + 14)
        height += 14 + STACK_HEIGHT + 50
    words = f"{compare_headline(result)} {in_words(lines)}"
    return drawing(WIDTH, height, title=title, description=words, body=body)


def _heading(text: str) -> str:
    return label(MARGIN, 26, text, size=15)


def _stacks(result: CompareResult, names: Sequence[str], top: float) -> list[str]:
    """Draw what each run's runs died of, side by side at one scale."""
    found = result.comparison
    last = max(found.first.last, found.second.last, 1)
    wide = (WIDTH - MARGIN - LABELS - 40) / 2
    drawn = []
    for i, incidence in enumerate(result.incidence or ()):
        frame = Frame(MARGIN + i * (wide + 40), top, wide, STACK_HEIGHT, last)
        title = f"dead in '{_short(names[i])}', by {result.by}"
        drawn += draw_stack(frame, incidence, result.causes, title=title, labels=False)
    x = WIDTH - LABELS + 8
    for i, cause in enumerate(result.causes):
        drawn += cause_label(x, top + LINE * (i + 1), i, cause)
    return drawn


def draw_curves(lines: Sequence[Line], *, top: float) -> list[str]:
    """Draw survival curves into one frame, labelled at their ends."""
    last = max([1, *(line.curve.last for line in lines)])
    frame = Frame(MARGIN, top, WIDTH - MARGIN - LABELS, CURVES_HEIGHT, last)
    level = write.percent(lines[0].curve.confidence)
    drawn = frame.axes(x_title="step", y_title=f"share of runs still alive ({level} band; | run censored)")
    drawn += [_band(frame, line.curve, COLOURS[i]) for i, line in enumerate(lines)]
    for i, line in enumerate(lines):
        drawn += _curve(frame, line, COLOURS[i], DASHES[i])
        drawn += _median(frame, line.curve, 14.0 * i)
    ends = [frame.y(_height(line.curve, line.curve.last)) for line in lines]
    for i, y in enumerate(spread(ends, LINE, frame.top, frame.bottom)):
        x = frame.x(lines[i].curve.last)
        drawn.append(label(x + 8, y + 4, _short(lines[i].name), fill=COLOURS[i], font_weight="bold"))
    return drawn


def draw_stack(
    frame: Frame, incidence: CumulativeIncidence, causes: Sequence[str], *, title: str, labels: bool = True
) -> list[str]:
    """Draw the cumulative incidence of each cause on top of the others, labelled at their ends."""
    steps = incidence.times.tolist()
    lower = [0.0] * len(steps)
    areas, definitions, middles = [], [], []
    for i in range(len(causes)):
        upper = [below + own for below, own in zip(lower, incidence.incidence[i].tolist(), strict=True)]
        definition, fill = hatch(i)
        definitions.append(definition)
        outline = [*_stairs(frame, steps, upper), *reversed(_stairs(frame, steps, lower))]
        areas.append(path(outline, closed=True, fill=fill, stroke=COLOURS[i % len(COLOURS)], stroke_width=1))
        middles.append(frame.y((lower[-1] + upper[-1]) / 2))
        lower = upper
    drawn = [element("defs", *definitions), *frame.axes(x_title="step", y_title=title), *areas]
    if labels:
        for i, y in enumerate(spread(middles, LINE, frame.top, frame.bottom)):
            drawn += cause_label(frame.right + 8, y + 4, i, f"{causes[i]} {incidence.incidence[i][-1]:.2f}")
    return drawn


def cause_label(x: float, y: float, index: int, text: str) -> list[str]:
    """Draw the swatch of a cause and its text."""
    _, fill = hatch(index)
    colour = COLOURS[index % len(COLOURS)]
    return [
        element("rect", x=x, y=y - 10, width=14, height=11, fill=fill, stroke=colour, stroke_width=1),
        label(x + 19, y, _short(text), size=12),
    ]


def in_words(lines: Sequence[Line]) -> str:
    """Say the curves in words: the share alive at each quarter of their length."""
    said = []
    for line in lines:
        last = line.curve.last
        steps = sorted({max(1, round(last * part / 4)) for part in range(1, 5)})
        points = ", ".join(f"{_height(line.curve, step):.3f} after step {step}" for step in steps)
        said.append(f"Share of runs of '{line.name}' still alive: {points}.")
    return " ".join(said)


def _curve(frame: Frame, line: Line, colour: str, dash: str) -> list[str]:
    curve = line.curve
    corners = [
        (frame.x(0), frame.y(1)),
        *_stairs(frame, curve.times.tolist(), curve.survival.tolist(), start=1.0)[1:],
        (frame.x(curve.last), frame.y(_height(curve, curve.last))),
    ]
    drawn = [path(corners, fill="none", stroke=colour, stroke_width=2.2, stroke_dasharray=dash)]
    marks = {round(frame.x(step)): (frame.x(step), frame.y(_height(curve, step))) for step in line.censored}
    ticks = "".join(f"M{x:.1f} {y - 4:.1f}v8" for x, y in marks.values())
    if ticks:
        drawn.append(element("path", d=ticks, stroke=colour, stroke_width=1.2, fill="none"))
    return drawn


def _median(frame: Frame, curve: SurvivalCurve, above: float) -> list[str]:
    """Mark where a curve falls to one half; the text stands `above` the axis."""
    if curve.median is None:
        return []
    x, y = frame.x(curve.median), frame.y(0.5)
    way = f"M{number(frame.left)} {number(y)}H{number(x)}V{number(frame.bottom)}"
    return [
        element("path", d=way, stroke=GREY, stroke_dasharray="1 3", fill="none"),
        label(x + 4, frame.bottom - 6 - above, f"half by {curve.median:g}", size=11),
    ]


def _band(frame: Frame, curve: SurvivalCurve, colour: str) -> str:
    """Draw the band where there is one: from the first death to the last step, or to where everybody has died."""
    rows = [
        (step, low, high)
        for step, low, high in zip(curve.times.tolist(), curve.low.tolist(), curve.high.tolist(), strict=True)
        if isfinite(low)
    ]
    if not rows:
        return ""
    ends = [step for step, _, _ in rows[1:]]
    everybody_died = len(rows) < len(curve.times)
    ends.append(curve.times.tolist()[len(rows)] if everybody_died else curve.last)
    upper = [
        (frame.x(at), frame.y(high))
        for (step, _, high), end in zip(rows, ends, strict=True)
        for at in (step, end)
    ]
    lower = [
        (frame.x(at), frame.y(low))
        for (step, low, _), end in zip(rows, ends, strict=True)
        for at in (step, end)
    ]
    return path([*upper, *reversed(lower)], closed=True, fill=colour, fill_opacity=0.16, stroke="none")


def _stairs(
    frame: Frame, steps: Sequence[float], shares: Sequence[float], *, start: float = 0.0
) -> list[tuple[float, float]]:
    """Return the corners of a step function from step 0 to the frame's end (a curve ends where its line does)."""
    corners = [(frame.x(0), frame.y(start))]
    before = start
    for step, share in zip(steps, shares, strict=True):
        corners += [(frame.x(step), frame.y(before)), (frame.x(step), frame.y(share))]
        before = share
    if start == 0.0:
        corners.append((frame.right, frame.y(before)))
    return corners


def _height(curve: SurvivalCurve, step: float) -> float:
    """Return the share alive just after a step."""
    index = bisect_right(curve.times.tolist(), step)
    return float(curve.survival[index - 1]) if index else 1.0


def _short(text: str) -> str:
    return write.shorten(write.printable(text), LONGEST_LABEL)
