"""The sign-flip test: if nothing changed, each input's difference might as well have had the other sign."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.lattice_sum import LatticeSum
from poisson_stats.validation import rows, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import FloatArray, IntArray

__all__ = ["SignFlipTest", "sign_flip_test"]

# Points from 0 to the largest sum up to which the lattice may be exact, and that many where it cannot be.
_FINEST, _COARSE = 1 << 22, 1 << 17
# Points times distinct differences: what one exact answer may cost (a few seconds).
_DEAREST = 1 << 27
# The share of a coarse p that pays for the rounding of the differences.
_ROUNDING = 1e-3


@dataclass(frozen=True, slots=True)
class SignFlipTest:
    """An exact test of whether the inputs' shares moved, with the input as the unit.

    Attributes
    ----------
    statistic : float
        Sum over inputs of the share after minus the share before.
    p, log_p : float
        Probability of a sum at least as far from 0 under random signs, and its natural logarithm.
    moved, inputs : int
        Inputs whose share changed at all, and inputs that ran in both arms.
    exact : bool
        Whether p is exact. If not, the run counts have no common multiple within reach, and p is an upper bound
        on the exact value, a few per cent above it.
    """

    statistic: float
    p: float
    log_p: float
    moved: int
    inputs: int
    exact: bool


def sign_flip_test(
    k_before: ArrayLike, n_before: ArrayLike, k_after: ArrayLike, n_after: ArrayLike
) -> SignFlipTest:
    """Test whether the inputs' shares moved in one direction, by flipping the signs of their differences.

    Parameters
    ----------
    k_before, k_after : array_like of int, shape (inputs,)
        Runs with the event, in each arm.
    n_before, n_after : array_like of int, shape (inputs,)
        Runs with an outcome, at least k. Inputs that lack an arm are left out.

    Returns
    -------
    SignFlipTest

    Raises
    ------
    ValueError
        For counts that are negative, fractional, NaN or empty, for shapes that differ, and for k > n.

    Notes
    -----
    With d_i the difference of input i's shares and signs s_i = -1 or +1, all equally likely,

        p = P(|sum s_i d_i| >= |sum d_i|).

    Fisher's randomization test of paired differences [1]_. It asks about inputs where the stratified test asks
    about runs: one input that moved far counts once. All 2^moved sign patterns are counted, none is sampled:
    the differences are whole numbers once multiplied by the common multiple of the run counts, and the
    distribution of their sum is a convolution on that lattice.

    Where hundreds of different run counts leave no lattice of reasonable size, the differences are rounded to a
    coarser one. The rounding errors e_i, known and signed like the differences, move a sum by more than c with
    probability at most 2 exp(-c^2 / (2 sum e_i^2)) [2]_; c is chosen so that this is a thousandth of p, p is
    taken at the distance c nearer, and the thousandth is added: never too small, and marked ``exact=False``.

    References
    ----------
    .. [1] Fisher, R. A. (1935). The Design of Experiments, section 21. Oliver and Boyd.
    .. [2] Hoeffding, W. (1963). Probability inequalities for sums of bounded random variables. Journal of the
       American Statistical Association 58, 13-30, theorem 2.

    Examples
    --------
    >>> test = sign_flip_test([3, 3, 4, 4, 3, 1], [4] * 6, [0, 0, 1, 1, 1, 0], [1] * 6)
    >>> test.statistic, round(test.p, 12), test.moved
    (-1.5, 0.375, 4)
    """
    k0, n0, k1, n1 = rows(k_before=k_before, n_before=n_before, k_after=k_after, n_after=n_after)
    within("k_before", k0, "n_before", n0)
    within("k_after", k1, "n_after", n1)
    both = (n0 > 0) & (n1 > 0)
    k0, n0, k1, n1 = k0[both], n0[both], k1[both], n1[both]
    moved = k1 * n0 != k0 * n1
    log_p, exact = _log_p(k0[moved], n0[moved], k1[moved], n1[moved])
    return SignFlipTest(
        statistic=float((k1 / n1 - k0 / n0).sum()),
        p=math.exp(log_p),
        log_p=log_p,
        moved=int(moved.sum()),
        inputs=int(both.sum()),
        exact=exact,
    )


def _log_p(k0: IntArray, n0: IntArray, k1: IntArray, n1: IntArray) -> tuple[float, bool]:
    """Return the log p-value and whether it is exact."""
    if k0.size == 0:
        return 0.0, True
    difference = k1 / n1 - k0 / n0
    largest = float(np.abs(difference).sum())
    multiple = math.lcm(*np.unique(np.concatenate((n0, n1))).tolist())
    points = largest * multiple
    if points <= _FINEST and points * np.unique(np.abs(difference)).size <= _DEAREST:
        steps = k1 * (multiple // n1) - k0 * (multiple // n0)
        return _log_tail(np.abs(steps), abs(int(steps.sum()))), True
    return _log_upper_bound(difference * (_COARSE / largest)), False


def _log_upper_bound(scaled: FloatArray) -> float:
    """Return an upper bound of the log p-value from differences rounded to whole numbers."""
    steps = np.abs(np.rint(scaled)).astype(np.int64)
    spread = float(((scaled - np.rint(scaled)) ** 2).sum())
    distance = abs(float(scaled.sum()))
    log_rest = _log_tail(steps, min(math.floor(distance), int(steps.sum()))) + math.log(_ROUNDING)
    reach = math.sqrt(2 * spread * (math.log(2) - log_rest))
    return min(0.0, float(np.logaddexp(_log_tail(steps, math.floor(distance - reach)), log_rest)))


def _log_tail(sizes: IntArray, distance: int) -> float:
    """Return log P(|sum of randomly signed `sizes`| >= `distance`)."""
    if distance <= 0:
        return 0.0
    # A size rounded to nought moves nothing. Signs -1 and +1 become 0 and 1: |sum| >= d is U >= (total + d) / 2.
    sizes, copies = np.unique(sizes[sizes > 0], return_counts=True)
    total = int(sizes @ copies)
    if distance > total:
        return -math.inf
    signed = LatticeSum(
        values=np.stack((np.zeros_like(sizes), sizes), axis=1).ravel(),
        log_p=np.full(2 * sizes.size, math.log(0.5)),
        starts=np.arange(0, 2 * sizes.size, 2),
        copies=copies.astype(np.int64),
        jump=int(sizes.max()),
    )
    least = (total + distance + 1) // 2
    return min(0.0, math.log(2) + signed.window(least).log_tail(least, upper=True))
