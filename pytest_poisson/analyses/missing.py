"""What the replicates without an outcome could hide in a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.missing import missing_shares_paired, missing_shares_unpaired
from poisson_store.records import CAUSES
from pytest_poisson.analyses.diff_result import Missing

if TYPE_CHECKING:
    from poisson_stats.missing import MissingShares
    from poisson_stats.verdict import Verdict
    from poisson_store.records import Accounting
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


def describe_missing(
    shares: MissingShares, worst_case: Verdict, before: Accounting, after: Accounting
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
        cause=_leading_cause(before, after),
        verdict_as_failures=worst_case,
    )


def _leading_cause(before: Accounting, after: Accounting) -> str:
    """Return the cause whose count differs most between the arms; of equal ones, the most frequent."""

    def weight(cause: str) -> tuple[int, int]:
        counts = getattr(before, cause), getattr(after, cause)
        return abs(counts[0] - counts[1]), sum(counts)

    return max(CAUSES, key=weight)
