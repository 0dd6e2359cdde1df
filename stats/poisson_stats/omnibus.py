"""One test of a whole comparison: whether any condition changed at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.validation import positive, rows, within

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from poisson_stats.validation import BoolArray, FloatArray, IntArray

PERMUTATIONS = 4000

DECIMALS = 12
"""Statistics are rounded to this many decimals before they are ranked, so that equal ones tie."""


@dataclass(frozen=True, slots=True)
class Omnibus:
    """The test of "no condition changed" for one event.

    Attributes
    ----------
    p
        The combined p-value, at least ``floor``.
    location, p_location
        Mean of the conditions' changes, and its own two-sided p-value.
    dispersion, p_dispersion
        Root mean square of the changes, and its own p-value. It sees changes that cancel in the mean.
    floor
        1 / (permutations + 1), the smallest p-value that so many permutations can give.
    conditions, informative
        Conditions with an outcome in both arms, and those of them whose labels make a difference.
    permutations, seed
        How the reference distribution was drawn.
    """

    p: float
    location: float
    p_location: float
    dispersion: float
    p_dispersion: float
    floor: float
    conditions: int
    informative: int
    permutations: int
    seed: int


def omnibus_unpaired(
    k_before: ArrayLike,
    n_before: ArrayLike,
    k_after: ArrayLike,
    n_after: ArrayLike,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Omnibus:
    """Test whether any condition of two independent arms changed, by permuting arm labels within conditions.

    With d_i the change of condition i, the location |mean d_i| finds changes in one direction and the
    dispersion sqrt(mean d_i²) those that cancel. Each is ranked among its permuted values, the smaller of the
    two p-values is the statistic, and that is ranked among *its* permuted values: p = (1 + k) / (B + 1), with k
    permutations of B at least as extreme. No correction for having looked twice is needed.

    Permuting labels within a condition draws its events after from a hypergeometric distribution, so no
    episode is touched.

    Parameters
    ----------
    k_before, n_before, k_after, n_after
        Per condition, one event, as in `comparison.compare_unpaired`.
    permutations
        B.
    seed
        Seed of ``numpy.random.default_rng``. The result does not depend on the order of the conditions.

    Raises
    ------
    ValueError
        For counts that are not counts, k > n, shapes that differ, fewer than one permutation.

    References
    ----------
    E. S. Edgington, Randomization tests, 3rd edition, Marcel Dekker 1995. L. H. C. Tippett, The methods of
    statistics, Williams and Norgate 1931 (smallest p). B. Phipson and G. K. Smyth, Permutation p-values should
    never be zero, Statistical Applications in Genetics and Molecular Biology 9 (2010), article 39.

    Examples
    --------
    Two conditions changed in opposite directions: the mean sees nothing, the dispersion does.

    >>> found = omnibus_unpaired([10, 40, 25], [50] * 3, [40, 10, 25], [50] * 3)
    >>> found.p < 0.001, found.p_dispersion == found.floor, found.p_location
    (True, True, 1.0)
    """
    k0, n0, k1, n1 = rows(k_before=k_before, n_before=n_before, k_after=k_after, n_after=n_after)
    within("k_before", k0, "n_before", n0)
    within("k_after", k1, "n_after", n1)
    k0, n0, k1, n1 = _in_order(k0, n0, k1, n1, keep=(n0 > 0) & (n1 > 0))
    total, n = k0 + k1, n0 + n1

    def draw(rng: np.random.Generator, i: int, size: int) -> FloatArray:
        after = rng.hypergeometric(total[i], n[i] - total[i], n1[i], size)
        return np.asarray(after / n1[i] - (total[i] - after) / n0[i])

    return _omnibus(k1 / n1 - k0 / n0, (total > 0) & (total < n), draw, permutations, seed)


def omnibus_paired(
    both: ArrayLike,
    only_before: ArrayLike,
    only_after: ArrayLike,
    neither: ArrayLike,
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> Omnibus:
    """Test whether any condition of paired arms changed, by swapping the arms within pairs.

    As `omnibus_unpaired`; swapping makes each of a condition's discordant pairs fall on either side by the
    toss of a coin, and leaves the others as they are.

    Parameters
    ----------
    both, only_before, only_after, neither
        Per condition, one event, as in `comparison.compare_paired`.
    permutations, seed
        As in `omnibus_unpaired`.

    Raises
    ------
    ValueError
        As `omnibus_unpaired`.
    """
    a, b, c, d = rows(both=both, only_before=only_before, only_after=only_after, neither=neither)
    a, b, c, d = _in_order(a, b, c, d, keep=a + b + c + d > 0)
    discordant, n = b + c, a + b + c + d

    def draw(rng: np.random.Generator, i: int, size: int) -> FloatArray:
        return np.asarray((2 * rng.binomial(discordant[i], 0.5, size) - discordant[i]) / n[i])

    return _omnibus((c - b) / n, discordant > 0, draw, permutations, seed)


def _in_order(*columns: IntArray, keep: BoolArray) -> tuple[IntArray, ...]:
    """Return the kept conditions in an order that depends on their counts alone."""
    order = np.lexsort([column[keep] for column in reversed(columns)])
    return tuple(column[keep][order] for column in columns)


def _omnibus(
    change: FloatArray,
    informs: BoolArray,
    draw: Callable[[np.random.Generator, int, int], FloatArray],
    permutations: int,
    seed: int,
) -> Omnibus:
    """Rank the observed changes, in row 0, among permuted ones."""
    positive(permutations=permutations)
    rng = np.random.default_rng(seed)
    total, squares = np.zeros(permutations + 1), np.zeros(permutations + 1)
    for i in range(change.size):
        drawn = draw(rng, i, permutations) if informs[i] else np.full(permutations, change[i])
        values = np.concatenate((change[i : i + 1], drawn))
        total += values
        squares += values * values
    conditions = max(1, change.size)
    p_location = _shares_as_large(np.abs(total / conditions))
    p_dispersion = _shares_as_large(np.sqrt(squares / conditions))
    p = _shares_as_large(-np.minimum(p_location, p_dispersion))
    return Omnibus(
        p=float(p[0]),
        location=float(total[0] / conditions),
        p_location=float(p_location[0]),
        dispersion=float(np.sqrt(squares[0] / conditions)),
        p_dispersion=float(p_dispersion[0]),
        floor=1 / (permutations + 1),
        conditions=int(change.size),
        informative=int(informs.sum()),
        permutations=permutations,
        seed=seed,
    )


def _shares_as_large(values: FloatArray) -> FloatArray:
    """Return for each value the share of all values, itself included, that are at least as large."""
    rounded = np.round(values, DECIMALS)
    smaller = np.searchsorted(np.sort(rounded), rounded, side="left")
    return np.asarray((values.size - smaller) / values.size)
