"""What became of the placed episodes of each input."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_poisson.analyses.placement import FATES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_stats.validation import IntArray
    from poisson_store.records import ConditionRecord
    from pytest_poisson.analyses.placement import Placement


@dataclass(frozen=True, slots=True)
class InputDeaths:
    """One input's placed episodes.

    Attributes
    ----------
    condition
        The input.
    placed, died, cut_off, ended
        Placed episodes: died, timed out or capped, ended otherwise.
    median_step
        The median of the steps at which they died; None where none did.
    cause
        What most of them died of, the first of equals.
    """

    condition: ConditionRecord
    placed: int
    died: int
    cut_off: int
    ended: int
    median_step: float | None
    cause: str | None


def count_inputs(
    placement: Placement, conditions: Sequence[ConditionRecord], causes: Sequence[str], cause: IntArray
) -> tuple[InputDeaths, ...]:
    """Count every input that has a placed episode, in the order of `conditions`.

    Parameters
    ----------
    placement
        The placed episodes.
    conditions
        What its conditions point into.
    causes, cause
        The causes of death, and each episode's as 0 (censored) or 1 + its position.
    """
    size = len(conditions)
    cells = placement.condition * (len(causes) + 1) + cause
    table = np.bincount(cells, minlength=size * (len(causes) + 1)).reshape(size, -1)
    ended = np.bincount(placement.condition[placement.fate == FATES.index("ended")], minlength=size)
    medians = _median_steps(placement.condition[cause > 0], placement.steps[cause > 0])
    return tuple(
        InputDeaths(
            condition=conditions[i],
            placed=sum(counts),
            died=sum(counts[1:]),
            cut_off=counts[0] - done,
            ended=done,
            median_step=medians.get(i),
            cause=causes[counts.index(max(counts[1:]), 1) - 1] if any(counts[1:]) else None,
        )
        for i, (counts, done) in enumerate(zip(table.tolist(), ended.tolist(), strict=True))
        if any(counts)
    )


def _median_steps(condition: IntArray, steps: IntArray) -> dict[int, float]:
    """Return the median step of each condition that has one."""
    order = np.lexsort((steps, condition))
    steps = steps[order]
    found, start, count = np.unique(condition[order], return_index=True, return_counts=True)
    middle = (steps[start + (count - 1) // 2] + steps[start + count // 2]) / 2
    return dict(zip(found.tolist(), middle.tolist(), strict=True))
