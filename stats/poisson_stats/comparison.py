"""All rows of one comparison in one call: tests, flags, intervals, limits and the verdict's word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from poisson_stats.attainable import attainable_fisher, attainable_mcnemar
from poisson_stats.boschloo import boschloo_test
from poisson_stats.difference_intervals import miettinen_nurminen, tango
from poisson_stats.discrete_fdr import discrete_benjamini_hochberg
from poisson_stats.fisher import fisher_test
from poisson_stats.limits import LimitStatus, UnpairedTest, limits_paired, limits_unpaired
from poisson_stats.mcnemar import mcnemar_test
from poisson_stats.multiplicity import benjamini_hochberg, false_coverage_level, holm
from poisson_stats.significance import alpha_per_test
from poisson_stats.validation import directions, levels, one_of, rows, within
from poisson_stats.verdict import row_words, verdict

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from poisson_stats.attainable import Attainable
    from poisson_stats.difference_intervals import DifferenceInterval
    from poisson_stats.fisher import ExactTest
    from poisson_stats.limits import DetectionLimits
    from poisson_stats.multiplicity import Adjusted
    from poisson_stats.validation import BoolArray, FloatArray, IntArray
    from poisson_stats.verdict import RowWord, Verdict

__all__ = ["Comparison", "FdrProcedure", "LimitStatus", "Method", "compare_paired", "compare_unpaired"]

Method: TypeAlias = Literal["mcnemar", "fisher", "boschloo"]
FdrProcedure: TypeAlias = Literal["benjamini-hochberg", "discrete"]

FDR_PROCEDURES = ("benjamini-hochberg", "discrete")


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """One comparison of two arms over m rows (a row is a condition and an event).

    Every array has one element a row, in the order given. Rates and changes are in [0, 1] and [-1, 1];
    change is after minus before. ``log_…`` are natural logarithms, which stay exact where the p-value itself
    underflows to 0.

    Attributes
    ----------
    method
        ``mcnemar`` (paired), ``fisher`` or ``boschloo`` (unpaired).
    fdr
        The procedure behind the flags: ``benjamini-hochberg`` or ``discrete``.
    q, max_mde, tests, alpha
        The error level, the accepted change, m, and q/m.
    direction
        +1 where a rise is worse, -1 where a fall is worse.
    k_before, n_before, k_after, n_after
        Episodes with the event and with an outcome, per arm (of the pairs, if paired).
    only_before, only_after
        Discordant pairs: the event only before, only after. None if unpaired.
    rate_before, rate_after, change
        NaN where an arm has no outcome.
    p, log_p
        Two-sided exact p-value of the row alone; 1 where an arm has no outcome.
    p_bh, log_p_bh, flagged
        p-value adjusted by the false discovery rate procedure, and whether it is at most q.
    p_holm, log_p_holm, counted
        Holm adjusted p-value, and whether it is at most q: these rows make the verdict.
    low, high, level
        Score interval for the change at confidence ``level`` (Tango if paired, Miettinen-Nurminen if not);
        ``level`` is 1 - R q/m with R rows flagged, 1 - q with none. Its false coverage promise holds for
        flagged rows only. NaN where an arm has no outcome.
    limit_rise, limit_fall, status_rise, status_fall
        The smallest rise and fall from the rate before that this row alone would be flagged for 4 times in 5,
        rounded up at the 4th decimal. NaN unless the status is ``limit``; the other statuses are ``no room``
        (the rate is already at the edge) and ``none detectable`` (even the largest change is missed too often).
    ceiling
        The smallest ``max_mde`` under which the row is not too small: its larger limit, or the whole room
        where nothing in that room is detectable; infinite where an arm has no outcome.
    too_small
        ``ceiling > max_mde``.
    words
        ``worse`` or ``safer`` for flagged and counted rows, else ``too small to tell`` or ``no significant change``.
    verdict
        The word for the whole comparison.
    largest_limit
        The largest limit of any row and direction, NaN if there is none.
    """

    method: Method
    fdr: FdrProcedure
    q: float
    max_mde: float
    tests: int
    alpha: float
    direction: IntArray
    k_before: IntArray
    n_before: IntArray
    k_after: IntArray
    n_after: IntArray
    only_before: IntArray | None
    only_after: IntArray | None
    rate_before: FloatArray
    rate_after: FloatArray
    change: FloatArray
    p: FloatArray
    log_p: FloatArray
    p_bh: FloatArray
    log_p_bh: FloatArray
    flagged: BoolArray
    p_holm: FloatArray
    log_p_holm: FloatArray
    counted: BoolArray
    low: FloatArray
    high: FloatArray
    level: float
    limit_rise: FloatArray
    limit_fall: FloatArray
    status_rise: tuple[LimitStatus, ...]
    status_fall: tuple[LimitStatus, ...]
    ceiling: FloatArray
    too_small: BoolArray
    words: tuple[RowWord, ...]
    verdict: Verdict
    largest_limit: float


def compare_unpaired(
    k_before: ArrayLike,
    n_before: ArrayLike,
    k_after: ArrayLike,
    n_after: ArrayLike,
    *,
    direction: ArrayLike,
    q: float = 0.05,
    max_mde: float = 0.20,
    test: UnpairedTest = "fisher",
    fdr: FdrProcedure = "benjamini-hochberg",
) -> Comparison:
    """Compare two independent arms row by row with an exact test.

    Parameters
    ----------
    k_before, n_before, k_after, n_after
        Per row, episodes with the event and episodes with an outcome, in each arm. n may differ between arms
        and between rows, and may be 0.
    direction
        +1 where a rise of the event is worse, -1 where a fall is; a scalar or one element a row.
    q
        Error level of the flags (false discovery rate) and of the verdict (familywise).
    max_mde
        The accepted change: a limit above it makes a row too small to tell.
    test
        ``fisher``, or ``boschloo`` where that was declared before the run.
    fdr
        The procedure of the flags: ``benjamini-hochberg``, or ``discrete`` (`discrete_fdr`) where that was
        declared before the run. The verdict is Holm's either way.

    Raises
    ------
    ValueError
        For counts that are negative, fractional, NaN, empty, of different shapes or with k > n; for a
        direction other than +1 or -1; for a level outside (0, 1); for an unknown test or procedure, or
        ``discrete`` with ``boschloo``, whose attainable p-values are not fixed by the margins.
    """
    k0, n0, k1, n1 = rows(k_before=k_before, n_before=n_before, k_after=k_after, n_after=n_after)
    within("k_before", k0, "n_before", n0)
    within("k_after", k1, "n_after", n1)
    alpha = _alpha(k0.size, q, max_mde)
    one_of("test", test, ("fisher", "boschloo"))
    one_of("fdr", fdr, FDR_PROCEDURES)
    if (test, fdr) == ("boschloo", "discrete"):
        raise ValueError("fdr='discrete' needs a conditional test; test='boschloo' is not one.")
    attainable = attainable_fisher(k0, n0, k1, n1) if fdr == "discrete" else None
    return _compare(
        _Counts(test, k0, n0, k1, n1, None, None),
        (boschloo_test if test == "boschloo" else fisher_test)(k0, n0, k1, n1),
        limits_unpaired(k0, n0, n1, alpha=alpha, test=test),
        lambda level: miettinen_nurminen(k1, n1, k0, n0, confidence=level),
        _Choices(directions(direction, k0.size), q, max_mde, alpha, attainable),
    )


def compare_paired(
    both: ArrayLike,
    only_before: ArrayLike,
    only_after: ArrayLike,
    neither: ArrayLike,
    *,
    direction: ArrayLike,
    q: float = 0.05,
    max_mde: float = 0.20,
    fdr: FdrProcedure = "benjamini-hochberg",
) -> Comparison:
    """Compare two arms that shared their seeds, row by row, with McNemar's exact conditional test.

    Parameters
    ----------
    both, only_before, only_after, neither
        Per row, pairs in which the event happened in both arms, in the one before only, in the one after
        only, in neither. A pair has an outcome in both arms and the same seed.
    direction, q, max_mde, fdr
        As in `compare_unpaired`.

    Raises
    ------
    ValueError
        As in `compare_unpaired`.
    """
    a, b, c, d = rows(both=both, only_before=only_before, only_after=only_after, neither=neither)
    pairs = a + b + c + d
    alpha = _alpha(pairs.size, q, max_mde)
    one_of("fdr", fdr, FDR_PROCEDURES)
    attainable = attainable_mcnemar(b, c) if fdr == "discrete" else None
    return _compare(
        _Counts("mcnemar", a + b, pairs, a + c, pairs, b, c),
        mcnemar_test(b, c),
        limits_paired(a + b, pairs, alpha=alpha),
        lambda level: tango(a, c, b, d, confidence=level),
        _Choices(directions(direction, pairs.size), q, max_mde, alpha, attainable),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Counts:
    """What was counted, one element a row."""

    method: Method
    k_before: IntArray
    n_before: IntArray
    k_after: IntArray
    n_after: IntArray
    only_before: IntArray | None
    only_after: IntArray | None


@dataclass(frozen=True, slots=True, eq=False)
class _Choices:
    """What was asked for."""

    direction: IntArray
    q: float
    max_mde: float
    alpha: float
    attainable: Attainable | None

    def flags(self, test: ExactTest) -> Adjusted:
        """Apply the false discovery rate procedure: the discrete one where attainable p-values are given."""
        if self.attainable is None:
            return benjamini_hochberg(test.log_p, q=self.q)
        return discrete_benjamini_hochberg(test.log_p, self.attainable, q=self.q).adjusted


def _compare(
    counts: _Counts,
    test: ExactTest,
    limits: DetectionLimits,
    interval: Callable[[float], DifferenceInterval],
    choices: _Choices,
) -> Comparison:
    """Correct the tests over all rows, choose the interval level, and name the rows and the whole."""
    direction, q = choices.direction, choices.q
    flags, counted = choices.flags(test), holm(test.log_p, q=q)
    level = false_coverage_level(int(flags.rejected.sum()), direction.size, q=q)
    bounds = interval(level)
    rate_before = _rates(counts.k_before, counts.n_before)
    rate_after = _rates(counts.k_after, counts.n_after)
    change = rate_after - rate_before
    too_small = limits.ceiling > choices.max_mde
    return Comparison(
        method=counts.method,
        fdr="benjamini-hochberg" if choices.attainable is None else "discrete",
        q=q,
        max_mde=choices.max_mde,
        tests=direction.size,
        alpha=choices.alpha,
        direction=direction,
        k_before=counts.k_before,
        n_before=counts.n_before,
        k_after=counts.k_after,
        n_after=counts.n_after,
        only_before=counts.only_before,
        only_after=counts.only_after,
        rate_before=rate_before,
        rate_after=rate_after,
        change=change,
        p=test.p,
        log_p=test.log_p,
        p_bh=flags.p,
        log_p_bh=flags.log_p,
        flagged=flags.rejected,
        p_holm=counted.p,
        log_p_holm=counted.log_p,
        counted=counted.rejected,
        low=bounds.low,
        high=bounds.high,
        level=level,
        limit_rise=limits.rise,
        limit_fall=limits.fall,
        status_rise=limits.status_rise,
        status_fall=limits.status_fall,
        ceiling=limits.ceiling,
        too_small=too_small,
        # Under the discrete procedure a row may be counted without being flagged; its word must say so.
        words=row_words(change, direction, flags.rejected | counted.rejected, too_small),
        verdict=verdict(change, direction, counted.rejected, too_small),
        largest_limit=float(np.fmax.reduce([*limits.rise, *limits.fall])),
    )


def _alpha(tests: int, q: float, max_mde: float) -> float:
    levels(q=q, max_mde=max_mde)
    return alpha_per_test(q, tests)


def _rates(k: IntArray, n: IntArray) -> FloatArray:
    return np.where(n > 0, k / np.maximum(n, 1), np.nan)
