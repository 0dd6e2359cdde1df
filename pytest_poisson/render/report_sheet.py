"""A comparison, or one run, as a report in parts: for Markdown files, comments and step summaries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.analyses.shares import CONFIDENCE, DESCRIBED_AS
from pytest_poisson.render import diff_text, promises_text
from pytest_poisson.render import formatting as write
from pytest_poisson.render.accounting_text import accounting_line
from pytest_poisson.render.check_text import render_decision
from pytest_poisson.render.commands import replay_command, replicate_command
from pytest_poisson.render.diff_table import COLUMNS, row_cells
from pytest_poisson.render.early_text import early_lines
from pytest_poisson.render.fragility_text import fragility_lines
from pytest_poisson.render.layout import Column
from pytest_poisson.render.limits_text import could_not_see
from pytest_poisson.render.sheet import Bold, Code, Grid, Points, section, sheet
from pytest_poisson.render.whole_text import whole_sections

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pytest_poisson.analyses.diff_result import DiffResult, DiffRow
    from pytest_poisson.analyses.promises import PromisesResult
    from pytest_poisson.analyses.shares import Share
    from pytest_poisson.analyses.show import ShowResult
    from pytest_poisson.decision import Decision
    from pytest_poisson.render.sheet import Section, Sheet

TITLE = "pytest-poisson"
ONE_LINE = 1_000_000
LABEL_WIDTH = 120
COMMANDS_SHOWN = 5
LEGEND = (
    "change: after minus before; rise, fall: the smallest change from the before rate that would have been flagged 4 "
    "times in 5; a word in brackets: flagged, but too weak to count in the verdict."
)
LEGEND_EARLY = "change: after minus before, of a changed condition where it was decided."


def comparison_sheet(
    result: DiffResult,
    *,
    decision: Decision | None = None,
    promises: PromisesResult | None = None,
    rows_shown: int | None = None,
    store: str | None = None,
) -> Sheet:
    """Return a comparison as a report.

    Parameters
    ----------
    result
        The comparison; a refused one says why.
    decision, promises
        Of the gate, where there is one.
    rows_shown
        How many rows the tables have, the most important first; by default all.
    store
        The store's directory where commands must name it.
    """
    return sheet(
        TITLE,
        [
            Bold(diff_text.headline(result)),
            None if decision is None else section("Gate", render_decision(decision, result.verdict)),
            section("Runs", _arms(result)),
            section("Changes", *_changes(result, rows_shown)),
            _promises(promises, rows_shown),
            _replays(result, promises, store),
            section("What this comparison could not have seen", _points(_unseen(result))),
            *whole_sections(result),
            section("Also to know", _points(_remarks(result))),
        ],
    )


def run_sheet(
    result: ShowResult,
    shares: Sequence[Share],
    *,
    decision: Decision | None = None,
    rows_shown: int | None = None,
    store: str | None = None,
) -> Sheet:
    """Return one run as a report: a description, with shares and their intervals, and no test."""
    run, account = result.run, result.accounting
    nothing = "" if account.with_outcome else " Nothing was measured: no replicate ended with an outcome."
    facts = [
        f"run id {write.printable(run.run_id)}, begun {write.moment(run.created_at)}, salt {write.printable(run.salt)}",
        *([f"a part of the suite: {write.printable(run.selection)}"] if run.selection else []),
        *(f"variant {write.value(name)}={write.value(given)}" for name, given in run.variant.items()),
    ]
    return sheet(
        TITLE,
        [
            Bold(f"{write.printable(run.name)} is {run.status}: {accounting_line(account)}.{nothing}"),
            None if decision is None or not decision.fail_on else section("Gate", render_decision(decision)),
            section("Shares", *_shares(shares, rows_shown)),
            _promises(result.promises, rows_shown),
            _replays(None, result.promises, store),
            section("Run", Points(tuple(facts))),
        ],
    )


def _arms(result: DiffResult) -> Points:
    sides = (("before", result.before), ("after", result.after))
    lines = [
        ". ".join(" ".join(line.split()) for line in diff_text.arm_of(side, arm, ONE_LINE))
        + f", salt {arm.salt}."
        for side, arm in sides
    ]
    return Points((*lines, *diff_text.method_lines(result, ONE_LINE)))


def _changes(result: DiffResult, rows_shown: int | None) -> tuple[Grid | str | None, ...]:
    shown = [result.rows[position] for position in result.importance[:rows_shown]]
    if not result.rows:
        return ()
    labels = write.condition_labels(row.condition for row in result.rows)
    names = write.axis_names(row.condition for row in result.rows)
    title = write.printable(", ".join(names)) if names else "condition"
    several = write.axes_of_rollouts((row.condition for row in result.rows), (row.condition for row in shown))
    level = "interval" if result.level is None else f"{write.percent(result.level)} interval"
    columns = (Column(write.shorten(title, LABEL_WIDTH)), *COLUMNS[:4], Column(level), *COLUMNS[4:])
    rows = tuple(
        (write.shorten(labels[row.condition.key], LABEL_WIDTH), *_with_interval(row, result.max_mde))
        for row in shown
    )
    return (
        Grid(columns, rows) if rows else None,
        _hidden(len(result.rows) - len(shown), "row"),
        f"condition: {several}." if several else None,
        LEGEND if result.early is None else LEGEND_EARLY,
    )


def _with_interval(row: DiffRow, max_mde: float) -> tuple[str, ...]:
    cells = row_cells(row, max_mde)
    return (*cells[:4], interval(row.low, row.high, write.points), *cells[4:])


def interval(low: float | None, high: float | None, figure: Callable[[float | None], str]) -> str:
    """Write an interval with the given way to write its ends; `-` where there is none."""
    if low is None or high is None:
        return write.NONE
    return f"{figure(low)} to {figure(high)}"


def _hidden(count: int, noun: str) -> str | None:
    return f"{write.plural(count, f'more {noun}')}, less important, left out here." if count > 0 else None


def _shares(shares: Sequence[Share], rows_shown: int | None) -> tuple[Grid | str | None, ...]:
    shown = shares[:rows_shown]
    labels = write.condition_labels(each.condition for each in shares)
    columns = (
        Column("condition"),
        Column("outcome"),
        Column("count", right=True),
        Column("share", right=True),
        Column(f"{write.percent(CONFIDENCE)} Wilson interval"),
    )
    rows = tuple(
        (
            write.shorten(labels[each.condition.key], LABEL_WIDTH),
            write.printable(each.event),
            write.fraction(each.count),
            write.rate(each.count.rate),
            interval(each.low, each.high, write.rate),
        )
        for each in shown
    )
    hidden = len(shares) - len(shown)
    cut = f"{write.plural(hidden, 'more row')} left out here." if hidden else None
    return DESCRIBED_AS, Grid(columns, rows) if rows else None, cut


def _promises(promises: PromisesResult | None, rows_shown: int | None) -> Section | None:
    if promises is None or not promises.promises:
        return None
    shown = [promises.promises[position] for position in promises.importance[:rows_shown]]
    labels = write.condition_labels(each.condition for each in promises.promises)
    rows = tuple(
        (write.shorten(labels[each.condition.key], LABEL_WIDTH), *promises_text.promise_cells(each))
        for each in shown
    )
    return section(
        "Promises",
        promises_text.promises_headline(promises),
        Grid((Column("condition"), *promises_text.COLUMNS), rows) if rows else None,
        _hidden(len(promises.promises) - len(shown), "promise"),
    )


def _replays(result: DiffResult | None, promises: PromisesResult | None, store: str | None) -> Section | None:
    """Return the commands that run one failing replicate again, of the worst conditions."""
    commands: list[str | None] = []
    if result is not None:
        worst = (result.rows[position] for position in result.importance)
        commands += [replay_command(result, row, store) for row in worst if row.is_worse]
    if promises is not None:
        missed = (each for each in promises.promises if each.word == "missed")
        commands += [replicate_command(promises.run, each.condition, each.replay, store) for each in missed]
    found = list(dict.fromkeys(command for command in commands if command))
    shown = tuple(write.printable(command) for command in found[:COMMANDS_SHOWN])
    more = len(found) - len(shown)
    return section(
        "Run a failing replicate again",
        Code(shown) if shown else None,
        f"{write.plural(more, 'more command')} left out here." if more else None,
    )


def _unseen(result: DiffResult) -> list[str]:
    if result.early is not None:
        return early_lines(result, width=ONE_LINE)
    seen = [line.strip() for line in could_not_see(result, width=ONE_LINE)[1:]]
    return [*seen, " ".join(line.strip() for line in fragility_lines(result, width=ONE_LINE))]


def _remarks(result: DiffResult) -> list[str]:
    parts = (diff_text.missing_lines, diff_text.coverage_lines, diff_text.remark_lines)
    return [line.strip() for part in parts for line in part(result, ONE_LINE)]


def _points(sentences: Iterable[str]) -> Points | None:
    present = tuple(sentence for sentence in sentences if sentence)
    return Points(present) if present else None
