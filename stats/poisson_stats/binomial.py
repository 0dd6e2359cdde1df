"""Binomial probabilities in a window around the mean, for many rows at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln

if TYPE_CHECKING:
    from poisson_stats.validation import FloatArray, IntArray

STANDARD_DEVIATIONS = 9
"""Half-width of a window, in the largest standard deviation sqrt(n)/2 that a binomial count can have.

By Hoeffding's inequality the mass outside is at most 2 exp(-9²/2) = 5e-18, whatever the rate.
"""

SMALLEST_RATE = 1e-300
"""Stands for a rate of 0, whose logarithm would be infinite."""


def window_width(n: IntArray) -> int:
    """Return the number of counts a window needs for the largest n."""
    largest = int(np.max(n))
    return min(largest, 2 * int(np.ceil(STANDARD_DEVIATIONS * np.sqrt(largest) / 2))) + 1


def window(n: IntArray, rate: FloatArray, width: int) -> IntArray:
    """Return the counts in each row's window, shape (r, width); they may run past n.

    Parameters
    ----------
    n, rate
        Number of trials and probability of each, shape (r,).
    width
        As `window_width` gives it for these or larger n.
    """
    start = np.clip(np.floor(n * rate).astype(np.int64) - width // 2, 0, np.maximum(n + 1 - width, 0))
    return np.asarray(start[:, None] + np.arange(width))


def probabilities_at(k: IntArray, n: IntArray, rate: FloatArray) -> FloatArray:
    """Return P(X = k) for X ~ Binomial(n, rate), elementwise; 0 where k is outside 0 … n."""
    return np.exp(log_choose(n, k) + log_likelihood(k, n, rate))


def log_likelihood(k: IntArray, n: IntArray, rate: FloatArray) -> FloatArray:
    """Return k log(rate) + (n - k) log(1 - rate), with 0 log 0 = 0."""
    log_event = np.log(np.maximum(rate, SMALLEST_RATE))
    log_other = np.log(np.maximum(1 - rate, SMALLEST_RATE))
    return np.asarray(k * log_event + (n - k) * log_other)


def log_choose(n: IntArray, k: IntArray) -> FloatArray:
    """Return log C(n, k); -inf where k is outside 0 … n."""
    possible = (k >= 0) & (k <= n)
    inside = np.where(possible, k, 0)
    value = gammaln(n + 1) - gammaln(inside + 1) - gammaln(n - inside + 1)
    return np.where(possible, value, -np.inf)
