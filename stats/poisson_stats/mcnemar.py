"""McNemar's exact conditional test for many paired 2 x 2 tables at once."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import bdtr, gammaln, ndtri

from poisson_stats.binomial import log_choose
from poisson_stats.fisher import ExactTest
from poisson_stats.rising import rising_values
from poisson_stats.significance import LEVEL_SLACK
from poisson_stats.validation import counts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import FloatArray, IntArray

LOG_SMALLEST_SAFE_TAIL = -640.0
"""Below this the binomial tail is summed in logarithms; above it SciPy's incomplete beta does not underflow."""

LARGEST_TABLE = 1 << 16
"""Discordant pairs up to which critical counts are kept for all numbers; beyond, only those asked for are made."""


def mcnemar_test(only_before: ArrayLike, only_after: ArrayLike) -> ExactTest:
    """Test whether two paired arms share one event rate, by McNemar's exact conditional test (two-sided).

    Pairs that agree say nothing about a difference. Given d = b + c discordant pairs, of which b had the
    event only before and c only after, b is Binomial(d, 1/2) under equal rates, and

        p = min(1, 2 P(X <= min(b, c))),  X ~ Binomial(d, 1/2).

    The mid-p variant is not offered: at corrected levels its true size exceeds the level (1.13 times the
    level, measured at 1/360).

    Parameters
    ----------
    only_before, only_after
        Discordant pairs b and c; scalars or arrays of one shape. b = c, 0 included, gives p = 1.

    Returns
    -------
    ExactTest

    Raises
    ------
    ValueError
        For counts that are negative, fractional, NaN or empty, and for shapes that differ.

    References
    ----------
    Q. McNemar, Note on the sampling error of the difference between correlated proportions or percentages,
    Psychometrika 12 (1947), 153-157.

    Examples
    --------
    Agresti's approval ratings of a prime minister: 150 changed from approval, 86 to it.

    >>> round(float(mcnemar_test(150, 86).p), 8)
    3.716e-05
    """
    b, c = counts(only_before=only_before, only_after=only_after)
    log_tail = _log_half_tail(np.minimum(b, c).ravel(), (b + c).ravel()).reshape(b.shape)
    # With b and c at most one apart the two tails are everything, and p is 1 without rounding.
    log_p = np.where(np.abs(b - c) <= 1, 0.0, np.log(2) + log_tail)
    return ExactTest(p=np.asarray(np.exp(log_p)), log_p=log_p)


def critical_counts(d: IntArray, alpha: float) -> tuple[IntArray, FloatArray]:
    """Return how lopsided d discordant pairs must be to be rejected.

    Parameters
    ----------
    d
        Numbers of discordant pairs, any shape.
    alpha
        Level of the single test.

    Returns
    -------
    critical : ndarray of int
        c(d): the test rejects when min(b, c) <= c(d); -1 where no split of d pairs is rejected.
    log_ways : ndarray of float
        log C(d, c(d)), -inf where c(d) is -1.
    """
    largest = int(d.max())
    if largest <= LARGEST_TABLE:
        critical, log_ways = _table_of_critical_counts(1 << max(6, largest.bit_length()), alpha)
        return critical[d], log_ways[d]
    asked, place = np.unique(d, return_inverse=True)
    critical, log_ways = _critical_counts(asked, alpha)
    place = place.reshape(d.shape)
    return critical[place], log_ways[place]


@lru_cache(maxsize=16)
def _table_of_critical_counts(largest: int, alpha: float) -> tuple[IntArray, FloatArray]:
    return _critical_counts(np.arange(largest + 1, dtype=np.int64), alpha)


def _critical_counts(d: IntArray, alpha: float) -> tuple[IntArray, FloatArray]:
    """Look up c(d) for rising d.

    Among even d, and among odd ones, the smallest rejected difference d - 2 c(d) never falls: two more fair
    steps of a walk leave it no less likely to be that far from where it began.
    """
    critical = np.empty_like(d)
    for parity in (0, 1):
        at = np.flatnonzero(d % 2 == parity)
        of = d[at]

        def difference(place: IntArray, of: IntArray = of) -> IntArray:
            return np.asarray(of[place] - 2 * _searched(of[place], alpha))

        critical[at] = (of - rising_values(of.size, difference)) // 2
    return critical, log_choose(d, critical)


def _searched(d: IntArray, alpha: float) -> IntArray:
    # The normal quantile is within a step or two; the exact tail has the last word.
    guess = np.floor((d - 1 + ndtri(alpha / 2) * np.sqrt(d)) / 2)
    c = np.clip(guess, -1, np.maximum((d - 1) // 2, 0) - (d == 0))
    level = alpha / 2 * (1 + LEVEL_SLACK)
    while (too_many := (c >= 0) & (bdtr(np.maximum(c, 0), d, 0.5) > level)).any():
        c -= too_many
    while (too_few := (2 * (c + 1) < d) & (bdtr(c + 1, d, 0.5) <= level)).any():
        c += too_few
    return np.asarray(c, dtype=np.int64)


def _log_half_tail(k: IntArray, d: IntArray) -> FloatArray:
    """Return log P(X <= k) for X ~ Binomial(d, 1/2) and k at most d / 2, without underflow."""
    with np.errstate(divide="ignore"):
        log_tail: FloatArray = np.log(bdtr(k.astype(np.float64), d, 0.5))
    for i in np.flatnonzero(log_tail < LOG_SMALLEST_SAFE_TAIL):
        log_tail[i] = _summed_log_tail(int(k[i]), int(d[i]))
    return log_tail


def _summed_log_tail(k: int, d: int) -> float:
    """Sum the tail downward from k relative to P(k): ratios j / (d - j + 1) for j = k, k - 1, …, 1."""
    j = np.arange(k, 0, -1, dtype=np.float64)
    relative = 1.0 + np.cumprod(j / (d - j + 1)).sum()
    log_at_k = gammaln(d + 1) - gammaln(k + 1) - gammaln(d - k + 1) - d * np.log(2)
    return float(log_at_k + np.log(relative))
