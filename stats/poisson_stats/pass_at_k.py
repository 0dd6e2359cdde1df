"""pass^k and pass@k: the chance that all, or at least one, of k attempts succeed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from poisson_stats.binomial import log_choose
from poisson_stats.bootstrap import drawn_weights, percentile_interval
from poisson_stats.validation import levels, positive, rows, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import BoolArray, FloatArray, IntArray

__all__ = ["PassRate", "pass_all_of_k", "pass_any_of_k"]


@dataclass(frozen=True, slots=True, eq=False)
class PassRate:
    """The mean over conditions of the chance that all, or any, of k attempts succeed.

    Attributes
    ----------
    measure : {"pass^k", "pass@k"}
        All of k succeed, or at least one of k does.
    k : int
        Attempts.
    estimate : float
        Mean over the conditions with at least k replicates; NaN where there is none.
    low, high : float
        Percentile interval from resampling conditions; NaN with fewer than two conditions.
    by_condition : ndarray of float, shape (conditions,)
        Each condition's own unbiased estimate; NaN with fewer than k replicates.
    conditions, too_few : int
        Conditions averaged, and conditions left out for having fewer than k replicates with an outcome.
    confidence : float
    resamples, seed : int
        Level of the interval, and how it was drawn.
    """

    measure: Literal["pass^k", "pass@k"]
    k: int
    estimate: float
    low: float
    high: float
    by_condition: FloatArray
    conditions: int
    too_few: int
    confidence: float
    resamples: int
    seed: int


def pass_all_of_k(
    successes: ArrayLike,
    trials: ArrayLike,
    *,
    k: int,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> PassRate:
    """Estimate pass^k: the chance that all of k attempts at a condition succeed.

    Parameters
    ----------
    successes, trials : array_like of int, shape (conditions,)
        Replicates that succeeded, and replicates with an outcome, of each condition.
    k : int
        Attempts, at least 1. Conditions with fewer than k trials are left out and counted.
    confidence : float in (0, 1), default 0.95
        Level of the interval.
    resamples : int, default 2000
        Bootstrap resamples of conditions.
    seed : int, default 0
        Seed of `numpy.random.default_rng`.

    Returns
    -------
    PassRate

    Raises
    ------
    ValueError
        For counts that are not counts, successes above trials, k or `resamples` below 1, and a level outside
        (0, 1).

    Notes
    -----
    With s successes in n trials, C(s, k) / C(n, k) is the share of the sets of k trials that all succeeded, and
    unbiased for p^k; (s/n)^k is not [1]_. k = 1 is the plain success rate, averaged over conditions.

    References
    ----------
    .. [1] Yao, S., Shinn, N., Razavi, P. and Narasimhan, K. (2024). tau-bench: a benchmark for tool-agent-user
       interaction in real-world domains. arXiv 2406.12045, section 4.

    Examples
    --------
    >>> rate = pass_all_of_k([4, 2, 0], [4, 4, 4], k=2)
    >>> rate.by_condition.round(4).tolist(), round(rate.estimate, 4)
    ([1.0, 0.1667, 0.0], 0.3889)
    """
    s, n = _read(successes, trials, k)
    return _rate("pass^k", _share_of_sets(s, n, k), n >= k, k, _Resampling(confidence, resamples, seed))


def pass_any_of_k(
    successes: ArrayLike,
    trials: ArrayLike,
    *,
    k: int,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> PassRate:
    """Estimate pass@k: the chance that at least one of k attempts at a condition succeeds.

    Parameters
    ----------
    successes, trials, k, confidence, resamples, seed
        As for `pass_all_of_k`.

    Returns
    -------
    PassRate

    Raises
    ------
    ValueError
        As `pass_all_of_k`.

    Notes
    -----
    1 - C(n - s, k) / C(n, k), unbiased for 1 - (1 - p)^k: Chen, M. et al. (2021). Evaluating large language
    models trained on code. arXiv 2107.03374, equation (1).

    Examples
    --------
    >>> pass_any_of_k([4, 2, 0], [4, 4, 4], k=2).by_condition.round(4).tolist()
    [1.0, 0.8333, 0.0]
    """
    s, n = _read(successes, trials, k)
    return _rate(
        "pass@k", 1 - _share_of_sets(n - s, n, k), n >= k, k, _Resampling(confidence, resamples, seed)
    )


def _read(successes: ArrayLike, trials: ArrayLike, k: int) -> tuple[IntArray, IntArray]:
    s, n = rows(successes=successes, trials=trials)
    within("successes", s, "trials", n)
    positive(k=k)
    return s, n


def _share_of_sets(s: IntArray, n: IntArray, k: int) -> FloatArray:
    """Return C(s, k) / C(n, k), 0 where s < k; what it is for n < k does not matter."""
    size = np.full(s.shape, k)
    with np.errstate(invalid="ignore"):
        return np.exp(log_choose(s, size) - log_choose(n, size))


@dataclass(frozen=True, slots=True)
class _Resampling:
    """How the interval is drawn."""

    confidence: float
    resamples: int
    seed: int

    def interval(self, values: FloatArray) -> tuple[float, float]:
        """Return the percentile interval of the mean of `values`; NaN with fewer than two."""
        levels(confidence=self.confidence)
        positive(resamples=self.resamples)
        if values.size < 2:
            return np.nan, np.nan
        kinds, how_many = np.unique(values, return_counts=True)
        weights = drawn_weights(how_many.astype(np.int64), resamples=self.resamples, seed=self.seed)
        means = np.concatenate([chunk @ kinds for chunk in weights]) / values.size
        low, high = percentile_interval(means, confidence=self.confidence)
        return float(low), float(high)


def _rate(
    measure: Literal["pass^k", "pass@k"], values: FloatArray, enough: BoolArray, k: int, how: _Resampling
) -> PassRate:
    used = values[enough]
    low, high = how.interval(used)
    return PassRate(
        measure=measure,
        k=k,
        estimate=float(used.mean()) if used.size else np.nan,
        low=low,
        high=high,
        by_condition=np.where(enough, values, np.nan),
        conditions=used.size,
        too_few=values.size - used.size,
        confidence=how.confidence,
        resamples=how.resamples,
        seed=how.seed,
    )
