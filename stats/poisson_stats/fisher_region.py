"""Every pair of counts that Fisher's test rejects at a level, as a few integers a row.

Within one margin (a fixed total s) the two-sided p-value rises to 1 at the mode and falls again, so the
rejected counts of the arm before are x <= L(s) or x >= U(s). For a fixed x the rejected counts of the arm
after are then y <= low(x) or y >= high(x), wherever L and U never decrease with s. They almost never do; with
unequal arms they can (4 and 33 episodes, level 0.2758), and those counts are listed one by one, so that the
region stays exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.grouping import chunks
from poisson_stats.hypergeometric import mode, support, weights_from_mode
from poisson_stats.rising import rising_values
from poisson_stats.significance import LEVEL_SLACK, TIE_TOLERANCE

if TYPE_CHECKING:
    from poisson_stats.validation import FloatArray, IntArray

NEGLIGIBLE = 1e-14
"""Probability, relative to the level, that may lie outside the columns looked at in one margin."""


@dataclass(frozen=True, slots=True, eq=False)
class FisherRegion:
    """The rejection region of Fisher's test for arms of given sizes at a given level.

    Attributes
    ----------
    n_before, n_after, alpha
        The sizes of the arms and the level.
    low, high
        For each x of the arm before, from ``first`` on: y is rejected if y <= low or y >= high. ``low`` is
        -1 or less and ``high`` n_after + 1 or more where there is nothing to reject on that side.
    extra_before, extra_after
        The rejected pairs (x, y) that lie between low[x] and high[x].
    totals, size
        The margins examined, and the probability of a rejection given each of them under equal rates: at
        most the level, and often far less.
    first
        The count of the arm before that ``low`` and ``high`` begin with.
    """

    n_before: int
    n_after: int
    alpha: float
    low: IntArray
    high: IntArray
    extra_before: IntArray
    extra_after: IntArray
    totals: IntArray
    size: FloatArray
    first: int = 0

    def edges(self, before: IntArray) -> tuple[IntArray, IntArray]:
        """Return ``low`` and ``high`` at counts of the arm before."""
        return self.low[before - self.first], self.high[before - self.first]


@lru_cache(maxsize=512)
def fisher_region(n_before: int, n_after: int, alpha: float) -> FisherRegion:
    """Return the pairs (x, y) with Fisher's p <= alpha.

    Parameters
    ----------
    n_before, n_after
        Sizes of the arms, at least 0.
    alpha
        The level of the single test, in (0, 1).

    Notes
    -----
    Swapping event and no event maps total s to N - s, so only half of the margins is computed.
    """
    n = n_before + n_after
    half = np.arange(n // 2 + 1, dtype=np.int64)
    edge_low, edge_high, size = _rejected_edges(n_before, n_after, half, alpha)
    rest = slice(None, n - n // 2)
    lower = np.concatenate((edge_low, n_before - edge_high[rest][::-1]))
    upper = np.concatenate((edge_high, n_before - edge_low[rest][::-1]))
    totals = np.arange(n + 1, dtype=np.int64)
    counts = np.arange(n_before + 1, dtype=np.int64)
    low, high, extra = _by_count_before(counts, totals, lower, upper)
    size = np.concatenate((size, size[rest][::-1]))
    return FisherRegion(n_before, n_after, alpha, low, high, *extra, totals, size)


def central_fisher_region(n: int, alpha: float, reach: int, counts: IntArray) -> FisherRegion:
    """Return the region for two arms of n at some counts before, right where the total is within ``reach`` of n.

    With equal arms the test rejects where the counts differ by at least some D(s). Of totals of one parity
    D grows with s up to n, and slowly: it is looked up at the ends of a stretch, which is halved only where
    they differ. Pairs whose total is outside count by the nearest one inside, and ``size`` is not computed.

    Parameters
    ----------
    n
        Size of each arm.
    alpha
        The level of the single test, in (0, 1).
    reach
        How far from n the total may be for the pair to matter.
    counts
        Counts of the arm before, rising by 1.
    """
    first = max(0, n - reach)
    half = np.arange(first, n + 1, dtype=np.int64)
    difference = np.empty_like(half)
    for parity in (0, 1):
        difference[parity::2] = _steady_differences(n, half[parity::2], alpha)
    lower = (half - difference) // 2
    lower = np.concatenate((lower, n - (half - lower)[:-1][::-1]))
    totals = np.arange(first, 2 * n - first + 1, dtype=np.int64)
    low, high, extra = _by_count_before(counts, totals, lower, totals - lower)
    size = np.full(totals.size, np.nan)
    return FisherRegion(n, n, alpha, low, high, *extra, totals, size, first=int(counts[0]))


def _steady_differences(n: int, totals: IntArray, alpha: float) -> IntArray:
    """Return the smallest rejected difference for totals in steps of 2, which grows along them."""

    def difference(place: IntArray) -> IntArray:
        return np.asarray(totals[place] - 2 * _rejected_edges(n, n, totals[place], alpha)[0])

    return rising_values(totals.size, difference)


def _by_count_before(
    x: IntArray, totals: IntArray, lower: IntArray, upper: IntArray
) -> tuple[IntArray, IntArray, tuple[IntArray, IntArray]]:
    """Turn the edges within margins, x <= lower(s) and x >= upper(s), into edges for every x and exceptions.

    An exception lies between the edges of two margins, so that it is a pair of counts that there is.
    """
    steady_lower = np.minimum.accumulate(lower[::-1])[::-1]
    steady_upper = np.maximum.accumulate(upper)
    high = totals[0] + np.searchsorted(steady_lower, x, side="left") - x
    low = totals[0] + np.searchsorted(steady_upper, x, side="right") - 1 - x
    extra = [
        (count, total - count)
        for s in np.flatnonzero((lower > steady_lower) | (upper < steady_upper))
        for total in [int(totals[s])]
        for count in (*range(steady_lower[s] + 1, lower[s] + 1), *range(upper[s], steady_upper[s]))
        if x[0] <= count <= x[-1]
    ]
    pairs = np.array(extra, dtype=np.int64).reshape(-1, 2)
    return low, high, (pairs[:, 0], pairs[:, 1])


def _rejected_edges(
    n_before: int, n_after: int, totals: IntArray, alpha: float
) -> tuple[IntArray, IntArray, FloatArray]:
    """Return for each total the largest rejected count below the mode, the smallest above it, and the size."""
    n0, n1 = np.full_like(totals, n_before), np.full_like(totals, n_after)
    low, high = support(n0, n1, totals)
    centre = mode(n0, n1, totals)
    reach = np.minimum(reach_of_level(n0, n1, totals, alpha), np.maximum(centre - low, high - centre))
    lower, upper, size = centre.copy(), centre.copy(), np.empty(totals.size)
    for i in chunks(totals.size, 4 * int(reach.max()) + 4):
        down, up = weights_from_mode(n0[i], n1[i], totals[i], int(reach[i].max()) + 2)
        down[:, -1] = up[:, -1] = 0  # impossible or negligible, and every search ends there
        tail_down, tail_up = _sums_outside(down), _sums_outside(up)
        whole = tail_down[:, 0] + tail_up[:, 1]
        level = alpha * (1 + LEVEL_SLACK) * whole
        below = _steps_to_rejection(down, tail_down, up, tail_up, level)
        above = _steps_to_rejection(up, tail_up, down, tail_down, level)
        lower[i] -= below
        upper[i] += above
        row = np.arange(below.size)
        size[i] = (tail_down[row, below] + tail_up[row, above]) / whole
    return lower, upper, size


def reach_of_level(n0: IntArray, n1: IntArray, total: IntArray, alpha: float) -> IntArray:
    """Return a distance from the mode beyond which a negligible part of the level lies.

    A hypergeometric count is a sum of independent 0/1 variables (Vatutin and Mikhailov 1982), so Bernstein's
    inequality holds with its own variance v: P(|x - mean| >= w) <= 2 exp(-t) for w = t/3 + sqrt(t²/9 + 2 v t).
    Mean and mode are less than 1 apart.
    """
    a, b, s = n0.astype(np.float64), n1.astype(np.float64), total.astype(np.float64)
    n = np.maximum(a + b, 2)
    variance = a * b * s * (n - s) / (n * n * (n - 1))
    t = -np.log(alpha * NEGLIGIBLE / 2)
    return np.asarray(np.ceil(t / 3 + np.sqrt(t * t / 9 + 2 * variance * t)).astype(np.int64) + 1)


def _sums_outside(weight: FloatArray) -> FloatArray:
    """Return for each column the sum of it and of all columns to its right."""
    sums: FloatArray = np.cumsum(weight[:, ::-1], axis=1)[:, ::-1]
    return sums


def _steps_to_rejection(
    near: FloatArray, near_tail: FloatArray, far: FloatArray, far_tail: FloatArray, level: FloatArray
) -> IntArray:
    """Return per row the steps from the mode to the first count on the near side whose p is within the level.

    Parameters
    ----------
    near, far
        Weights falling from the mode on the side asked about and on the other.
    near_tail, far_tail
        `_sums_outside` of them.
    level
        The level times the row's total weight.

    Returns
    -------
    ndarray of int
        One past the last possible count where none is rejected.
    """
    row: IntArray = np.arange(level.size)
    # Nearer than this the near tail alone exceeds the level; the far tail can only ask for more steps.
    step: IntArray = np.maximum(np.count_nonzero(near_tail > level[:, None], axis=1), 1)
    heavier = np.count_nonzero(far > near[row, step][:, None] * (1 + TIE_TOLERANCE), axis=1)
    while row.size:
        s, h = step[row], heavier[row]
        passed = far[row, h] > near[row, s] * (1 + TIE_TOLERANCE)
        too_likely = ~passed & (near_tail[row, s] + far_tail[row, h] > level[row])
        heavier[row[passed]] += 1
        step[row[too_likely]] += 1
        row = row[passed | too_likely]
    return step
