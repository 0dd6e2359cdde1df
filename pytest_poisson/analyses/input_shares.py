"""How often the event came, input by input, in two runs; which inputs are compared, and which rows are left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.missing import missing_shares_unpaired
from poisson_stats.significance import is_significant_log
from poisson_stats.stratified import stratified_test
from poisson_store.records import Accounting
from pytest_poisson.analyses.outcomes import outcomes_alone

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poisson_stats.missing import MissingShares
    from poisson_stats.stratified import StratifiedTest
    from poisson_stats.validation import IntArray
    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord
    from pytest_poisson.analyses.event_set import EventSet


@dataclass(frozen=True, slots=True)
class LeftOutInputs:
    """Inputs that are not compared, each under the first reason that applies.

    Attributes
    ----------
    not_run_old, not_run_new
        The run has no row of them.
    no_outcome
        Both runs have rows of them, and one or both no outcome.
    """

    not_run_old: int
    not_run_new: int
    no_outcome: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.not_run_old + self.not_run_new + self.no_outcome


@dataclass(frozen=True, slots=True)
class LeftOutRows:
    """Rows without an outcome, of the inputs that both runs have rows of.

    Attributes
    ----------
    old, new
        Where the replicates of these inputs went.
    shares
        Whether the runs lack outcomes equally often.
    as_failures
        The test with every such row counted as having the event in the new run and as not having it in the old.
    """

    old: Accounting
    new: Accounting
    shares: MissingShares
    as_failures: StratifiedTest

    def failed_as_failures(self, alpha: float) -> str | None:
        """Return whether the new run would have the event `more` or `less` often then; None: no difference."""
        test = self.as_failures
        if not is_significant_log(test.log_p, np.log(alpha)):
            return None
        return "more" if test.observed > test.expected else "less"


@dataclass(frozen=True, slots=True)
class InputShares:
    """One input in both runs: rows with the event, and rows with an outcome."""

    condition: ConditionRecord
    old_events: int
    old_runs: int
    new_events: int
    new_runs: int

    @property
    def change(self) -> float:
        """The share with the event, new minus old."""
        return self.new_events / self.new_runs - self.old_events / self.old_runs


@dataclass(frozen=True, slots=True, eq=False)
class ShareMaterial:
    """The inputs compared, and what is left out.

    Attributes
    ----------
    inputs
        In the order of the conditions asked about.
    left_out
        The inputs that are not compared.
    rows
        The rows without an outcome; None where there are none.
    """

    inputs: tuple[InputShares, ...]
    left_out: LeftOutInputs
    rows: LeftOutRows | None

    def counts(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return events and runs of the old run, events and runs of the new one, an element an input."""
        table = [(each.old_events, each.old_runs, each.new_events, each.new_runs) for each in self.inputs]
        old_events, old_runs, new_events, new_runs = np.array(table, dtype=np.int64).reshape(-1, 4).T
        return old_events, old_runs, new_events, new_runs


def gather_shares(
    old: RunReader, new: RunReader, conditions: Sequence[ConditionRecord], events: EventSet
) -> ShareMaterial:
    """Count two runs over the inputs that were asked about.

    Parameters
    ----------
    old, new
        The runs.
    conditions
        The inputs asked about.
    events
        What is counted.
    """
    arms = [(event_counts(reader, events), reader.accounting_by_condition()) for reader in (old, new)]
    ran = [[key for key, account in accounts.items() if account.stored] for _, accounts in arms]
    in_old, in_new = map(set, ran)
    both = [each for each in conditions if each.key in in_old and each.key in in_new]
    (old_events, old_accounts), (new_events, new_accounts) = arms
    inputs = tuple(
        InputShares(
            each,
            old_events[each.key],
            old_accounts[each.key].with_outcome,
            new_events[each.key],
            new_accounts[each.key].with_outcome,
        )
        for each in both
        if old_accounts[each.key].with_outcome and new_accounts[each.key].with_outcome
    )
    not_old = sum(each.key not in in_old for each in conditions)
    return ShareMaterial(
        inputs=inputs,
        left_out=LeftOutInputs(not_old, len(conditions) - len(both) - not_old, len(both) - len(inputs)),
        rows=_left_out_rows(both, arms),
    )


def event_counts(reader: RunReader, events: EventSet) -> dict[str, int]:
    """Return how many rows of each condition have the event, by key."""
    return {key: sum(counts[name] for name in events.names) for key, counts in outcomes_alone(reader).items()}


def _left_out_rows(
    both: Sequence[ConditionRecord], arms: Sequence[tuple[Mapping[str, int], Mapping[str, Accounting]]]
) -> LeftOutRows | None:
    """Describe the rows without an outcome; None where both runs have none."""
    old, new = (sum((accounts[each.key] for each in both), Accounting(0)) for _, accounts in arms)
    if not (old.without_outcome or new.without_outcome):
        return None
    (old_events, old_accounts), (new_events, new_accounts) = arms
    keys = [each.key for each in both]
    return LeftOutRows(
        old=old,
        new=new,
        shares=missing_shares_unpaired(old.without_outcome, old.stored, new.without_outcome, new.stored),
        as_failures=stratified_test(
            [old_events[key] for key in keys],
            [old_accounts[key].stored for key in keys],
            [new_events[key] + new_accounts[key].without_outcome for key in keys],
            [new_accounts[key].stored for key in keys],
        ),
    )
