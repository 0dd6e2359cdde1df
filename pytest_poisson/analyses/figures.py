"""Figures of a result: a number, or None where the statistics give none."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poisson_stats.validation import FloatArray


def finite(value: float) -> float | None:
    """Return a number, or None where it is none or infinite."""
    return float(value) if isfinite(value) else None


def finite_list(values: FloatArray) -> list[float | None]:
    """Return an array's numbers, None for those that are none or infinite."""
    return [finite(value) for value in values.tolist()]
