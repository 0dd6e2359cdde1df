"""The log-rank test, stratified: whether two arms die at the same rate within each stratum."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from poisson_stats.normal import chi_square_1_log_tail, detection_z
from poisson_stats.risk_table import times_of, whole_codes
from poisson_stats.rounding import ceil_count, round_up
from poisson_stats.validation import counts, levels, positive, refuse_where

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from poisson_stats.validation import FloatArray, IntArray

__all__ = [
    "LogRank",
    "RatioGuidance",
    "cause_specific_log_rank",
    "detectable_hazard_ratio",
    "hazard_ratio_guidance",
    "log_rank",
]


@dataclass(frozen=True, slots=True)
class LogRank:
    """A stratified log-rank test of two arms.

    Attributes
    ----------
    observed : int
        Deaths in the second arm.
    expected : float
        Deaths expected there if both arms died alike within each stratum.
    variance : float
        Variance of `observed` under that hypothesis; 0 where no death had both arms at risk.
    chi_square : float
        (observed - expected)^2 / variance; 0 where the variance is 0.
    p, log_p : float
        Its upper tail with one degree of freedom, and the natural logarithm, finite where p underflows.
    deaths, placed : tuple of int
        Deaths and episodes in each arm.
    strata, informative : int
        Strata with an episode, and those of them that add to the variance.
    second_dies : {"sooner", "later", "alike"}
        The sign of `observed` - `expected`; the direction is meaningful where the test rejects.
    """

    observed: int
    expected: float
    variance: float
    chi_square: float
    p: float
    log_p: float
    deaths: tuple[int, int]
    placed: tuple[int, int]
    strata: int
    informative: int
    second_dies: Literal["sooner", "later", "alike"]


@dataclass(frozen=True, slots=True)
class RatioGuidance:
    """What it takes to detect an asked hazard ratio, in the proportions seen.

    Attributes
    ----------
    hazard_ratio : float
        The asked ratio, above 1.
    deaths : int
        Deaths needed, both arms together.
    runs : int
        Episodes needed, both arms together, if they die as often as those seen.
    inputs : int
        Inputs needed at the repeats a piece seen.
    repeats : int
        Repeats an arm and input needed at the inputs seen.
    """

    hazard_ratio: float
    deaths: int
    runs: int
    inputs: int
    repeats: int


def log_rank(
    times: ArrayLike, died: ArrayLike, second: ArrayLike, *, strata: ArrayLike | None = None
) -> LogRank:
    """Test whether two arms die at the same rate, comparing only within strata.

    Parameters
    ----------
    times : array_like of shape (n,)
        When each episode died or was censored; not negative. In any order.
    died : array_like of bool, shape (n,)
        True where it died.
    second : array_like of bool, shape (n,)
        True for the second arm, False for the first.
    strata : array_like of shape (n,), optional
        The stratum of each episode (its condition); one stratum without it.

    Returns
    -------
    LogRank

    Raises
    ------
    ValueError
        An argument has the wrong shape or a value outside its domain.

    Notes
    -----
    At each distinct time within a stratum, with n at risk, m of them in the second arm, and d deaths, the
    deaths of the second arm are hypergeometric given the margins (Mantel 1966 [1]_):

        E = sum d m / n,    V = sum d (m/n) (1 - m/n) (n - d)/(n - 1),    chi^2 = (O - E)^2 / V,

    summed over times and strata. Ties need no correction: the (n - d)/(n - 1) is it. Same as R's
    ``survdiff(Surv(t, d) ~ arm + strata(s))`` and statsmodels' ``survdiff(..., strata=)``.

    A row costs one place in one sort: stratum, time, arm and death are packed in one integer.

    References
    ----------
    .. [1] Mantel, N. (1966). Evaluation of survival data and two new rank order statistics arising in its
       consideration. Cancer Chemotherapy Reports 50, 163-170.
    .. [2] Peto, R. and Peto, J. (1972). Asymptotically efficient rank invariant test procedures. Journal of
       the Royal Statistical Society A 135, 185-207, section 4 (strata).

    Examples
    --------
    >>> result = log_rank([1, 2, 3, 4], [1, 1, 1, 1], [1, 1, 0, 0])
    >>> result.observed, round(result.expected, 4), round(result.p, 4)
    (2, 0.8333, 0.0896)
    """
    steps = times_of("times", times)
    dead = whole_codes("died", died, length=steps.size, largest=1)
    arm = whole_codes("second", second, length=steps.size, largest=1)
    stratum = np.zeros(steps.size, dtype=np.int64) if strata is None else _strata(strata, steps.size)
    cells = _risk_cells(stratum, steps, arm, dead)
    variance_by_cell = cells.variance()
    observed = int((dead & arm).sum())
    expected = float(cells.expected().sum())
    variance = float(variance_by_cell.sum())
    excess = observed - expected
    chi_square = excess**2 / variance if variance > 0 else 0.0
    log_p = chi_square_1_log_tail(chi_square)
    placed = np.bincount(arm, minlength=2).tolist()
    deaths = np.bincount(arm[dead == 1], minlength=2).tolist()
    return LogRank(
        observed=observed,
        expected=expected,
        variance=variance,
        chi_square=chi_square,
        p=math.exp(log_p),
        log_p=log_p,
        deaths=(deaths[0], deaths[1]),
        placed=(placed[0], placed[1]),
        strata=np.unique(cells.stratum).size,
        informative=np.unique(cells.stratum[variance_by_cell > 0]).size,
        second_dies="alike" if not excess else "sooner" if excess > 0 else "later",
    )


def cause_specific_log_rank(
    times: ArrayLike,
    causes: ArrayLike,
    second: ArrayLike,
    *,
    kinds: int,
    strata: ArrayLike | None = None,
) -> tuple[LogRank, ...]:
    """Test each kind of death on its own, deaths of other kinds censoring: one `log_rank` a kind.

    It compares the cause-specific hazards, the rates of dying of a kind among those still running; it does not
    compare cumulative incidences, which also fall when another kind kills first (Putter, Fiocco and Geskus
    2007, Statistics in Medicine 26, 2389-2430, section 3.3). Correct the p-values together with
    `poisson_stats.multiplicity`.

    Parameters
    ----------
    times, second, strata
        As for `log_rank`.
    causes : array_like of int, shape (n,)
        0 for a censored episode, 1 to `kinds` for the kind of its death.
    kinds : int
        How many kinds of death there are.

    Returns
    -------
    tuple of LogRank
        One a kind, in order.

    Raises
    ------
    ValueError
        An argument has the wrong shape or a value outside its domain.
    """
    positive(kinds=kinds)
    cause = whole_codes("causes", causes, length=times_of("times", times).size, largest=kinds)
    return tuple(log_rank(times, cause == kind, second, strata=strata) for kind in range(1, kinds + 1))


def detectable_hazard_ratio(deaths: int, share: float, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest hazard ratio that a log-rank test on so many deaths would detect.

    Parameters
    ----------
    deaths : int
        Deaths in both arms together.
    share : float in (0, 1)
        Share of the episodes that are in the first arm.
    alpha : float, default 0.05
        Two-sided level of the test.
    power : float, default 0.8
        How often it should be detected.

    Returns
    -------
    float
        Above 1, rounded up at the 3rd decimal; infinite where nobody died. The same reading holds for its
        inverse: a ratio of 1/1.3 is detected as well as one of 1.3.

    Raises
    ------
    ValueError
        `deaths` is negative, or `share`, `alpha` or `power` is outside (0, 1).

    Notes
    -----
    exp((z(1 - alpha/2) + z(power)) / sqrt(D a (1 - a))) for D deaths and share a: Schoenfeld, D. (1981). The
    asymptotic properties of nonparametric tests for comparing survival distributions. Biometrika 68,
    316-319. It assumes proportional hazards and few deaths a time.

    Examples
    --------
    >>> detectable_hazard_ratio(222, 0.5)
    1.457
    """
    (count,) = counts(deaths=deaths)
    levels(share=share)
    if count == 0:
        return math.inf
    z = sum(detection_z(alpha, power)) / math.sqrt(int(count) * share * (1 - share))
    return round_up(math.exp(z), 3) if z < 700 else math.inf


