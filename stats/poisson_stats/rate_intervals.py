"""Intervals for one rate: Clopper-Pearson (exact) and Wilson (score)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy.special import betaincinv, ndtri

from poisson_stats.validation import counts, levels, one_of, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import FloatArray, IntArray

Sides: TypeAlias = Literal["both", "lower", "upper"]


@dataclass(frozen=True, slots=True, eq=False)
class RateInterval:
    """Intervals for rates, in the shape of the counts that were given.

    Attributes
    ----------
    estimate
        successes / trials; NaN without trials.
    low, high
        The bounds, in [0, 1]; 0 and 1 without trials, and on the side not asked for.
    confidence, method, sides
        As asked: the level, ``clopper-pearson`` or ``wilson``, and which bounds are meant.
    successes, trials
        The counts.
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float
    method: Literal["clopper-pearson", "wilson"]
    sides: Sides
    successes: IntArray
    trials: IntArray


def clopper_pearson(
    successes: ArrayLike, trials: ArrayLike, *, confidence: float = 0.95, sides: Sides = "both"
) -> RateInterval:
    """Return the exact binomial interval: it covers the rate at least as often as it says.

    With k of n and a = (1 - confidence)/2 for both sides, or 1 - confidence for one, the bounds are the rates
    that make the observed tail exactly a:

        P(X >= k; n, low) = a,    P(X <= k; n, high) = a,

    that is, quantiles of Beta(k, n - k + 1) and Beta(k + 1, n - k). low = 0 at k = 0, high = 1 at k = n.

    Parameters
    ----------
    successes, trials
        k and n; scalars or arrays of one shape. n = 0 gives 0 to 1.
    confidence
        Strictly between 0 and 1.
    sides
        ``both``; ``lower`` for a one-sided lower bound (high = 1); ``upper`` for an upper one (low = 0).

    Raises
    ------
    ValueError
        For counts that are not counts, k > n, shapes that differ, a level outside (0, 1), an unknown side.

    References
    ----------
    C. J. Clopper and E. S. Pearson, The use of confidence or fiducial limits illustrated in the case of the
    binomial, Biometrika 26 (1934), 404-413. Published example: 0 of 300, upper bound at 95 %: the "rule of
    three", 3/300.

    Examples
    --------
    >>> round(float(clopper_pearson(0, 300, sides="upper").high), 4)
    0.0099
    """
    k, n, miss = _read(successes, trials, confidence, sides)
    with np.errstate(invalid="ignore"):
        low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, miss), 0.0)
        high = np.where(k < n, 1 - betaincinv(np.maximum(n - k, 1), k + 1, miss), 1.0)
    return _interval(k, n, low, high, confidence=confidence, method="clopper-pearson", sides=sides)


def wilson(
    successes: ArrayLike, trials: ArrayLike, *, confidence: float = 0.95, sides: Sides = "both"
) -> RateInterval:
    """Return Wilson's score interval: the rates p with |k/n - p| <= z sqrt(p (1 - p) / n).

    Its coverage is close to ``confidence`` on average over rates, not at least that for each one. In closed
    form, with z the normal quantile,

        (k + z²/2 ± z sqrt(k (n - k)/n + z²/4)) / (n + z²).

    Parameters
    ----------
    successes, trials, confidence, sides
        As in `clopper_pearson`.

    Raises
    ------
    ValueError
        As `clopper_pearson`.

    References
    ----------
    E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal of the American
    Statistical Association 22 (1927), 209-212. Example: R. G. Newcombe, Statistics in Medicine 17 (1998),
    857-872, table I: 81 of 263, 0.2553 to 0.3662.

    Examples
    --------
    >>> interval = wilson(81, 263)
    >>> round(float(interval.low), 4), round(float(interval.high), 4)
    (0.2553, 0.3662)
    """
    k, n, miss = _read(successes, trials, confidence, sides)
    z = -ndtri(miss)
    trials_or_one = np.maximum(n, 1)
    centre = k + z * z / 2
    half = z * np.sqrt(k * (n - k) / trials_or_one + z * z / 4)
    low = np.where(k > 0, (centre - half) / (n + z * z), 0.0)
    high = np.where(k < n, (centre + half) / (n + z * z), 1.0)
    return _interval(k, n, low, high, confidence=confidence, method="wilson", sides=sides)


def _read(
    successes: ArrayLike, trials: ArrayLike, confidence: float, sides: str
) -> tuple[IntArray, IntArray, float]:
    """Return the counts and the probability that each asked-for side may miss."""
    k, n = counts(successes=successes, trials=trials)
    within("successes", k, "trials", n)
    levels(confidence=confidence)
    one_of("sides", sides, ("both", "lower", "upper"))
    return k, n, (1 - confidence) / (2 if sides == "both" else 1)


def _interval(
    k: IntArray,
    n: IntArray,
    low: FloatArray,
    high: FloatArray,
    *,
    confidence: float,
    method: Literal["clopper-pearson", "wilson"],
    sides: Sides,
) -> RateInterval:
    return RateInterval(
        estimate=np.where(n > 0, k / np.maximum(n, 1), np.nan),
        low=np.zeros(k.shape) if sides == "upper" else np.clip(low, 0.0, 1.0),
        high=np.ones(k.shape) if sides == "lower" else np.clip(high, 0.0, 1.0),
        confidence=confidence,
        method=method,
        sides=sides,
        successes=k,
        trials=n,
    )
