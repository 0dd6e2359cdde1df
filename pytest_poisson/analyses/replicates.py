"""The replicates of one condition of a run, a page at a time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poisson_store.reader import RunReader
    from poisson_store.records import Accounting, ConditionRecord, Episode, RunRecord


@dataclass(frozen=True, slots=True)
class ReplicateList:
    """Some replicates of one condition.

    Attributes
    ----------
    run, condition
        Whose they are.
    accounting
        Where all replicates of the condition went.
    counts
        How often each outcome, and each cause of having none, came.
    ending
        The outcome or cause that was asked for; None for all.
    first
        How many of those that fit come before the listed ones.
    episodes
        The listed ones, by number, without their spans.
    more
        Whether others follow.
    """

    run: RunRecord
    condition: ConditionRecord
    accounting: Accounting
    counts: Mapping[str, int]
    ending: str | None
    first: int
    episodes: tuple[Episode, ...]
    more: bool


def list_replicates(
    reader: RunReader, key: str, *, ending: str | None = None, first: int = 0, most: int = 200
) -> ReplicateList:
    """Return at most so many replicates of a condition, from the `first`-th that fits.

    Raises
    ------
    UserError
        If the run has no such condition.
    """
    condition = condition_of(reader, key)
    found = reader.episodes(key, outcomes=None if ending is None else [ending])
    listed = tuple(islice(found, first, first + most + 1))
    return ReplicateList(
        reader.run,
        condition,
        reader.accounting_by_condition()[key],
        reader.outcome_counts()[key],
        ending,
        first,
        listed[:most],
        len(listed) > most,
    )


def condition_of(reader: RunReader, key: str) -> ConditionRecord:
    """Return the condition of this very key.

    Raises
    ------
    UserError
        If the run has none.
    """
    found = next((each for each in reader.conditions if each.key == key), None)
    if found is None:
        raise UserError(f"Run {reader.run.name!r} has no condition {key!r}.")
    return found
