"""Who was still running at each step, and who died there: the table behind every survival estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from poisson_stats.validation import refuse_where

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from poisson_stats.validation import IntArray

__all__ = ["RiskTable", "label_codes", "risk_table", "times_of", "whole_codes"]


@dataclass(frozen=True, slots=True, eq=False)
class RiskTable:
    """One row a distinct time at which somebody died or was censored.

    Attributes
    ----------
    times : ndarray of shape (t,)
        The distinct times, ascending, in the unit they were given in.
    at_risk : ndarray of int, shape (t,)
        Episodes whose time is that one or later. Somebody censored at a time is still at risk at it:
        deaths come before censorings that share their time.
    died : ndarray of int, shape (kinds, t)
        Deaths at that time, a row for each kind of death.
    """

    times: NDArray[Any]
    at_risk: IntArray
    died: IntArray


def risk_table(times: NDArray[Any], causes: IntArray, kinds: int) -> RiskTable:
    """Count the episodes at risk and the deaths of each kind at every distinct time.

    Parameters
    ----------
    times : ndarray of shape (n,)
        When each episode died or was censored.
    causes : ndarray of int, shape (n,)
        0 for a censored episode, 1 to `kinds` for the kind of its death.
    kinds : int
        How many kinds of death there are.

    Returns
    -------
    RiskTable
        With at least one row.
    """
    distinct, position = np.unique(times, return_inverse=True)
    size = distinct.size
    cell = np.bincount(causes * size + position, minlength=(kinds + 1) * size)
    counts = cell.reshape(kinds + 1, size).astype(np.int64)
    leaving = counts.sum(axis=0)
    return RiskTable(times=distinct, at_risk=leaving[::-1].cumsum()[::-1], died=counts[1:])


def times_of(name: str, times: ArrayLike) -> NDArray[Any]:
    """Read times: one dimension, finite, not negative, not empty. Whole numbers stay whole (steps print as steps).

    Raises
    ------
    ValueError
        Naming `name` and the first value that breaks a rule.
    """
    array = np.asarray(times)
    if array.ndim != 1 or array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}; one dimension with at least one time is accepted.")
    if not np.issubdtype(array.dtype, np.integer):
        array = array.astype(np.float64)
    refuse_where(~np.isfinite(array), name, array, "must be finite")
    refuse_where(array < 0, name, array, "must not be negative")
    return array


def whole_codes(name: str, codes: ArrayLike, *, length: int, largest: int) -> IntArray:
    """Read one whole number from 0 to `largest` (or a bool) for each of `length` episodes.

    Raises
    ------
    ValueError
        The shape is not ``(length,)``, or a value is not one of 0, 1, ..., `largest`.
    """
    array = np.asarray(codes)
    if array.shape != (length,):
        raise ValueError(f"{name} has shape {array.shape}; one value an episode, ({length},), is accepted.")
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name}[0]={array[0]!r} must be a whole number from 0 to {largest}.")
    outside = ~((array >= 0) & (array <= largest)) | (array % 1 != 0)
    refuse_where(outside, name, array, f"must be a whole number from 0 to {largest}")
    return array.astype(np.int64)


def label_codes(name: str, labels: ArrayLike, *, length: int) -> tuple[IntArray, int]:
    """Return the rank of each row's label among the distinct labels, from 0, and how many of these there are.

    Raises
    ------
    ValueError
        `labels` does not hold one label for each of `length` episodes, or NaN is one.
    """
    array = np.asarray(labels)
    if array.shape != (length,):
        raise ValueError(f"{name} has shape {array.shape}; one label an episode, ({length},), is accepted.")
    if array.dtype.kind == "f":
        refuse_where(np.isnan(array), name, array, "must be a label")
    distinct, code = np.unique(array, return_inverse=True)
    return code.astype(np.int64), int(distinct.size)
