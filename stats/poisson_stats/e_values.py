"""E-values: evidence against "nothing changed" that may be looked at after every pair.

An e-process is a running product whose expectation, if nothing changed, is at most 1 *at every stopping time*. By
Ville's inequality it ever reaches 1/alpha with probability at most alpha, however often one looks. A p-value that is
looked at every 10 pairs up to 400 and acted on when it pleases is wrong 22 times in 100, not 5.

Everything is in natural logarithms: evidence of a thousand pairs overflows a double.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betaln

from poisson_stats.significance import LEVEL_SLACK
from poisson_stats.validation import counts, levels, refuse_where

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import BoolArray, FloatArray

__all__ = ["BLOCK_PRIOR", "EBenjaminiHochberg", "block_log_e", "e_benjamini_hochberg", "sign_log_e"]

BLOCK_PRIOR = 0.18
"""Both shapes of the Beta prior on each arm's rate in the block test; the article's choice for blocks of 1 + 1."""


def sign_log_e(only_before: ArrayLike, only_after: ArrayLike) -> FloatArray:
    """Return the log of the sign e-process of paired arms after so many discordant pairs.

    Parameters
    ----------
    only_before, only_after : array_like of int
        b and c: pairs with the event only before, only after; scalars or arrays of one shape.

    Returns
    -------
    ndarray of float
        log E; 0 without discordant pairs. Two-sided: it grows whichever way the pairs lean.

    Raises
    ------
    ValueError
        For counts that are negative, fractional, NaN or empty, and for shapes that differ.

    Notes
    -----
    If nothing changed, each discordant pair is a fair coin. The likelihood ratio against it, mixed over the coin's
    bias by the Beta(1/2, 1/2) distribution, has a closed form,

        E = B(b + 1/2, c + 1/2) / B(1/2, 1/2) * 2^(b + c),

    and is a martingale that starts at 1: Robbins' method of mixtures [1]_ with the prior of Krichevsky and
    Trofimov, whose regret over the best bias is at most log(b + c)/2 + log 2. Concordant pairs say nothing and
    leave it unchanged.

    References
    ----------
    .. [1] Robbins, H. (1970). Statistical methods related to the law of the iterated logarithm. Annals of
       Mathematical Statistics 41, 1397-1409.
    .. [2] Ramdas, A., Grunwald, P., Vovk, V. and Shafer, G. (2023). Game-theoretic statistics and safe
       anytime-valid inference. Statistical Science 38, 576-601.

    Examples
    --------
    >>> [round(float(v), 3) for v in np.exp(sign_log_e([0, 0, 0], [1, 4, 10]))]
    [1.0, 4.375, 180.426]
    """
    b, c = counts(only_before=only_before, only_after=only_after)
    return np.asarray(betaln(b + 0.5, c + 0.5) - betaln(0.5, 0.5) + (b + c) * np.log(2))


def block_log_e(
    before: ArrayLike, after: ArrayLike, events_before: ArrayLike, events_after: ArrayLike, blocks: ArrayLike
) -> FloatArray:
    """Return the log of the e-value of one block: one episode of each of two independent arms.

    Parameters
    ----------
    before, after : array_like of int
        Whether the block's episode of each arm had the event: 1 or 0.
    events_before, events_after : array_like of int
        Events among the blocks before this one, in each arm.
    blocks : array_like of int
        How many blocks came before.

    Returns
    -------
    ndarray of float
        log of the factor by which this block multiplies the evidence.

    Raises
    ------
    ValueError
        For counts that are not counts, more events than blocks, an event above 1, and shapes that differ.

    Notes
    -----
    The safe test for 2 x 2 tables [1]_, in blocks of one episode an arm. With a and b the arms' rates as
    predicted from earlier blocks (posterior means under Beta(0.18, 0.18)) and m = (a + b)/2,

        e = [a/m or (1-a)/(1-m)] * [b/m or (1-b)/(1-m)],

    by whether each episode had the event. If both arms share the rate t, the two brackets have expectations 1 + g
    and 1 - g for some g, so e has expectation 1 - g^2 <= 1, whatever t is: the product over blocks is an
    e-process. It learns the rates as it goes and is two-sided.

    References
    ----------
    .. [1] Turner, R. J., Ly, A. and Grunwald, P. D. (2024). Generic E-variables for exact sequential k-sample
       tests that allow for optional stopping. Journal of Statistical Planning and Inference 230, 106116.

    Examples
    --------
    The first block says nothing; after ten blocks of 0 against 1 another such block says a good deal:

    >>> [round(float(v), 2) for v in np.exp(block_log_e([0, 0], [1, 1], [0, 0], [0, 10], [0, 10]))]
    [1.0, 3.86]
    """
    y0, y1, s0, s1, n = counts(
        before=before, after=after, events_before=events_before, events_after=events_after, blocks=blocks
    )
    refuse_where(y0 > 1, "before", y0, "must be 0 or 1")
    refuse_where(y1 > 1, "after", y1, "must be 0 or 1")
    refuse_where(s0 > n, "events_before", s0, "must not exceed blocks", n)
    refuse_where(s1 > n, "events_after", s1, "must not exceed blocks", n)
    a = (s0 + BLOCK_PRIOR) / (n + 2 * BLOCK_PRIOR)
    b = (s1 + BLOCK_PRIOR) / (n + 2 * BLOCK_PRIOR)
    middle = (a + b) / 2
    return np.asarray(_log_factor(y0 == 1, a, middle) + _log_factor(y1 == 1, b, middle))


@dataclass(frozen=True, slots=True, eq=False)
class EBenjaminiHochberg:
    """Which of m e-values are flagged.

    Attributes
    ----------
    flagged : ndarray of bool, shape (m,)
        Those of at least `threshold`.
    threshold : float
        m / (q R) with R flagged; m / q where none is.
    q : float
        The false discovery rate.
    """

    flagged: BoolArray
    threshold: float
    q: float


def e_benjamini_hochberg(log_e: ArrayLike, *, q: float = 0.05) -> EBenjaminiHochberg:
    """Flag e-values at false discovery rate q, under any dependence between them.

    Parameters
    ----------
    log_e : array_like of float, shape (m,)
        Natural logarithms of the e-values.
    q : float in (0, 1), default 0.05
        The false discovery rate.

    Returns
    -------
    EBenjaminiHochberg

    Raises
    ------
    ValueError
        For an empty or not one-dimensional array, NaN, and a level outside (0, 1).

    Notes
    -----
    With e(1) >= e(2) >= ... >= e(m), the R largest are flagged for the largest R with e(R) >= m / (q R): Wang, R.
    and Ramdas, A. (2022). False discovery rate control with e-values. Journal of the Royal Statistical
    Society B 84, 822-852, theorem 2. Unlike the procedure on p-values it needs no independence, and the e-values
    may have been stopped at any time.

    Examples
    --------
    >>> e_benjamini_hochberg(np.log([50.0, 45.0, 2.0, 1.0]), q=0.05).flagged.tolist()
    [True, True, False, False]
    """
    levels(q=q)
    values = np.asarray(log_e, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(
            f"log_e has shape {values.shape}; one dimension with at least one e-value is accepted."
        )
    refuse_where(np.isnan(values), "log_e", values, "must be a number")
    return EBenjaminiHochberg(*_flag(values, q), q)


def _flag(log_e: FloatArray, q: float) -> tuple[BoolArray, float]:
    """Return the flags and the threshold reached."""
    rank = np.arange(1, log_e.size + 1)
    log_needed = np.log(log_e.size / (q * rank)) - LEVEL_SLACK
    reached = np.flatnonzero(np.sort(log_e)[::-1] >= log_needed)
    rejected = int(reached[-1]) + 1 if reached.size else 0
    least = log_needed[max(rejected - 1, 0)]
    return np.asarray((log_e >= least) & (rejected > 0)), log_e.size / (q * max(rejected, 1))


def _log_factor(event: BoolArray, rate: FloatArray, middle: FloatArray) -> FloatArray:
    return np.where(event, np.log(rate / middle), np.log1p(-rate) - np.log1p(-middle))
