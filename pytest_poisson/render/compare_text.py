"""Where two runs die, as a report."""

from __future__ import annotations

from math import isfinite, isinf
from typing import TYPE_CHECKING

from poisson_stats.missing import MISSING_LEVEL
from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import Column
from pytest_poisson.render.report_parts import (
    apart_line,
    apart_points,
    consistency_lines,
    draws_lines,
    input_labels,
    inputs_compared,
    landed_lines,
    named_run,
    reach_section,
    run_line,
)
from pytest_poisson.render.sheet import Bold, Grid, Points, section, sheet
from pytest_poisson.render.where_text import CLINGING, INPUTS_SHOWN, STEP

if TYPE_CHECKING:
    from pytest_poisson.analyses.compare import CompareResult, LeftOut
    from pytest_poisson.render.sheet import Section, Sheet

BESIDE = {"sooner": "more than", "later": "fewer than", "alike": "as many as"}
SOONER = {"sooner": "died sooner", "later": "died later", "alike": "died alike"}


def compare_sheet(result: CompareResult, *, verbose: bool = False) -> Sheet:
    """Return the report; `verbose` shows every input, else the 10 that differ most."""
    return sheet(
        f"Where the runs of {named_run(result.first)} and {named_run(result.second)} die",
        [
            section(
                "What ran",
                run_line("A", result.first),
                run_line("B", result.second),
                apart_line(result.apart),
            ),
            _landed(result),
            _test(result),
            _kinds(result),
            _survival(result),
            reach_section(result.reach, ("A", "B")),
            section("How alike the runs of one input are", *consistency_lines(result.consistency, "died")),
            section("What this could not have detected", _could_not_see(result)),
            Bold(headline(result)),
            _guidance(result),
            _inputs(result, None if verbose else INPUTS_SHOWN),
            section("What this cannot say", Points(tuple(_cannot_say(result)))),
        ],
    )


def headline(result: CompareResult) -> str:
    """Return the word and what it rests on."""
    differ = [
        what
        for what, shares in (("excluded rows", result.excluded), ("runs that were cut off", result.cut_off))
        if shares.differs
    ]
    warning = f"; but the runs differ in {' and in '.join(differ)}" if differ else ""
    return f"{_word(result)}{warning}."


def _word(result: CompareResult) -> str:
    found = result.comparison
    first, second = named_run(result.first), named_run(result.second)
    p = write.p_value(found.test.p, found.test.log_p, found.alpha)
    if found.word == "different":
        return f"different: runs of {second} {SOONER[found.test.second_dies]} than runs of {first} (p {p})"
    ratio = f"{found.max_hazard_ratio:g}"
    if found.word == "no significant difference":
        return f"no significant difference (p {p}), and a hazard ratio of {ratio} would have been seen 4 times in 5"
    seen = (
        f"only one of {write.figure(found.detectable)} or more" if isfinite(found.detectable) else "no ratio"
    )
    return f"too small to tell (p {p}): a hazard ratio of {ratio} was asked, {seen} would have been seen 4 times in 5"


def left_out_line(left_out: LeftOut, compared: int, names: tuple[str, str]) -> str:
    """Return how many inputs are compared, and why the others are not."""
    reasons = [
        (left_out.not_first, f"not run in {names[0]}"),
        (left_out.not_second, f"not run in {names[1]}"),
        (left_out.unplaced, "no placed run in one of them"),
    ]
    return inputs_compared(compared, left_out.total, reasons)


def _landed(result: CompareResult) -> Section | None:
    event = write.printable(str(result.events))
    names = named_run(result.first), named_run(result.second)
    lines = [
        f"{name}: {' '.join(landed_lines(landed, event))}"
        for name, landed in zip(names, result.landed, strict=True)
    ]
    return section(
        "Where they landed",
        *lines,
        left_out_line(result.left_out, result.comparison.common, names),
        _excluded_line(result, names),
        _cut_off_line(result, names),
        *draws_lines(same=result.same_draws),
        STEP,
    )


