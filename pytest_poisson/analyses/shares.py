"""How often the outcomes of one run came, with intervals: a description that tests nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poisson_stats.rate_intervals import wilson
from pytest_poisson.analyses.diff_result import Count
from pytest_poisson.errors import UserError
from pytest_poisson.events import failures_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from poisson_store.records import ConditionRecord, RolloutRecord
    from pytest_poisson.analyses.show import ShownCondition, ShowResult

CONFIDENCE = 0.95
DESCRIBED_AS = (
    "This is a description of one run: no test was made, and nothing is said of a change. Each interval is for its "
    "share alone."
)


@dataclass(frozen=True, slots=True)
class Share:
    """How often one outcome of one condition came.

    Attributes
    ----------
    condition
        As planned.
    event
        The outcome.
    count
        Replicates that ended with it, of those with an outcome.
    low, high
        Wilson's interval for the share, at 95 %; None where nothing was measured.
    """

    condition: ConditionRecord
    event: str
    count: Count
    low: float | None
    high: float | None


def shares(result: ShowResult, events: Collection[str] | None = None) -> tuple[Share, ...]:
    """Return the share of every event in every condition, in the order of the conditions.

    Parameters
    ----------
    result
        A run.
    events
        Outcomes; by default the declared failures of each rollout, with `failed` where that came undeclared, and all
        its outcomes where it declares none.

    Raises
    ------
    UserError
        If no rollout has an outcome of that name.
    """
    known = dict.fromkeys(word for shown in result.conditions for word in shown.outcomes)
    for event in events or ():
        if event not in known:
            raise UserError(
                f"Event '{event}' is no outcome of run '{result.run.name}'; it has {', '.join(known)}."
            )
    failures = {rollout.id: _failures(rollout, result) for rollout in result.run.rollouts}
    return tuple(
        _share(shown, event)
        for shown in result.conditions
        for event in _events(shown, failures.get(shown.condition.rollout, ()), events)
    )


def _failures(rollout: RolloutRecord, result: ShowResult) -> tuple[str, ...]:
    """Return the declared failures, if any, and what failed beside them."""
    came = {
        word
        for shown in result.conditions
        if shown.condition.rollout == rollout.id
        for word in shown.outcomes
        if shown.outcomes[word]
    }
    return rollout.failures and tuple(
        word for word in failures_of(rollout) if word in rollout.failures or word in came
    )


def _events(shown: ShownCondition, failures: Sequence[str], events: Collection[str] | None) -> Iterator[str]:
    wanted = events if events is not None else failures
    return (word for word in shown.outcomes if not wanted or word in wanted)


def _share(shown: ShownCondition, event: str) -> Share:
    count = Count(shown.outcomes[event], shown.accounting.with_outcome)
    if not count.outcomes:
        return Share(shown.condition, event, count, None, None)
    interval = wilson(count.events, count.outcomes, confidence=CONFIDENCE)
    return Share(shown.condition, event, count, float(interval.low), float(interval.high))
