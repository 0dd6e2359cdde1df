"""Weights of the tables that share their margins, the ground of every exact conditional test here.

With n0 and n1 episodes in two arms and s events in total, the number x of events in the first arm has
probability C(n0, x) C(n1, s - x) / C(n0 + n1, s) under equal rates. Write the table as

    a = x        b = n0 - x            (first arm: events, the others)
    c = s - x    d = n1 - s + x        (second arm)

One step up moves one event into the first arm: a and d grow, b and c shrink, and the probability changes by
b c / ((a + 1) (d + 1)). Multiplying such ratios outward from the most probable table, whose weight is 1,
never overflows, and its error grows with the distance from the mode in standard deviations, not with n;
differences of log-factorials lose 5 digits at n = 5,000.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from poisson_stats.validation import FloatArray, IntArray


def support(n0: IntArray, n1: IntArray, total: IntArray) -> tuple[IntArray, IntArray]:
    """Return the smallest and largest count of the first arm that the margins allow."""
    return np.maximum(0, total - n1), np.minimum(n0, total)


def mode(n0: IntArray, n1: IntArray, total: IntArray) -> IntArray:
    """Return the most probable count of the first arm (the larger one where two tie)."""
    return np.asarray((n0 + 1) * (total + 1) // (n0 + n1 + 2))


def weights_from_mode(
    n0: IntArray, n1: IntArray, total: IntArray, width: int
) -> tuple[FloatArray, FloatArray]:
    """Return the probabilities below and above the mode, relative to the mode.

    Parameters
    ----------
    n0, n1, total
        Sizes of the two arms and the total number of events, shape (r,).
    width
        How many counts to go in each direction, the mode included.

    Returns
    -------
    down, up : ndarray of shape (r, width)
        Column j is P(mode - j) / P(mode) and P(mode + j) / P(mode); both fall from 1 at j = 0, and are 0
        where the margins forbid the table or it underflows.
    """
    down, up = _steps_from_mode(n0, n1, total, width)
    return np.multiply.accumulate(down, axis=1, out=down), np.multiply.accumulate(up, axis=1, out=up)


def log_weights_from_mode(
    n0: IntArray, n1: IntArray, total: IntArray, width: int
) -> tuple[FloatArray, FloatArray]:
    """Return the logarithms of `weights_from_mode`, exact below the smallest double; -inf where impossible."""
    down, up = (np.maximum(steps, 0.0) for steps in _steps_from_mode(n0, n1, total, width))
    with np.errstate(divide="ignore"):
        return np.cumsum(np.log(down), axis=1), np.cumsum(np.log(up), axis=1)


def _steps_from_mode(
    n0: IntArray, n1: IntArray, total: IntArray, width: int
) -> tuple[FloatArray, FloatArray]:
    """Return P(j steps from the mode) / P(j - 1 steps from it), 1 in column 0, in both directions."""
    x = mode(n0, n1, total)
    a, b, c, d = (cell.astype(np.float64)[:, None] for cell in (x, n0 - x, total - x, n1 - total + x))
    j = np.arange(1, width, dtype=np.float64)
    down, up = np.ones((x.size, width)), np.ones((x.size, width))
    np.divide((a + 1 - j) * (d + 1 - j), (b + j) * (c + j), out=down[:, 1:])
    np.divide((b + 1 - j) * (c + 1 - j), (a + j) * (d + j), out=up[:, 1:])
    return down, up
