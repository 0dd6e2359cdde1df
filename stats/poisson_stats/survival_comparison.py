"""Where two runs die, compared in one call: the log-rank test, the curves, the kinds of death and the word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from poisson_stats.logrank import cause_specific_log_rank, detectable_hazard_ratio, log_rank
from poisson_stats.multiplicity import benjamini_hochberg
from poisson_stats.risk_table import label_codes, times_of, whole_codes
from poisson_stats.significance import is_significant_log
from poisson_stats.survival import survival_curve, survival_difference
from poisson_stats.validation import levels, positive

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.logrank import LogRank
    from poisson_stats.multiplicity import Adjusted
    from poisson_stats.survival import SurvivalCurve, SurvivalDifference

__all__ = ["SurvivalComparison", "SurvivalWord", "compare_survival"]

SurvivalWord: TypeAlias = Literal["different", "no significant difference", "too small to tell"]


@dataclass(frozen=True, slots=True, eq=False)
class SurvivalComparison:
    """What two arms' deaths say, over the strata that have both arms.

    Attributes
    ----------
    test : LogRank
        The stratified log-rank test; the word follows it and nothing else.
    by_kind : tuple of LogRank
        The cause-specific test of each kind of death.
    by_kind_adjusted : Adjusted
        Their p-values by Benjamini-Hochberg over the kinds.
    first, second : SurvivalCurve
        Kaplan-Meier curve of each arm.
    difference : SurvivalDifference
        Second minus first, at the asked steps.
    detectable : float
        The hazard ratio that so many deaths detect, rounded up at the 3rd decimal; infinite without deaths.
    word : {"different", "no significant difference", "too small to tell"}
        ``too small to tell`` where the test does not reject and `detectable` is above `max_hazard_ratio`.
    common, only_first, only_second : int
        Strata with both arms (all figures rest on these), and with one.
    alpha, max_hazard_ratio : float
        Level of the tests, and the accepted detectable ratio.
    """

    test: LogRank
    by_kind: tuple[LogRank, ...]
    by_kind_adjusted: Adjusted
    first: SurvivalCurve
    second: SurvivalCurve
    difference: SurvivalDifference
    detectable: float
    word: SurvivalWord
    common: int
    only_first: int
    only_second: int
    alpha: float
    max_hazard_ratio: float


def compare_survival(
    times: ArrayLike,
    causes: ArrayLike,
    second: ArrayLike,
    *,
    kinds: int,
    strata: ArrayLike,
    at: ArrayLike,
    max_hazard_ratio: float,
    alpha: float = 0.05,
) -> SurvivalComparison:
    """Compare where two arms die, within the strata both of them ran.

    Parameters
    ----------
    times : array_like of shape (n,)
        The step at which each episode died or was censored; not negative.
    causes : array_like of int, shape (n,)
        0 for a censored episode, 1 to `kinds` for the kind of its death.
    second : array_like of bool, shape (n,)
        True for the second arm.
    kinds : int
        How many kinds of death there are.
    strata : array_like of shape (n,)
        The condition of each episode.
    at : array_like of shape (k,)
        Steps at which the curves are to be subtracted.
    max_hazard_ratio : float
        The detectable ratio, above 1, that is still accepted as able to answer.
    alpha : float in (0, 1), default 0.05
        Level of the tests; bands are at 1 - alpha.

    Returns
    -------
    SurvivalComparison

    Raises
    ------
    ValueError
        An argument has the wrong shape or a value outside its domain, or no stratum has both arms.

    Examples
    --------
    >>> result = compare_survival(
    ...     [1, 2, 3, 4], [1, 1, 2, 0], [1, 1, 0, 0], kinds=2, strata=["s"] * 4, at=[2], max_hazard_ratio=1.5
    ... )
    >>> result.word, result.test.observed, float(result.difference.difference[0])
    ('too small to tell', 2, -1.0)
    """
    levels(alpha=alpha)
    positive(kinds=kinds)
    if not max_hazard_ratio > 1:
        raise ValueError(f"max_hazard_ratio={max_hazard_ratio!r} must be a number above 1.")
    steps = times_of("times", times)
    cause = whole_codes("causes", causes, length=steps.size, largest=kinds)
    arm = whole_codes("second", second, length=steps.size, largest=1)
    times_of("at", at)
    stratum, count = label_codes("strata", strata, length=steps.size)
    in_first = np.bincount(stratum[arm == 0], minlength=count) > 0
    in_second = np.bincount(stratum[arm == 1], minlength=count) > 0
    common = in_first & in_second
    if not common.any():
        raise ValueError(f"strata holds {count} labels, none of them with both arms; one at least is needed.")
    kept = common[stratum]
    steps, cause, arm, stratum = steps[kept], cause[kept], arm[kept], stratum[kept]
    test = log_rank(steps, cause > 0, arm, strata=stratum)
    by_kind = cause_specific_log_rank(steps, cause, arm, kinds=kinds, strata=stratum)
    curves = [survival_curve(steps[arm == a], cause[arm == a] > 0, confidence=1 - alpha) for a in (0, 1)]
    detectable = detectable_hazard_ratio(sum(test.deaths), test.placed[0] / steps.size, alpha=alpha)
    return SurvivalComparison(
        test=test,
        by_kind=by_kind,
        by_kind_adjusted=benjamini_hochberg([one.log_p for one in by_kind], q=alpha),
        first=curves[0],
        second=curves[1],
        difference=survival_difference(curves[0], curves[1], at),
        detectable=detectable,
        word=_word(test, too_small=detectable > max_hazard_ratio, alpha=alpha),
        common=int(common.sum()),
        only_first=int((in_first & ~in_second).sum()),
        only_second=int((in_second & ~in_first).sum()),
        alpha=alpha,
        max_hazard_ratio=max_hazard_ratio,
    )


def _word(test: LogRank, *, too_small: bool, alpha: float) -> SurvivalWord:
    if is_significant_log(test.log_p, np.log(alpha)):
        return "different"
    return "too small to tell" if too_small else "no significant difference"
