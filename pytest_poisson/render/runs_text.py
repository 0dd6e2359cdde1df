"""The list of runs as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import INDENT, Column, table, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.records import RunSummary
    from pytest_poisson.saved import SavedComparison, SavedComparisons

COLUMNS = (
    Column("name"),
    Column("status"),
    Column("begun (UTC)"),
    Column("conditions", right=True),
    Column("outcomes", right=True),
)


SAVED_COLUMNS = (
    Column("comparison"),
    Column("saved (UTC)"),
    Column("verdict"),
)


def render_runs(
    runs: Sequence[RunSummary], saved: SavedComparisons | None = None, *, store: str, width: int = 80
) -> str:
    """Return the runs and the saved comparisons as text, newest first, what is damaged with its reason at the end.

    A name is never cut, since it is what other commands take.
    """
    sound = [run for run in runs if run.problem is None]
    lines = _table(sound) if sound else []
    if not runs:
        lines = [f"Store '{write.printable(store)}' holds no run."]
    for run in runs:
        if run.problem is not None:
            lines += wrap(f"{run.path.name}: {write.printable(run.problem)}", width, rest=INDENT)
    return "\n".join([*lines, *(_saved(saved, width) if saved else [])]) + "\n"


def _saved(saved: SavedComparisons, width: int) -> list[str]:
    sound = [each for each in saved.shown if each.problem is None]
    problems = [each.problem for each in saved.shown if each.problem] + [saved.problem or ""]
    lines = _saved_table(sound) if sound else []
    if saved.more:
        lines.append(f"{write.plural(saved.more, 'older comparison')}: --json has all.")
    lines += [line for each in problems if each for line in wrap(write.printable(each), width, rest=INDENT)]
    return ["", *lines] if lines else []


def _saved_table(saved: Sequence[SavedComparison]) -> list[str]:
    cells = [(each.id, write.moment(each.saved_at).removesuffix(" UTC"), each.verdict) for each in saved]
    head, rule, *body = table(SAVED_COLUMNS, cells)
    lines = [head, rule]
    for each, line in zip(saved, body, strict=True):
        lines += [line, f"{INDENT}of {write.printable(each.before)} and {write.printable(each.after)}"]
    return lines


def _table(runs: Sequence[RunSummary]) -> list[str]:
    names = {run.run_id: run.name for run in runs}
    head, rule, *body = table(COLUMNS, [_cells(run) for run in runs])
    lines = [head, rule]
    for run, line in zip(runs, body, strict=True):
        lines.append(line)
        facts = []
        if run.name != run.run_id:
            facts.append(run.run_id)
        if run.paired_with:
            facts.append(f"paired with {write.printable(names.get(run.paired_with, run.paired_with))}")
        if not run.whole:
            facts.append("a part of the suite")
        if facts:
            lines.append(INDENT + ", ".join(facts))
    return lines


def _cells(run: RunSummary) -> tuple[str, ...]:
    accounting = run.accounting
    return (
        write.printable(run.name),
        run.status,
        write.moment(run.created_at).removesuffix(" UTC"),
        write.integer(run.conditions),
        write.integer(accounting.with_outcome) if accounting else write.NONE,
    )
