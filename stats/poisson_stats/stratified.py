"""The exact conditional Cochran-Mantel-Haenszel test: two arms compared within every input at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.grouping import CHUNK_ELEMENTS, distinct
from poisson_stats.hypergeometric import log_weights_from_mode, mode, support
from poisson_stats.lattice_sum import LatticeSum
from poisson_stats.significance import TIE_TOLERANCE
from poisson_stats.validation import rows, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import IntArray

__all__ = ["StratifiedTest", "stratified_test"]


@dataclass(frozen=True, slots=True)
class StratifiedTest:
    """An exact stratified comparison of two arms.

    Attributes
    ----------
    observed : int
        Events of the after arm in the strata where both arms ran.
    expected, variance : float
        Mean and variance of that count, given each stratum's margins, if the arms do not differ.
    p, log_p : float
        Two-sided exact p-value and its natural logarithm, finite where p underflows.
    strata, informative : int
        Strata given, and those of them in which both arms ran and some but not all runs had the event: the
        others add nothing.
    """

    observed: int
    expected: float
    variance: float
    p: float
    log_p: float
    strata: int
    informative: int


def stratified_test(
    k_before: ArrayLike, n_before: ArrayLike, k_after: ArrayLike, n_after: ArrayLike
) -> StratifiedTest:
    """Test whether two arms share one event rate within every stratum, by the exact CMH test.

    Parameters
    ----------
    k_before, k_after : array_like of int, shape (strata,)
        Runs with the event, in each arm.
    n_before, n_after : array_like of int, shape (strata,)
        Runs with an outcome, at least k. May be 0, and may differ between arms and strata.

    Returns
    -------
    StratifiedTest

    Raises
    ------
    ValueError
        For counts that are negative, fractional, NaN or empty, for shapes that differ, and for k > n.

    Notes
    -----
    Given the f_i events among the N_i runs of stratum i, the after arm's events X_i are hypergeometric when
    the arms do not differ, and independent over strata. With S the sum of the X_i,

        E S = sum f_i m_i / N_i,     Var S = sum n_i m_i f_i (N_i - f_i) / (N_i^2 (N_i - 1)),

        p = sum of P(S = s) over all s with P(S = s) <= P(S = observed) (1 + 1e-7),

    m_i and n_i being the runs after and before. The conditional test is that of Mantel and Haenszel [1]_ with its
    exact distribution in place of chi-square; R gives the same p by ``mantelhaen.test(x, exact = TRUE)``. With
    one stratum it is Fisher's exact test, with one run an arm and stratum McNemar's exact test.

    The distribution of S is a convolution, done by a Fourier transform tilted to the point in question
    (`lattice_sum`), so that 10,000 strata are quick and p-values far below 1e-16 keep their digits. A
    hypergeometric count is distributed as a sum of independent 0s and 1s [2]_, and so is S: it is unimodal,
    and the values no more probable than the observed one are the two tails.

    References
    ----------
    .. [1] Mantel, N. and Haenszel, W. (1959). Statistical aspects of the analysis of data from retrospective
       studies of disease. Journal of the National Cancer Institute 22, 719-748.
    .. [2] Vatutin, V. A. and Mikhailov, V. G. (1982). Limit theorems for the number of empty cells in an
       equiprobable scheme for group allocation of particles. Theory of Probability and its Applications 27,
       734-743.

    Examples
    --------
    Six inputs, 4 runs each before and 1 after:

    >>> test = stratified_test([3, 3, 4, 4, 3, 1], [4] * 6, [0, 0, 1, 1, 1, 0], [1] * 6)
    >>> test.observed, round(test.expected, 3), round(test.variance, 3), round(test.p, 4)
    (3, 4.2, 0.8, 0.2688)
    """
    k0, n0, k1, n1 = rows(k_before=k_before, n_before=n_before, k_after=k_after, n_after=n_after)
    within("k_before", k0, "n_before", n0)
    within("k_after", k1, "n_after", n1)
    both = (n0 > 0) & (n1 > 0)
    total, runs = (k0 + k1)[both].astype(np.float64), (n0 + n1)[both].astype(np.float64)
    share = n1[both] / runs
    informs = both & (k0 + k1 > 0) & (k0 + k1 < n0 + n1)
    log_p = _log_p(n0[informs], n1[informs], (k0 + k1)[informs], int(k1[informs].sum()))
    return StratifiedTest(
        observed=int(k1[both].sum()),
        expected=float(share @ total),
        variance=float((share * (1 - share)) @ (total * (runs - total) / (runs - 1))),
        p=math.exp(log_p),
        log_p=log_p,
        strata=int(k0.size),
        informative=int(informs.sum()),
    )


def _log_p(n0: IntArray, n1: IntArray, total: IntArray, observed: int) -> float:
    """Return the log p-value of the after arm's events, from strata that all inform."""
    if n0.size == 0:
        return 0.0
    low, _ = support(n1, n0, total)
    count = hypergeometric_sum(n0, n1, total)
    return two_sided_log_p(count, observed - int(low.sum()))


