"""Fisher's exact test for many 2 x 2 tables at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.grouping import chunks, distinct
from poisson_stats.hypergeometric import log_weights_from_mode, mode, support
from poisson_stats.significance import TIE_TOLERANCE
from poisson_stats.validation import counts, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class ExactTest:
    """Two-sided p-values, in the shape of the counts that were given.

    Attributes
    ----------
    p
        The p-values; 0 where they are below the smallest double, so print from ``log_p``.
    log_p
        Their natural logarithms, finite always.
    """

    p: FloatArray
    log_p: FloatArray


def fisher_test(
    k_before: ArrayLike, n_before: ArrayLike, k_after: ArrayLike, n_after: ArrayLike
) -> ExactTest:
    """Test whether two independent arms share one event rate, by Fisher's exact test (two-sided).

    Given the total number of events s = k_before + k_after, the count x of the arm before is
    hypergeometric under equal rates, P(x) = C(n_before, x) C(n_after, s - x) / C(n_before + n_after, s).
    The p-value is the total probability of the tables no more probable than the observed one,

        p = sum of P(x) over all x with P(x) <= P(k_before) (1 + 1e-7).

    The tolerance makes equal probabilities equal in floating point (see `significance.TIE_TOLERANCE`). This
    is the rule of R's ``fisher.test`` and of ``scipy.stats.fisher_exact``. It is not twice the smaller tail.

    Parameters
    ----------
    k_before, k_after
        Episodes with the event; scalars or arrays of one shape.
    n_before, n_after
        Episodes with an outcome, at least k. An arm with none gives p = 1.

    Returns
    -------
    ExactTest

    Raises
    ------
    ValueError
        For counts that are negative, fractional, NaN or empty, for shapes that differ, and for k > n.

    Notes
    -----
    Time and memory grow with the sum of min(n_before, n_after, s, N - s) over distinct tables.

    References
    ----------
    R. A. Fisher, The logic of inductive inference, Journal of the Royal Statistical Society 98 (1935), 39-82.

    Examples
    --------
    Fisher's convictions of like-sex twins of criminals: 10 of 13 monozygotic, 2 of 17 dizygotic.

    >>> round(float(fisher_test(10, 13, 2, 17).p), 7)
    0.0005367
    """
    k0, n0, k1, n1 = counts(k_before=k_before, n_before=n_before, k_after=k_after, n_after=n_after)
    within("k_before", k0, "n_before", n0)
    within("k_after", k1, "n_after", n1)
    flat = [array.ravel() for array in (k0, n0, k1, n1)]
    first, group = distinct(*flat)
    log_p = _log_p(*(array[first] for array in flat))[group].reshape(k0.shape)
    return ExactTest(p=np.asarray(np.exp(log_p)), log_p=log_p)


def _log_p(k0: IntArray, n0: IntArray, k1: IntArray, n1: IntArray) -> FloatArray:
    total = k0 + k1
    low, high = support(n0, n1, total)
    centre = mode(n0, n1, total)
    reach = np.maximum(centre - low, high - centre)
    log_p = np.empty(k0.size)
    # Tables of similar support share a block, so that one long row does not widen all of them.
    order = np.argsort(reach, kind="stable")
    for block in chunks(k0.size, 2 * int(reach.max()) + 2):
        i = order[block]
        down, up = log_weights_from_mode(n0[i], n1[i], total[i], int(reach[i[-1]]) + 1)
        log_w = np.hstack((down[:, :0:-1], up))
        log_p[i] = _log_share_no_more_probable(log_w, k0[i] - centre[i] + down.shape[1] - 1)
    return log_p


def _log_share_no_more_probable(log_w: FloatArray, observed: IntArray) -> FloatArray:
    """Return log of (weight of the columns no heavier than the observed one) / (weight of all)."""
    at_observed = np.take_along_axis(log_w, observed[:, None], axis=1)
    relative = log_w - at_observed
    tail = np.exp(np.where(relative <= np.log1p(TIE_TOLERANCE), relative, -np.inf)).sum(axis=1)
    everything = np.exp(log_w).sum(axis=1)
    return np.asarray(np.minimum(at_observed[:, 0] + np.log(tail) - np.log(everything), 0.0))
