"""The run that a sweep writes: a new one, or a stored one that is continued."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from poisson_store.records import ConditionRecord, RunRecord, suite_digest
from pytest_poisson.batches import how_many
from pytest_poisson.conditions import Condition
from pytest_poisson.environment import describe_environment
from pytest_poisson.plan import rollout_records
from pytest_poisson.resume import (
    missing_of,
    refuse_changed_suite,
    refuse_fewer_replicates,
    refuse_numbers_beyond,
    refuse_other_shares,
)
from pytest_poisson.seeds import SALT_BYTES, new_salt
from pytest_poisson.shards import WHOLE, share_of_shard, whole_replicates
from pytest_poisson.stopping_rule import SETTING
from pytest_poisson.stops import Usage

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pytest

    from poisson_store import RunReader, Store
    from poisson_store.records import Json
    from pytest_poisson.batches import Ranges
    from pytest_poisson.collect import CollectedCondition
    from pytest_poisson.options import Settings
    from pytest_poisson.plan import Plan
    from pytest_poisson.selection import Selection
    from pytest_poisson.sweep import Writer


COMPARED = "compared_with"
"""Where a run's settings keep the id of the run that it is to be compared with on fresh seeds."""


@dataclass(frozen=True)
class OpenedRun:
    """A run to write into.

    Attributes
    ----------
    writer
        Its writer.
    missing
        For each of its conditions, in the run's order, the replicates that this session is to run.
    already
        What the run has used before this session.
    leaves_gaps
        Whether replicates will be missing even when this session has run all of its own.
    """

    writer: Writer
    missing: tuple[Ranges, ...]
    already: Usage
    leaves_gaps: bool


def create_run(
    store: Store,
    *,
    config: pytest.Config,
    settings: Settings,
    selection: Selection,
    plan: Plan,
    variant: Mapping[str, str],
    name: str,
    paired: RunRecord | None,
    compared: RunRecord | None = None,
    rule: Mapping[str, Json] | None = None,
) -> OpenedRun:
    """Begin a new run, on the salt of `paired` where there is one; with `--poisson-shard` it plans, and runs, only its share of the replicates.

    `compared` is what it will be compared with on fresh seeds, `rule` what the sweep may stop early by.
    """
    shares = tuple(
        share_of_shard(index, each.replicates, settings.shard) for index, each in enumerate(plan.conditions)
    )
    conditions = tuple(
        _condition_record(each.found, how_many(share))
        for each, share in zip(plan.conditions, shares, strict=True)
    )
    everything = (*selection.conditions, *selection.left_out)
    record = RunRecord(
        salt=choose_salt(settings, paired),
        rollouts=plan.rollouts,
        conditions=conditions,
        name=name,
        paired_with=None if paired is None else paired.run_id,
        selection=selection.words,
        suite=suite_digest(each.condition.key for each in everything),
        shard=settings.shard,
        environment=describe_environment(config.rootpath, tuple(map(str, config.invocation_params.args))),  # type: ignore[arg-type]
        variant=dict(variant),
        settings={
            "q": settings.q,
            "max_mde": settings.max_mde,
            "method": settings.method,
            "margin": settings.margin,
            "event": list(settings.event),
            "backend": plan.backend,
            "workers": plan.workers,
            "timeout_s": settings.timeout,
            "replicates_from": plan.source,
            "interleaved": bool(settings.interleave),
            **({COMPARED: compared.run_id} if compared is not None else {}),
            **({SETTING: rule} if rule is not None else {}),
            **({WHOLE: _by_key(plan)} if settings.shard is not None else {}),
        },
    )
    return OpenedRun(store.create(record), shares, Usage(), leaves_gaps=False)


def continue_run(
    store: Store, settings: Settings, selection: Selection, plan: Plan, stored: RunReader
) -> OpenedRun:
    """Go on with a stored run: what it lacks of the plan's conditions, on its own salt and variant.

    Raises
    ------
    UserError
        If the suite is no longer the one that the run measures, unless `--poisson-resume-anyway` drops the rest; if
        fewer replicates are asked for than it planned.
    StoreError
        If the run is being written.
    """
    everything = (*selection.conditions, *selection.left_out)
    wanted = _by_key(plan)
    if stored.run.shard is not None:
        refuse_other_shares(stored.run, wanted, anyway=settings.resume_anyway)
    if not settings.resume_anyway:
        refuse_changed_suite(stored, everything, plan.rollouts)
    refuse_fewer_replicates(stored, wanted)
    refuse_numbers_beyond(stored, wanted)
    writer = store.reopen(stored.run.run_id)
    try:
        if settings.resume_anyway:
            writer.redeclare(_redeclared(stored.run, everything, wanted))
        if stored.run.shard is None:
            writer.plan(wanted)
    except BaseException:
        writer.abandon()
        raise
    with store.open(stored.run.run_id) as now:
        replicates, usage = now.replicates(), now.usage().values()
    nothing = np.array([], dtype=np.int64)
    held = [replicates.get(each.key, nothing) for each in writer.run.conditions]
    pairs = list(zip(writer.run.conditions, held, strict=True))
    whole = whole_replicates(writer.run)
    shares = [
        share_of_shard(index, whole[each.key], writer.run.shard)
        for index, each in enumerate(writer.run.conditions)
    ]
    return OpenedRun(
        writer,
        tuple(
            missing_of(numbers, share) if each.key in wanted else ()
            for (each, numbers), share in zip(pairs, shares, strict=True)
        ),
        Usage(
            sum(each.tokens_in for each in usage),
            sum(each.tokens_out for each in usage),
            sum(each.unknown for each in usage),
        ),
        leaves_gaps=any(each.key not in wanted and len(numbers) < each.planned for each, numbers in pairs),
    )


def _by_key(plan: Plan) -> dict[str, int]:
    """Return how many replicates each condition of the plan is to have."""
    return {each.found.condition.key: each.replicates for each in plan.conditions}


def _redeclared(
    run: RunRecord, everything: Sequence[CollectedCondition], wanted: Mapping[str, int]
) -> RunRecord:
    """Return the run as the suite declares it now: what is gone is left out, what is new is planned."""
    planned = {each.key: each.planned for each in run.conditions} | dict(wanted)
    kept = [each for each in everything if each.condition.key in planned]
    conditions = tuple(_condition_record(each, planned[each.condition.key]) for each in kept)
    return replace(run, rollouts=rollout_records(kept), conditions=conditions)


def seed_keys(run: RunRecord) -> dict[str, str]:
    """Return what seeds are derived from, by condition key, where a rollout leaves axes out of the seed."""
    shared = {rollout.id: rollout.settings.get("shared_seed_axes") for rollout in run.rollouts}
    return {
        each.key: Condition(each.key, each.rollout, each.axes, each.nodeid, tuple(axes)).seed_key
        for each in run.conditions
        if isinstance(axes := shared.get(each.rollout), list)
    }


def _condition_record(found: CollectedCondition, planned: int) -> ConditionRecord:
    condition = found.condition
    return ConditionRecord(condition.key, condition.rollout, condition.axes, condition.nodeid, planned)


def choose_salt(settings: Settings, paired: RunRecord | None) -> str:
    """Return the baseline's salt, the one that `--poisson-salt` stands for, or a fresh one."""
    if paired is not None:
        return paired.salt
    if settings.salt is not None:
        return hashlib.sha256(settings.salt.encode()).hexdigest()[: 2 * SALT_BYTES]
    return new_salt()
