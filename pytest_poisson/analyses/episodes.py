"""The episodes of one arm, restricted to the compared conditions and put into the words both arms share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poisson_stats.validation import IntArray
    from poisson_store.records import ConditionRecord, OutcomeColumns


@dataclass(frozen=True, slots=True, eq=False)
class Episodes:
    """Episodes ordered by condition, then replicate; one element each.

    Attributes
    ----------
    condition
        Position among the compared conditions.
    replicate, seed
        As stored; a seed of -1 was not recorded.
    word
        Position in the words that both arms share; -1 without an outcome.
    """

    condition: IntArray
    replicate: IntArray
    seed: IntArray
    word: IntArray

    @property
    def missing(self) -> IntArray:
        """1 where there is no outcome, else 0."""
        return (self.word < 0).astype(np.int64)

    def take(self, positions: IntArray) -> Episodes:
        """Return the episodes at these positions, in this order."""
        return Episodes(
            self.condition[positions], self.replicate[positions], self.seed[positions], self.word[positions]
        )


def select_episodes(
    columns: OutcomeColumns, conditions: Sequence[ConditionRecord], words: Sequence[str]
) -> Episodes:
    """Keep the episodes of `conditions`, with outcomes as positions in `words`."""
    position = {condition.key: index for index, condition in enumerate(conditions)}
    condition = translate(columns.conditions, position)[columns.condition]
    word = translate(columns.outcomes, {word: index for index, word in enumerate(words)})[columns.outcome]
    kept = np.flatnonzero(condition >= 0)
    kept = kept[np.lexsort((columns.replicate[kept], condition[kept]))]
    return Episodes(condition, columns.replicate, columns.seed, word).take(kept)


def join_replicates(before: Episodes, after: Episodes) -> tuple[Episodes, Episodes]:
    """Keep the replicates that ran in both arms, aligned element by element."""
    span = 1 + max((int(arm.replicate.max(initial=0)) for arm in (before, after)), default=0)
    ours, theirs = (arm.condition * span + arm.replicate for arm in (before, after))
    _, in_before, in_after = np.intersect1d(ours, theirs, assume_unique=True, return_indices=True)
    return before.take(in_before), after.take(in_after)


def translate(names: Sequence[str], position: Mapping[str, int]) -> IntArray:
    """Return a table from positions in `names` to positions elsewhere; its last element, at -1, is -1 for none."""
    return np.array([*(position.get(name, -1) for name in names), -1], dtype=np.int64)
