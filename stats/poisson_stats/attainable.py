"""The p-values an exact test can give once its margins are known, and no others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import bdtr

from poisson_stats.fisher_region import reach_of_level
from poisson_stats.grouping import chunks, distinct
from poisson_stats.hypergeometric import mode, support, weights_from_mode
from poisson_stats.significance import LEVEL_SLACK, TIE_TOLERANCE
from poisson_stats.validation import rows, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Attainable:
    """The attainable p-values of m tests.

    Under its null hypothesis a conditional test gives a p-value of at most t with probability F(t), the
    largest attainable value not above t: t itself where t is attainable, less elsewhere, and 0 below the
    smallest one.

    Attributes
    ----------
    values
        The attainable p-values of each kind of test, ascending, the last one 1.
    kind
        Which of them each test has, shape (m,): tests with the same margins share a kind.
    """

    values: tuple[FloatArray, ...]
    kind: IntArray

    def null_probability(self, t: FloatArray) -> FloatArray:
        """Return F(t) of every kind at every t, shape (kinds, len(t))."""
        reach = np.asarray(t) * (1 + LEVEL_SLACK)
        padded = (np.concatenate(([0.0], values)) for values in self.values)
        return np.array([values[np.searchsorted(values, reach, side="right") - 1] for values in padded])


def attainable_fisher(
    k_before: ArrayLike, n_before: ArrayLike, k_after: ArrayLike, n_after: ArrayLike
) -> Attainable:
    """Return the p-values that Fisher's test can give with each row's margins.

    Parameters are those of `fisher.fisher_test`, one-dimensional.

    Raises
    ------
    ValueError
        As `fisher.fisher_test`.

    Examples
    --------
    Two events among 3 + 3 episodes: all in one arm, 1/5 for either arm, or one in each.

    >>> attainable_fisher([2], [3], [0], [3]).values[0].round(6).tolist()
    [0.4, 1.0]
    """
    k0, n0, k1, n1 = rows(k_before=k_before, n_before=n_before, k_after=k_after, n_after=n_after)
    within("k_before", k0, "n_before", n0)
    within("k_after", k1, "n_after", n1)
    first, kind = distinct(n0, n1, k0 + k1)
    return Attainable(fisher_values(n0[first], n1[first], (k0 + k1)[first]), kind)


def attainable_mcnemar(only_before: ArrayLike, only_after: ArrayLike) -> Attainable:
    """Return the p-values that McNemar's test can give with each row's number of discordant pairs.

    Parameters are those of `mcnemar.mcnemar_test`, one-dimensional.

    Raises
    ------
    ValueError
        As `mcnemar.mcnemar_test`.

    Examples
    --------
    >>> attainable_mcnemar([3], [1]).values[0].tolist()
    [0.125, 0.625, 1.0]
    """
    b, c = rows(only_before=only_before, only_after=only_after)
    sizes, kind = np.unique(b + c, return_inverse=True)
    values = tuple(
        np.append(2 * bdtr(np.arange((d + 1) // 2, dtype=np.float64), d, 0.5), 1.0) for d in sizes.tolist()
    )
    return Attainable(tuple(_without_repeats(value) for value in values), kind)


def fisher_values(
    n0: IntArray, n1: IntArray, total: IntArray, smallest: float = 0.0
) -> tuple[FloatArray, ...]:
    """Return the attainable p-values of Fisher's test for each of several margins.

    Parameters
    ----------
    n0, n1, total
        Sizes of the arms and the total number of events, shape (r,).
    smallest
        Values below it are not needed: what lies so far out is left out, and what remains is right to 1e-14
        of ``smallest``.
    """
    low, high = support(n0, n1, total)
    centre = mode(n0, n1, total)
    reach = np.maximum(centre - low, high - centre)
    if smallest > 0:
        reach = np.minimum(reach, reach_of_level(n0, n1, total, smallest))
    values: list[FloatArray] = []
    for i in chunks(total.size, 2 * int(reach.max()) + 2):
        down, up = weights_from_mode(n0[i], n1[i], total[i], int(reach[i].max()) + 1)
        weight = np.sort(np.hstack((down[:, 1:], up)), axis=1)
        p = np.cumsum(weight, axis=1)
        p /= p[:, -1:]
        # Equally probable tables have one p-value: that of the last of them.
        is_last = (weight[:, 1:] > weight[:, :-1] * (1 + TIE_TOLERANCE)) & (weight[:, :-1] > 0)
        values += [
            _without_repeats(np.append(row[:-1][last], 1.0)) for row, last in zip(p, is_last, strict=True)
        ]
    return tuple(values)


def _without_repeats(values: FloatArray) -> FloatArray:
    """Drop values that rounding made equal to, or larger than, the 1 at the end."""
    return np.unique(np.minimum(values, 1.0))
