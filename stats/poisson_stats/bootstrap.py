"""The cluster bootstrap: resample whole units (items, inputs, conditions), never single rows of one.

Units that are alike are drawn together: a resample of n units is one multinomial draw over the distinct kinds
of unit. It has the same distribution as drawing n indices, costs as much as there are kinds instead of units,
and depends on nothing but the units themselves: the kinds are sorted, so no order of rows can move a figure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.validation import levels, positive

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from poisson_stats.validation import FloatArray, IntArray

__all__ = ["drawn_weights", "percentile_interval", "resampled_sums", "unit_kinds"]

# Numbers held at once while drawing; 32 MB of doubles.
_CHUNK = 4_000_000


def unit_kinds(units: NDArray[np.number]) -> tuple[NDArray[np.number], IntArray]:
    """Return the distinct rows of `units` in sorted order, and how many units are of each.

    Parameters
    ----------
    units : ndarray of shape (n, c)
        One row a unit: the c totals a statistic is made of, such as flips and pairs.

    Returns
    -------
    kinds : ndarray of shape (k, c)
    how_many : ndarray of int, shape (k,)
        Adds up to n.
    """
    kinds, how_many = np.unique(units, axis=0, return_counts=True)
    return kinds, how_many.astype(np.int64)


def drawn_weights(how_many: IntArray, *, resamples: int, seed: int, width: int = 1) -> Iterator[IntArray]:
    """Draw how often each kind of unit occurs in each resample, a chunk of resamples at a time.

    Parameters
    ----------
    how_many : ndarray of int, shape (k,)
        Units of each kind; n in all.
    resamples : int
        How many resamples, at least 1.
    seed : int
        Seed of `numpy.random.default_rng`. The chunks continue one stream: their size changes no number.
    width : int
        Numbers the caller will hold for each resample, for the size of a chunk.

    Yields
    ------
    ndarray of int, shape (chunk, k)
        Each row adds up to n.

    Raises
    ------
    ValueError
        `resamples` is not positive.
    """
    positive(resamples=resamples)
    generator = np.random.default_rng(seed)
    units = int(how_many.sum())
    chunk = max(1, _CHUNK // max(width, how_many.size))
    for start in range(0, resamples, chunk):
        size = min(chunk, resamples - start)
        yield generator.multinomial(units, how_many / units, size=size)


def resampled_sums(units: NDArray[np.number], *, resamples: int, seed: int) -> FloatArray:
    """Return the column totals of `units` in each resample of its rows.

    Parameters
    ----------
    units : ndarray of shape (n, c)
        One row a unit.
    resamples : int
        How many resamples, at least 1.
    seed : int
        Seed of `numpy.random.default_rng`.

    Returns
    -------
    ndarray of float, shape (resamples, c)

    Raises
    ------
    ValueError
        `resamples` is not positive.

    Notes
    -----
    A statistic of ratio form is then one division: its unit is the row, so that rows of one item stay
    together (Davison and Hinkley 1997, Bootstrap Methods and their Application, section 3.8).
    """
    kinds, how_many = unit_kinds(units)
    totals = kinds.astype(np.float64)
    weights = drawn_weights(how_many, resamples=resamples, seed=seed)
    return np.concatenate([chunk @ totals for chunk in weights])


def percentile_interval(draws: FloatArray, *, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Return the percentile interval of `draws` along their first axis.

    The quantile rule is linear interpolation between order statistics (Hyndman and Fan's type 7, NumPy's
    ``method="linear"``, R's default), fixed here because the others differ in the last printed digit.

    Parameters
    ----------
    draws : ndarray of float, shape (resamples, ...)
        The statistic in each resample. NaN in, NaN out.
    confidence : float in (0, 1)
        Level of the interval.

    Raises
    ------
    ValueError
        The level is outside (0, 1).
    """
    levels(confidence=confidence)
    tail = (1 - confidence) / 2
    low, high = np.quantile(draws, [tail, 1 - tail], axis=0, method="linear")
    return low, high
