"""A run as one side of a report, and how far apart two of them began."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_poisson.analyses.pairing import claims_pairing
from pytest_poisson.errors import UserError
from pytest_poisson.stopping_rule import declared_rule

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poisson_store.reader import RunReader
    from poisson_store.records import Accounting

NS_PER_S = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Side:
    """A run of a report.

    Attributes
    ----------
    run_id, name, status, created_at, selection, variant
        As stored; `selection` says what part of the suite ran, None for all of it.
    accounting
        Where every planned replicate of the run went.
    stoppable
        Whether it could stop early on its outcomes, while tests and intervals take its numbers for fixed beforehand.
    """

    run_id: str
    name: str
    status: str
    created_at: str
    selection: str | None
    variant: Mapping[str, str]
    accounting: Accounting
    stoppable: bool = False


@dataclass(frozen=True, slots=True)
class Apart:
    """When two runs were made.

    Attributes
    ----------
    seconds
        From the beginning of the first to that of the second, by their first episodes; negative where the second
        began first.
    overlap
        Whether one began before the other's last episode did.
    """

    seconds: float
    overlap: bool


def describe_side(reader: RunReader) -> Side:
    """Return a run as one side."""
    run = reader.run
    return Side(
        run_id=run.run_id,
        name=run.name,
        status=run.status,
        created_at=run.created_at,
        selection=run.selection,
        variant=run.variant,
        accounting=reader.accounting(),
        stoppable=declared_rule(run) is not None,
    )


def refuse_same(first: RunReader, second: RunReader) -> None:
    """Refuse one run as both sides.

    Raises
    ------
    UserError
        Naming it.
    """
    if first.run.run_id == second.run.run_id:
        raise UserError(f"Run '{first.run.name}' stands on both sides; a comparison takes two runs.")


def time_apart(first: RunReader, second: RunReader) -> Apart | None:
    """Return when two runs were made; None where one did not record it."""
    ours, theirs = first.began(), second.began()
    if ours is None or theirs is None:
        return None
    return Apart((theirs[0] - ours[0]) / NS_PER_S, theirs[0] <= ours[1] and ours[0] <= theirs[1])


def same_draws(first: RunReader, second: RunReader, key: str) -> bool:
    """Tell whether runs that claim the same draws recorded them: by the seeds of one input's first replicate."""
    if not claims_pairing(first.run, second.run):
        return False
    seeds = [each.seed for reader in (first, second) for each in reader.episodes(key, 0)]
    return len(seeds) == 2 and seeds[0] is not None and seeds[0] == seeds[1]
