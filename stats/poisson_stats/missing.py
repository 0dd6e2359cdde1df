"""Episodes without an outcome: whether their shares differ, and whether they could hide the answer.

Rows without an outcome leave numerator and denominator. That can hide a real change: the new version times
out where the old one failed, and its failure rate falls. Three safeguards: the shares without an outcome are
compared; where they differ or are large a reassuring word is withdrawn; and the comparison is made again with
every missing outcome counted against the new version.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from poisson_stats.comparison import compare_paired, compare_unpaired
from poisson_stats.fisher import fisher_test
from poisson_stats.mcnemar import mcnemar_test
from poisson_stats.significance import is_significant_log
from poisson_stats.validation import counts, directions, rows, within
from poisson_stats.verdict import NO_CHANGE, NOT_COMPARABLE, SAFER, WITHIN_MARGIN

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.comparison import Comparison
    from poisson_stats.fisher import ExactTest
    from poisson_stats.limits import UnpairedTest
    from poisson_stats.verdict import Verdict

MISSING_LEVEL = 0.05
"""Level of the test that compares the shares without an outcome."""

ACCEPTED_SHARE = 0.20
"""Share without an outcome, in either arm, above which a reassuring word is not given."""

REASSURING: frozenset[Verdict] = frozenset({SAFER, NO_CHANGE, WITHIN_MARGIN})
"""The words that rest on what was measured having been all there was."""

MissingProblem: TypeAlias = Literal["too many before", "too many after", "too many in both", "shares differ"]


@dataclass(frozen=True, slots=True)
class MissingShares:
    """The shares of planned episodes without an outcome, compared between two arms.

    Attributes
    ----------
    missing_before, planned_before, missing_after, planned_after
        Episodes without an outcome and episodes planned, per arm (of the pairs, if paired).
    share_before, share_after
        missing / planned; 1 where nothing was planned, since nothing has an outcome.
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
    """Compare the shares without an outcome of two independent arms by Fisher's exact test.

    Parameters
    ----------
    missing_before, planned_before, missing_after, planned_after
        Episodes without an outcome and episodes planned, in each arm over all conditions.

    Raises
    ------
    ValueError
        For counts that are negative, fractional or NaN, and for more missing than planned.

    Examples
    --------
    >>> missing_shares_unpaired(0, 1746, 60, 1746).problem
    'shares differ'
    """
    counts(
        missing_before=missing_before,
        planned_before=planned_before,
        missing_after=missing_after,
        planned_after=planned_after,
    )
    within("missing_before", np.asarray(missing_before), "planned_before", np.asarray(planned_before))
    within("missing_after", np.asarray(missing_after), "planned_after", np.asarray(planned_after))
    test = fisher_test(missing_before, planned_before, missing_after, planned_after)
    return _shares((missing_before, planned_before), (missing_after, planned_after), test)


def missing_shares_paired(both: int, only_before: int, only_after: int, neither: int) -> MissingShares:
    """Compare the shares without an outcome of two paired arms by McNemar's exact test.

    Parameters
    ----------
    both, only_before, only_after, neither
        Planned pairs (condition, replicate) without an outcome in both arms, before only, after only, in
        neither.

    Raises
    ------
    ValueError
        For counts that are negative, fractional or NaN.
    """
    counts(both=both, only_before=only_before, only_after=only_after, neither=neither)
    planned = both + only_before + only_after + neither
    test = mcnemar_test(only_before, only_after)
    return _shares((both + only_before, planned), (both + only_after, planned), test)


