"""Boschloo's exact unconditional test: Fisher's p as a statistic, with all the level it leaves unused."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.attainable import Attainable, fisher_values
from poisson_stats.binomial import probabilities_at, window_width
from poisson_stats.fisher import ExactTest, fisher_test
from poisson_stats.fisher_region import fisher_region
from poisson_stats.grouping import chunks, distinct
from poisson_stats.significance import LEVEL_SLACK
from poisson_stats.validation import levels

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from poisson_stats.fisher_region import FisherRegion
    from poisson_stats.validation import FloatArray, IntArray

SMALLEST_LOG_P = -650.0
"""Below this Fisher's p, itself valid, is kept: the tables it sums are near the smallest double."""

POINTS_A_DEVIATION = 32
"""Common rates looked at per standard deviation of the pooled rate; parabolas through them do the rest."""


def boschloo_test(
    k_before: ArrayLike, n_before: ArrayLike, k_after: ArrayLike, n_after: ArrayLike
) -> ExactTest:
    """Test whether two independent arms share one event rate, by Boschloo's test (two-sided).

    Fisher's test holds its level within every margin, and so, attainable p-values being few, stays below it.
    Boschloo takes Fisher's two-sided p as the statistic T and asks how often two arms of one common rate π
    give as small a value, for the π that is worst:

        p = max over π in [0, 1] of P_π(T <= T observed).

    Given the total s the probability is the largest p-value attainable at s that is at most T observed, so

        P_π(T <= t) = sum over s of Binomial(N, π)(s) F_s(t),  N = n_before + n_after.

    It never exceeds Fisher's p, and is never less powerful. It is declared before the run, since choosing the
    smaller of two p-values afterwards is not a test.

    Parameters
    ----------
    k_before, n_before, k_after, n_after
        As in `fisher.fisher_test`.

    Returns
    -------
    ExactTest

    Raises
    ------
    ValueError
        As `fisher.fisher_test`.

    Notes
    -----
    The maximum over π is that of parabolas through a grid of 32 points a standard deviation of the pooled
    rate, right to better than 1e-6 of itself. R's ``Exact::exact.test(method = "boschloo")`` orders tables the same way;
    ``scipy.stats.boschloo_exact`` doubles a one-sided test instead.

    References
    ----------
    R. D. Boschloo, Raised conditional level of significance for the 2 x 2-table when testing the equality of
    two probabilities, Statistica Neerlandica 24 (1970), 1-35.

    Examples
    --------
    >>> table = 7, 12, 1, 8
    >>> round(float(fisher_test(*table).p), 4), round(float(boschloo_test(*table).p), 4)
    (0.0697, 0.0551)
    """
    fisher = fisher_test(k_before, n_before, k_after, n_after)
    n0, n1 = np.broadcast_arrays(n_before, n_after, fisher.p)[:2]
    flat_p, flat_log_p = fisher.p.ravel(), fisher.log_p.ravel()
    _, position = np.unique(flat_p, return_inverse=True)
    n0, n1 = n0.ravel().astype(np.int64), n1.ravel().astype(np.int64)
    first, group = distinct(n0, n1, position)
    log_p = flat_log_p[first]
    for sizes, rows in _by_sizes(n0[first], n1[first]):
        open_rows = rows[(log_p[rows] > SMALLEST_LOG_P) & (log_p[rows] < 0)]
        if open_rows.size:
            size = _conditional_sizes(*sizes, flat_p[first[open_rows]])
            log_p[open_rows] = np.minimum(np.log(_largest_over_rates(size)), log_p[open_rows])
    log_p = log_p[group].reshape(fisher.p.shape)
    return ExactTest(p=np.asarray(np.exp(log_p)), log_p=log_p)


