"""Did the fix work, as a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import Column
from pytest_poisson.render.report_parts import (
    apart_line,
    apart_points,
    consistency_lines,
    draws_lines,
    input_labels,
    named_run,
    run_line,
)
from pytest_poisson.render.share_parts import compared_line, difference_line, missing_warning, row_lines
from pytest_poisson.render.sheet import Bold, Grid, Points, section, sheet

if TYPE_CHECKING:
    from poisson_stats.share_limit import ShareLimit
    from pytest_poisson.analyses.fix_check import FixCheckResult
    from pytest_poisson.render.sheet import Section, Sheet

VERSIONS = ("the old version", "the new version")
NAMED = 5


def fix_check_sheet(result: FixCheckResult, *, top: int | None = 10, in_session: bool = False) -> Sheet:
    """Return the report; the table shows the `top` inputs that changed most (None: all), and options are pytest's `in_session`."""
    return sheet(
        f"Did the fix work: {named_run(result.new)} against {named_run(result.old)}",
        [
            section("What ran", *_runs(result), apart_line(result.apart)),
            section("What was counted", *_counted(result)),
            section("Test", *_test(result)),
            section("Estimate", *_estimate(result)),
            section(
                "How alike the runs of one input are",
                *consistency_lines(result.comparison.consistency, "failed"),
            ),
            section("What this could not have detected", *could_not_see(result)),
            Bold(headline(result)),
            section("What it rests on", _rests_on(result)),
            _guidance(result, "--poisson-max-mde" if in_session else "--max-mde"),
            _inputs(result, top, "-v" if in_session else "--top"),
            section("What this cannot say", Points(tuple(_cannot_say(result)))),
        ],
    )


def headline(result: FixCheckResult) -> str:
    """Return the word and what it rests on."""
    found = result.comparison
    p = write.p_value(found.test.p, found.test.log_p, found.alpha)
    asked = write.accepted_points(found.max_mde)
    if found.word == "different":
        change = write.percentage_points(found.difference.difference)
        said = f"different: the new version failed {found.failed} (p {p}, {change} points)"
    elif found.word == "no significant difference" and found.drop.status == "limit":
        said = (
            f"no significant difference (p {p}): a drop of {asked} points would have been seen 4 times in 5"
        )
    elif found.word == "no significant difference":
        room = write.percentage_points(found.drop.room, sign=False)
        said = f"no significant difference (p {p}): there are no more than {room} points to drop, and {asked} were asked"
    else:
        said = f"too small to tell (p {p}): a drop of {asked} points was asked, {_seen(found.drop, found.max_mde)}"
    return f"{said}{missing_warning(result.rows, 'versions')}."


def could_not_see(result: FixCheckResult) -> list[str]:
    """Return the limits in both directions."""
    found = result.comparison
    lines = [_limit(found.drop, "drop")]
    if result.approximate_drop is not None and result.approximate_drop.status == "limit":
        lines[0] += (
            f" By the normal approximation: {write.percentage_points(result.approximate_drop.limit, sign=False)}."
        )
    return [*lines, _limit(found.rise, "rise")]


def _seen(drop: ShareLimit, asked: float) -> str:
    if drop.status != "limit":
        return "no drop would have been seen 4 times in 5"
    return f"only one of {write.percentage_points(drop.limit, sign=False, bound=asked)} or more would have been seen 4 times in 5"


def _limit(limit: ShareLimit, way: str) -> str:
    room = write.percentage_points(limit.room, sign=False)
    basis = (
        "exact power of the exact test"
        if limit.basis == "exact"
        else "normal approximation, which is conservative"
    )
    if limit.status == "limit":
        size = write.percentage_points(limit.limit, sign=False)
        return f"A {way} below {size} points would have been missed more often than 1 time in 5 ({basis})."
    if limit.status == "no room":
        return f"No {way}: there is no room for one."
    return f"Any {way}: even one of {room} points, the most there can be, would have been missed that often ({basis})."


def _runs(result: FixCheckResult) -> list[str]:
    lines = [run_line("old", result.old), run_line("new", result.new)]
    if result.selection.run is not None:
        lines.append(run_line("inputs from", result.selection.run))
    return lines


def _counted(result: FixCheckResult) -> list[str]:
    event, chosen = write.printable(str(result.events)), result.selection
    if chosen.run is None:
        asked = f"All {write.plural(chosen.inputs, 'input')} of either run."
    else:
        often = "once" if chosen.min_failures == 1 else f"{write.integer(chosen.min_failures)} times"
        asked = f"{write.plural(chosen.inputs, 'input')} failed at least {often} in {named_run(chosen.run)}."
    return [
        f"A run failed where its outcome is {event}. {asked}",
        compared_line(len(result.inputs), result.left_out, VERSIONS),
        *draws_lines(same=result.same_draws),
        *row_lines(result.rows, VERSIONS, result.comparison.alpha),
    ]


