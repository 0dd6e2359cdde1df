"""What pairs that share their seeds really bought: how alike their arms were, and the limits that follow."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.correlation import pair_correlation
from poisson_stats.limits import limits_paired
from poisson_stats.planning import design_limit
from poisson_stats.significance import is_significant
from poisson_stats.stratified import stratified_test
from pytest_poisson.analyses.cells import pair_cells
from pytest_poisson.analyses.figures import finite

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_stats.comparison import Comparison
    from poisson_stats.correlation import PairCorrelation
    from poisson_stats.limits import DetectionLimits
    from poisson_stats.validation import IntArray

LEVEL = 0.05
"""Level of the test that the arms of a pair are independent."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """Whether the arms of the pairs were alike, over all rows.

    Attributes
    ----------
    correlation
        The correlation of the event between the arms of a pair, pooled over the rows; None where every row has an arm
        that always or never had its event.
    p
        Of the exact stratified test, over conditions, that the arms of a pair are independent: Mantel-Haenszel's, the
        strata being the conditions. Of several events the smallest, times their number.
    helped
        Whether the correlation is positive and p at most 0.05: sharing seeds bought something.
    limit, base_rate
        The smallest change found 4 times in 5 at the least favourable base rate, at this correlation; None where
        there is none.
    """

    correlation: float | None
    p: float
    helped: bool
    limit: float | None
    base_rate: float | None


@dataclass(frozen=True, slots=True, eq=False)
class ObservedLimits:
    """Per row, the correlation of its pairs (NaN for none) and the limits at it."""

    correlation: PairCorrelation
    limits: DetectionLimits


def observed_limits(comparison: Comparison) -> ObservedLimits:
    """Return every row's correlation, and its limits with the correlation held fixed while the rate after moves."""
    found = pair_correlation(*pair_cells(comparison))
    limits = limits_paired(
        comparison.k_before, comparison.n_before, alpha=comparison.alpha, correlation=found.by_row
    )
    return ObservedLimits(found, limits)


def describe_pairing(event: IntArray, comparison: Comparison, correlation: PairCorrelation) -> Pairing:
    """Say how alike the arms were over all rows, and what that made of the worst-case limit.

    Parameters
    ----------
    event
        Per row, the number of its event.
    comparison, correlation
        The tests, and the correlations of their pairs.
    """
    pooled = correlation.pooled
    p = _independence_p(event, pair_cells(comparison))
    known = isfinite(pooled)
    worst = design_limit(
        max(1, int(comparison.n_before.min())),
        comparison.tests,
        q=comparison.q,
        correlation=pooled if known else 0.0,
    )
    return Pairing(
        correlation=float(pooled) if known else None,
        p=p,
        helped=bool(known and pooled > 0 and is_significant(p, LEVEL)),
        limit=finite(worst.limit),
        base_rate=finite(worst.base_rate),
    )


def _independence_p(event: IntArray, cells: Sequence[IntArray]) -> float:
    """Test that what happened before says nothing of what happens after, within every condition.

    Rows of one event are of different conditions, hence independent; the events of one condition are not, so that
    each is tested on its own and the smallest p is multiplied by their number.
    """
    known = np.unique(event)
    p = [_stratified_p(*(cell[event == each] for cell in cells)) for each in known]
    return min(1.0, known.size * min(p))


def _stratified_p(both: IntArray, only_before: IntArray, only_after: IntArray, neither: IntArray) -> float:
    """Compare the share with the event after between the pairs that had it before and those that had not."""
    return stratified_test(only_after, only_after + neither, both, both + only_before).p
