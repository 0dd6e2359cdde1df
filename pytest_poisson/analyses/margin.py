"""Showing that no row changed by more than a margin that was declared before the run."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poisson_stats.equivalence import apply_margin, equivalence_paired, equivalence_unpaired
from pytest_poisson.analyses.cells import pair_cells
from pytest_poisson.analyses.figures import finite
from pytest_poisson.errors import UserError
from pytest_poisson.methods import METHODS

if TYPE_CHECKING:
    from poisson_stats.comparison import Comparison
    from poisson_stats.equivalence import Equivalence
    from poisson_stats.verdict import Verdict
    from poisson_store.records import RunRecord
    from pytest_poisson.methods import Method


@dataclass(frozen=True, slots=True)
class Band:
    """One row held against the margin.

    Attributes
    ----------
    low, high
        The score interval of its change, at the margin's confidence; None where an arm has no outcome.
    within
        Whether it lies strictly inside the margin on both sides.
    """

    low: float | None
    high: float | None
    within: bool


@dataclass(frozen=True, slots=True)
class Margin:
    """A declared margin, and the rows held against it.

    Attributes
    ----------
    size
        The largest change that does not matter.
    confidence
        Of each row's interval, 1 - 2q.
    bands
        One a row.
    """

    size: float
    confidence: float
    bands: tuple[Band, ...]

    @property
    def within(self) -> int:
        """How many rows are within it."""
        return sum(band.within for band in self.bands)


def chosen_margin(after: RunRecord, margin: float | None, q: float, method: Method) -> float | None:
    """Return the margin asked for, else the one that the after run declared, else None.

    A sequential method has no margin: its intervals would have to hold whenever one looks.

    Raises
    ------
    UserError
        If it is no change of a rate, q is too large for an interval of 1 - 2q, or the method has no intervals.
    """
    if METHODS[method].sequential:
        if margin is not None:
            raise UserError(f"margin={margin:g} has no interval to hold it against with method={method}.")
        return None
    declared = after.settings.get("margin")
    size = margin if margin is not None else declared if isinstance(declared, float) else None
    if size is None:
        return None
    if not 0 < size < 1:
        raise UserError(f"margin={size:g} must be a number between 0 and 1.")
    if q >= 0.5:
        raise UserError(
            f"q={q:g} is too large for a margin, whose intervals are at 1 - 2q; give less than 0.5."
        )
    return size


def hold_against_margin(comparison: Comparison, size: float) -> Equivalence:
    """Return each row's interval, held against the margin, by the rule of the comparison's test.

    Raises
    ------
    ValueError
        If the error level is not below 1/2.
    """
    if comparison.method == "mcnemar":
        return equivalence_paired(*pair_cells(comparison), margin=size, q=comparison.q)
    return equivalence_unpaired(
        comparison.k_before,
        comparison.n_before,
        comparison.k_after,
        comparison.n_after,
        margin=size,
        q=comparison.q,
    )


def word_within(word: Verdict, comparison: Comparison, size: float | None) -> Verdict:
    """Return `within the margin` where there is one and every row lies within it, unless a change counts."""
    return word if size is None else apply_margin(word, hold_against_margin(comparison, size))


def describe_margin(comparison: Comparison, size: float) -> Margin:
    """Return every row's interval and whether it lies within the margin."""
    held = hold_against_margin(comparison, size)
    bands = tuple(
        Band(finite(low), finite(high), within)
        for low, high, within in zip(held.low, held.high, held.within.tolist(), strict=True)
    )
    return Margin(size, held.confidence, bands)
