"""Score intervals for a difference of two rates: Tango's (paired) and Miettinen and Nurminen's (unpaired).

A score interval holds the differences that a score test does not reject: the variance is that of the
difference asked about, not of the one observed. So it stays inside [-1, 1], and it has a length also where no
event was seen at all. Both are solved for by bisection to the last bits; the square of the statistic rises
from 0 at the observed difference to beyond the bound at -1 and at 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from scipy.special import ndtri

from poisson_stats.validation import counts, levels, within

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from poisson_stats.validation import BoolArray, FloatArray, IntArray

BISECTIONS = 53
"""Halvings of a stretch of length at most 2: to 2e-16."""


@dataclass(frozen=True, slots=True, eq=False)
class DifferenceInterval:
    """Intervals for the first rate minus the second, in the shape of the counts that were given.

    Attributes
    ----------
    estimate, low, high
        The observed difference and the bounds, in [-1, 1]; NaN where there is no data.
    confidence
        The level asked for.
    method
        ``tango`` or ``miettinen-nurminen``.
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float
    method: Literal["tango", "miettinen-nurminen"]


def tango(
    both: ArrayLike,
    only_first: ArrayLike,
    only_second: ArrayLike,
    neither: ArrayLike,
    *,
    confidence: float = 0.95,
) -> DifferenceInterval:
    """Return Tango's score interval for the difference of two paired rates.

    With b pairs in which only the first had the event, c in which only the second, n pairs in all, the
    interval holds the differences t with

        (b - c - n t)² <= z² n (2 q + t (1 - t)),

    where q is the likelihood estimate of P(only second) under the difference t, the larger root of

        2 n q² + (-b - c + (2 n - b + c) t) q - c t (1 - t) = 0.

    Parameters
    ----------
    both, only_first, only_second, neither
        Pairs of each kind; scalars or arrays of one shape. b = c = 0 is fine; no pairs at all give NaN.
    confidence
        Strictly between 0 and 1.

    Raises
    ------
    ValueError
        For counts that are not counts, shapes that differ, a level outside (0, 1).

    References
    ----------
    T. Tango, Equivalence test and confidence interval for the difference in proportions for the paired-sample
    design, Statistics in Medicine 17 (1998), 891-908.

    Examples
    --------
    >>> interval = tango(53, 16, 8, 9)
    >>> round(float(interval.low), 3), round(float(interval.high), 3)
    (-0.02, 0.207)
    """
    a, b, c, d = counts(both=both, only_first=only_first, only_second=only_second, neither=neither)
    levels(confidence=confidence)
    n = a + b + c + d
    z2 = ndtri((1 - confidence) / 2) ** 2
    size = np.maximum(n, 1)
    estimate = (b - c) / size

    def inside(t: FloatArray) -> BoolArray:
        linear = -b - c + (2 * size - b + c) * t
        root = np.sqrt(np.maximum(linear * linear + 8 * size * c * t * (1 - t), 0.0))
        # The larger root, written so that nothing cancels where the linear term is positive.
        product = c * t * (1 - t)
        with np.errstate(divide="ignore", invalid="ignore"):
            q = np.where(linear > 0, 2 * product / (linear + root), (root - linear) / (4 * size))
        variance = np.maximum(size * (2 * q + t * (1 - t)), 0.0)
        return np.asarray((b - c - size * t) ** 2 <= z2 * variance)

    return _interval(estimate, n > 0, inside, confidence, "tango")


