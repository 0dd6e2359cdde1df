"""Showing that nothing changed by more than a margin, where that was declared before the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poisson_stats.difference_intervals import miettinen_nurminen, tango
from poisson_stats.validation import levels, rows, within
from poisson_stats.verdict import NO_CHANGE, TOO_SMALL, WITHIN_MARGIN

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.difference_intervals import DifferenceInterval
    from poisson_stats.validation import BoolArray, FloatArray
    from poisson_stats.verdict import Verdict


@dataclass(frozen=True, slots=True, eq=False)
class Equivalence:
    """Intervals for the changes of m rows, held against a margin.

    Attributes
    ----------
    margin
        δ, the largest change that does not matter.
    q, confidence
        The error level and 1 - 2q, the confidence of the intervals.
    change, low, high
        After minus before, and its score interval; NaN where an arm has no outcome.
    within
        Rows whose interval lies strictly between -δ and δ.
    """

    margin: float
    q: float
    confidence: float
    change: FloatArray
    low: FloatArray
    high: FloatArray
    within: BoolArray


def equivalence_unpaired(
    k_before: ArrayLike,
    n_before: ArrayLike,
    k_after: ArrayLike,
    n_after: ArrayLike,
    *,
    margin: float,
    q: float = 0.05,
) -> Equivalence:
    """Hold the change of each row of two independent arms against a margin.

    Two one-sided tests at q, "the change is at most -δ" and "it is at least δ", are both rejected exactly
    where the 1 - 2q interval lies between -δ and δ. Said of all rows at once no correction is needed: if one
    row's change is beyond the margin, *that* row is found within it with probability at most q (an
    intersection-union test).

    Parameters
    ----------
    k_before, n_before, k_after, n_after
        Per row, as in `comparison.compare_unpaired`.
    margin
        δ, strictly between 0 and 1.
    q
        The error level, below 1/2.

    Raises
    ------
    ValueError
        For counts that are not counts, k > n, shapes that differ, a margin or level out of range.

    References
    ----------
    D. J. Schuirmann, A comparison of the two one-sided tests procedure and the power approach for assessing
    the equivalence of average bioavailability, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987),
    657-680. R. L. Berger, Multiparameter hypothesis testing and acceptance sampling, Technometrics 24 (1982),
    295-300.

    Examples
    --------
    >>> equivalence_unpaired([40, 20], [400, 200], [42, 30], [400, 200], margin=0.05).within.tolist()
    [True, False]
    """
    k0, n0, k1, n1 = rows(k_before=k_before, n_before=n_before, k_after=k_after, n_after=n_after)
    within("k_before", k0, "n_before", n0)
    within("k_after", k1, "n_after", n1)
    return _against(miettinen_nurminen(k1, n1, k0, n0, confidence=_confidence(margin, q)), margin, q)


def equivalence_paired(
    both: ArrayLike,
    only_before: ArrayLike,
    only_after: ArrayLike,
    neither: ArrayLike,
    *,
    margin: float,
    q: float = 0.05,
) -> Equivalence:
    """Hold the change of each row of paired arms against a margin, as `equivalence_unpaired`.

    Parameters
    ----------
    both, only_before, only_after, neither
        Per row, as in `comparison.compare_paired`.
    margin, q
        As in `equivalence_unpaired`.

    Raises
    ------
    ValueError
        As `equivalence_unpaired`.
    """
    a, b, c, d = rows(both=both, only_before=only_before, only_after=only_after, neither=neither)
    return _against(tango(a, c, b, d, confidence=_confidence(margin, q)), margin, q)


def apply_margin(word: Verdict, equivalence: Equivalence) -> Verdict:
    """Return ``within the margin`` in place of ``no significant change`` or ``too small to tell`` where all rows are.

    A counted change keeps its word, however small it is.
    """
    settled = word in {NO_CHANGE, TOO_SMALL} and bool(equivalence.within.all())
    return WITHIN_MARGIN if settled else word


def _confidence(margin: float, q: float) -> float:
    levels(margin=margin, q=q)
    if q >= 0.5:
        raise ValueError(f"q={q!r} must be below 0.5, so that 1 - 2q is a confidence.")
    return 1 - 2 * q


def _against(interval: DifferenceInterval, margin: float, q: float) -> Equivalence:
    return Equivalence(
        margin=margin,
        q=q,
        confidence=interval.confidence,
        change=interval.estimate,
        low=interval.low,
        high=interval.high,
        within=(interval.low > -margin) & (interval.high < margin),
    )