@lru_cache(maxsize=4096)
def boschloo_level(n_before: int, n_after: int, alpha: float) -> float:
    """Return the level at which Fisher's test rejects exactly what Boschloo's rejects at ``alpha``.

    Boschloo's p <= alpha where Fisher's p is at most the largest threshold whose unconditional size is within
    alpha. So the region, the power and the limits of Boschloo's test are Fisher's at this raised level.

    Parameters
    ----------
    n_before, n_after
        Sizes of the arms.
    alpha
        Level of the single test, strictly between 0 and 1.

    Raises
    ------
    ValueError
        For a level outside (0, 1).

    Examples
    --------
    >>> round(boschloo_level(20, 20, 0.05), 4)
    0.0958
    """
    levels(alpha=alpha)

    def holds(t: float) -> bool:
        size = fisher_region(n_before, n_after, t).size
        return bool(_largest_over_rates(size[None, :])[0] <= alpha * (1 + LEVEL_SLACK))

    fits, exceeds = alpha, 1.0
    if n_before == 0 or n_after == 0:
        return alpha
    # Both ends give one region where no attainable p-value lies between them.
    while exceeds > fits * (1 + LEVEL_SLACK) and (
        exceeds == 1.0
        or not _same(fisher_region(n_before, n_after, fits), fisher_region(n_before, n_after, exceeds))
    ):
        middle = min(2 * fits, (fits + 1) / 2) if exceeds == 1.0 else (fits + exceeds) / 2
        fits, exceeds = (middle, exceeds) if holds(middle) else (fits, middle)
    return fits


def _by_sizes(n0: IntArray, n1: IntArray) -> Iterator[tuple[tuple[int, int], IntArray]]:
    """Yield each distinct pair of arm sizes with the rows that have it."""
    first, group = distinct(n0, n1)
    for number, i in enumerate(first.tolist()):
        yield (int(n0[i]), int(n1[i])), np.flatnonzero(group == number)


def _same(one: FisherRegion, other: FisherRegion) -> bool:
    return bool(np.array_equal(one.size, other.size))


def _conditional_sizes(n0: int, n1: int, thresholds: FloatArray) -> FloatArray:
    """Return P(T <= t | s) for each threshold t and each total s = 0 … N, shape (thresholds, N + 1).

    That is the largest p-value attainable at s that is at most t. Swapping event and no event maps s to N - s.
    """
    n = n0 + n1
    half = np.arange(n // 2 + 1, dtype=np.int64)
    arms = np.full_like(half, n0), np.full_like(half, n1)
    values = fisher_values(*arms, half, smallest=float(thresholds.min()))
    size = Attainable(values, half).null_probability(thresholds)
    return np.vstack((size, size[: n - n // 2][::-1])).T


def _largest_over_rates(size: FloatArray) -> FloatArray:
    """Return, of probabilities given each total, shape (r, N + 1), the largest ones over all common rates.

    With π = sin²(θ) the standard deviation of a rate is 1 / (2 sqrt(N)) in θ, wherever it lies. Event and no
    event can be swapped, so rates up to 1/2 suffice.
    """
    n = size.shape[1] - 1
    points = int(np.ceil(np.pi / 2 * np.sqrt(n) * POINTS_A_DEVIATION)) + 1
    angles = np.linspace(0, np.pi / 4, points + 1)
    largest = np.zeros(size.shape[0])
    for block in chunks(points - 1, window_width(np.array([n]))):
        chance = _rejection_rate(size, n, angles[block.start : block.stop + 2])
        largest = np.maximum(largest, _peak(chance))
    return largest


def _rejection_rate(size: FloatArray, n: int, angle: FloatArray) -> FloatArray:
    """Return the probability of each region at each of a few neighbouring common rates, shape (r, rates)."""
    rate = np.sin(angle) ** 2
    reach = window_width(np.array([n])) // 2 + 1
    total = np.arange(max(0, int(n * rate[0]) - reach), min(n, int(n * rate[-1]) + reach) + 1)
    chance = probabilities_at(total, np.array([n]), rate[:, None])
    return np.asarray(size[:, total] @ chance.T)


def _peak(chance: FloatArray) -> FloatArray:
    """Return per row the largest value of the points and of the parabolas through three neighbours at a peak."""
    left, centre, right = chance[:, :-2], chance[:, 1:-1], chance[:, 2:]
    bend = left - 2 * centre + right
    is_peak = (centre >= left) & (centre >= right) & (bend < 0)
    rise = np.divide((left - right) ** 2, -8 * bend, out=np.zeros_like(bend), where=is_peak)
    return np.asarray(np.maximum(chance.max(axis=1), (centre + rise).max(axis=1)))
