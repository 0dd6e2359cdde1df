"""Describe one run: what was planned, what came of it, and what it was made on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_poisson.analyses.coverage import in_order
from pytest_poisson.analyses.outcomes import outcomes_alone
from pytest_poisson.analyses.pass_rates import pass_rates
from pytest_poisson.analyses.promises import judge_run

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poisson_store.reader import RunReader
    from poisson_store.records import Accounting, ConditionRecord, RunRecord
    from pytest_poisson.analyses.pass_rates import PassRates
    from pytest_poisson.analyses.promises import PromisesResult


@dataclass(frozen=True, slots=True)
class ShownCondition:
    """One condition of a run.

    Attributes
    ----------
    condition
        As planned.
    accounting
        Where its replicates went.
    outcomes
        How often each outcome came, in the order of declaration, 0 included.
    """

    condition: ConditionRecord
    accounting: Accounting
    outcomes: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ShowResult:
    """One run, described without comparing it.

    Attributes
    ----------
    run
        As stored.
    accounting
        Of the whole run.
    conditions
        Sorted by rollout and axis values.
    promises
        What its rollouts promise, judged.
    pass_rates
        Of each rollout with declared successes.
    """

    run: RunRecord
    accounting: Accounting
    conditions: tuple[ShownCondition, ...]
    promises: PromisesResult
    pass_rates: tuple[PassRates, ...]


def show(reader: RunReader) -> ShowResult:
    """Return the description of a run."""
    run, accounts, counts = reader.run, reader.accounting_by_condition(), outcomes_alone(reader)
    declared = {rollout.id: rollout.outcomes for rollout in run.rollouts}
    conditions = tuple(
        ShownCondition(
            condition=condition,
            accounting=accounts[condition.key],
            outcomes={word: counts[condition.key][word] for word in declared[condition.rollout]},
        )
        for condition in in_order(reader.conditions)
    )
    return ShowResult(run, reader.accounting(), conditions, judge_run(reader), pass_rates(reader))
