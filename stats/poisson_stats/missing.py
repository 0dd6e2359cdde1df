"""Episodes without an outcome: whether their shares differ, and whether they could hide the answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.comparison import Comparison
    from poisson_stats.verdict import Verdict

MISSING_LEVEL = 0.05
"""Level of the test that compares the shares without an outcome."""

ACCEPTED_SHARE = 0.20
"""Share without an outcome, in either arm, above which a reassuring word is not given."""

MissingProblem: TypeAlias = Literal["shares differ", "too many before", "too many after", "too many in both"]


@dataclass(frozen=True, slots=True)
class MissingShares:
    """The shares of planned episodes without an outcome, compared between two arms.

    Attributes
    ----------
    missing_before, planned_before, missing_after, planned_after
        Episodes without an outcome and episodes planned, per arm (of the pairs, if paired).
    share_before, share_after
        missing / planned.
    p, log_p
        Exact two-sided p-value: McNemar's if paired, else Fisher's.
    differs
        p <= 0.05.
    problem
        Why the comparison may mislead, the gravest first: a share above 20 %, else shares that differ; None
        where neither holds.
    """

    missing_before: int
    planned_before: int
    missing_after: int
    planned_after: int
    share_before: float
    share_after: float
    p: float
    log_p: float
    differs: bool
    problem: MissingProblem | None


def missing_shares_unpaired(
    missing_before: int, planned_before: int, missing_after: int, planned_after: int
) -> MissingShares:
    """Compare the shares without an outcome of two independent arms by Fisher's exact test."""
    raise NotImplementedError


def missing_shares_paired(both: int, only_before: int, only_after: int, neither: int) -> MissingShares:
    """Compare the shares without an outcome of two paired arms by McNemar's exact test.

    Parameters
    ----------
    both, only_before, only_after, neither
        Planned pairs (condition, replicate) without an outcome in both arms, before only, after only, in
        neither.
    """
    raise NotImplementedError


def apply_missing_rule(word: Verdict, shares: MissingShares) -> Verdict:
    """Return ``not comparable`` in place of a reassuring word that missing outcomes undermine.

    ``safer`` and ``no significant change`` need every arm's outcomes; ``worse``, ``trade`` and ``too small
    to tell`` stand, since missing outcomes can only make them milder than they should be.
    """
    raise NotImplementedError


def compare_unpaired_worst_case(
    k_before: ArrayLike,
    n_before: ArrayLike,
    k_after: ArrayLike,
    n_after: ArrayLike,
    *,
    missing_before: ArrayLike,
    missing_after: ArrayLike,
    direction: ArrayLike,
    q: float = 0.05,
    max_mde: float = 0.20,
) -> Comparison:
    """Compare as `comparison.compare_unpaired`, every missing outcome a failure after and none before.

    For a failure event (direction +1) a missing outcome counts as the event after and as no event before;
    for a success event (direction -1) as no event after and as the event before.

    Parameters
    ----------
    k_before, n_before, k_after, n_after, direction, q, max_mde
        As in `comparison.compare_unpaired`: n counts episodes with an outcome.
    missing_before, missing_after
        Per row, episodes without one.
    """
    raise NotImplementedError


@dataclass(frozen=True, slots=True, eq=False)
class IncompletePairs:
    """Pairs of a row in which at least one arm has no outcome; each array has one element a row.

    Attributes
    ----------
    event_then_missing, none_then_missing
        Before had the event, or an outcome without it; after is missing.
    missing_then_event, missing_then_none
        Before is missing; after had the event, or an outcome without it.
    missing_both
        Neither arm has an outcome.
    """

    event_then_missing: ArrayLike
    none_then_missing: ArrayLike
    missing_then_event: ArrayLike
    missing_then_none: ArrayLike
    missing_both: ArrayLike


def compare_paired_worst_case(
    both: ArrayLike,
    only_before: ArrayLike,
    only_after: ArrayLike,
    neither: ArrayLike,
    incomplete: IncompletePairs,
    *,
    direction: ArrayLike,
    q: float = 0.05,
    max_mde: float = 0.20,
) -> Comparison:
    """Compare as `comparison.compare_paired`, every missing outcome a failure after and none before."""
    raise NotImplementedError
