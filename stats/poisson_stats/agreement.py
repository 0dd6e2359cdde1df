"""Three calls or more on the same request: whether they agree, and whether a majority of them is stable."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from poisson_stats.item_interval import item_interval
from poisson_stats.validation import levels, refuse_where, rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from poisson_stats.item_interval import Basis
    from poisson_stats.validation import BoolArray, IntArray

__all__ = ["AgreementAt", "agreement", "majority_stability"]

MISSING = -1
"""Stands for a call without a decision."""


@dataclass(frozen=True, slots=True)
class AgreementAt:
    """A rate of agreement among j calls.

    Attributes
    ----------
    measure : {"agree", "majority"}
        ``agree``: the first j calls of an item in a sweep all agree (agree@j). ``majority``: the majorities of j
        calls in two sweeps agree (MS@j).
    j : int
        Calls a decision.
    rate, low, high : float
        The share that agree, with its interval; NaN where nothing could be compared.
    basis : str or None
        The interval's basis, chosen by the rules of `item_interval` from the disagreements.
    confidence : float
        Its level.
    compared, items : int
        Item-sweeps (or pairs of sweeps) compared, and the items they come from.
    left_out : int
        Item-sweeps (or pairs) with a call missing among the first j.
    cost : float or None
        What one decision costs: j times the cost of a call, where that is known.
    """

    measure: Literal["agree", "majority"]
    j: int
    rate: float
    low: float
    high: float
    basis: Basis | None
    confidence: float
    compared: int
    items: int
    left_out: int
    cost: float | None


def agreement(
    decisions: ArrayLike,
    *,
    items: ArrayLike | None = None,
    cost_per_call: float | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[AgreementAt, ...]:
    """Return agree@j for j = 2, 3, ...: how often the first j calls of an item in a sweep all agree.

    Parameters
    ----------
    decisions : array_like of int, shape (requests, sweeps, calls)
        1 for yes, 0 for no, -1 for a call without a decision; calls in the order they were made.
    items : array_like of int, shape (requests,), optional
        The item of each request, numbered from 0: the unit of the interval. By default each is an item of its own.
    cost_per_call : float, optional
        What one call costs, in any unit.
    confidence, resamples, seed
        As for `item_interval.item_interval`.

    Returns
    -------
    tuple of AgreementAt
        One for each j from 2 to the number of calls.

    Raises
    ------
    ValueError
        `decisions` or `items` has another shape or other values, a level is outside (0, 1), or the cost is negative.

    Examples
    --------
    >>> [(a.j, a.rate, a.cost) for a in agreement([[[1, 1, 0]], [[0, 0, 0]]], cost_per_call=0.5)]
    [(2, 1.0, 1.0), (3, 0.5, 1.5)]
    """
    calls = _decisions(decisions, cost_per_call)
    how = _Interval(_items(items, calls.shape[0]), cost_per_call, confidence, resamples, seed)
    rates = []
    for j in range(2, calls.shape[2] + 1):
        first = calls[:, :, :j]
        complete = (first != MISSING).all(axis=2)
        differ = complete & (first != first[:, :, :1]).any(axis=2)
        rates.append(how.rate("agree", j, differ, complete))
    return tuple(rates)


def majority_stability(
    decisions: ArrayLike,
    *,
    items: ArrayLike | None = None,
    cost_per_call: float | None = None,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> tuple[AgreementAt, ...]:
    """Return MS@j for odd j: how often the majorities of j calls in two sweeps of an item agree.

    MS@1 is what a single call gives; what the j-th costs and brings over it is the question a majority vote has to
    answer. All pairs of sweeps of an item are compared.

    Parameters
    ----------
    decisions, items, cost_per_call, confidence, resamples, seed
        As for `agreement`. Sweeps are compared within a request.

    Returns
    -------
    tuple of AgreementAt
        One for each odd j up to the number of calls; empty with fewer than two sweeps.

    Raises
    ------
    ValueError
        As `agreement`.

    Examples
    --------
    >>> [(a.j, a.rate) for a in majority_stability([[[1, 1, 0], [0, 1, 1]], [[0, 0, 0], [0, 0, 1]]])]
    [(1, 0.5), (3, 1.0)]
    """
    calls = _decisions(decisions, cost_per_call)
    how = _Interval(_items(items, calls.shape[0]), cost_per_call, confidence, resamples, seed)
    pairs = list(combinations(range(calls.shape[1]), 2))
    rates = []
    for j in range(1, calls.shape[2] + 1, 2) if pairs else ():
        first = calls[:, :, :j]
        complete = (first != MISSING).all(axis=2)
        majority = 2 * first.sum(axis=2) > j
        both = np.stack([complete[:, a] & complete[:, b] for a, b in pairs], axis=1)
        differ = np.stack([majority[:, a] != majority[:, b] for a, b in pairs], axis=1) & both
        rates.append(how.rate("majority", j, differ, both))
    return tuple(rates)


@dataclass(frozen=True, slots=True)
class _Interval:
    """How rates are to be reported."""

    items: IntArray
    cost_per_call: float | None
    confidence: float
    resamples: int
    seed: int

    def rate(
        self, measure: Literal["agree", "majority"], j: int, differ: BoolArray, complete: BoolArray
    ) -> AgreementAt:
        """Return the agreement rate from the disagreements of each item: the rarer event rules the basis.

        `differ` and `complete` have a row a request and a column a comparison.
        """
        levels(confidence=self.confidence)
        rate = low = high = np.nan
        basis: Basis | None = None
        differing, compared = (
            np.bincount(self.items, weights=each.sum(axis=1)).astype(np.int64) for each in (differ, complete)
        )
        if complete.any():
            found = item_interval(
                differing,
                compared,
                confidence=self.confidence,
                resamples=self.resamples,
                seed=self.seed,
            )
            rate, low, high, basis = 1 - found.estimate, 1 - found.high, 1 - found.low, found.basis
        return AgreementAt(
            measure=measure,
            j=j,
            rate=rate,
            low=low,
            high=high,
            basis=basis,
            confidence=self.confidence,
            compared=int(compared.sum()),
            items=int((compared > 0).sum()),
            left_out=int((~complete).sum()),
            cost=None if self.cost_per_call is None else j * self.cost_per_call,
        )


def _decisions(decisions: ArrayLike, cost_per_call: float | None) -> NDArray[np.int64]:
    calls = np.asarray(decisions)
    if calls.ndim != 3 or calls.size == 0:
        raise ValueError(
            f"decisions has shape {calls.shape}; (requests, sweeps, calls), none of them 0, is accepted."
        )
    refuse_where(~np.isin(calls, (0, 1, MISSING)), "decisions", calls, "must be 1, 0 or -1 (no decision)")
    if cost_per_call is not None and not cost_per_call >= 0:
        raise ValueError(f"cost_per_call={cost_per_call!r} must not be negative.")
    return calls.astype(np.int64)


def _items(items: ArrayLike | None, requests: int) -> IntArray:
    if items is None:
        return np.arange(requests)
    (numbers,) = rows(items=items)
    if numbers.shape != (requests,):
        raise ValueError(
            f"items has shape {numbers.shape}; one number a request, ({requests},), is accepted."
        )
    return numbers
