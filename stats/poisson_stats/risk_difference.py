"""The Mantel-Haenszel risk difference: one change for all strata, each weighted by what it can say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.normal import two_sided_z
from poisson_stats.validation import rows, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import FloatArray

__all__ = ["RiskDifference", "risk_difference"]


@dataclass(frozen=True, slots=True)
class RiskDifference:
    """A change of rate, common to all strata, with its interval.

    Attributes
    ----------
    difference : float
        After minus before, in [-1, 1]; NaN where no stratum ran in both arms.
    low, high : float
        Wald interval at `confidence`, cut to [-1, 1]; NaN where the variance is 0: there is no interval.
    variance : float
        Sato's variance of the difference.
    confidence : float
        Level of the interval.
    strata : int
        Strata in which both arms ran.
    """

    difference: float
    low: float
    high: float
    variance: float
    confidence: float
    strata: int


def risk_difference(
    k_before: ArrayLike,
    n_before: ArrayLike,
    k_after: ArrayLike,
    n_after: ArrayLike,
    *,
    confidence: float = 0.95,
) -> RiskDifference:
    """Estimate the change of rate that the strata share, after minus before.

    Parameters
    ----------
    k_before, k_after : array_like of int, shape (strata,)
        Runs with the event, in each arm.
    n_before, n_after : array_like of int, shape (strata,)
        Runs with an outcome, at least k. May be 0: such a stratum weighs nothing.
    confidence : float in (0, 1), default 0.95
        Level of the interval.

    Returns
    -------
    RiskDifference

    Raises
    ------
    ValueError
        For counts that are negative, fractional, NaN or empty, for shapes that differ, for k > n, and for a level
        outside (0, 1).

    Notes
    -----
    With x of m runs after, y of n runs before, N = m + n, and the weight W = m n / N of a stratum [1]_,

        d = sum W (x/m - y/n) / sum W,

        Var d = (d sum P + sum Q) / (sum W)^2,
        P = (m^2 y - n^2 x + m n (n - m) / 2) / N^2,    Q = (x (n - y) + y (m - x)) / (2 N),

    the variance being that of Sato [2]_: it holds with few large strata and with many small ones, which the older
    one of Greenland and Robins (1985) does not. Inference about *whether* there is a change belongs to the
    exact test (`stratified.stratified_test`); this interval can disagree with it at the margin.

    References
    ----------
    .. [1] Greenland, S. and Robins, J. M. (1985). Estimation of a common effect parameter from sparse
       follow-up data. Biometrics 41, 55-68.
    .. [2] Sato, T., Greenland, S. and Robins, J. M. (1989). On the variance estimator for the
       Mantel-Haenszel risk difference. Biometrics 45, 1323-1324.

    Examples
    --------
    Deaths under placebo and tolbutamide in two age groups (University Group Diabetes Program, 1970):

    >>> change = risk_difference([5, 16], [120, 85], [8, 22], [106, 98], confidence=0.9)
    >>> round(change.difference, 4), round(change.low, 4), round(change.high, 4)
    (0.0349, -0.0176, 0.0874)
    """
    y, n, x, m = rows(k_before=k_before, n_before=n_before, k_after=k_after, n_after=n_after)
    within("k_before", y, "n_before", n)
    within("k_after", x, "n_after", m)
    z = two_sided_z(confidence)
    both = (m > 0) & (n > 0)
    if not both.any():
        return RiskDifference(np.nan, np.nan, np.nan, np.nan, confidence, 0)
    difference, variance = _sato(*(column[both].astype(np.float64) for column in (y, n, x, m)))
    half = z * variance**0.5 if variance > 0 else np.nan
    return RiskDifference(
        difference=difference,
        low=float(np.maximum(difference - half, -1.0)),
        high=float(np.minimum(difference + half, 1.0)),
        variance=variance,
        confidence=confidence,
        strata=int(both.sum()),
    )


def _sato(y: FloatArray, n: FloatArray, x: FloatArray, m: FloatArray) -> tuple[float, float]:
    """Return the difference and Sato's variance, from strata that ran in both arms."""
    size = m + n
    weight = float((m * n / size).sum())
    difference = float(((x * n - y * m) / size).sum()) / weight
    p = ((m**2 * y - n**2 * x + m * n * (n - m) / 2) / size**2).sum()
    q = ((x * (n - y) + y * (m - x)) / (2 * size)).sum()
    variance = float(difference * p + q) / weight**2
    # A variance of 0 is met in floating point as something like 1e-18, of either sign.
    return difference, variance if variance > 1e-12 / weight else 0.0
