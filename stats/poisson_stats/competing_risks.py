"""Aalen-Johansen cumulative incidence: the share of episodes that have died of each kind by each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poisson_stats.bootstrap import drawn_weights, percentile_interval, unit_kinds
from poisson_stats.risk_table import label_codes, risk_table, times_of, whole_codes
from poisson_stats.validation import levels, positive, refuse_where

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike, NDArray

    from poisson_stats.validation import FloatArray, IntArray

__all__ = ["CumulativeIncidence", "cumulative_incidence", "incidence_at"]


@dataclass(frozen=True, slots=True, eq=False)
class CumulativeIncidence:
    """Cumulative incidence of each kind of death, with a bootstrap band.

    Attributes
    ----------
    times : ndarray of shape (t,)
        The distinct times with a death of any kind, ascending.
    incidence : ndarray of float, shape (kinds, t)
        F_k just after each time; the rows add up to 1 - `survival`.
    low, high : ndarray of float, shape (kinds, t)
        Pointwise percentile band; NaN where there is a single unit to resample, or no resamples were asked.
    survival : ndarray of float, shape (t,)
        The Kaplan-Meier estimate of outliving each time with no death of any kind.
    at_risk : ndarray of int, shape (t,)
        Episodes that reached the time.
    died : ndarray of int, shape (kinds, t)
        Deaths of each kind at it.
    placed, units : int
        Episodes, and the units that were resampled (the clusters where given, else the episodes).
    confidence : float
        Level of the band.
    resamples, seed : int
        How the band was drawn.
    """

    times: NDArray[Any]
    incidence: FloatArray
    low: FloatArray
    high: FloatArray
    survival: FloatArray
    at_risk: IntArray
    died: IntArray
    placed: int
    units: int
    confidence: float
    resamples: int
    seed: int


def cumulative_incidence(
    times: ArrayLike,
    causes: ArrayLike,
    *,
    kinds: int,
    clusters: ArrayLike | None = None,
    confidence: float = 0.95,
    resamples: int = 1000,
    seed: int = 0,
) -> CumulativeIncidence:
    """Estimate, for each kind of death, the share of episodes that have died of it by each time.

    Parameters
    ----------
    times : array_like of shape (n,)
        When each episode died or was censored; not negative. In any order.
    causes : array_like of int, shape (n,)
        0 for a censored episode, 1 to `kinds` for the kind of its death.
    kinds : int
        How many kinds of death there are; a kind nobody died of has incidence 0.
    clusters : array_like of shape (n,), optional
        What to resample together: episodes of one input are not independent draws. Without it every episode
        is its own unit.
    confidence : float in (0, 1), default 0.95
        Level of the pointwise band.
    resamples : int, default 1000
        Bootstrap resamples; 0 for no band.
    seed : int, default 0
        Seed of `numpy.random.default_rng`.

    Returns
    -------
    CumulativeIncidence
        With no columns where nobody died.

    Raises
    ------
    ValueError
        An argument has the wrong shape or a value outside its domain.

    Notes
    -----
    With n_i at risk and d_ki deaths of kind k at the i-th distinct time [1]_,

        F_k(t) = sum_{t_i <= t} S(t_i-) d_ki / n_i,        sum_k F_k(t) = 1 - S(t),

    S being the Kaplan-Meier estimate for deaths of any kind. Taking ``1 - KM`` of one kind with the others
    censored instead overstates it, and the kinds then add up to more than the whole. Without censoring F_k(t)
    is the plain share of episodes that died of k by t. Same as R's ``survfit(Surv(t, factor(cause)) ~ 1)``
    and statsmodels' ``CumIncidenceRight``; lifelines' estimator jitters tied times at random, and is not the
    same.

    The band is the percentile bootstrap over units [2]_. Equal units are drawn together by a multinomial
    over their distinct kinds in sorted order, so that the order of the rows cannot move it.

    References
    ----------
    .. [1] Aalen, O. O. and Johansen, S. (1978). An empirical transition matrix for non-homogeneous Markov
       chains based on censored observations. Scandinavian Journal of Statistics 5, 141-150.
    .. [2] Efron, B. (1981). Censored data and the bootstrap. Journal of the American Statistical Association
       76, 312-319.

    Examples
    --------
    >>> result = cumulative_incidence([1, 2, 2, 3], [1, 2, 0, 1], kinds=2)
    >>> result.incidence[:, -1].tolist()
    [0.75, 0.25]
    """
    steps = times_of("times", times)
    positive(kinds=kinds)
    cause = whole_codes("causes", causes, length=steps.size, largest=kinds)
    levels(confidence=confidence)
    refuse_where(np.asarray(resamples < 0), "resamples", resamples, "must not be negative")
    group, groups = _groups(clusters, steps.size)
    table = risk_table(steps, cause, kinds)
    fell = table.died.any(axis=0)
    incidence, survival = _aalen_johansen(table.at_risk, table.died)
    low = high = np.full((kinds, int(fell.sum())), np.nan)
    if resamples and groups > 1:
        cells = cause * table.times.size + np.searchsorted(table.times, steps)
        drawn = _drawn_cells(cells, (kinds + 1) * table.times.size, group, resamples, seed)
        draws = [_incidence_of_cells(counts, kinds)[..., fell] for counts in drawn]
        low, high = percentile_interval(np.concatenate(draws), confidence=confidence)
    return CumulativeIncidence(
        times=table.times[fell],
        incidence=incidence[:, fell],
        low=low,
        high=high,
        survival=survival[fell],
        at_risk=table.at_risk[fell],
        died=table.died[:, fell],
        placed=int(steps.size),
        units=groups,
        confidence=confidence,
        resamples=resamples,
        seed=seed,
    )


def incidence_at(result: CumulativeIncidence, time: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return each kind's incidence at one time, with the ends of its band.

    Parameters
    ----------
    result : CumulativeIncidence
        From `cumulative_incidence`.
    time : float
        The asked time; not negative.

    Returns
    -------
    incidence, low, high : ndarray of float, shape (kinds,)
        The value just after the last death at or before `time`; 0 with a NaN band before the first death.

    Raises
    ------
    ValueError
        `time` is negative or not finite.
    """
    times_of("time", [time])
    index = int(np.searchsorted(result.times, time, side="right")) - 1
    if index < 0:
        unknown = np.full(result.incidence.shape[0], np.nan)
        return np.zeros(result.incidence.shape[0]), unknown, unknown
    return result.incidence[:, index], result.low[:, index], result.high[:, index]


