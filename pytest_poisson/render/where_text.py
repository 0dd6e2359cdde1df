"""Where the runs of one sweep die, as a report."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import Column
from pytest_poisson.render.report_parts import (
    consistency_lines,
    input_labels,
    landed_lines,
    named_run,
    reach_section,
    run_line,
)
from pytest_poisson.render.sheet import Bold, Grid, Points, section, sheet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_poisson.analyses.input_deaths import InputDeaths
    from pytest_poisson.analyses.where import CauseShares, WhereResult
    from pytest_poisson.render.sheet import Section, Sheet

INPUTS_SHOWN = 10
CLINGING = 0.05
"""Above this kappa the runs of an input are said to end alike."""


def where_sheet(result: WhereResult, *, verbose: bool = False) -> Sheet:
    """Return the report; `verbose` shows every input, else the 10 that died most."""
    return sheet(
        f"Where the runs of {named_run(result.run)} die",
        [
            section("What ran", run_line("run", result.run)),
            section(
                "Where they landed", *landed_lines(result.landed, write.printable(str(result.events))), STEP
            ),
            section("Test", "None: one run is described and compared with nothing."),
            _survival(result),
            _causes(result),
            reach_section(result.reach, [result.run.name]),
            section("How alike the runs of one input are", *consistency_lines(result.consistency, "died")),
            section("What this could not have detected", _could_not_see(result)),
            Bold(headline(result)),
            _inputs(result, None if verbose else INPUTS_SHOWN),
            section("What this cannot say", Points(tuple(_cannot_say(result)))),
        ],
    )


STEP = (
    "A step is a span without spans inside it; a run with L of them ran L steps. Whoever was timed out, capped or ended "
    "otherwise counts as alive up to its last step."
)


def headline(result: WhereResult) -> str:
    """Return the sentence to take home."""
    placed, died = result.curve.placed, result.curve.deaths
    if not died:
        return f"None of {write.plural(placed, 'run')} died within {write.plural(int(result.curve.last), 'step')}."
    first = f"{write.integer(died)} of {write.plural(placed, 'run')} died ({write.share(died, placed)})"
    worst = max(result.causes, key=lambda each: each.deaths)
    kind = _in_step(worst.cause, result.by)
    most = f"{write.integer(worst.deaths)} of them in {kind}"
    if result.curve.median is None:
        reach = f"the survival curve stays above one half up to step {int(result.curve.last)}"
    else:
        reach = f"the survival curve falls to one half at step {int(result.curve.median)}"
    return f"{first}, {most}; {reach}."


def _in_step(cause: str, by: str) -> str:
    name = write.printable(cause)
    if by == "step":
        return "a span of no named step" if cause.startswith("(") else f"the step {name}"
    return f"{'an' if name[0] in 'aeio' or name in {'llm', 'http'} else 'a'} {name} step"


def _survival(result: WhereResult) -> Section | None:
    at = result.at
    level = write.percent(result.curve.confidence)
    rows = tuple(
        (
            str(int(step)),
            write.rate(alive),
            f"{write.rate(low)} to {write.rate(high)}" if isfinite(low) else write.NONE,
        )
        for step, alive, low, high in zip(
            at.times.tolist(), at.survival.tolist(), at.low.tolist(), at.high.tolist(), strict=True
        )
    )
    grid = Grid(
        (Column("step", right=True), Column("still alive", right=True), Column(f"{level} band", right=True)),
        rows,
    )
    median = result.curve.median
    half = (
        f"Median: the curve falls to one half at step {int(median)}."
        if median is not None
        else f"No median: the curve ends above one half, at step {int(result.curve.last)}."
    )
    return section(
        f"How far they get (Kaplan-Meier, {write.plural(result.curve.placed, 'run')})",
        grid,
        half,
        _reading_band(result),
    )


def _reading_band(result: WhereResult) -> str | None:
    if not any(not isfinite(low) for low in result.at.low.tolist()):
        return None
    return "A dash: before the first death, after the last run, or at 0, there is no band to give."


def _causes(result: WhereResult) -> Section | None:
    if result.incidence is None:
        return None
    asked = [int(step) for step in result.at.times.tolist()]
    columns = [Column(result.by), Column("deaths", right=True)]
    columns += [Column(f"by step {step}", right=True) for step in asked]
    rows = tuple(_cause_cells(each) for each in result.causes)
    band = None
    if result.incidence.resamples:
        last = _last_band(result)
        level = write.percent(result.incidence.confidence)
        band = (
            f"Band at step {asked[-1]} ({level}, {write.integer(result.incidence.resamples)} resamples of "
            f"{write.plural(result.incidence.units, result.unit[:-1])}, seed {result.incidence.seed}): {last}."
        )
    return section(
        "What they die of (Aalen-Johansen: share of runs dead of it by then)",
        Grid(tuple(columns), rows),
        band,
        "The shares of one column and the share still alive add up to 1.",
    )


def _cause_cells(each: CauseShares) -> tuple[str, ...]:
    shares = [write.NONE if share is None else write.rate(share[0]) for share in each.shares]
    return (write.printable(each.cause), write.integer(each.deaths), *shares)


def _last_band(result: WhereResult) -> str:
    parts = []
    for each in result.causes:
        share = each.shares[-1]
        if share is None or share[1] is None or share[2] is None:
            parts.append(f"{write.printable(each.cause)} none")
        else:
            parts.append(f"{write.printable(each.cause)} {write.rate(share[1])} to {write.rate(share[2])}")
    return "; ".join(parts)


def _could_not_see(result: WhereResult) -> str:
    deaths = result.curve.deaths
    if not deaths:
        return "Nobody died, so no difference from another run could be detected."
    return (
        f"Beside a second run like this one, a hazard ratio below {write.figure(result.detectable)} would be missed more "
        f"often than 1 time in 5 ({write.plural(deaths, 'death')} in each, level 0.05)."
    )


def _inputs(result: WhereResult, shown: int | None) -> Section | None:
    ranked = [result.inputs[i] for i in result.importance[:shown]]
    labels, title = input_labels([each.condition for each in result.inputs])
    columns = (
        Column(title),
        Column("runs", right=True),
        Column("died", right=True),
        Column("cut off", right=True),
        Column("ended", right=True),
        Column("median step", right=True),
        Column("most of"),
    )
    rows = tuple((labels[each.condition.key], *_input_cells(each)) for each in ranked)
    rest = len(result.inputs) - len(ranked)
    return section(
        "By input",
        Grid(columns, rows),
        f"{write.plural(rest, 'more input')}: -v shows all." if rest else None,
        "median step: of the runs that died. most of: what most of them died of.",
    )


def _input_cells(each: InputDeaths) -> Sequence[str]:
    return (
        write.integer(each.placed),
        write.integer(each.died),
        write.integer(each.cut_off),
        write.integer(each.ended),
        write.NONE if each.median_step is None else f"{each.median_step:g}",
        write.NONE if each.cause is None else write.printable(each.cause),
    )


def _cannot_say(result: WhereResult) -> list[str]:
    landed, died = result.landed, result.curve.deaths
    points = []
    if died:
        points.append("Why a run died: its last step is where it was last seen, not what went wrong.")
    placed = result.curve.placed
    if died and result.curve.survival[-1] < (placed - died) / placed - 1e-9:
        points.append(
            f"The share of runs that die, which is {write.share(died, placed)}: the curve falls to "
            f"{write.rate(float(result.curve.survival[-1]))}, since whoever ended otherwise leaves it at its last step."
        )
    cut = landed.timed_out + landed.capped
    if cut:
        points.append(
            f"How {write.plural(cut, 'run')} that {'was' if cut == 1 else 'were'} timed out or capped would have gone on: "
            "they are taken to be as likely to die later as those still running."
        )
    if landed.excluded:
        points.append(f"Anything about {write.plural(landed.excluded, 'excluded row')}.")
    if result.consistency.kappa > CLINGING:
        points.append(
            f"How other inputs would fare: the survival band takes runs as independent draws, and runs of one input end "
            f"alike (kappa {write.figure(result.consistency.kappa)})."
        )
    if result.events.successes:
        words = ", ".join(map(write.printable, result.events.successes))
        points.append(
            f"That dying is bad: {words} is declared a success, and 'died' means that a run ended so."
        )
    return points
