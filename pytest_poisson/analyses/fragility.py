"""How many outcomes the verdict's word hangs on, and whose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poisson_stats.fragility import fragility_paired, fragility_unpaired
from pytest_poisson.analyses.cells import pair_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_stats import fragility as found
    from poisson_stats import nearest_counts as nearest
    from poisson_stats.comparison import Comparison
    from poisson_stats.validation import IntArray
    from poisson_stats.verdict import Verdict


@dataclass(frozen=True, slots=True)
class Flip:
    """Outcomes of one row and arm that would have to end otherwise.

    Attributes
    ----------
    row
        The row's position in the result's rows.
    arm
        `before` or `after`.
    to_event
        Whether replicates without the event would have to have it; else the reverse.
    count
        How many.
    """

    row: int
    arm: nearest.Arm
    to_event: bool
    count: int


@dataclass(frozen=True, slots=True)
class Fragility:
    """The fewest outcomes that, had they ended otherwise, would change the word of the tests.

    Attributes
    ----------
    word
        The word as it is, before missing outcomes are considered.
    becomes, outcomes
        The word after the flips, and how many there are; None where none were found.
    flips
        Which.
    certified
        Whether fewer outcomes cannot change the word; else the search was not exhaustive.
    """

    word: Verdict
    becomes: Verdict | None
    outcomes: int | None
    flips: tuple[Flip, ...]
    certified: bool


def describe_fragility(comparison: Comparison, condition: IntArray) -> Fragility | None:
    """Return how fragile the verdict is; None for Boschloo's test, whose nearest changes are not known.

    Parameters
    ----------
    comparison
        The tests.
    condition
        Per row, the number of its condition: one outcome counts in all rows of it.
    """
    if comparison.method == "boschloo":
        return None
    if comparison.method == "mcnemar":
        return _described(
            fragility_paired(
                *pair_cells(comparison),
                direction=comparison.direction,
                q=comparison.q,
                max_mde=comparison.max_mde,
                condition=condition,
            )
        )
    return _described(
        fragility_unpaired(
            comparison.k_before,
            comparison.n_before,
            comparison.k_after,
            comparison.n_after,
            direction=comparison.direction,
            q=comparison.q,
            max_mde=comparison.max_mde,
            condition=condition,
        )
    )


def _described(fragility: found.Fragility) -> Fragility:
    return Fragility(
        word=fragility.word,
        becomes=fragility.becomes,
        outcomes=fragility.outcomes,
        flips=_merged(fragility.flips),
        certified=fragility.certified,
    )


def _merged(flips: Sequence[nearest.Flip]) -> tuple[Flip, ...]:
    """Add up the flips of a row that only the kinds of pair told apart."""
    counts: dict[tuple[int, nearest.Arm, bool], int] = {}
    for flip in flips:
        which = flip.row, flip.arm, flip.to_event
        counts[which] = counts.get(which, 0) + flip.count
    return tuple(Flip(*which, count) for which, count in counts.items())
