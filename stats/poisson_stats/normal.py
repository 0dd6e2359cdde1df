"""The few things asked of the normal distribution, from scipy.special (importing scipy.stats takes seconds)."""

from __future__ import annotations

import math

from scipy.special import log_ndtr, ndtri

from poisson_stats.validation import levels

__all__ = ["chi_square_1_log_tail", "detection_z", "two_sided_z"]


def two_sided_z(confidence: float) -> float:
    """Return z with P(-z < Z < z) = `confidence`: 1.95996... at 0.95.

    Raises
    ------
    ValueError
        The level is outside (0, 1).
    """
    levels(confidence=confidence)
    return float(-ndtri((1 - confidence) / 2))


def detection_z(alpha: float, power: float) -> tuple[float, float]:
    """Return z(1 - alpha/2) and z(power), the two quantiles of every approximate detection limit.

    Raises
    ------
    ValueError
        `alpha` or `power` is outside (0, 1).
    """
    levels(alpha=alpha, power=power)
    return float(-ndtri(alpha / 2)), float(ndtri(power))


def chi_square_1_log_tail(statistic: float) -> float:
    """Return the natural logarithm of P(X >= `statistic`) for chi-square with one degree of freedom.

    It stays finite where the probability itself underflows.
    """
    return min(0.0, math.log(2) + float(log_ndtr(-math.sqrt(statistic))))
