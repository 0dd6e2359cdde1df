"""Bounds a rollout promises to keep, judged without any baseline: met, missed, or too small to tell."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy.special import betainc, betaincinv

from poisson_stats.multiplicity import holm
from poisson_stats.rounding import ceil_count
from poisson_stats.significance import is_significant
from poisson_stats.validation import levels, refuse_where, rows, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from poisson_stats.validation import BoolArray, FloatArray, IntArray

__all__ = ["PromiseWord", "Promises", "judge_promises"]

PromiseWord: TypeAlias = Literal["met", "missed", "too small to tell"]
Kind: TypeAlias = Literal["at most", "at least"]

# Beyond so many replicates a promise is not worth settling: the rate is, for all purposes, the bound.
_MOST = 10**9


@dataclass(frozen=True, slots=True, eq=False)
class Promises:
    """One row a promise, in the order given.

    Attributes
    ----------
    words : tuple of {"met", "missed", "too small to tell"}
        The verdict on each.
    kinds : tuple of {"at most", "at least"}
    bound, events, trials
        What was promised, and what was seen.
    rate : ndarray of float
        events / trials; NaN without trials.
    p_met, p_missed : ndarray of float
        One-sided exact p-values: of a rate as good as seen if the promise were just broken, of one as bad as seen
        if it were just kept.
    adjusted_met, adjusted_missed : ndarray of float
        The same by Holm, each side over all promises.
    low, high : ndarray of float
        One-sided exact bounds on the rate, each at `level`.
    level : ndarray of float
        1 - the level that Holm's procedure compared the promise's deciding p-value with.
    settle : tuple of (int or None)
        Replicates at which the promise would be settled if the rate stays as seen, one level q over all promises
        being spent on it; None where it is settled, where nothing was seen, or where the rate seen is the bound.
    q : float
        The error level, of each side over all promises.
    """

    words: tuple[PromiseWord, ...]
    kinds: tuple[Kind, ...]
    bound: FloatArray
    events: IntArray
    trials: IntArray
    rate: FloatArray
    p_met: FloatArray
    p_missed: FloatArray
    adjusted_met: FloatArray
    adjusted_missed: FloatArray
    low: FloatArray
    high: FloatArray
    level: FloatArray
    settle: tuple[int | None, ...]
    q: float


def judge_promises(
    events: ArrayLike, trials: ArrayLike, bounds: ArrayLike, kinds: Sequence[Kind], *, q: float = 0.05
) -> Promises:
    """Judge promises of the form "at most 5 % time out" or "at least 90 % are resolved".

    Parameters
    ----------
    events, trials : array_like of int, shape (promises,)
        Episodes with the promised event, and episodes with an outcome; 0 trials is too small to tell.
    bounds : array_like of float, shape (promises,)
        The promised bound on the event's rate, strictly between 0 and 1.
    kinds : sequence of {"at most", "at least"}
        Which side each bound is on.
    q : float in (0, 1), default 0.05
        The error level.

    Returns
    -------
    Promises

    Raises
    ------
    ValueError
        For counts that are not counts, events above trials, a bound or level outside (0, 1), an unknown kind, and
        lengths that differ.

    Notes
    -----
    A promise "at most b" is met when P(X <= events) <= a for X ~ Binomial(trials, b), that is, when the one-sided
    Clopper-Pearson upper bound at 1 - a is at most b; it is missed when P(X >= events) <= a. "At least b" is
    the mirror image. The level a of each promise is Holm's: the p-values of being met form one family at q and
    those of being missed another, so that the chance of calling any broken promise met is at most q, and so is
    the chance of calling any kept one missed, whatever the dependence between promises.

    Examples
    --------
    >>> got = judge_promises([0, 12, 3], [100, 100, 40], [0.05, 0.05, 0.05], ["at most"] * 3)
    >>> got.words, got.settle
    (('met', 'missed', 'too small to tell'), (None, None, 420))
    """
    k, n = rows(events=events, trials=trials)
    within("events", k, "trials", n)
    levels(q=q)
    bound = _bounds(bounds, k.size)
    lower_is_better = _sides(kinds, k.size)
    at_most, at_least = _tails(k, n, bound)
    p_met, p_missed = np.where(lower_is_better, (at_most, at_least), (at_least, at_most))
    met, missed = (holm(np.log(np.maximum(p, 1e-323)), q=q) for p in (p_met, p_missed))
    words: tuple[PromiseWord, ...] = tuple(
        "met" if kept else "missed" if broken else "too small to tell"
        for kept, broken in zip(met.rejected.tolist(), missed.rejected.tolist(), strict=True)
    )
    alpha = np.where(p_met <= p_missed, _holm_levels(p_met, q), _holm_levels(p_missed, q))
    return Promises(
        words=words,
        kinds=tuple(kinds),
        bound=bound,
        events=k,
        trials=n,
        rate=np.where(n > 0, k / np.maximum(n, 1), np.nan),
        p_met=p_met,
        p_missed=p_missed,
        adjusted_met=met.p,
        adjusted_missed=missed.p,
        low=np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, alpha), 0.0),
        high=np.where(k < n, 1 - betaincinv(np.maximum(n - k, 1), k + 1, alpha), 1.0),
        level=1 - alpha,
        settle=tuple(
            _replicates_to_settle(int(a), int(b), float(c), q / k.size)
            if word == "too small to tell"
            else None
            for a, b, c, word in zip(k, n, bound, words, strict=True)
        ),
        q=q,
    )


def _tails(k: IntArray, n: IntArray, rate: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return P(X <= k) and P(X >= k) for X ~ Binomial(n, rate)."""
    at_most = np.where(k < n, betainc(np.maximum(n - k, 1), k + 1.0, 1 - rate), 1.0)
    at_least = np.where(k > 0, betainc(np.maximum(k, 1), n - k + 1.0, rate), 1.0)
    return at_most, at_least