def _aalen_johansen(at_risk: NDArray[Any], died: NDArray[Any]) -> tuple[FloatArray, FloatArray]:
    """Return incidence (..., kinds, t) and survival (..., t) from at_risk (..., t) and died (..., kinds, t)."""
    at_risk = np.maximum(at_risk, 1)
    survival = np.cumprod(1 - died.sum(axis=-2) / at_risk, axis=-1)
    before = np.concatenate((np.ones_like(survival[..., :1]), survival[..., :-1]), axis=-1)
    incidence = np.cumsum((before / at_risk)[..., np.newaxis, :] * died, axis=-1)
    return incidence, survival


def _groups(clusters: ArrayLike | None, episodes: int) -> tuple[IntArray | None, int]:
    """Return each episode's cluster number (None where every episode is its own unit) and the number of units."""
    return (None, episodes) if clusters is None else label_codes("clusters", clusters, length=episodes)


def _drawn_cells(
    cells: IntArray, width: int, group: IntArray | None, resamples: int, seed: int
) -> Iterator[NDArray[Any]]:
    """Yield the number of episodes in each of `width` (cause, time) cells, for a chunk of resamples at a time."""
    filled, position, how_many = np.unique(cells, return_inverse=True, return_counts=True)
    profiles = None
    if group is not None:
        by_group = np.bincount(group * filled.size + position, minlength=(int(group.max()) + 1) * filled.size)
        profiles, how_many = unit_kinds(by_group.reshape(-1, filled.size).astype(np.float64))
    for weights in drawn_weights(how_many, resamples=resamples, seed=seed, width=width):
        counts = np.zeros((weights.shape[0], width))
        counts[:, filled] = weights if profiles is None else weights @ profiles
        yield counts


def _incidence_of_cells(counts: NDArray[Any], kinds: int) -> FloatArray:
    """Return incidence (resamples, kinds, t) from counts of (cause, time) cells, censored episodes first."""
    table = counts.reshape(counts.shape[0], kinds + 1, -1)
    at_risk = table.sum(axis=1)[:, ::-1].cumsum(axis=1)[:, ::-1]
    return _aalen_johansen(at_risk, table[:, 1:])[0]
