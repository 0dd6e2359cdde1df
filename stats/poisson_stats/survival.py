"""Kaplan-Meier survival over the step index: how many runs are still going after each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poisson_stats.normal import two_sided_z
from poisson_stats.risk_table import risk_table, times_of, whole_codes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from poisson_stats.validation import FloatArray, IntArray

__all__ = [
    "SurvivalAt",
    "SurvivalCurve",
    "SurvivalDifference",
    "survival_at",
    "survival_curve",
    "survival_difference",
]

# A product such as 5/6 * 4/5 * 3/4 lands one bit above the half it is.
_HALF = 0.5 * (1 + 1e-12)


@dataclass(frozen=True, slots=True, eq=False)
class SurvivalCurve:
    """A Kaplan-Meier curve: a step function that falls at each time of a death.

    Attributes
    ----------
    times : ndarray of shape (t,)
        The distinct times with a death, ascending.
    at_risk, died : ndarray of int, shape (t,)
        Episodes that reached the time, and those of them that died at it.
    survival : ndarray of float, shape (t,)
        The estimate S just after the time.
    variance : ndarray of float, shape (t,)
        Greenwood's variance of S; NaN where S is 0.
    low, high : ndarray of float, shape (t,)
        The band S -/+ z sqrt(variance), cut to [0, 1]; NaN where S is 0: nobody is left to estimate from.
    median : int, float or None
        The first time with S <= 0.5; None where the curve never falls that far.
    placed, deaths : int
        Episodes in the curve, and those of them that died.
    last : int or float
        The largest time of all, death or censoring: beyond it the curve says nothing unless it has reached 0.
    confidence : float
        The level of the band, pointwise.
    """

    times: NDArray[Any]
    at_risk: IntArray
    died: IntArray
    survival: FloatArray
    variance: FloatArray
    low: FloatArray
    high: FloatArray
    median: float | None
    placed: int
    deaths: int
    last: float
    confidence: float


@dataclass(frozen=True, slots=True, eq=False)
class SurvivalAt:
    """A survival curve read at asked times.

    Attributes
    ----------
    times : ndarray of float, shape (k,)
        The asked times.
    survival : ndarray of float, shape (k,)
        S at each; NaN beyond the last time anybody was observed, unless S had reached 0 by then.
    variance, low, high : ndarray of float, shape (k,)
        Greenwood's variance and the band; NaN where the variance is not estimable: S is 0, or nobody
        has died yet (S is 1).
    """

    times: FloatArray
    survival: FloatArray
    variance: FloatArray
    low: FloatArray
    high: FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class SurvivalDifference:
    """The difference of two survival curves at asked times.

    Attributes
    ----------
    times : ndarray of float, shape (k,)
        The asked times.
    first, second : ndarray of float, shape (k,)
        S of each curve there.
    difference : ndarray of float, shape (k,)
        `second` - `first`; NaN where either is.
    low, high : ndarray of float, shape (k,)
        Wald band, cut to [-1, 1]; NaN where neither curve has a variance there. A curve nobody has
        left yet adds no variance to the other's.
    confidence : float
        The level of the band, pointwise.
    """

    times: FloatArray
    first: FloatArray
    second: FloatArray
    difference: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float


def survival_curve(times: ArrayLike, died: ArrayLike, *, confidence: float = 0.95) -> SurvivalCurve:
    """Estimate the share of episodes that outlive each time, with those that ended alive as censored.

    Parameters
    ----------
    times : array_like of shape (n,)
        The step (or time) at which each episode died or was last seen; not negative. In any order.
    died : array_like of bool, shape (n,)
        True for an episode that died there, False for one that was censored there.
    confidence : float in (0, 1), default 0.95
        Level of the pointwise band.

    Returns
    -------
    SurvivalCurve
        With no rows where nobody died.

    Raises
    ------
    ValueError
        A time is negative or not finite, `died` is not one of 0 and 1 for every time, or the level is outside
        (0, 1).

    Notes
    -----
    With n_i at risk and d_i deaths at the i-th distinct time of a death [1]_,

        S(t) = prod_{t_i <= t} (1 - d_i / n_i),
        Var S(t) = S(t)^2 sum_{t_i <= t} d_i / (n_i (n_i - d_i)),

    the second being Greenwood's formula [2]_. The band is *plain*, S -/+ z sqrt(Var S), cut to [0, 1]:
    R's ``survfit(Surv(t, d) ~ 1, conf.type = "plain")``; lifelines' default is the log-log band instead.
    Where S reaches 0 the formula is 0 times infinity; R prints NA, and so does this function, in NaN.
    An episode censored at a time counts as at risk for a death at that time.

    References
    ----------
    .. [1] Kaplan, E. L. and Meier, P. (1958). Nonparametric estimation from incomplete observations.
       Journal of the American Statistical Association 53, 457-481, equation (2b).
    .. [2] Greenwood, M. (1926). The natural duration of cancer. Reports on Public Health and Medical
       Subjects 33, HMSO.

    Examples
    --------
    >>> curve = survival_curve([1, 2, 2, 3], [True, True, False, False])
    >>> curve.survival.tolist(), curve.median
    ([0.75, 0.5], 2)
    """
    steps = times_of("times", times)
    dead = whole_codes("died", died, length=steps.size, largest=1)
    z = two_sided_z(confidence)
    table = risk_table(steps, dead, 1)
    fell = table.died[0] > 0
    at_risk, deaths = table.at_risk[fell], table.died[0][fell]
    survival = np.cumprod(1 - deaths / at_risk)
    variance = _greenwood(survival, at_risk, deaths)
    low, high = _band(survival, variance, z)
    halved = np.flatnonzero(survival <= _HALF)
    return SurvivalCurve(
        times=table.times[fell],
        at_risk=at_risk,
        died=deaths,
        survival=survival,
        variance=variance,
        low=low,
        high=high,
        median=table.times[fell][halved[0]].item() if halved.size else None,
        placed=int(steps.size),
        deaths=int(dead.sum()),
        last=steps.max().item(),
        confidence=confidence,
    )


def survival_at(curve: SurvivalCurve, times: ArrayLike) -> SurvivalAt:
    """Read a survival curve at the asked times.

    Parameters
    ----------
    curve : SurvivalCurve
        From `survival_curve`.
    times : array_like of shape (k,)
        The asked times; not negative.

    Returns
    -------
    SurvivalAt
        S is 1 before the first death, and NaN beyond the last time at which anybody was observed: the curve
        ends there, at whatever height.

    Raises
    ------
    ValueError
        A time is negative or not finite.
    """
    asked = times_of("times", times).astype(np.float64)
    index = np.searchsorted(curve.times, asked, side="right")
    survival = np.concatenate(([1.0], curve.survival))[index]
    variance = np.concatenate(([np.nan], curve.variance))[index]
    beyond = (asked > curve.last) & (survival > 0)
    survival[beyond] = np.nan
    variance[beyond] = np.nan
    low, high = _band(survival, variance, two_sided_z(curve.confidence))
    return SurvivalAt(times=asked, survival=survival, variance=variance, low=low, high=high)


def survival_difference(first: SurvivalCurve, second: SurvivalCurve, times: ArrayLike) -> SurvivalDifference:
    """Compare two survival curves at asked times, second minus first.

    Parameters
    ----------
    first, second : SurvivalCurve
        Curves of two independent groups, at the same level.
    times : array_like of shape (k,)
        The asked times; not negative.

    Returns
    -------
    SurvivalDifference
        With the Wald band (S2 - S1) -/+ z sqrt(Var S1 + Var S2), cut to [-1, 1].

    Raises
    ------
    ValueError
        A time is negative or not finite, or the curves' levels differ.

    Notes
    -----
    Klein, Logan, Harhoff and Andersen (2007), Statistics in Medicine 26, 4505-4519, section 2, test 1. Where
    one curve has no variance because nobody of it has died, or everybody has, the other's alone is used;
    where neither has one there is no band. The word of a comparison follows the log-rank test, never this band.
    """
    if first.confidence != second.confidence:
        raise ValueError(
            f"second.confidence={second.confidence} must equal first.confidence={first.confidence}."
        )
    one, two = survival_at(first, times), survival_at(second, times)
    difference = two.survival - one.survival
    known = np.isfinite(difference) & ~(np.isnan(one.variance) & np.isnan(two.variance))
    variance = np.where(known, np.nan_to_num(one.variance) + np.nan_to_num(two.variance), np.nan)
    half = two_sided_z(first.confidence) * np.sqrt(variance)
    return SurvivalDifference(
        times=one.times,
        first=one.survival,
        second=two.survival,
        difference=difference,
        low=np.maximum(difference - half, -1.0),
        high=np.minimum(difference + half, 1.0),
        confidence=first.confidence,
    )


def _greenwood(survival: FloatArray, at_risk: IntArray, deaths: IntArray) -> FloatArray:
    """Return Greenwood's variance, NaN from the time at which everybody at risk died."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = deaths / (at_risk * (at_risk - deaths).astype(np.float64))
        return np.asarray(survival**2 * np.cumsum(terms))


def _band(survival: FloatArray, variance: FloatArray, z: float) -> tuple[FloatArray, FloatArray]:
    half = z * np.sqrt(variance)
    return np.maximum(survival - half, 0.0), np.minimum(survival + half, 1.0)