def _holm_levels(p: FloatArray, q: float) -> FloatArray:
    """Return the level Holm's procedure compares each p-value with; those after its stop share the stop's."""
    order = np.argsort(p, kind="stable")
    steps = q / np.arange(p.size, 0, -1)
    failed = np.flatnonzero(~is_significant(p[order], steps))
    if failed.size:
        steps[failed[0] :] = steps[failed[0]]
    level = np.empty_like(p)
    level[order] = steps
    return level


def _replicates_to_settle(events: int, trials: int, bound: float, alpha: float) -> int | None:
    """Return the n at which the rate seen, kept up, proves the promise met or missed at level alpha.

    The binomial tail at events = rate n, not rounded: it falls steadily in n, where the rounded one saws.
    """
    if trials == 0 or events * 1.0 == bound * trials:
        return None
    rate = events / trials

    def settled(n: float) -> bool:
        k = rate * n
        if rate < bound:
            return bool(betainc(n - k, k + 1, 1 - bound) <= alpha)
        return bool(betainc(k, n - k + 1, bound) <= alpha)

    low, high = 0.0, 1.0
    while not settled(high):
        low, high = high, 2 * high
        if high > _MOST:
            return None
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if settled(middle) else (middle, high)
    return ceil_count(high * (1 - 1e-6))


def _bounds(bounds: ArrayLike, length: int) -> FloatArray:
    array = np.asarray(bounds, dtype=np.float64)
    if array.shape != (length,):
        raise ValueError(f"bounds has shape {array.shape}; one bound a promise, ({length},), is accepted.")
    refuse_where(~((array > 0) & (array < 1)), "bounds", array, "must lie strictly between 0 and 1")
    return array


def _sides(kinds: Sequence[str], length: int) -> BoolArray:
    """Return where a lower rate is better."""
    if len(kinds) != length:
        raise ValueError(f"kinds has {len(kinds)} elements; one a promise, {length}, is accepted.")
    for i, kind in enumerate(kinds):
        if kind not in {"at most", "at least"}:
            raise ValueError(f"kinds[{i}]={kind!r} must be 'at most' or 'at least'.")
    return np.array([kind == "at most" for kind in kinds], dtype=np.bool_)
