"""Which inputs changed: one exact test an input, flagged together, with what each could have shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.binomial import log_choose
from poisson_stats.fisher import fisher_test
from poisson_stats.limits import limits_unpaired
from poisson_stats.multiplicity import benjamini_hochberg
from poisson_stats.significance import alpha_per_test, is_significant_log
from poisson_stats.validation import positive, rows, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.limits import DetectionLimits
    from poisson_stats.validation import BoolArray, FloatArray, IntArray

__all__ = ["InputFlags", "flag_inputs", "flips_needed_together", "repeats_for_a_lone_flip"]


@dataclass(frozen=True, slots=True, eq=False)
class InputFlags:
    """One row an input; rows that lack an arm are not tested and hold NaN.

    Attributes
    ----------
    change : ndarray of float, shape (inputs,)
        Rate after minus rate before.
    p, log_p : ndarray of float, shape (inputs,)
        Fisher's exact two-sided p-value, and its natural logarithm.
    p_bh, log_p_bh : ndarray of float, shape (inputs,)
        Benjamini-Hochberg adjusted over the tested inputs, and its natural logarithm.
    flagged : ndarray of bool, shape (inputs,)
        ``p_bh <= q``.
    smallest_p, log_smallest_p : ndarray of float, shape (inputs,)
        The smallest p-value the input's run counts can give at all: that of a complete flip.
    limits : DetectionLimits
        Each tested input's own exact limits at level `alpha`, from its rate before; in the order of `tested`.
    tested : ndarray of int, shape (tests,)
        Positions of the inputs that ran in both arms.
    q, alpha : float
        The level of the flags, and q over the number of tests.
    lone_flip_repeats : int
        Repeats an arm at which a single complete flip could be flagged.
    flip_together : int or None
        How many inputs would have to flip completely, together, for flags as things stand; None where no number
        of them could be flagged.
    """

    change: FloatArray
    p: FloatArray
    log_p: FloatArray
    p_bh: FloatArray
    log_p_bh: FloatArray
    flagged: BoolArray
    smallest_p: FloatArray
    log_smallest_p: FloatArray
    limits: DetectionLimits
    tested: IntArray
    q: float
    alpha: float
    lone_flip_repeats: int
    flip_together: int | None


def flag_inputs(
    k_before: ArrayLike, n_before: ArrayLike, k_after: ArrayLike, n_after: ArrayLike, *, q: float = 0.05
) -> InputFlags:
    """Flag the inputs whose rate changed: Fisher's exact test an input, Benjamini-Hochberg over all compared.

    Parameters
    ----------
    k_before, k_after : array_like of int, shape (inputs,)
        Runs with the event, in each arm.
    n_before, n_after : array_like of int, shape (inputs,)
        Runs with an outcome, at least k. Inputs that lack an arm are not compared.
    q : float in (0, 1), default 0.05
        Level of the flags.

    Returns
    -------
    InputFlags

    Raises
    ------
    ValueError
        For counts that are negative, fractional, NaN or empty, for shapes that differ, for k > n, a level outside
        (0, 1), and where no input ran in both arms.

    Examples
    --------
    One input that went from 12 of 32 to 32 of 32, among 328:

    >>> flags = flag_inputs([12] + [0] * 327, [32] * 328, [32] + [0] * 327, [32] * 328)
    >>> f"{flags.p[0]:.3g} {flags.p_bh[0]:.3g}", flags.lone_flip_repeats
    ('2.3e-08 7.55e-06', 9)
    """
    k0, n0, k1, n1 = rows(k_before=k_before, n_before=n_before, k_after=k_after, n_after=n_after)
    within("k_before", k0, "n_before", n0)
    within("k_after", k1, "n_after", n1)
    tested = np.flatnonzero((n0 > 0) & (n1 > 0))
    if not tested.size:
        raise ValueError(
            f"n_after={n1.tolist()} leaves no input that ran in both arms; at least one is needed."
        )
    a0, b0, a1, b1 = (column[tested] for column in (k0, n0, k1, n1))
    test = fisher_test(a0, b0, a1, b1)
    adjusted = benjamini_hochberg(test.log_p, q=q)
    log_smallest = np.where(b0 == b1, np.log(2.0), 0.0) - log_choose(b0 + b1, b1)
    alpha = alpha_per_test(q, tested.size)

    def spread(values: FloatArray) -> FloatArray:
        column = np.full(k0.size, np.nan)
        column[tested] = values
        return column

    flagged = np.zeros(k0.size, dtype=np.bool_)
    flagged[tested] = adjusted.rejected
    return InputFlags(
        change=spread(a1 / b1 - a0 / b0),
        p=spread(test.p),
        log_p=spread(test.log_p),
        p_bh=spread(adjusted.p),
        log_p_bh=spread(adjusted.log_p),
        flagged=flagged,
        smallest_p=spread(np.exp(log_smallest)),
        log_smallest_p=spread(log_smallest),
        limits=limits_unpaired(a0, b0, b1, alpha=alpha),
        tested=tested,
        q=q,
        alpha=alpha,
        lone_flip_repeats=repeats_for_a_lone_flip(tested.size, q=q),
        flip_together=flips_needed_together(b0, b1, q=q),
    )


def repeats_for_a_lone_flip(tests: int, *, q: float = 0.05) -> int:
    """Return the fewest repeats an arm at which one complete flip among `tests` inputs can be flagged.

    A complete flip of r runs v r runs has p = 2 / C(2r, r); alone, it is flagged when that is at most q / tests.

    Raises
    ------
    ValueError
        `tests` is not a positive whole number, or `q` is outside (0, 1).

    Examples
    --------
    >>> repeats_for_a_lone_flip(1), repeats_for_a_lone_flip(50)
    (4, 7)
    """
    level = np.log(alpha_per_test(q, tests))
    repeats = np.arange(1, 1 + int(np.ceil(2 - level)))
    log_p = np.log(2.0) - log_choose(2 * repeats, repeats)
    return int(repeats[np.argmax(is_significant_log(log_p, level))])


def flips_needed_together(n_before: ArrayLike, n_after: ArrayLike, *, q: float = 0.05) -> int | None:
    """Return how many inputs must flip completely, together, to be flagged by Benjamini-Hochberg.

    The smallest j such that the j inputs with the most telling run counts, flipped, have p-values of at most
    j q / M, with M the number of inputs; None where even all of them together could not be flagged.

    Parameters
    ----------
    n_before, n_after : array_like of int, shape (inputs,)
        Runs of each input, at least 1 each.
    q : float in (0, 1), default 0.05
        Level of the flags.

    Raises
    ------
    ValueError
        For run counts that are not counts or are 0, and for a level outside (0, 1).

    Examples
    --------
    >>> flips_needed_together([4] * 50, [4] * 50)
    29
    """
    n0, n1 = rows(n_before=n_before, n_after=n_after)
    positive(n_before=int(n0.min()), n_after=int(n1.min()))
    log_p = np.sort(np.where(n0 == n1, np.log(2.0), 0.0) - log_choose(n0 + n1, n1))
    rank = np.arange(1, n0.size + 1)
    enough = np.flatnonzero(is_significant_log(log_p, np.log(rank * alpha_per_test(q, n0.size))))
    return int(rank[enough[0]]) if enough.size else None
