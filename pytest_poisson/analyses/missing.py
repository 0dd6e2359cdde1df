"""What the replicates without an outcome could hide in a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.fisher import fisher_test
from poisson_stats.mcnemar import mcnemar_test
from poisson_stats.missing import (
    MISSING_LEVEL,
    apply_missing_rule,
    missing_shares_paired,
    missing_shares_unpaired,
)
from poisson_stats.multiplicity import holm
from poisson_store.records import CAUSES
from pytest_poisson.analyses.diff_result import Missing

if TYPE_CHECKING:
    from poisson_stats.missing import MissingShares
    from poisson_stats.validation import IntArray
    from poisson_stats.verdict import Verdict
    from poisson_store.records import Accounting, ConditionRecord
    from pytest_poisson.analyses.episodes import Episodes


def compare_shares(before: Episodes, after: Episodes, *, joined: bool) -> MissingShares:
    """Test whether the arms lack outcomes equally often; `joined` arms are aligned replicate by replicate."""
    if not joined:
        return missing_shares_unpaired(
            int(before.missing.sum()), before.word.size, int(after.missing.sum()), after.word.size
        )
    kinds = np.bincount(2 * before.missing + after.missing, minlength=4)
    neither, only_after, only_before, both = (int(count) for count in kinds)
    return missing_shares_paired(both, only_before, only_after, neither)


def emptied_conditions(before: Episodes, after: Episodes, conditions: int) -> IntArray:
    """Return the positions of conditions that ran in both arms and have outcomes in one of them alone."""
    ran, ended = [], []
    for arm in (before, after):
        ran.append(np.bincount(arm.condition, minlength=conditions) > 0)
        ended.append(np.bincount(arm.condition, weights=1 - arm.missing, minlength=conditions) > 0)
    return np.flatnonzero(ran[0] & ran[1] & (ended[0] != ended[1]))


def uneven_conditions(before: Episodes, after: Episodes, conditions: int, *, joined: bool) -> IntArray:
    """Return the positions of conditions whose arms lack outcomes unequally often, by Holm at 0.05 over all of them.

    The arms as wholes can lack equally many where one condition lost outcomes and another gained them: each is
    tested by itself, as `compare_shares` tests the arms.
    """
    if joined:
        only_before, only_after = (
            np.bincount(arm.condition, weights=arm.missing & ~other.missing, minlength=conditions).astype(int)
            for arm, other in ((before, after), (after, before))
        )
        log_p = mcnemar_test(only_before, only_after).log_p
    else:
        counts = [
            np.bincount(arm.condition, weights=weights, minlength=conditions).astype(int)
            for arm in (before, after)
            for weights in (arm.missing, None)
        ]
        log_p = fisher_test(*counts).log_p
    return np.flatnonzero(holm(log_p, q=MISSING_LEVEL).rejected)


def word_with_missing(word: Verdict, shares: MissingShares, emptied: int, uneven: int) -> Verdict:
    """Return the verdict once the missing outcomes are considered.

    Besides the rule on shares, which is about the arms as wholes: where a condition has outcomes in one arm
    alone, its change may be complete and is not seen, so that nothing milder than `worse` or `trade` is said; where
    a condition's arms lack outcomes unequally often, what reassures is withdrawn as it is for the whole.
    """
    if emptied and word not in ("worse", "trade"):
        return "not comparable"
    if uneven and word not in ("worse", "trade", "too small to tell"):
        return "not comparable"
    return apply_missing_rule(word, shares)


def describe_missing(
    shares: MissingShares,
    worst_case: Verdict,
    accounts: tuple[Accounting, Accounting],
    emptied: tuple[ConditionRecord, ...],
    uneven: tuple[ConditionRecord, ...],
) -> Missing:
    """Put together what is said of the missing outcomes."""
    return Missing(
        before_missing=shares.missing_before,
        before_ran=shares.planned_before,
        after_missing=shares.missing_after,
        after_ran=shares.planned_after,
        p=shares.p,
        log_p=shares.log_p,
        problem=shares.problem,
        emptied=emptied,
        uneven=uneven,
        cause=_leading_cause(*accounts),
        verdict_as_failures=worst_case,
    )


def _leading_cause(before: Accounting, after: Accounting) -> str:
    """Return the cause whose count differs most between the arms; of equal ones, the most frequent."""

    def weight(cause: str) -> tuple[int, int]:
        counts = getattr(before, cause), getattr(after, cause)
        return abs(counts[0] - counts[1]), sum(counts)

    return max(CAUSES, key=weight)
