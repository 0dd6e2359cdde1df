"""What a session looks up, refuses and says before its sweep spends anything."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from poisson_store.names import LATEST
from pytest_poisson.environment import commit_of, git_state
from pytest_poisson.errors import UserError
from pytest_poisson.interleave import names_of
from pytest_poisson.opening import COMPARED, choose_salt
from pytest_poisson.render.formatting import plural
from pytest_poisson.stopping_rule import declared_rule

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from poisson_store import RunReader, Store
    from poisson_store.records import RunRecord
    from pytest_poisson.early import EarlyStop
    from pytest_poisson.open_runs import OpenRuns
    from pytest_poisson.opening import OpenedRun
    from pytest_poisson.options import Settings
    from pytest_poisson.plan import Plan
    from pytest_poisson.replay.declaration import ReplayDeclaration
    from pytest_poisson.selection import Selection


def refuse_own_failures(selecting: RunReader | None, baseline: RunReader | None, settings: Settings) -> None:
    """Refuse a fix-check without an old version, or of which a version is the run that selects, or draws what it drew.

    Raises
    ------
    UserError
        Naming the run.
    """
    if selecting is None:
        return
    from pytest_poisson.analyses.fix_check import refuse_arms, repeated_draws

    if baseline is None and settings.fix_check is not None and not settings.interleave:
        raise UserError(
            f"--poisson-fix-check={settings.fix_check} needs the old version, and run {settings.resume!r} was begun without "
            "one to compare with; sweep it anew with --poisson-compare-with=RUN."
        )
    refuse_arms(selecting, [] if baseline is None else [baseline])
    if settings.salt is not None and choose_salt(settings, None) == selecting.run.salt:
        raise repeated_draws(f"--poisson-salt={settings.salt}", selecting)


def refuse_without_common_condition(plan: Plan, baseline: RunReader | None) -> None:
    """End a session of which nothing could be compared, as not comparable."""
    if baseline is not None and plan.not_common == len(plan.conditions):
        from pytest_poisson.gate import NOT_COMPARABLE

        pytest.exit(
            f"not comparable: this session and run {baseline.run.name!r} have no condition in common; nothing was run.",
            returncode=NOT_COMPARABLE,
        )


def refuse_unfit_replay(
    replay: ReplayDeclaration | None, selection: Selection, runs: OpenRuns, settings: Settings
) -> None:
    """Refuse a paired replay that is not of this suite, or of which there will be no arm.

    Raises
    ------
    UserError
        Naming the arm, or what its conditions lack.
    """
    if replay is None:
        return
    from pytest_poisson.analyses.paired import item_and_cut

    for name in dict.fromkeys(arm for sweep in replay.sweeps for arm in sweep.arms):
        stored = runs.open_if_there(name)
        if stored is None and name not in names_of(settings):
            raise UserError(f"--poisson-paired: arm {name!r} is neither stored nor the run of this session.")
        conditions = (
            [each.condition for each in selection.conditions] if stored is None else stored.conditions
        )
        for condition in conditions:
            item_and_cut(replay, name, condition.axes)


def refuse_taken_names(store: Store, settings: Settings, resumed: RunReader | None) -> None:
    """Refuse a name that a run of the store has.

    Raises
    ------
    StoreError
        Naming it.
    """
    for name in names_of(settings) if resumed is None else ():
        store.check_free(name)


def what_latest_lacks(
    plan: Plan, baseline: RunReader | None, runs: OpenRuns, settings: Settings
) -> Iterator[str]:
    """Say where `latest` is a run of fewer tests, as of one file, while an earlier one has all conditions."""
    if baseline is None or settings.baseline != LATEST or not plan.not_common:
        return
    fuller = runs.newest_with({each.found.condition.key for each in plan.conditions})
    if fuller is not None:
        yield (
            f"note: latest is run {baseline.run.name}, which lacks {plural(plan.not_common, 'condition')} of this "
            f"session; run {fuller} has all of them."
        )


def what_code_changed(resumed: RunReader | None, root: Path) -> Iterator[str]:
    """Say where a run goes on with other code than it was begun with, as far as git tells."""
    if resumed is None:
        return
    begun, now = commit_of(resumed.run.environment.get("git")), commit_of(git_state(root))
    if begun and now and now != begun:
        yield (
            f"note: run {resumed.run.name} was begun on commit {begun} and goes on on {now}: its replicates will be of "
            "both."
        )


def what_waits(decider: EarlyStop | None, opened: OpenedRun) -> Iterator[str]:
    """Say of a part of a run that stops early that conditions left out of it keep it from deciding anything."""
    swept = [position for position, ranges in enumerate(opened.missing) if ranges]
    behind = 0 if decider is None else decider.waits_for(swept)
    if behind:
        has = "has" if behind == 1 else "have"
        yield (
            f"note: {plural(behind, 'undecided condition')} that this session leaves out {has} replicates to run. "
            "Conditions are decided round by round, so none stops before those have as many."
        )


def baseline_of(resumed: RunReader | None) -> str | None:
    """Return the run that a run to be continued is compared with: its partner, or the one on other seeds."""
    if resumed is None:
        return None
    rule, compared = declared_rule(resumed.run), resumed.run.settings.get(COMPARED)
    on_other_seeds = compared if rule is None else rule["against"]
    return resumed.run.paired_with or (on_other_seeds if isinstance(on_other_seeds, str) else None)


def decider_of(run: RunRecord, baseline: RunReader | None, resumed: RunReader | None) -> EarlyStop | None:
    """Return what tells of decided conditions, for a run that may stop early."""
    if baseline is None or declared_rule(run) is None:
        return None
    from pytest_poisson.early import watch

    return watch(run, baseline, resumed)
