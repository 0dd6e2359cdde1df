"""Why one condition failed its gate: the failure text of its pytest item."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.commands import replay_command
from pytest_poisson.render.diff_table import evidence
from pytest_poisson.render.layout import INDENT, wrap
from pytest_poisson.render.limits_text import observed_limit

if TYPE_CHECKING:
    from pytest_poisson.analyses.diff_result import DiffResult, DiffRow


def explain_row(result: DiffResult, row: DiffRow, *, width: int = 80, store: str | None = None) -> str:
    """Return a short explanation of a row that is worse.

    Parameters
    ----------
    result, row
        A comparison and one of its rows.
    width
        Columns of the terminal; the command may be wider.
    store
        The store's directory where it is not the default: the command names it.
    """
    lines = [
        first_line(row),
        *wrap(f"before {_rate(row, 'before')}, after {_rate(row, 'after')}", width, first=INDENT),
        *wrap(
            f"change {write.points(row.change)}, {evidence(result, row)}",
            width,
            first=INDENT,
            rest=INDENT * 2,
        ),
        *wrap(
            f"{len(result.rows)} tests at q = {result.q:g}; {_limit(row)}",
            width,
            first=INDENT,
            rest=INDENT * 2,
        ),
    ]
    command = replay_command(result, row, store)
    if command:
        lines += [f"{INDENT}{_invitation(row)}:", INDENT * 2 + command]
    return "\n".join(lines)


def first_line(row: DiffRow) -> str:
    """Return the one line that a summary of failures shows."""
    way = "rose" if row.event.kind == "failure" else "fell"
    before, after = write.rate(row.before.rate), write.rate(row.after.rate)
    return f"{row.word}: {write.printable(row.event.name)} {way} from {before} to {after}"


def _rate(row: DiffRow, side: str) -> str:
    count = row.before if side == "before" else row.after
    return f"{write.fraction(count)} = {write.rate(count.rate)}"


def _limit(row: DiffRow) -> str:
    way, limit = ("rise", row.rise) if row.event.kind == "failure" else ("fall", row.fall)
    if limit.status == "not stated":
        return f"what {way} would have been flagged is not stated of evidence that may be looked at any time"
    observed = observed_limit(row, way)
    beside = f" ({observed} as its pairs correlated)" if observed else ""
    if limit.status == "limit":
        return f"a {way} of {write.size(limit.size)}{beside} would have been flagged 4 times in 5"
    return f"no {way}{beside} would have been flagged 4 times in 5"


def _invitation(row: DiffRow) -> str:
    ended = (
        f"ended as {row.event.name}" if row.event.kind == "failure" else f"did not end as {row.event.name}"
    )
    before = ", where it had not before" if row.event.kind == "failure" else ", where it had before"
    return f"run one replicate again that {write.printable(ended)} after{before if row.pairs else ''}"