def miettinen_nurminen(
    k_first: ArrayLike,
    n_first: ArrayLike,
    k_second: ArrayLike,
    n_second: ArrayLike,
    *,
    confidence: float = 0.95,
) -> DifferenceInterval:
    """Return Miettinen and Nurminen's score interval for the difference of two independent rates.

    With observed rates r1 and r2 and N = n1 + n2, the interval holds the differences t with

        (r1 - r2 - t)² <= z² (p1 (1 - p1)/n1 + p2 (1 - p2)/n2) N/(N - 1),

    where p1 = p2 + t are the likelihood estimates under the difference t (`restricted_rates`).

    Parameters
    ----------
    k_first, n_first, k_second, n_second
        Events and trials of each arm; scalars or arrays of one shape. An arm without trials gives NaN.
    confidence
        Strictly between 0 and 1.

    Raises
    ------
    ValueError
        For counts that are not counts, k > n, shapes that differ, a level outside (0, 1).

    Notes
    -----
    statsmodels' ``confint_proportions_2indep(method="score")`` gives other numbers; R's
    ``PropCIs::diffscoreci`` leaves out N/(N - 1), ``DescTools::BinomDiffCI(method = "mn")`` has it.

    References
    ----------
    O. Miettinen and M. Nurminen, Comparative analysis of two rates, Statistics in Medicine 4 (1985), 213-226.

    Examples
    --------
    >>> interval = miettinen_nurminen(5, 56, 0, 29)
    >>> round(float(interval.low), 4), round(float(interval.high), 4)
    (-0.0326, 0.1933)
    """
    k1, n1, k2, n2 = counts(k_first=k_first, n_first=n_first, k_second=k_second, n_second=n_second)
    within("k_first", k1, "n_first", n1)
    within("k_second", k2, "n_second", n2)
    levels(confidence=confidence)
    has_data = (n1 > 0) & (n2 > 0)
    m1, m2 = np.maximum(n1, 1), np.maximum(n2, 1)
    estimate = k1 / m1 - k2 / m2
    z2 = ndtri((1 - confidence) / 2) ** 2 * (m1 + m2) / (m1 + m2 - 1)

    def inside(t: FloatArray) -> BoolArray:
        p1, p2 = restricted_rates(k1, m1, k2, m2, t)
        variance = p1 * (1 - p1) / m1 + p2 * (1 - p2) / m2
        return np.asarray((estimate - t) ** 2 <= z2 * variance)

    return _interval(estimate, has_data, inside, confidence, "miettinen-nurminen")


def restricted_rates(
    k1: IntArray, n1: IntArray, k2: IntArray, n2: IntArray, difference: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the likelihood estimates of two rates whose difference p1 - p2 is given.

    The second rate solves the cubic L3 p³ + L2 p² + L1 p + L0 = 0 with

        L3 = n1 + n2,  L2 = (n1 + 2 n2) t - (n1 + n2) - (k1 + k2),
        L1 = (n2 t - (n1 + n2) - 2 k2) t + k1 + k2,  L0 = k2 t (1 - t),

    whose three roots are real; the middle one lies in the range that keeps both rates in [0, 1]. About the roots' centre c
    it is c + 2 r sin(arcsin(h / r³) / 3), with r² = c² - L1 / (3 L3) and h half the constant of the monic cubic in p - c.

    References
    ----------
    Miettinen and Nurminen (1985), appendix I.
    """
    t = difference
    l3 = (n1 + n2).astype(np.float64)
    l2 = (n1 + 2 * n2) * t - l3 - (k1 + k2)
    l1 = (n2 * t - l3 - 2 * k2) * t + k1 + k2
    l0 = k2 * t * (1 - t)
    centre = -l2 / (3 * l3)
    half_constant = -(centre**3) + centre * l1 / (2 * l3) + l0 / (2 * l3)
    radius = np.sqrt(np.maximum(centre**2 - l1 / (3 * l3), 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        sine = np.nan_to_num(np.clip(half_constant / radius**3, -1.0, 1.0))
    second = centre + 2 * radius * np.sin(np.arcsin(sine) / 3)
    second = np.clip(second, np.maximum(0.0, -t), np.minimum(1.0, 1.0 - t))
    return second + t, second


def _interval(
    estimate: FloatArray,
    has_data: BoolArray,
    inside: Callable[[FloatArray], BoolArray],
    confidence: float,
    method: Literal["tango", "miettinen-nurminen"],
) -> DifferenceInterval:
    known = np.where(has_data, estimate, np.nan)
    bounds = (np.where(has_data, _bound(estimate, edge, inside), np.nan) for edge in (-1.0, 1.0))
    low, high = bounds
    return DifferenceInterval(estimate=known, low=low, high=high, confidence=confidence, method=method)


def _bound(estimate: FloatArray, edge: float, inside: Callable[[FloatArray], BoolArray]) -> FloatArray:
    """Return where ``inside`` stops being true between the estimate and the edge, by bisection."""
    kept, left = estimate, np.full_like(estimate, edge)
    for _ in range(BISECTIONS):
        middle = (kept + left) / 2
        holds = inside(middle)
        kept, left = np.where(holds, middle, kept), np.where(holds, left, middle)
    return kept
