"""Continuing a stored run: what is missing of it, and whether the suite is still the one it measures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_poisson.analyses.levels import events_of, levels_of
from pytest_poisson.declaration import PROMISES
from pytest_poisson.errors import UserError
from pytest_poisson.fail_on import NEVER
from pytest_poisson.shards import WHOLE, whole_replicates

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from poisson_store import RunReader
    from poisson_store.records import RolloutRecord, RunRecord
    from pytest_poisson.batches import Ranges
    from pytest_poisson.collect import CollectedCondition
    from pytest_poisson.options import Settings

NAMED = 3


def as_begun(settings: Settings, run: RunRecord) -> Settings:
    """Return the settings with what the run was begun to be judged by, where the command line does not say otherwise."""
    levels = levels_of(run)
    begun = {
        "q": levels.q,
        "max_mde": levels.max_mde,
        "method": run.settings.get("method"),
        "margin": run.settings.get("margin"),
        "event": events_of(run),
    }
    kept = {
        name: value
        for name, value in begun.items()
        if name in run.settings and settings.sources[name] != "option"
    }
    return settings._replace(values={**settings.values, **kept})


def given_again(settings: Settings) -> tuple[str, ...]:
    """Return the options that decide about the run and that it does not keep, as the command line gave them."""
    texts = {
        "event": settings.event if settings.fix_check else (),
        "fail_on": (",".join(settings.fail_on) or NEVER,),
        "fix_check": (settings.fix_check,),
        "min_failures": (str(settings.min_failures),) if settings.fix_check else (),
        "paired": (settings.paired,),
    }
    return tuple(
        f"--poisson-{name.replace('_', '-')}={text}"
        for name, given in texts.items()
        if settings.sources[name] == "option"
        for text in given
    )


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


def missing_of(stored: NDArray[Any], share: Ranges) -> Ranges:
    """Return the replicates of a share, which is ranges itself, that are not among those stored."""
    return tuple(
        (start + first, start + last)
        for start, stop in share
        for first, last in missing_ranges(stored[stored >= start] - start, stop - start)
    )


def refuse_other_shares(run: RunRecord, wanted: Mapping[str, int], *, anyway: bool) -> None:
    """Refuse to go on with a shard where its share would be another: the other shards hold the rest.

    Raises
    ------
    UserError
        If the suite may have changed, the replicates have, or the run does not say how many all shards have.
    """
    part = f"Run {run.name!r} is shard {run.shard[0]} of {run.shard[1]}" if run.shard else ""
    if anyway:
        raise UserError(f"{part}, which --poisson-resume-anyway could not deal again; sweep it anew.")
    if not isinstance(run.settings.get(WHOLE), dict):
        raise UserError(f"{part} and does not say of how many replicates; sweep it anew.")
    whole = whole_replicates(run)
    other = next((key for key, count in wanted.items() if whole.get(key, count) != count), None)
    if other is not None:
        raise UserError(
            f"{part} of {whole[other]} replicates a condition, not of {wanted[other]}: with another number its share would be "
            "another; sweep all shards anew."
        )


def refuse_numbers_beyond(run: RunReader, wanted: Mapping[str, int]) -> None:
    """Refuse a run that holds higher numbers than it plans, as one merged of some shards of several.

    Raises
    ------
    UserError
        Saying how many replicates would hold them.
    """
    held = run.replicates()
    for each in run.conditions:
        numbers = held.get(each.key)
        if each.key in wanted and numbers is not None and numbers.size and numbers[-1] >= wanted[each.key]:
            raise UserError(
                f"Run {run.run.name!r} holds replicate {numbers[-1]} of {each.nodeid} and plans {wanted[each.key]}, as where it "
                "was merged of some shards alone; merge it with the others, or resume it with as many --poisson-replicates "
                "as all shards have."
            )


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
