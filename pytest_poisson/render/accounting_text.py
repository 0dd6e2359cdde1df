"""The accounting line: planned replicates are what they became, and nothing is left over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render.formatting import integer, plural, printable
from pytest_poisson.render.layout import INDENT, wrap

if TYPE_CHECKING:
    from poisson_store import RunReader
    from poisson_store.records import Accounting

PARTS = ("timed_out", "errored", "crashed", "skipped", "cancelled", "not_run")


def accounting_line(accounting: Accounting) -> str:
    """Write where every planned replicate went; the parts that are 0 are left out."""
    parts = [f"{integer(accounting.with_outcome)} with outcome"]
    for name in PARTS:
        count = getattr(accounting, name)
        if count:
            parts.append(f"{integer(count)} {name.replace('_', ' ')}")
    return f"{plural(accounting.planned, 'replicate')} planned = {' + '.join(parts)}"


def account_lines(run: RunReader, columns: int, *, over: bool = False) -> list[str]:
    """Say how a run ended and where its planned replicates went, in lines of at most so many columns.

    `over` is whether nobody goes on with it, even where the disk did not let its file say so.
    """
    status = "interrupted" if over and run.run.status == "running" else run.run.status
    head = f"run {printable(run.run.name)} is {status}:"
    return wrap(f"{head} {accounting_line(run.accounting())}", columns, rest=INDENT)
