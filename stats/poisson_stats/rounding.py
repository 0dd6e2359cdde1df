"""Rounding limits upward, so that a printed limit is one the design really reaches."""

from __future__ import annotations

import math

__all__ = ["ceil_count", "round_up"]


def round_up(value: float, decimals: int) -> float:
    """Round up to `decimals` places, forgiving an excess of 1e-9 of the last place.

    A limit that is 0.2 up to a rounding error must not become 0.2001; one of 0.20001 must. Infinity and NaN
    pass through.

    Examples
    --------
    >>> round_up(0.20001, 4), round_up(0.2 + 1e-15, 4)
    (0.2001, 0.2)
    """
    if not math.isfinite(value):
        return value
    step = 10.0**decimals
    return math.ceil(value * step - 1e-9) / step


def ceil_count(value: float) -> int:
    """Return the smallest whole number not below `value`, forgiving a relative excess of 1e-12.

    Examples
    --------
    >>> ceil_count(49.0 * (1 + 1e-15)), ceil_count(49.001)
    (49, 50)
    """
    return math.ceil(value * (1 - 1e-12))
