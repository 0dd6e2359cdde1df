"""How alike the two arms of a pair are, and what that saves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.validation import rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class PairCorrelation:
    """The correlation of the two arms' events over pairs.

    Attributes
    ----------
    by_row
        φ of each row; NaN where an arm of it always or never had the event.
    pooled
        One figure for all rows: the sum of their covariances over the sum of the products of their standard
        deviations, each row weighted by its pairs. Differences between the rows' rates, which every pair
        shares, do not enter it. NaN where no row has a φ.
    """

    by_row: FloatArray
    pooled: float


def pair_correlation(
    both: ArrayLike, only_before: ArrayLike, only_after: ArrayLike, neither: ArrayLike
) -> PairCorrelation:
    """Return the correlation φ of the event between the arms of a pair.

    With a pairs of both, b of only before, c of only after and d of neither,

        φ = (a d - b c) / sqrt((a + b) (c + d) (a + c) (b + d)).

    Sharing seeds pays by φ: the replay noise that both arms share cancels. Where it is near 0 although the
    seeds were shared, the program does not follow its seed, and pairing bought nothing.

    Parameters
    ----------
    both, only_before, only_after, neither
        Pairs of each kind, per row.

    Raises
    ------
    ValueError
        For counts that are negative, fractional, NaN or empty, and for shapes that differ.

    Examples
    --------
    >>> found = pair_correlation([40, 0], [10, 5], [10, 3], [40, 0])
    >>> found.by_row.round(3).tolist(), round(found.pooled, 3)
    ([0.6, -1.0], 0.488)
    """
    a, b, c, d = rows(both=both, only_before=only_before, only_after=only_after, neither=neither)
    # Products of four counts overflow 64-bit integers from 50,000 on.
    covariance, scale = _moments(*(cell.astype(np.float64) for cell in (a, b, c, d)))
    by_row = np.divide(covariance, scale, out=np.full(a.size, np.nan), where=scale > 0)
    pairs = np.maximum(a + b + c + d, 1)
    total = float((scale / pairs).sum())
    pooled = float((covariance / pairs).sum()) / total if total > 0 else np.nan
    return PairCorrelation(by_row=np.clip(by_row, -1.0, 1.0), pooled=float(np.clip(pooled, -1.0, 1.0)))


def discordance(
    rate_before: FloatArray, rate_after: FloatArray, correlation: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return P(only before) and P(only after) of pairs with given rates and correlation φ.

    P(only before) = p0 (1 - p1) - c and P(only after) = (1 - p0) p1 - c, where c = φ sqrt(p0 (1 - p0) p1 (1 - p1))
    is the covariance. It is clipped to what the rates allow: each of the four kinds of pair has a probability
    of at least 0.
    """
    p0, p1 = rate_before, rate_after
    before, after = p0 * (1 - p1), (1 - p0) * p1
    covariance = correlation * np.sqrt(before * after)
    covariance = np.clip(covariance, -np.minimum(p0 * p1, (1 - p0) * (1 - p1)), np.minimum(before, after))
    return before - covariance, after - covariance


def _moments(a: FloatArray, b: FloatArray, c: FloatArray, d: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return n² times the covariance and n² times the product of the standard deviations."""
    return a * d - b * c, np.sqrt((a + b) * (c + d)) * np.sqrt((a + c) * (b + d))
