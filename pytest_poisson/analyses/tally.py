"""From episodes to the counts of every row, by table look-ups alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_stats.validation import BoolArray, IntArray
    from poisson_store.records import ConditionRecord
    from pytest_poisson.analyses.episodes import Episodes
    from pytest_poisson.events import Event


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """The rows of a comparison: every condition by every event of its rollout.

    A rollout's words are numbered on their own, so that many rollouts with words of their own stay small; the
    last number of each stands for a missing outcome. A rollout's events are numbered too: its slots.

    Attributes
    ----------
    conditions, events
        What the rows are made of.
    condition, slot
        Per row, the position of its condition and the slot of its event.
    event
        Per row, the position of its event in `events`.
    direction
        Per row, +1 where a rise is worse, -1 where a fall is.
    rollout
        Per condition, the position of its rollout.
    local
        [rollout, word] -> the word's number in the rollout; the last column, at -1, is the missing outcome.
    counts_for
        [rollout, slot, local word] -> whether the word counts for the event; never for a missing outcome.
    is_failure
        [rollout, slot] -> whether the event is a failure.
    """

    conditions: tuple[ConditionRecord, ...]
    events: tuple[Event, ...]
    condition: IntArray
    slot: IntArray
    event: IntArray
    direction: IntArray
    rollout: IntArray
    local: IntArray
    counts_for: BoolArray
    is_failure: BoolArray

    @property
    def local_words(self) -> int:
        """How many numbers a rollout's words need, the missing outcome included."""
        return int(self.counts_for.shape[2])

    def numbers(self, arm: Episodes) -> IntArray:
        """Return each episode's word as its rollout numbers it."""
        return self.local[self.rollout[arm.condition], arm.word]

    def masks(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return, [row, local word], which words are the event, another outcome, or none; 0 or 1."""
        event = self.counts_for[self.rollout[self.condition], self.slot]
        missing = np.zeros_like(event)
        missing[:, -1] = True
        return event.astype(np.int64), (~event & ~missing).astype(np.int64), missing.astype(np.int64)


def build_grid(
    conditions: Sequence[ConditionRecord], events: Sequence[Event], words: Sequence[str], used: BoolArray
) -> Grid:
    """Lay out the rows.

    Parameters
    ----------
    conditions
        Those compared, in order.
    events
        Those compared; each applies to the conditions of its rollout.
    words
        Every outcome of both arms.
    used
        [condition, word] -> whether the outcome occurs there in either arm.
    """
    own: dict[str, list[int]] = {condition.rollout: [] for condition in conditions}
    for position, event in enumerate(events):
        if event.rollout in own:
            own[event.rollout].append(position)
    index = {name: position for position, name in enumerate(own)}
    rollout = np.array([index[each.rollout] for each in conditions], dtype=np.int64)
    local = _number_words(list(own), rollout, events, words, used)
    counts_for, is_failure = _words_that_count(
        [[events[i] for i in each] for each in own.values()], words, local
    )
    rows = [
        (c, slot, event) for c, each in enumerate(conditions) for slot, event in enumerate(own[each.rollout])
    ]
    condition, slot_of, event_of = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    return Grid(
        conditions=tuple(conditions),
        events=tuple(events),
        condition=condition,
        slot=slot_of,
        event=event_of,
        direction=np.where(is_failure[rollout[condition], slot_of], 1, -1),
        rollout=rollout,
        local=local,
        counts_for=counts_for,
        is_failure=is_failure,
    )


def _words_that_count(
    own: Sequence[Sequence[Event]], words: Sequence[str], local: IntArray
) -> tuple[BoolArray, BoolArray]:
    """Return `Grid.counts_for` and `Grid.is_failure` for the events of each rollout."""
    number = {word: position for position, word in enumerate(words)}
    slots = max(map(len, own), default=0)
    counts_for = np.zeros((len(own), slots, int(local.max(initial=0)) + 1), dtype=bool)
    is_failure = np.zeros((len(own), slots), dtype=bool)
    for rollout, events in enumerate(own):
        for slot, event in enumerate(events):
            known = [number[word] for word in event.outcomes if word in number]
            counts_for[rollout, slot, local[rollout, known]] = True
            is_failure[rollout, slot] = event.kind == "failure"
    return counts_for, is_failure


@dataclass(frozen=True, slots=True, eq=False)
class ArmCounts:
    """Per row, one arm's episodes: with the event, with another outcome, without an outcome."""

    event: IntArray
    other: IntArray
    missing: IntArray

    @property
    def outcomes(self) -> IntArray:
        """Episodes with an outcome."""
        return self.event + self.other


@dataclass(frozen=True, slots=True, eq=False)
class PairCounts:
    """Per row, joined replicates by what became of them before and after, named in this order."""

    event_event: IntArray
    event_other: IntArray
    event_missing: IntArray
    other_event: IntArray
    other_other: IntArray
    other_missing: IntArray
    missing_event: IntArray
    missing_other: IntArray
    missing_missing: IntArray


def count_arm(grid: Grid, arm: Episodes) -> ArmCounts:
    """Count one arm's episodes for every row."""
    width = grid.local_words
    cells = arm.condition * width + grid.numbers(arm)
    table = np.bincount(cells, minlength=len(grid.conditions) * width).reshape(-1, width)[grid.condition]
    return ArmCounts(*((table * mask).sum(axis=1) for mask in grid.masks()))


def count_pairs(grid: Grid, before: Episodes, after: Episodes) -> PairCounts:
    """Count joined replicates for every row."""
    width = grid.local_words
    cells = (before.condition * width + grid.numbers(before)) * width + grid.numbers(after)
    table = np.bincount(cells, minlength=len(grid.conditions) * width * width).reshape(-1, width, width)
    table, masks = table[grid.condition], grid.masks()
    return PairCounts(*(np.einsum("rij,ri,rj->r", table, b, a) for b in masks for a in masks))


def first_replicates(grid: Grid, after: Episodes, before: Episodes | None) -> IntArray:
    """Return, per row, the first replicate that ended the worse way after (and, joined, not before); -1 if none."""
    first = np.full((len(grid.conditions), max(grid.counts_for.shape[1], 1)), -1, dtype=np.int64)
    for slot in range(grid.counts_for.shape[1]):
        hit = _ended_worse(grid, after, slot)
        if before is not None:
            hit &= (before.word >= 0) & ~_ended_worse(grid, before, slot)
        condition, position = np.unique(after.condition[hit], return_index=True)
        first[condition, slot] = after.replicate[hit][position]
    return first[grid.condition, grid.slot]


def _ended_worse(grid: Grid, arm: Episodes, slot: int) -> BoolArray:
    rollout = grid.rollout[arm.condition]
    is_event = grid.counts_for[rollout, slot, grid.numbers(arm)]
    worse: BoolArray = (arm.word >= 0) & (is_event == grid.is_failure[rollout, slot])
    return worse


def _number_words(
    rollouts: Sequence[str], rollout: IntArray, events: Sequence[Event], words: Sequence[str], used: BoolArray
) -> IntArray:
    """Give numbers to the words of each rollout: those that occur there and those of its events."""
    known = np.zeros((len(rollouts), len(words)), dtype=bool)
    np.logical_or.at(known, rollout, used)
    number = {word: position for position, word in enumerate(words)}
    index = {name: position for position, name in enumerate(rollouts)}
    for event in events:
        for word in event.outcomes:
            if word in number and event.rollout in index:
                known[index[event.rollout], number[word]] = True
    width = int(known.sum(axis=1).max(initial=0))
    local = np.where(known, np.cumsum(known, axis=1) - 1, width)
    return np.column_stack([local, np.full(len(rollouts), width)]).astype(np.int64)