def _excluded_line(result: CompareResult, names: tuple[str, str]) -> str | None:
    """Return whether the runs lack places equally often; None where no row of the inputs that both ran is excluded."""
    found = result.excluded
    if not found.missing_before + found.missing_after:
        return None
    told = "differ between the runs" if found.differs else "do not differ significantly"
    return (
        f"Excluded of the inputs that both ran: {write.integer(found.missing_before)} of "
        f"{write.integer(found.planned_before)} in {names[0]}, {write.integer(found.missing_after)} of "
        f"{write.integer(found.planned_after)} in {names[1]}. Their shares {told} (p {write.p_value(found.p, found.log_p, MISSING_LEVEL)})."
    )


def _cut_off_line(result: CompareResult, names: tuple[str, str]) -> str | None:
    """Say that one version was cut off more often, which reads as dying later; None where it was not."""
    found = result.cut_off
    if not found.differs:
        return None
    return (
        f"Timed out or capped of the runs compared: {write.integer(found.missing_before)} of "
        f"{write.integer(found.planned_before)} in {names[0]}, {write.integer(found.missing_after)} of "
        f"{write.integer(found.planned_after)} in {names[1]}. Their shares differ between the runs (p "
        f"{write.p_value(found.p, found.log_p, MISSING_LEVEL)}): what is cut off counts as alive, and so may read as dying later."
    )


def _test(result: CompareResult) -> Section | None:
    test = result.comparison.test
    first, second = named_run(result.first), named_run(result.second)
    if not test.variance:
        outcome = "No death had runs of both at risk, so there is nothing to test."
    else:
        outcome = (
            f"{second} had {write.plural(test.observed, 'death')}, {BESIDE[test.second_dies]} the "
            f"{write.figure(test.expected, 1)} expected if both died alike (variance {write.figure(test.variance, 1)}): "
            f"chi-square {write.figure(test.chi_square, 2)}, p {write.p_value(test.p, test.log_p, result.comparison.alpha)}."
        )
    return section(
        "Test",
        f"Log-rank test within inputs: {write.plural(test.strata, 'input')}, {write.integer(test.informative)} of them "
        f"informative; {write.integer(test.deaths[0])} of {write.plural(test.placed[0], 'run')} of {first} died, "
        f"{write.integer(test.deaths[1])} of {write.integer(test.placed[1])} of {second}.",
        outcome,
    )


def _kinds(result: CompareResult) -> Section | None:
    if not result.causes:
        return None
    adjusted = result.comparison.by_kind_adjusted
    columns = (
        Column(result.by),
        Column("deaths A", right=True),
        Column("deaths B", right=True),
        Column("expected B", right=True),
        Column("p", right=True),
        Column("adjusted p", right=True),
    )
    rows = tuple(
        (
            write.printable(cause),
            write.integer(test.deaths[0]),
            write.integer(test.deaths[1]),
            write.figure(test.expected, 1),
            write.p_value(test.p, test.log_p),
            write.p_value(adjusted.p[i], adjusted.log_p[i], result.comparison.alpha),
        )
        for i, (cause, test) in enumerate(zip(result.causes, result.comparison.by_kind, strict=True))
    )
    return section(
        "By kind of the last step" if result.by == "kind" else "By the named step they died in",
        Grid(columns, rows),
        f"Each {result.by} tested on its own, deaths of the others censoring; adjusted by Benjamini-Hochberg. They have no "
        "part in the word.",
    )


def _survival(result: CompareResult) -> Section | None:
    found = result.comparison.difference
    columns = (
        Column("step", right=True),
        Column("A", right=True),
        Column("B", right=True),
        Column("B - A", right=True),
        Column(f"{write.percent(found.confidence)} band", right=True),
    )
    arrays = (found.times, found.first, found.second, found.difference, found.low, found.high)
    rows = tuple(
        (
            str(int(step)),
            write.rate(first),
            write.rate(second),
            write.points(change if isfinite(change) else None),
            f"{write.points(low)} to {write.points(high)}" if isfinite(low) else write.NONE,
        )
        for step, first, second, change, low, high in zip(*(array.tolist() for array in arrays), strict=True)
    )
    medians = [
        f"{named_run(side)} {'none' if curve.median is None else f'step {int(curve.median)}'}"
        for side, curve in (
            (result.first, result.comparison.first),
            (result.second, result.comparison.second),
        )
    ]
    return section(
        "Still alive (Kaplan-Meier)",
        Grid(columns, rows),
        f"Median: {', '.join(medians)}.",
        "The word follows the test, not the band.",
    )


