"""Feeding a stopping rule: both arms replicate by replicate, and only whole rounds.

A round holds one replicate of every condition that is still running. What is decided, and after which replicate, is
then a matter of the outcomes alone: not of which worker was quick.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.sequential import NO_OUTCOME, SequentialState, StoppingRule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from poisson_stats.validation import BoolArray
    from pytest_poisson.analyses.episodes import Episodes
    from pytest_poisson.analyses.tally import Grid


@dataclass(frozen=True, slots=True, eq=False)
class Rounds:
    """What there is to feed.

    Attributes
    ----------
    before, after
        [condition, replicate, slot] -> 1 with the slot's event, 0 without, -1 without an outcome.
    known
        [condition, replicate] -> whether the after arm's replicate has come, or never will.
    """

    before: NDArray[np.int8]
    after: NDArray[np.int8]
    known: BoolArray


def make_rule(grid: Grid, *, planned: int, paired: bool, q: float) -> StoppingRule:
    """Return the rule over the rows of a grid, for at most `planned` replicates of a condition."""
    tested = np.zeros((len(grid.conditions), grid.counts_for.shape[1]), dtype=bool)
    tested[grid.condition, grid.slot] = True
    conditions, events = tested.shape
    return StoppingRule(
        conditions=conditions, events=events, planned=planned, paired=paired, q=q, tested=tested
    )


def values_of(grid: Grid, arm: Episodes) -> NDArray[np.int8]:
    """Return [episode, slot] -> 1 with the slot's event, 0 without, -1 without an outcome."""
    is_event = grid.counts_for[grid.rollout[arm.condition], :, grid.numbers(arm)]
    return np.where(arm.word[:, np.newaxis] < 0, NO_OUTCOME, is_event).astype(np.int8)


def lay_rounds(grid: Grid, arm: Episodes, planned: int) -> NDArray[np.int8]:
    """Return one arm's table of `Rounds`; what was not run has no outcome, and later replicates are left out."""
    table = np.full((len(grid.conditions), planned, grid.counts_for.shape[1]), NO_OUTCOME, dtype=np.int8)
    arm = arm.take(np.flatnonzero(arm.replicate < planned))
    table[arm.condition, arm.replicate] = values_of(grid, arm)
    return table


def play(rule: StoppingRule, state: SequentialState, rounds: Rounds) -> SequentialState:
    """Feed every round that is whole by now, and return the state after it."""
    while (running := np.flatnonzero(state.running)).size:
        number = int(state.taken[running[0]])
        if not rounds.known[running, number].all():
            break
        state = rule.advance(
            state,
            running,
            np.full(running.size, number),
            before=rounds.before[running, number],
            after=rounds.after[running, number],
        )
    return state
