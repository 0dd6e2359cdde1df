"""Continuing a stored run: what is missing of it, and whether the suite is still the one it measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_poisson.declaration import PROMISES
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from poisson_store import RunReader
    from poisson_store.records import RolloutRecord
    from pytest_poisson.batches import Ranges
    from pytest_poisson.collect import CollectedCondition

NAMED = 3


def missing_ranges(stored: NDArray[Any], planned: int) -> Ranges:
    """Return the replicates from 0 to planned that are not among those stored, as half-open ranges.

    Parameters
    ----------
    stored
        Replicate numbers, in ascending order.
    planned
        How many replicates there are to be.
    """
    import numpy as np

    edges = np.concatenate(([-1], stored[stored < planned], [planned]))
    starts, stops = edges[:-1] + 1, edges[1:]
    gaps = starts < stops
    return tuple(zip(starts[gaps].tolist(), stops[gaps].tolist(), strict=True))


def refuse_changed_suite(
    run: RunReader, found: Sequence[CollectedCondition], rollouts: Sequence[RolloutRecord]
) -> None:
    """Refuse to continue a run whose conditions, declared outcomes or promises are no longer the suite's.

    Raises
    ------
    UserError
        If they differ; the sentence names the first differences.
    """
    name = run.run.name
    stored = {each.key: each.nodeid for each in run.conditions}
    collected = {each.condition.key: each.condition.nodeid for each in found}
    gone = [nodeid for key, nodeid in stored.items() if key not in collected]
    new = [nodeid for key, nodeid in collected.items() if key not in stored]
    if gone or new:
        both = (("gone", gone), ("new", new))
        parts = [
            f"{len(ids)} condition{'s' * (len(ids) > 1)} {what} ({_named(ids)})" for what, ids in both if ids
        ]
        raise UserError(f"Run {name!r} measures another suite: {' and '.join(parts)}; {_WAY_OUT}")
    declared = {each.id: each for each in rollouts}
    for before in run.run.rollouts:
        now = declared.get(before.id)
        if now is not None:
            _refuse_changed_words(name, before, now)
            _refuse_changed_rules(name, before, now)
            _refuse_other_seeds(name, before, now)


def refuse_fewer_replicates(run: RunReader, wanted: Mapping[str, int]) -> None:
    """Refuse to plan fewer replicates of a condition than the run did: what was measured is not thrown away.

    Raises
    ------
    UserError
        If a count is below the run's; `wanted` has them by condition key.
    """
    for each in run.conditions:
        asked = wanted.get(each.key, each.planned)
        if asked < each.planned:
            raise UserError(
                f"--poisson-replicates={asked} is below the {each.planned} that run {run.run.name!r} planned of "
                f"{each.nodeid}; a resume takes as many or more."
            )


_WAY_OUT = "sweep anew, or give --poisson-resume-anyway to drop what no longer exists."
_TAKE_OVER = "sweep anew, or give --poisson-resume-anyway to go on by what it declares now."


def _refuse_changed_words(name: str, before: RolloutRecord, now: RolloutRecord) -> None:
    for kind in ("outcomes", "failures", "successes"):
        then, today = getattr(before, kind), getattr(now, kind)
        if set(then) != set(today):
            raise UserError(
                f"Rollout {before.id!r} of run {name!r} declared {kind}={list(then)} and declares {list(today)} now; "
                f"{_WAY_OUT}"
            )


def _refuse_changed_rules(name: str, before: RolloutRecord, now: RolloutRecord) -> None:
    """Refuse to go on with a run that is judged by other promises than the suite's, or ends otherwise by exceptions."""
    for kind in (*PROMISES, "raises"):
        then, today = (each.settings.get(kind) or {} for each in (before, now))
        if then != today:
            raise UserError(
                f"Rollout {before.id!r} of run {name!r} was swept with {kind}={then} and declares {today} now; "
                f"{_TAKE_OVER}"
            )


def _refuse_other_seeds(name: str, before: RolloutRecord, now: RolloutRecord) -> None:
    """Refuse to go on with replicates that would draw otherwise than those that are there."""
    then, today = (each.settings.get("shared_seed_axes", []) for each in (before, now))
    if then != today:
        raise UserError(
            f"Rollout {before.id!r} of run {name!r} was swept with shared_seed_axes={then} and declares {today} now, "
            "with which it draws other seeds; sweep anew."
        )


def _named(nodeids: Sequence[str]) -> str:
    more = f" and {len(nodeids) - NAMED} more" if len(nodeids) > NAMED else ""
    return ", ".join(nodeids[:NAMED]) + more
