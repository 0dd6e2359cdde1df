"""What a comparison could have seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.planning import TooManyReplicatesError, design_limit, plan_replicates
from pytest_poisson.analyses.diff_result import Design
from pytest_poisson.analyses.figures import finite

if TYPE_CHECKING:
    from poisson_stats.comparison import Comparison


def describe_design(comparison: Comparison, *, paired: bool) -> Design:
    """Return the limits of a comparison: at the least favourable base rate, and of its rows."""
    tests, q = comparison.tests, comparison.q
    fewest = int(min(comparison.n_before.min(), comparison.n_after.min()))
    worst = design_limit(fewest, tests, q=q, paired=paired) if fewest else None
    undecided = comparison.verdict == "too small to tell"
    row, is_rise = _largest_limit(comparison)
    return Design(
        replicates=fewest,
        tests=tests,
        limit=finite(worst.limit) if worst else None,
        base_rate=finite(worst.base_rate) if worst else None,
        largest=finite(comparison.largest_limit),
        largest_row=row,
        largest_is_rise=is_rise,
        too_small=int(comparison.too_small.sum()),
        ceiling=finite(comparison.ceiling.max()),
        needed=_needed(comparison, paired=paired) if undecided else None,
    )


def _needed(comparison: Comparison, *, paired: bool) -> int | None:
    """Return the replicates that bring every limit to the accepted change; None where they are too many to plan."""
    try:
        return plan_replicates(comparison.max_mde, comparison.tests, q=comparison.q, paired=paired)
    except TooManyReplicatesError:
        return None


def _largest_limit(comparison: Comparison) -> tuple[int | None, bool]:
    """Return the row of the largest limit and whether it is one on a rise."""
    limits = np.nan_to_num(np.stack([comparison.limit_rise, comparison.limit_fall]), nan=-1.0)
    direction, row = np.unravel_index(int(limits.argmax()), limits.shape)
    if limits[direction, row] < 0:
        return None, False
    return int(row), bool(direction == 0)
