"""Many tests at one error level: Benjamini-Hochberg, Holm, and the interval level that goes with flags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.significance import alpha_per_test, is_significant_log
from poisson_stats.validation import levels, positive, refuse_where

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import BoolArray, FloatArray


@dataclass(frozen=True, slots=True, eq=False)
class Adjusted:
    """Adjusted p-values of m tests, in the order the tests were given.

    Attributes
    ----------
    p, log_p
        The smallest level q at which the procedure rejects the test, capped at 1, and its natural logarithm.
    rejected
        Whether that is at most the q asked for.
    """

    p: FloatArray
    log_p: FloatArray
    rejected: BoolArray


def benjamini_hochberg(log_p: ArrayLike, *, q: float) -> Adjusted:
    """Control the false discovery rate at q by the step-up procedure of Benjamini and Hochberg.

    With p(1) <= … <= p(m), the adjusted value of p(i) is min over j >= i of p(j) m / j, capped at 1. Those at
    most q are rejected: up to the largest i with p(i) <= i q / m, also where a smaller i misses its own bound.

    Parameters
    ----------
    log_p
        Natural logarithms of m valid p-values, shape (m,); -inf is accepted, NaN is not.
    q
        The level, strictly between 0 and 1.

    Raises
    ------
    ValueError
        For an empty or not one-dimensional array, NaN, a logarithm above 0, or a level outside (0, 1).

    Notes
    -----
    Proved for independent tests and for positively dependent ones.

    References
    ----------
    Y. Benjamini and Y. Hochberg, Controlling the false discovery rate, Journal of the Royal Statistical
    Society B 57 (1995), 289-300.

    Examples
    --------
    The 15 tests of that article: 4 are rejected at 0.05 (Bonferroni and Holm reject 3).

    >>> p = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719,
    ...      0.6528, 0.759, 1.0]
    >>> int(benjamini_hochberg(np.log(p), q=0.05).rejected.sum())
    4
    """
    values, order = _sorted_logs(log_p, q)
    m = values.size
    scaled = values + np.log(m / np.arange(1, m + 1))
    return _adjusted(np.minimum.accumulate(scaled[::-1])[::-1], order, q)


def holm(log_p: ArrayLike, *, q: float) -> Adjusted:
    """Control the familywise error rate at q by Holm's step-down procedure, under any dependence.

    With p(1) <= … <= p(m), the adjusted value of p(i) is max over j <= i of p(j) (m - j + 1), capped at 1.

    Parameters
    ----------
    log_p, q
        As in `benjamini_hochberg`.

    Raises
    ------
    ValueError
        As in `benjamini_hochberg`.

    References
    ----------
    S. Holm, A simple sequentially rejective multiple test procedure, Scandinavian Journal of Statistics 6
    (1979), 65-70.

    Examples
    --------
    >>> [round(float(p), 3) for p in holm(np.log([0.01, 0.04, 0.03, 0.005]), q=0.05).p]
    [0.03, 0.06, 0.06, 0.02]
    """
    values, order = _sorted_logs(log_p, q)
    m = values.size
    scaled = values + np.log(np.arange(m, 0, -1))
    return _adjusted(np.maximum.accumulate(scaled), order, q)


def false_coverage_level(flagged: int, tests: int, *, q: float) -> float:
    """Return the confidence level of intervals for rows chosen by their flags.

    An interval at 1 - q for a row that was picked because it is significant covers too seldom. At level
    1 - R q / m for the R of m rows flagged by Benjamini-Hochberg, the expected share of flagged rows whose
    interval misses is at most q. With no row flagged nothing was picked, and the level is 1 - q.

    Parameters
    ----------
    flagged
        R, from 0 to m.
    tests
        m, at least 1.
    q
        The level of the flags.

    Raises
    ------
    ValueError
        If an argument is out of range.

    References
    ----------
    Y. Benjamini and D. Yekutieli, False discovery rate-adjusted multiple confidence intervals for selected
    parameters, Journal of the American Statistical Association 100 (2005), 71-81.

    Examples
    --------
    >>> round(100 * false_coverage_level(8, 18, q=0.05), 3)
    97.778
    """
    alpha = alpha_per_test(q, tests)
    if flagged == 0:
        return 1 - q
    positive(flagged=flagged)
    if flagged > tests:
        raise ValueError(f"flagged={flagged} must not exceed tests={tests}.")
    return 1 - flagged * alpha


def _sorted_logs(log_p: ArrayLike, q: float) -> tuple[FloatArray, np.ndarray[tuple[int], np.dtype[np.intp]]]:
    levels(q=q)
    values = np.asarray(log_p, dtype=np.float64)
    if values.ndim != 1 or values.size == 0:
        raise ValueError(f"log_p has shape {values.shape}; one dimension with at least one test is accepted.")
    refuse_where(~(values <= 0), "log_p", values, "must be the logarithm of a p-value, at most 0")
    order = np.argsort(values, kind="stable")
    return values[order], order


def _adjusted(sorted_log: FloatArray, order: np.ndarray[tuple[int], np.dtype[np.intp]], q: float) -> Adjusted:
    log_p = np.empty_like(sorted_log)
    log_p[order] = np.minimum(sorted_log, 0.0)
    return Adjusted(p=np.exp(log_p), log_p=log_p, rejected=is_significant_log(log_p, np.log(q)))
