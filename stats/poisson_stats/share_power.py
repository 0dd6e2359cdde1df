"""The exact power of the exact stratified test, by enumerating every table a small design can produce.

The test's rejection region depends on the multiset of the inputs' totals alone, so the designs are enumerated by
multiset, not by list: six inputs of five runs are 210 multisets instead of 46,656 lists. Totals of none and of
all add nothing to the test and are one category.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.binomial import probabilities_at
from poisson_stats.grouping import chunks
from poisson_stats.significance import TIE_TOLERANCE, is_significant

if TYPE_CHECKING:
    from poisson_stats.validation import BoolArray, FloatArray, IntArray

__all__ = ["PowerTable", "enumeration_cost", "power_table"]


@dataclass(frozen=True, slots=True, eq=False)
class PowerTable:
    """What a design can produce and which of it the test rejects, whatever the rates are.

    Attributes
    ----------
    n_before, n_after : ndarray of int, shape (inputs,)
        Runs of each input, those of one design side by side.
    totals : tuple of ndarray of int, one an input
        The totals f that inform, in the order of the columns of `successors` from the second on.
    successors : tuple of ndarray of int, one an input, shape (states before it, 1 + informing totals)
        Where each state goes when the input's total does not inform (column 0), or is f.
    rejected : ndarray of bool, shape (states, sums)
        Whether the test rejects in this state with this sum of the after arm's events over informing inputs.
    """

    n_before: IntArray
    n_after: IntArray
    totals: tuple[IntArray, ...]
    successors: tuple[IntArray, ...]
    rejected: BoolArray

    def power(self, before: FloatArray, after: FloatArray) -> float:
        """Return the probability of rejection when the inputs have these rates, each of shape (inputs,)."""
        mass = np.zeros((1, self.rejected.shape[1]))
        mass[0, 0] = 1.0
        for i, successor in enumerate(self.successors):
            first = _binomial(int(self.n_before[i]), float(before[i]))
            second = _binomial(int(self.n_after[i]), float(after[i]))
            mass = _add_input(mass, successor, self.totals[i], first, second)
        return float(mass[self.rejected].sum())


def enumeration_cost(n_before: IntArray, n_after: IntArray) -> float:
    """Return about how many additions one evaluation of the power costs; infinite where states cannot be coded."""
    designs, inputs = np.unique(np.stack((n_before, n_after)), axis=1, return_counts=True)
    informing = designs.sum(axis=0) - 1
    if n_before.size * math.log2(1 + int(informing.sum())) > 62:
        return math.inf
    states = math.prod(math.comb(int(k + c), int(c)) for k, c in zip(inputs, informing, strict=True))
    pairs = int((inputs * designs[0] * designs[1]).sum())
    return float(states) * (1 + int(n_after.sum())) * pairs


def power_table(n_before: IntArray, n_after: IntArray, *, alpha: float) -> PowerTable:
    """Enumerate the states of a design and the rejection region of the exact stratified test at `alpha`.

    Parameters
    ----------
    n_before, n_after : ndarray of int, shape (inputs,)
        Runs of each input, at least 1 each, those of one design side by side.
    alpha : float
        Level of the two-sided test.
    """
    design = np.concatenate(([0], np.cumsum((np.diff(n_before) != 0) | (np.diff(n_after) != 0))))
    informing = [np.arange(1, n0 + n1) for n0, n1 in zip(n_before, n_after, strict=True)]
    # Categories are numbered from 1, design after design; 0 is a total that does not inform.
    first = np.concatenate(([1], 1 + np.cumsum([totals.size for totals in informing])))[
        np.searchsorted(design, design)
    ]
    categories = int(max(f + totals.size for f, totals in zip(first, informing, strict=True)))
    states = np.zeros((1, n_before.size), dtype=np.int64)
    successors = []
    for start, totals in zip(first, informing, strict=True):
        states, successor = _extend(states, np.concatenate(([0], start + totals - 1)), categories)
        successors.append(successor)
    null = np.zeros((categories, int(n_after.max()) + 1))
    null[0, 0] = 1.0
    for i in np.unique(design, return_index=True)[1]:
        for f in informing[i]:
            null[first[i] + f - 1] = _null_count(int(n_before[i]), int(n_after[i]), int(f), null.shape[1])
    rejected = _rejected(states, null, 1 + int(n_after.sum()), alpha)
    return PowerTable(n_before, n_after, tuple(informing), tuple(successors), rejected)


def _extend(states: IntArray, choices: IntArray, categories: int) -> tuple[IntArray, IntArray]:
    """Add one input to every state; return the new states and where each (state, choice) went.

    A state is the sorted row of its categories, one place an input, zeros first.
    """
    grown = np.repeat(states, choices.size, axis=0)
    grown[:, 0] = np.tile(choices, states.shape[0])
    grown.sort(axis=1)
    code = np.zeros(grown.shape[0], dtype=np.int64)
    for place in range(grown.shape[1]):
        code = code * categories + grown[:, place]
    _, kept, successor = np.unique(code, return_index=True, return_inverse=True)
    return grown[kept], successor.reshape(states.shape[0], choices.size)


def _add_input(
    mass: FloatArray, successor: IntArray, totals: IntArray, before: FloatArray, after: FloatArray
) -> FloatArray:
    """Convolve the mass over (state, sum) with one more input of the given count distributions."""
    grown = np.zeros((int(successor.max()) + 1, mass.shape[1]))
    grown[successor[:, 0]] = mass * (before[0] * after[0] + before[-1] * after[-1])
    for column, f in enumerate(totals, start=1):
        # Different states go to different states: one indexed addition a total.
        moved = np.zeros_like(mass)
        for x in range(max(0, f - before.size + 1), min(after.size - 1, f) + 1):
            moved[:, x:] += mass[:, : mass.shape[1] - x] * (before[f - x] * after[x])
        grown[successor[:, column]] += moved
    return grown


def _null_count(n_before: int, n_after: int, f: int, width: int) -> FloatArray:
    """Return the hypergeometric probabilities of the after arm's events given f in both."""
    x = np.arange(width)
    whole = math.comb(n_before + n_after, f)
    return np.array(
        [math.comb(n_after, i) * math.comb(n_before, f - i) / whole if i <= f else 0.0 for i in x.tolist()]
    )


def _rejected(states: IntArray, null: FloatArray, sums: int, alpha: float) -> BoolArray:
    """Return where the two-sided p-value of a sum, in a state, is at most `alpha`."""
    rejected = np.zeros((states.shape[0], sums), dtype=np.bool_)
    for block in chunks(states.shape[0], max(1, sums * sums)):
        probability = np.zeros((states[block].shape[0], sums))
        probability[:, 0] = 1.0
        for place in range(states.shape[1]):
            count = null[states[block][:, place]]
            grown = probability * count[:, :1]
            for x in range(1, null.shape[1]):
                grown[:, x:] += probability[:, :-x] * count[:, x : x + 1]
            probability = grown
        no_more = probability[:, np.newaxis, :] <= probability[:, :, np.newaxis] * (1 + TIE_TOLERANCE)
        p = (no_more * probability[:, np.newaxis, :]).sum(axis=2)
        # A sum that cannot occur is rejected too; nothing falls on it under any rates.
        rejected[block] = is_significant(p, alpha)
    return rejected


def _binomial(n: int, rate: float) -> FloatArray:
    """Return the probabilities of 0 to n events."""
    return probabilities_at(np.arange(n + 1), np.array(n), np.array(rate))
