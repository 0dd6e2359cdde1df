"""The four kinds of pair of a paired comparison, from its counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poisson_stats.comparison import Comparison
    from poisson_stats.validation import IntArray


def pair_cells(comparison: Comparison) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return, per row, pairs with the event in both arms, only before, only after and in neither.

    Raises
    ------
    ValueError
        If the comparison is not paired.
    """
    only_before, only_after = comparison.only_before, comparison.only_after
    if only_before is None or only_after is None:
        raise ValueError(f"method={comparison.method} has no pairs.")
    both = comparison.k_before - only_before
    return both, only_before, only_after, comparison.n_before - both - only_before - only_after