def hypergeometric_sum(n0: IntArray, n1: IntArray, total: IntArray) -> LatticeSum:
    """Return the null distribution of the after arm's events over strata, counted from its smallest value.

    Strata with the same margins are one kind of summand.
    """
    first, group = distinct(n0, n1, total)
    n0, n1, total = n0[first], n1[first], total[first]
    low, high = support(n1, n0, total)
    # Kinds of similar width share a block, so that one wide stratum does not widen all of them.
    order = np.argsort(high - low, kind="stable")
    values, log_p = [], []
    for block in np.array_split(order, min(order.size, 1 + int((high - low).sum()) // CHUNK_ELEMENTS)):
        reach = np.arange(int((high - low)[block].max()) + 1)
        down, up = log_weights_from_mode(n1[block], n0[block], total[block], reach.size)
        log_w = np.concatenate((down[:, :0:-1], up), axis=1)
        steps = np.concatenate((-reach[:0:-1], reach)) + (mode(n1, n0, total) - low)[block, np.newaxis]
        possible = np.isfinite(log_w)
        log_p.append((log_w - np.logaddexp.reduce(log_w, axis=1, keepdims=True))[possible])
        values.append(steps[possible])
    return LatticeSum(
        values=np.concatenate(values),
        log_p=np.concatenate(log_p),
        starts=np.concatenate(([0], np.cumsum((high - low + 1)[order])[:-1])),
        copies=np.bincount(group)[order],
        jump=1,
    )


def two_sided_log_p(count: LatticeSum, observed: int) -> float:
    """Return the log of the total probability of the values no more probable than `observed`.

    `count` must be unimodal: the values in question are then the tail from `observed` outward and the tail
    beyond some value on the other side.
    """
    here = count.window(observed)
    upper = observed >= count.cumulants(0.0)[1]
    level = here.at(observed) + math.log1p(TIE_TOLERANCE)
    near = here.log_tail(observed, upper=upper)
    far = _log_far_tail(count, observed, level, upper=not upper)
    return min(0.0, float(np.logaddexp(near, far)))


def _log_far_tail(count: LatticeSum, observed: int, level: float, *, upper: bool) -> float:
    """Return the log-probability of the values on the other side of `observed` whose own is at most `level`.

    From a first guess the end of that tail is walked to, a window at a time: a window is precise near its centre.
    """
    outward = 1 if upper else -1
    value = _first_guess(count, level, outward)
    value = max(value, observed + 1) if upper else min(value, observed - 1)
    while True:
        window = count.window(min(max(value, 0), count.largest))
        start, reach = value, max(1, window.log_p.size // 4)
        while abs(value - start) < reach and window.at(value) > level:
            value += outward
        while (
            abs(value - start) < reach and value - outward != observed and window.at(value - outward) <= level
        ):
            value -= outward
        if not 0 <= value <= count.largest:
            return -math.inf
        if abs(value - start) < reach:
            return window.log_tail(value, upper=upper)


def _first_guess(count: LatticeSum, level: float, outward: int) -> int:
    """Return about where, on one side of the mean, the log-probability falls to `level`.

    The saddlepoint approximation log p = K(t) - t K'(t) - log(2 pi K''(t)) / 2 at the value K'(t) (Daniels
    1954, Annals of Mathematical Statistics 25, 631-650), solved for the tilt t by Newton's method.
    """
    tilt = outward * 1e-3
    for _ in range(60):
        log_moment, mean, variance = count.cumulants(tilt)
        excess = log_moment - tilt * mean - 0.5 * math.log(max(2 * math.pi * variance, 1.0)) - level
        step = excess / max(abs(tilt) * variance, 1e-9)
        tilt = outward * min(max(abs(tilt) + min(max(step, -abs(tilt) / 2), 1.0), 1e-6), 500.0)
        if abs(step) * variance < 0.25 or variance < 1e-3:
            break
    return round(mean)
