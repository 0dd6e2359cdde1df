"""When is p at or below the level? One answer, used by every test, power, correction and region.

Exact p-values are rational numbers that can equal the level: 1 of 1 against 0 of 19 has p = 1/20. In
floating point the two sides differ in the last bits, and differ between one way of summing and another. So
the comparison allows a relative slack of 1e-12, far above rounding and far below any step between attainable
p-values, and the level q/m is computed in one place (0.05/m and 1/(20 m) differ in the last bit for some m).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.validation import levels, positive

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import BoolArray

LEVEL_SLACK = 1e-12
"""Relative slack of the comparison p <= alpha."""

TIE_TOLERANCE = 1e-7
"""Relative tolerance under which two tables count as equally probable.

Tables whose exact probabilities are equal come out a few ulps apart: with probabilities from log-factorials
more than a quarter of the 64 v 64 tables get a wrong two-sided p. SciPy and R use the same value.
"""


def alpha_per_test(q: float, tests: int) -> float:
    """Return q/m, the level of each of m tests under Bonferroni: BH rank 1 and Holm's first step.

    Parameters
    ----------
    q
        The error level over all tests, strictly between 0 and 1.
    tests
        m, the number of tests (conditions times events), at least 1.

    Raises
    ------
    ValueError
        If ``q`` or ``tests`` is out of range.

    Examples
    --------
    >>> round(alpha_per_test(0.05, 18), 6)
    0.002778
    """
    levels(q=q)
    positive(tests=tests)
    return q / tests


def is_significant(p: ArrayLike, alpha: ArrayLike) -> BoolArray:
    """Return where p <= alpha, with the shared slack: ``p <= alpha * (1 + 1e-12)``.

    Examples
    --------
    >>> bool(is_significant(0.1 + 0.2, 0.3)), 0.1 + 0.2 <= 0.3
    (True, False)
    """
    return np.asarray(np.asarray(p) <= np.asarray(alpha) * (1 + LEVEL_SLACK))


def is_significant_log(log_p: ArrayLike, log_alpha: ArrayLike) -> BoolArray:
    """Return `is_significant` from natural logarithms, for p-values too small to be a double."""
    return np.asarray(np.asarray(log_p) <= np.asarray(log_alpha) + np.log1p(LEVEL_SLACK))