def _test(result: FixCheckResult) -> list[str]:
    found, test, by_input = result.comparison, result.comparison.test, result.comparison.by_input
    exact = "" if by_input.exact else " at most"
    return [
        (
            f"Exact Cochran-Mantel-Haenszel test within inputs, {write.integer(test.informative)} of "
            f"{write.integer(len(result.inputs))} informative: the new version failed {_times(test.observed)} where "
            f"{write.figure(test.expected)} were expected if nothing had changed (variance {write.figure(test.variance)}), "
            f"p {write.p_value(test.p, test.log_p, found.alpha)}, level {found.alpha:g}."
        ),
        (
            f"With the input as the unit (sign-flip test, no part in the word):{exact} p "
            f"{write.p_value(by_input.p, by_input.log_p)}; {write.plural(by_input.moved, 'input')} moved."
        ),
    ]


def _times(count: int) -> str:
    return write.plural(count, "time")


def _estimate(result: FixCheckResult) -> list[str]:
    old = sum(each.old_events for each in result.inputs), sum(each.old_runs for each in result.inputs)
    new = sum(each.new_events for each in result.inputs), sum(each.new_runs for each in result.inputs)
    failed = [f"{write.integer(k)} of {write.plural(n, 'run')} ({write.share(k, n)})" for k, n in (old, new)]
    return [
        f"Failed: {failed[0]} on the old version, {failed[1]} on the new.",
        difference_line(result.comparison.difference),
    ]


def _rests_on(result: FixCheckResult) -> str | None:
    found = result.rests_on
    checked = (
        ""
        if found.checked == found.given
        else f" ({write.integer(found.checked)} of {write.integer(found.given)} tried)"
    )
    if found.given == 1:
        return "On one input."
    if not found.inputs:
        return f"On no single input: without any one of them the word is the same{checked}."
    labels, _ = input_labels([each.condition for each in result.inputs])
    named = [
        f"without {labels[result.inputs[i].condition.key]}: {word}"
        for i, word in list(zip(found.inputs, found.words, strict=True))[:NAMED]
    ]
    more = f", and {write.integer(len(found.inputs) - NAMED)} more" if len(found.inputs) > NAMED else ""
    return (
        f"On {write.plural(len(found.inputs), 'input')}{checked}, each by itself: {'; '.join(named)}{more}."
    )


def _guidance(result: FixCheckResult, option: str) -> Section | None:
    ways, found = result.guidance, result.comparison
    if ways is None:
        return None
    asked = write.accepted_points(ways.max_change)
    if ways.repeats is None or ways.inputs is None:
        way = f"Nothing: these inputs have fewer than {asked} points to drop."
    else:
        way = (
            f"{write.plural(ways.repeats, 'repeat')} of each input on both versions, or "
            f"{write.plural(ways.inputs, 'input')} like these at the repeats they have, bring the limit to {asked} points "
            "(normal approximation)."
        )
    accepts = f"{option}={write.ceiling(ways.ceiling)} accepts this design as it is."
    return section("What would settle it", way, accepts if found.drop.ceiling < 1 else None)


def _inputs(result: FixCheckResult, top: int | None, option: str) -> Section | None:
    labels, title = input_labels([each.condition for each in result.inputs])
    ranked = [result.inputs[i] for i in result.importance[:top]]
    columns = (
        Column(title),
        Column("failed old", right=True),
        Column("failed new", right=True),
        Column("points", right=True),
    )
    rows = tuple(
        (
            labels[each.condition.key],
            f"{each.old_events}/{each.old_runs}",
            f"{each.new_events}/{each.new_runs}",
            write.percentage_points(each.change),
        )
        for each in ranked
    )
    rest = len(result.inputs) - len(ranked)
    return section(
        "By input",
        Grid(columns, rows),
        f"{write.plural(rest, 'more input')}: {option} shows more." if rest else None,
    )


def _cannot_say(result: FixCheckResult) -> list[str]:
    chosen = result.selection
    points = apart_points(result.apart)
    if chosen.run is not None:
        points.append(
            f"How often the whole suite fails: these inputs were chosen because they failed in {named_run(chosen.run)}."
        )
    if len(result.inputs) > 1:
        points.append(
            "Which inputs were fixed: no input is tested on its own; 'pytest-poisson changes' does that."
        )
    if result.left_out.total:
        points.append(f"Anything about {write.plural(result.left_out.total, 'input')} that is left out.")
    if result.rows is not None:
        missing = result.rows.old.without_outcome + result.rows.new.without_outcome
        points.append(f"How {write.plural(missing, 'row')} without an outcome would have ended.")
    if result.comparison.consistency.repeated and result.comparison.consistency.kappa > 0:
        points.append(
            "How other inputs would do: the test is about these, and where they differ a new one may do otherwise."
        )
    return points