def hazard_ratio_guidance(
    hazard_ratio: float,
    *,
    deaths: int,
    placed: tuple[int, int],
    inputs: int,
    alpha: float = 0.05,
    power: float = 0.8,
) -> RatioGuidance | None:
    """Say how many deaths, runs, inputs or repeats would make `hazard_ratio` detectable.

    Parameters
    ----------
    hazard_ratio : float
        The ratio to detect, above 1.
    deaths : int
        Deaths seen, both arms together.
    placed : tuple of int
        Episodes seen in each arm.
    inputs : int
        Inputs (conditions, strata) they came from.
    alpha, power
        As for `detectable_hazard_ratio`.

    Returns
    -------
    RatioGuidance or None
        None where nobody died or an arm is empty: there is nothing to scale.

    Raises
    ------
    ValueError
        `hazard_ratio` is not above 1, or another argument is outside its domain.

    Notes
    -----
    Deaths are Schoenfeld's D = (z(1 - alpha/2) + z(power))^2 / (a (1 - a) log(ratio)^2), rounded up. Runs are
    that whole number times placed / deaths seen, rounded up; inputs are runs divided by the runs an input
    had, and repeats are runs divided by two arms on every input, both rounded up.

    Examples
    --------
    >>> hazard_ratio_guidance(1.3, deaths=222, placed=(200, 200), inputs=50)
    RatioGuidance(hazard_ratio=1.3, deaths=457, runs=824, inputs=103, repeats=9)
    """
    if not 1 < hazard_ratio < math.inf:
        raise ValueError(f"hazard_ratio={hazard_ratio!r} must be a finite number above 1.")
    counts(deaths=deaths, first=placed[0], second=placed[1])
    positive(inputs=inputs)
    total = placed[0] + placed[1]
    if deaths == 0 or 0 in placed:
        return None
    share = placed[0] / total
    z = sum(detection_z(alpha, power))
    needed = ceil_count(z**2 / (share * (1 - share) * math.log(hazard_ratio) ** 2))
    runs = ceil_count(needed * total / deaths)
    return RatioGuidance(
        hazard_ratio=hazard_ratio,
        deaths=needed,
        runs=runs,
        inputs=ceil_count(runs * inputs / total),
        repeats=ceil_count(runs / (2 * inputs)),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _RiskCells:
    """The distinct (stratum, time) cells: at risk and dead in both arms together, at risk in the second."""

    stratum: IntArray
    at_risk: IntArray
    second_at_risk: IntArray
    died: IntArray

    def expected(self) -> FloatArray:
        """Return the deaths expected in the second arm, a cell."""
        return self.died * (self.second_at_risk / self.at_risk)

    def variance(self) -> FloatArray:
        """Return the hypergeometric variance of the second arm's deaths, a cell."""
        share = self.second_at_risk / self.at_risk
        spread = (self.at_risk - self.died) / np.maximum(self.at_risk - 1, 1)
        return np.asarray(self.died * share * (1 - share) * spread)


def _risk_cells(stratum: IntArray, steps: NDArray[Any], arm: IntArray, dead: IntArray) -> _RiskCells:
    """Sort all rows once and count every cell from its position in the sorted rows."""
    rank = _small_codes(steps)
    packed = (((stratum * (int(rank.max()) + 1) + rank) * 2 + arm) << 1) + dead
    packed.sort()
    cell = packed >> 2
    start = np.flatnonzero(np.concatenate(([True], cell[1:] != cell[:-1])))
    group = cell[start] // (int(rank.max()) + 1)
    # Where the rows of each cell's stratum end: everybody from the cell's start to there is at risk.
    last_cell = np.searchsorted(group, group, side="right")
    end = np.append(start, cell.size)[last_cell]
    seconds = np.concatenate(([0], np.cumsum((packed >> 1) & 1)))
    return _RiskCells(
        stratum=group,
        at_risk=end - start,
        second_at_risk=seconds[end] - seconds[start],
        died=np.add.reduceat(packed & 1, start),
    )


def _strata(strata: ArrayLike, episodes: int) -> IntArray:
    array = np.asarray(strata)
    if array.shape != (episodes,):
        raise ValueError(f"strata has shape {array.shape}; one label an episode, ({episodes},), is accepted.")
    if array.dtype.kind == "f":
        refuse_where(np.isnan(array), "strata", array, "must be a label")
    return _small_codes(array)


def _small_codes(values: NDArray[Any]) -> IntArray:
    """Return whole numbers in the order of `values`, small enough to be packed: themselves, or their ranks."""
    if values.dtype.kind in "iu" and values.min() >= 0 and values.max() < 2**28:
        return values.astype(np.int64)
    return np.unique(values, return_inverse=True)[1].astype(np.int64)