def _could_not_see(result: CompareResult) -> str:
    found = result.comparison
    deaths = sum(found.test.deaths)
    if isinf(found.detectable):
        return "Nobody died, so no difference could be detected."
    return (
        f"With {write.plural(deaths, 'death')} a hazard ratio below {write.figure(found.detectable)} (or above its inverse) "
        f"would have been missed more often than 1 time in 5, if hazards are proportional."
    )


def _guidance(result: CompareResult) -> Section | None:
    found, ways = result.comparison, result.guidance
    if found.word != "too small to tell":
        return None
    ratio = f"{found.max_hazard_ratio:g}"
    if ways is None:
        return section("What would settle it", "Nobody died: there is nothing to scale; run more.")
    runs = sum(found.test.placed)
    return section(
        "What would settle it",
        f"To detect {ratio}: {write.plural(ways.deaths, 'death')} ({write.integer(sum(found.test.deaths))} now), which "
        f"is {write.plural(ways.runs, 'run')} of both together ({write.integer(runs)} now): {write.integer(ways.repeats)} "
        f"repeats an input and run on these {write.integer(found.common)}, or {write.integer(ways.inputs)} inputs like "
        "these.",
        f"--max-mde-hr={write.figure(found.detectable)} accepts this design as it is.",
    )


def _inputs(result: CompareResult, shown: int | None) -> Section | None:
    ranked = [result.inputs[i] for i in result.importance[:shown]]
    labels, title = input_labels([each.condition for each in result.inputs])
    columns = (
        Column(title),
        Column("died A", right=True),
        Column("died B", right=True),
        Column("points", right=True),
        Column("step A", right=True),
        Column("step B", right=True),
    )
    rows = tuple(
        (
            labels[each.condition.key],
            f"{each.first.died}/{each.first.placed}",
            f"{each.second.died}/{each.second.placed}",
            write.percentage_points(each.change),
            *(
                write.NONE if arm.median_step is None else f"{arm.median_step:g}"
                for arm in (each.first, each.second)
            ),
        )
        for each in ranked
    )
    rest = len(result.inputs) - len(ranked)
    return section(
        "By input",
        Grid(columns, rows),
        f"{write.plural(rest, 'more input')}: -v shows all." if rest else None,
        "points: B minus A of the share that died. step: the median step of the runs that died.",
    )


def _cannot_say(result: CompareResult) -> list[str]:
    found = result.comparison
    points = apart_points(result.apart)
    if sum(found.test.deaths):
        points.append("Why runs die: a last step is where a run was last seen, not what went wrong.")
    if result.left_out.total:
        points.append(f"Anything about {write.plural(result.left_out.total, 'input')} that is left out.")
    excluded = sum(landed.excluded for landed in result.landed)
    if excluded:
        points.append(f"Where {write.plural(excluded, 'excluded row')} died, or whether.")
    cut = sum(landed.timed_out + landed.capped for landed in result.landed)
    if cut:
        points.append(
            f"How {write.plural(cut, 'run')} that {'was' if cut == 1 else 'were'} timed out or capped would have gone on."
        )
    ended = [write.share(landed.ended, landed.placed) for landed in result.landed]
    if sum(landed.ended for landed in result.landed):
        points.append(
            f"Which run fails more often: runs that ended otherwise ({ended[0]} and {ended[1]}) "
            "leave the curves at their last step; 'pytest-poisson changes' compares shares."
        )
    if result.consistency.kappa > CLINGING:
        points.append(
            f"How other inputs would differ: the test is about these {write.integer(found.common)}, and runs of one input "
            f"end alike (kappa {write.figure(result.consistency.kappa)})."
        )
    if found.word == "different":
        points.append("Which inputs differ: the table is a description, no input is tested on its own.")
    return points
