"""From the arms' episodes to tested rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from poisson_stats import comparison as tests
from poisson_stats import missing as missing_rules
from pytest_poisson.analyses.diff_result import Count, DiffRow, Limit, Observed, Pairs
from pytest_poisson.analyses.missing import compare_shares
from pytest_poisson.analyses.observed import observed_limits
from pytest_poisson.analyses.sequential import weigh
from pytest_poisson.analyses.tally import count_arm, count_pairs
from pytest_poisson.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poisson_stats.comparison import Comparison, LimitStatus
    from poisson_stats.missing import MissingShares
    from poisson_stats.validation import FloatArray, IntArray
    from pytest_poisson.analyses.episodes import Episodes
    from pytest_poisson.analyses.observed import ObservedLimits
    from pytest_poisson.analyses.over_time import OverTime
    from pytest_poisson.analyses.tally import Grid, PairCounts
    from pytest_poisson.methods import Method, Procedure, UnpairedTest


@dataclass(frozen=True, slots=True)
class Compared:
    """What the statistics say of the rows.

    Attributes
    ----------
    comparison
        Tests, intervals, limits and the verdict.
    pairs, observed
        The pairs of a paired comparison, and the limits at the correlation they had.
    shares
        Of replicates without an outcome; None where there are none.
    worst_case
        The comparison with all of those counted as failures after and as none before.
    has_limits
        Whether the limits of the rows are those of the method.
    """

    comparison: Comparison
    pairs: PairCounts | None = None
    observed: ObservedLimits | None = None
    shares: MissingShares | None = None
    worst_case: Comparison | None = None
    has_limits: bool = True


def compare(
    grid: Grid, before: Episodes, after: Episodes, *, method: Method, q: float, max_mde: float
) -> Compared:
    """Test every row: as pairs, the arms being joined replicate by replicate, or as independent arms."""
    spec = METHODS[method]
    compared = (
        _compare_paired(grid, before, after, fdr=spec.fdr, q=q, max_mde=max_mde)
        if spec.test is None
        else _compare_unpaired(grid, before, after, test=spec.test, fdr=spec.fdr, q=q, max_mde=max_mde)
    )
    return _weighed(compared, grid, before, after, paired=spec.paired) if spec.sequential else compared


def _weighed(compared: Compared, grid: Grid, before: Episodes, after: Episodes, *, paired: bool) -> Compared:
    """Put evidence that may be looked at any time in the place of tests, also in the worst case."""
    worst = compared.worst_case
    return replace(
        compared,
        comparison=weigh(compared.comparison, grid, before, after, paired=paired),
        worst_case=worst and weigh(worst, grid, before, after, paired=paired, worst=True),
        observed=None,
        has_limits=False,
    )


def _compare_unpaired(
    grid: Grid,
    before: Episodes,
    after: Episodes,
    *,
    test: UnpairedTest,
    fdr: Procedure,
    q: float,
    max_mde: float,
) -> Compared:
    ours, theirs = count_arm(grid, before), count_arm(grid, after)
    counts = (ours.event, ours.outcomes, theirs.event, theirs.outcomes)
    result = tests.compare_unpaired(
        *counts, direction=grid.direction, q=q, max_mde=max_mde, test=test, fdr=fdr
    )
    if not (ours.missing.any() or theirs.missing.any()):
        return Compared(result)
    shares = compare_shares(before, after, joined=False)
    worst = missing_rules.compare_unpaired_worst_case(
        *counts,
        missing_before=ours.missing,
        missing_after=theirs.missing,
        direction=grid.direction,
        q=q,
        max_mde=max_mde,
        test=test,
    )
    return Compared(result, shares=shares, worst_case=worst)


def _compare_paired(
    grid: Grid, before: Episodes, after: Episodes, *, fdr: Procedure, q: float, max_mde: float
) -> Compared:
    pairs = count_pairs(grid, before, after)
    counts = (pairs.event_event, pairs.event_other, pairs.other_event, pairs.other_other)
    result = tests.compare_paired(*counts, direction=grid.direction, q=q, max_mde=max_mde, fdr=fdr)
    observed = observed_limits(result)
    if not (before.missing.any() or after.missing.any()):
        return Compared(result, pairs, observed)
    incomplete = missing_rules.IncompletePairs(
        event_then_missing=pairs.event_missing,
        none_then_missing=pairs.other_missing,
        missing_then_event=pairs.missing_event,
        missing_then_none=pairs.missing_other,
        missing_both=pairs.missing_missing,
    )
    shares = compare_shares(before, after, joined=True)
    worst = missing_rules.compare_paired_worst_case(
        *counts, incomplete, direction=grid.direction, q=q, max_mde=max_mde
    )
    return Compared(result, pairs, observed, shares, worst)


def build_rows(
    grid: Grid, compared: Compared, replays: IntArray, over_time: Mapping[int, OverTime]
) -> tuple[DiffRow, ...]:
    """Return the rows as plain values, in the grid's order; `over_time` by a row's position."""
    result = compared.comparison
    befores = _counts(result.k_before, result.n_before)
    afters = _counts(result.k_after, result.n_after)
    columns = (
        [grid.conditions[index] for index in grid.condition.tolist()],
        [grid.events[index] for index in grid.event.tolist()],
        befores,
        afters,
        _pairs(compared.pairs, len(befores)),
        result.words,
        result.counted.tolist(),
        result.p.tolist(),
        result.log_p.tolist(),
        result.p_bh.tolist(),
        result.log_p_bh.tolist(),
        result.p_holm.tolist(),
        result.log_p_holm.tolist(),
        _or_none(result.change),
        _or_none(result.low),
        _or_none(result.high),
        *(
            (_limits(result.status_rise, result.limit_rise), _limits(result.status_fall, result.limit_fall))
            if compared.has_limits
            else ([Limit("not stated")] * len(befores),) * 2
        ),
        _observed(compared.observed, len(befores)),
        [over_time.get(row) for row in range(len(befores))],
        [None if replicate < 0 else replicate for replicate in replays.tolist()],
    )
    return tuple(DiffRow(*values) for values in zip(*columns, strict=True))


def by_importance(rows: Sequence[DiffRow]) -> tuple[int, ...]:
    """Rank rows: counted for the worse, flagged worse, counted for the better, flagged safer, then by p."""

    def rank(index: int) -> tuple[int, float, float]:
        row = rows[index]
        group = {"worse": 0, "safer": 2}.get(row.word, 4) + (
            row.word in ("worse", "safer") and not row.counted
        )
        return group, row.log_p, -abs(row.change or 0.0)

    return tuple(sorted(range(len(rows)), key=rank))


def _counts(events: IntArray, outcomes: IntArray) -> list[Count]:
    return [Count(k, n) for k, n in zip(events.tolist(), outcomes.tolist(), strict=True)]


def _pairs(pairs: PairCounts | None, rows: int) -> list[Pairs | None]:
    if pairs is None:
        return [None] * rows
    kinds = (pairs.event_event, pairs.event_other, pairs.other_event, pairs.other_other)
    return [Pairs(*counts) for counts in zip(*(kind.tolist() for kind in kinds), strict=True)]


def _observed(observed: ObservedLimits | None, rows: int) -> list[Observed | None]:
    if observed is None:
        return [None] * rows
    limits = observed.limits
    columns = (
        _or_none(observed.correlation.by_row),
        _limits(limits.status_rise, limits.rise),
        _limits(limits.status_fall, limits.fall),
    )
    return [Observed(*values) for values in zip(*columns, strict=True)]


def _limits(statuses: Sequence[LimitStatus], sizes: FloatArray) -> list[Limit]:
    return [Limit(status, size) for status, size in zip(statuses, _or_none(sizes), strict=True)]


def _or_none(values: FloatArray) -> list[float | None]:
    """Return the values as Python numbers, None for NaN."""
    return [value if value == value else None for value in values.tolist()]  # noqa: PLR0124 (NaN alone differs)