def apply_missing_rule(word: Verdict, shares: MissingShares) -> Verdict:
    """Return ``not comparable`` in place of a reassuring word that missing outcomes undermine.

    ``safer``, ``no significant change`` and ``within the margin`` rest on the outcomes that are there; with
    shares that differ, or above 20 % in an arm, they are withdrawn. ``worse``, ``trade`` and ``too small to tell`` reassure nobody
    and stand.
    """
    return NOT_COMPARABLE if shares.problem and word in REASSURING else word


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
    test: UnpairedTest = "fisher",
) -> Comparison:
    """Compare as `comparison.compare_unpaired`, every missing outcome a failure after and none before.

    For a failure event (direction +1) a missing outcome counts as the event after and as no event before;
    for a success event (direction -1) as no event after and as the event before.

    Parameters
    ----------
    k_before, n_before, k_after, n_after, direction, q, max_mde, test
        As in `comparison.compare_unpaired`: n counts episodes with an outcome.
    missing_before, missing_after
        Per row, episodes without one.

    Raises
    ------
    ValueError
        As in `comparison.compare_unpaired`.

    Examples
    --------
    A timeout is no failure, so the failure rate seems to fall; counted as failures, the rate rises.

    >>> worst = compare_unpaired_worst_case(
    ...     [60], [100], [10], [50], missing_before=[0], missing_after=[50], direction=1
    ... )
    >>> int(worst.k_after[0]), int(worst.n_after[0])
    (60, 100)
    """
    k0, n0, k1, n1, m0, m1 = rows(
        k_before=k_before,
        n_before=n_before,
        k_after=k_after,
        n_after=n_after,
        missing_before=missing_before,
        missing_after=missing_after,
    )
    is_failure = directions(direction, k0.size) > 0
    return compare_unpaired(
        k0 + np.where(is_failure, 0, m0),
        n0 + m0,
        k1 + np.where(is_failure, m1, 0),
        n1 + m1,
        direction=direction,
        q=q,
        max_mde=max_mde,
        test=test,
    )


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
    """Compare as `comparison.compare_paired`, every missing outcome a failure after and none before.

    Parameters
    ----------
    both, only_before, only_after, neither, direction, q, max_mde
        As in `comparison.compare_paired`: pairs with an outcome in both arms.
    incomplete
        The other pairs. A pair missing in both arms counts as gone wrong by the change.

    Raises
    ------
    ValueError
        As in `comparison.compare_paired`.
    """
    a, b, c, d, em, nm, me, mn, mm = rows(
        both=both,
        only_before=only_before,
        only_after=only_after,
        neither=neither,
        event_then_missing=incomplete.event_then_missing,
        none_then_missing=incomplete.none_then_missing,
        missing_then_event=incomplete.missing_then_event,
        missing_then_none=incomplete.missing_then_none,
        missing_both=incomplete.missing_both,
    )
    is_failure = directions(direction, a.size) > 0
    # Before, a missing outcome is the absence of a failure event or the presence of a success event; after,
    # the reverse.
    return compare_paired(
        a + np.where(is_failure, em, me),
        b + np.where(is_failure, 0, em + mn + mm),
        c + np.where(is_failure, nm + me + mm, 0),
        d + np.where(is_failure, mn, nm),
        direction=direction,
        q=q,
        max_mde=max_mde,
    )


def _shares(before: tuple[int, int], after: tuple[int, int], test: ExactTest) -> MissingShares:
    share_before, share_after = (
        missing / planned if planned else 1.0 for missing, planned in (before, after)
    )
    differs = bool(is_significant_log(test.log_p, np.log(MISSING_LEVEL)))
    return MissingShares(
        missing_before=int(before[0]),
        planned_before=int(before[1]),
        missing_after=int(after[0]),
        planned_after=int(after[1]),
        share_before=share_before,
        share_after=share_after,
        p=float(test.p),
        log_p=float(test.log_p),
        differs=differs,
        problem=_problem(share_before, share_after, differs=differs),
    )


def _problem(share_before: float, share_after: float, *, differs: bool) -> MissingProblem | None:
    too_many_before, too_many_after = share_before > ACCEPTED_SHARE, share_after > ACCEPTED_SHARE
    if too_many_before and too_many_after:
        return "too many in both"
    if too_many_before or too_many_after:
        return "too many before" if too_many_before else "too many after"
    return "shares differ" if differs else None
