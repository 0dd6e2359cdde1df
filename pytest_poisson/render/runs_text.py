"""The list of runs as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import INDENT, Column, table, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.records import RunSummary

COLUMNS = (
    Column("name"),
    Column("status"),
    Column("begun (UTC)"),
    Column("conditions", right=True),
    Column("outcomes", right=True),
)


def render_runs(runs: Sequence[RunSummary], *, store: str, width: int = 80) -> str:
    """Return the list of runs as text, newest first, damaged files with their reason at the end.

    A name is never cut, since it is what other commands take.
    """
    sound = [run for run in runs if run.problem is None]
    lines = _table(sound) if sound else []
    if not runs:
        lines = [f"Store '{write.printable(store)}' holds no run."]
    for run in runs:
        if run.problem is not None:
            lines += wrap(f"{run.path.name}: {write.printable(run.problem)}", width, rest=INDENT)
    return "\n".join(lines) + "\n"


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
