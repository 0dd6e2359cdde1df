"""List the runs of a store, and choose the two that a comparison without names means."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from poisson_store.catalog import Store
    from poisson_store.records import RunSummary


def list_runs(store: Store) -> tuple[RunSummary, ...]:
    """Return every run, newest first; a damaged file is in the list with its problem."""
    return tuple(store.runs())


def newest_pair(store: Store) -> tuple[str, str]:
    """Return the ids of the runs that are meant by none: the newest complete one, and before it the one it was paired with.

    Where it was paired with none, the complete run before it. A part of a suite is never meant, as it is never `latest`.

    Raises
    ------
    UserError
        If there are not two complete runs of a whole suite, or the run it was paired with is not in the store.
    """
    runs = store.runs()
    complete = [run for run in runs if run.status == "complete" and run.whole]
    if len(complete) < 2:
        found = f"the one complete run '{complete[0].name}'" if complete else "no complete run"
        raise UserError(
            f"Store '{store.path}' holds {found} of a whole suite, and a comparison takes two; name them."
        )
    after = complete[0]
    if after.paired_with is None:
        return complete[1].run_id, after.run_id
    if all(run.run_id != after.paired_with for run in runs):
        raise UserError(
            f"Run '{after.name}' was paired with run '{after.paired_with}', which is not in store '{store.path}'; "
            "name two runs."
        )
    return after.paired_with, after.run_id
