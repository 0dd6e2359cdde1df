"""Which inputs changed, as a report."""

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
    from poisson_stats.limits import LimitStatus
    from pytest_poisson.analyses.changes import ChangesResult
    from pytest_poisson.render.sheet import Section, Sheet


def changes_sheet(result: ChangesResult, *, top: int = 10) -> Sheet:
    """Return the report; the table shows the `top` inputs, flagged ones first."""
    names = named_run(result.first), named_run(result.second)
    return sheet(
        f"What changed from {names[0]} to {names[1]}",
        [
            section(
                "What ran",
                run_line("A", result.first),
                run_line("B", result.second),
                apart_line(result.apart),
            ),
            section(
                "What was counted",
                f"Runs whose outcome is {write.printable(str(result.events))}.",
                compared_line(len(result.inputs), result.left_out, names),
                *draws_lines(same=result.same_draws),
                *row_lines(result.rows, names, result.flags.q),
            ),
            section("Test", *_test(result)),
            section("All inputs together", *_together(result)),
            section("How alike the runs of one input are", *consistency_lines(result.consistency, "had it")),
            section("What this could not have detected", *_could_not_see(result)),
            Bold(headline(result)),
            _guidance(result),
            _inputs(result, top),
            section("What this cannot say", Points(tuple(_cannot_say(result)))),
        ],
    )


def headline(result: ChangesResult) -> str:
    """Return how many inputs changed, and which way."""
    return f"{_word(result)}{missing_warning(result.rows, 'runs')}."


def _word(result: ChangesResult) -> str:
    tests = write.plural(len(result.inputs), "input")
    event = write.printable(str(result.events))
    if result.more or result.less:
        ways = [(result.more, "more"), (result.less, "less")]
        said = ", ".join(f"{write.integer(count)} had {event} {way} often" for count, way in ways if count)
        return f"{write.integer(result.more + result.less)} of {tests} changed: {said}"
    together = ""
    if result.differ_together:
        p = write.p_value(result.together.p, result.together.log_p, result.flags.q)
        together = f"; yet all inputs together differ (p {p})"
    if result.flags.flip_together is None:
        return f"too small to tell: none of {tests} is flagged, nor could any have been at so few repeats{together}"
    if result.blind == len(result.inputs):
        return f"too small to tell: none of {tests} is flagged, and none would have been 4 times in 5 by itself{together}"
    return f"no input changed significantly: none of {tests} is flagged{together}"


def _test(result: ChangesResult) -> list[str]:
    flags = result.flags
    return [
        (
            f"Fisher's exact test for each of {write.plural(len(result.inputs), 'input')}, flagged together by "
            f"Benjamini-Hochberg at {flags.q:g}: of the inputs flagged, no more than {write.percent(flags.q)} are expected to "
            "be flagged wrongly."
        )
    ]


def _together(result: ChangesResult) -> list[str]:
    test = result.together
    return [
        (
            f"Exact Cochran-Mantel-Haenszel test within inputs: {write.integer(test.observed)} in B where "
            f"{write.figure(test.expected)} were expected if nothing had changed (variance {write.figure(test.variance)}), p "
            f"{write.p_value(test.p, test.log_p, result.flags.q)}."
        ),
        difference_line(result.difference),
    ]


def _could_not_see(result: ChangesResult) -> list[str]:
    flags = result.flags
    smallest = [write.p_value(p, log_p) for p, log_p in _range(result)]
    spread = smallest[0] if smallest[0] == smallest[1] else f"{smallest[0]} to {smallest[1]}"
    lines = [
        (
            f"The smallest p-value an input's runs can give at all is {spread}; a single flag takes {_small(flags.alpha)} "
            f"({flags.q:g} over {write.plural(len(result.inputs), 'input')})."
        ),
        _flips(result),
    ]
    if result.blind == len(result.inputs):
        lines.append(
            "From its share in A no input would have been flagged 4 times in 5 by itself, whatever had become of it."
        )
    elif result.blind:
        lines.append(
            f"From their share in A, {write.integer(result.blind)} of {write.plural(len(result.inputs), 'input')} would not "
            "have been flagged 4 times in 5 by themselves, whatever had become of them; the table has the limits of the "
            "others."
        )
    return lines


def _flips(result: ChangesResult) -> str:
    together = result.flags.flip_together
    if together is None:
        return "Not even if all inputs had flipped from none to all would any have been flagged."
    if together == 1:
        return "One input that flipped from none to all by itself would have been flagged."
    return (
        f"Inputs that flip from none to all would have been flagged where {write.integer(together)} or more do so "
        "together, and not where fewer do."
    )


def _range(result: ChangesResult) -> list[tuple[float, float]]:
    pairs = sorted(zip(result.flags.log_smallest_p.tolist(), result.flags.smallest_p.tolist(), strict=True))
    return [(p, log_p) for log_p, p in (pairs[0], pairs[-1])]


def _small(alpha: float) -> str:
    return f"{alpha:.3g}"


def _guidance(result: ChangesResult) -> Section | None:
    flags = result.flags
    if flags.flip_together == 1:
        return None
    return section(
        "What would settle it",
        f"With {write.plural(flags.lone_flip_repeats, 'repeat')} of each input in both runs, a single input that flips from "
        "none to all can be flagged.",
    )


def _inputs(result: ChangesResult, top: int) -> Section | None:
    labels, title = input_labels([each.condition for each in result.inputs])
    columns = (
        Column(title),
        Column("A", right=True),
        Column("B", right=True),
        Column("points", right=True),
        Column("p", right=True),
        Column("adjusted p", right=True),
        Column("rise", right=True),
        Column("fall", right=True),
        Column(""),
    )
    rows = tuple(_cells(result, i, labels) for i in result.importance[:top])
    rest = len(result.inputs) - len(rows)
    return section(
        "By input",
        Grid(columns, rows),
        f"{write.plural(rest, 'more input')}: --top shows more." if rest else None,
        "rise, fall: the smallest change from A's share that this input alone would have been flagged for 4 times in 5, in "
        "points.",
    )


def _cells(result: ChangesResult, i: int, labels: dict[str, str]) -> tuple[str, ...]:
    each, flags = result.inputs[i], result.flags
    flagged = ("more" if each.change > 0 else "less") if flags.flagged[i] else ""
    return (
        labels[each.condition.key],
        f"{each.old_events}/{each.old_runs}",
        f"{each.new_events}/{each.new_runs}",
        write.percentage_points(each.change),
        write.p_value(flags.p[i], flags.log_p[i]),
        write.p_value(flags.p_bh[i], flags.log_p_bh[i], flags.q),
        _limit(flags.limits.status_rise[i], flags.limits.rise[i]),
        _limit(flags.limits.status_fall[i], flags.limits.fall[i]),
        flagged,
    )


def _limit(status: LimitStatus, size: float) -> str:
    if status == "limit":
        return write.percentage_points(size, sign=False)
    return "no room" if status == "no room" else "no limit"


def _cannot_say(result: ChangesResult) -> list[str]:
    points = apart_points(result.apart)
    quiet = len(result.inputs) - result.more - result.less
    if quiet:
        points.append(f"That {write.plural(quiet, 'input')} without a flag did not change: see the limits.")
    if result.left_out.total:
        points.append(f"Anything about {write.plural(result.left_out.total, 'input')} that is left out.")
    if result.rows is not None:
        missing = result.rows.old.without_outcome + result.rows.new.without_outcome
        points.append(f"How {write.plural(missing, 'row')} without an outcome would have ended.")
    if result.more or result.less:
        points.append(
            "How large the changes of flagged inputs are: those that were flagged look larger than they are."
        )
    return points
