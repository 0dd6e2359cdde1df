"""Rates by the horizon, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import INDENT, wrap

if TYPE_CHECKING:
    from pytest_poisson.analyses.diff_result import DiffResult, DiffRow

ROWS_SHOWN = 10


def over_time_lines(result: DiffResult, *, width: int, verbose: bool = False) -> list[str]:
    """Return the rows in which replicates were cut off, with their rates by the horizon; none without such rows."""
    rows = [result.rows[i] for i in result.importance if result.rows[i].over_time is not None]
    if not rows:
        return []
    labels = write.condition_labels(row.condition for row in result.rows)
    shown = rows if verbose else rows[:ROWS_SHOWN]
    lines = wrap(
        "Rates by the horizon (Aalen-Johansen, other outcomes competing), where replicates were cut off before it; the "
        "tests use the counts.",
        width,
    )
    for row in shown:
        lines += wrap(_sentence(row, labels[row.condition.key]), width, first=INDENT, rest=INDENT * 2)
    hidden = len(rows) - len(shown)
    return [*lines, f"{INDENT}and {write.plural(hidden, 'other')}: -v shows all."] if hidden else lines


def _sentence(row: DiffRow, label: str) -> str:
    found = row.over_time
    if found is None:
        return ""
    return (
        f"{label}, {write.printable(row.event.name)} by {found.horizon:g}: {write.rate(found.before)} before "
        f"({found.cut_off_before} cut off), {write.rate(found.after)} after ({found.cut_off_after} cut off)."
    )
