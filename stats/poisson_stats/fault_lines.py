"""Where a comparison changed: from all conditions to the values of each axis to single conditions.

The whole is tested first. Only if it changed, each group (the conditions that share one value of one axis) is
tested; only below a group that changed, its conditions. A change that many conditions share is found higher
up than any of them could show it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy.special import ndtri

from poisson_stats.fisher import fisher_test
from poisson_stats.limits import (
    NONE_DETECTABLE,
    STEPS,
    TARGET_POWER,
    limits_paired,
    limits_unpaired,
    steps_to_cover,
)
from poisson_stats.mcnemar import mcnemar_test
from poisson_stats.multiplicity import benjamini_hochberg
from poisson_stats.power import mcnemar_power
from poisson_stats.significance import alpha_per_test, is_significant_log
from poisson_stats.stratified import stratified_test
from poisson_stats.validation import levels, refuse_where, rows, within

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from poisson_stats.fisher import ExactTest
    from poisson_stats.limits import DetectionLimits
    from poisson_stats.validation import FloatArray, IntArray

DEPTH = 3
"""The whole, the groups, the conditions."""

YEKUTIELI_FACTOR = 1.44
"""Yekutieli's bound on how much testing families only below a discovery can inflate the rate."""


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """One test of the tree.

    Attributes
    ----------
    conditions
        Positions of the conditions it is about.
    p, log_p
        Exact two-sided p-value: stratified over the conditions, or of the one condition.
    level
        What p was held against; for conditions the level of their family, within which
        Benjamini-Hochberg's procedure decides.
    changed
        Whether the test rejects.
    change
        The mean of its conditions' changes, after minus before; NaN without data.
    resolvable
        The change, common to all its conditions, that it would have found 4 times in 5, in the harder of the
        directions that have room; NaN where none would. Approximate for nodes of several conditions (see
        `fault_lines_unpaired`), exact for single ones (`limits`).
    """

    conditions: IntArray
    p: float
    log_p: float
    level: float
    changed: bool
    change: float
    resolvable: float


@dataclass(frozen=True, slots=True, eq=False)
class FaultLines:
    """The tree of tests, as far as it was walked.

    Attributes
    ----------
    root
        All conditions.
    groups
        One node a group, in the order given; empty where the root did not change.
    below
        For each group the nodes of its conditions; empty where the group did not change.
    q
        The level of the root and of each family.
    bound
        2 x depth x q x 1.44: the false discovery rate over the outer nodes (the changed ones with no changed
        one below them) is at most this, if the p-values of different nodes are independent (Yekutieli 2008).
        They are not here: a group's test and its conditions' share their data. Nothing is established for
        this tree; the figure says what the procedure was built to do.
    """

    root: Node
    groups: tuple[Node, ...]
    below: tuple[tuple[Node, ...], ...]
    q: float
    bound: float


def fault_lines_unpaired(
    k_before: ArrayLike,
    n_before: ArrayLike,
    k_after: ArrayLike,
    n_after: ArrayLike,
    *,
    groups: Sequence[ArrayLike],
    q: float = 0.05,
) -> FaultLines:
    """Walk the tree of exact stratified tests of two independent arms.

    Parameters
    ----------
    k_before, n_before, k_after, n_after
        Per condition, one event, as in `comparison.compare_unpaired`.
    groups
        For every value of every axis the positions of its conditions. They may overlap: each axis cuts the
        conditions anew.
    q
        The root is tested at q, each of the G groups at q / G, the conditions of a changed group by
        Benjamini-Hochberg's procedure at q.

    Raises
    ------
    ValueError
        For counts that are not counts, k > n, shapes that differ, an empty group or a position out of range, a
        level outside (0, 1).

    Notes
    -----
    Nodes of many conditions are tested by the exact stratified test (`stratified.stratified_test`), single
    ones by Fisher's. What a node of many could resolve is the normal approximation to the power of the stratified
    test for a change c added to each condition's rate before, cut to [0, 1]: with W = n0 n1 / N,
    D = Σ W (p1 - p0), V0 = Σ n0 n1 s (N - s) / (N² (N - 1)) at the expected s and V1 = Σ W² (p0 q0 / n0 + p1 q1 / n1),
    it is found when D - 1/2 >= z(1 - level/2) sqrt(V0) + z(0.8) sqrt(V1).

    References
    ----------
    D. Yekutieli, Hierarchical false discovery rate-controlling methodology, Journal of the American
    Statistical Association 103 (2008), 309-316.

    Examples
    --------
    The second value of the first axis (conditions 2 and 3) got worse.

    >>> k0, k1, n = [20, 22, 20, 21], [21, 22, 35, 34], [100] * 4
    >>> found = fault_lines_unpaired(k0, n, k1, n, groups=[[0, 1], [2, 3], [0, 2], [1, 3]])
    >>> found.root.changed, [group.changed for group in found.groups]
    (True, [False, True, False, False])
    """
    k0, n0, k1, n1 = rows(k_before=k_before, n_before=n_before, k_after=k_after, n_after=n_after)
    within("k_before", k0, "n_before", n0)
    within("k_after", k1, "n_after", n1)
    return _walk(_Unpaired(k0, n0, k1, n1), groups, q)


def fault_lines_paired(
    both: ArrayLike,
    only_before: ArrayLike,
    only_after: ArrayLike,
    neither: ArrayLike,
    *,
    groups: Sequence[ArrayLike],
    q: float = 0.05,
) -> FaultLines:
    """Walk the tree of exact tests of paired arms.

    As `fault_lines_unpaired`. Given its discordant pairs, a condition's pairs of one kind are Binomial(d, 1/2)
    if nothing changed, and so is their sum over conditions: the exact stratified test is McNemar's on the
    sums. What a node could resolve is that test's exact power for as many pairs of the conditions' average
    discordance.

    Parameters
    ----------
    both, only_before, only_after, neither
        Per condition, one event, as in `comparison.compare_paired`.
    groups, q
        As in `fault_lines_unpaired`.

    Raises
    ------
    ValueError
        As `fault_lines_unpaired`.
    """
    a, b, c, d = rows(both=both, only_before=only_before, only_after=only_after, neither=neither)
    return _walk(_Paired(b, c, a + b + c + d, a + b), groups, q)


class _Arms(Protocol):
    """The counts of all conditions."""

    @property
    def size(self) -> int:
        """Return the number of conditions."""

    def changes(self) -> FloatArray:
        """Return each condition's change, NaN without data."""

    def log_p(self, conditions: IntArray) -> float:
        """Return the log p-value of the conditions together."""

    def each(self, conditions: IntArray, level: float) -> tuple[ExactTest, DetectionLimits]:
        """Test each condition on its own, and say what it can detect at the level."""

    def finds(self, conditions: IntArray, change: float, level: float) -> bool:
        """Say whether a common change would be found 4 times in 5."""

    def rates_before(self) -> FloatArray:
        """Return each condition's rate before, NaN without data."""


def _walk(arms: _Arms, groups: Sequence[ArrayLike], q: float) -> FaultLines:
    levels(q=q)
    members = [_positions(number, group, arms.size) for number, group in enumerate(groups)]
    everything = np.arange(arms.size)
    root = _tested(arms, everything, q)
    bound = 2 * DEPTH * q * YEKUTIELI_FACTOR
    if not (root.changed and members):
        return FaultLines(root, (), (), q, bound)
    level = alpha_per_test(q, len(members))
    nodes = tuple(_tested(arms, conditions, level) for conditions in members)
    below = tuple(_family(arms, node.conditions, q) if node.changed else () for node in nodes)
    return FaultLines(root, nodes, below, q, bound)


def _positions(number: int, group: ArrayLike, size: int) -> IntArray:
    positions = np.unique(np.asarray(group))
    if positions.size == 0 or positions.dtype.kind not in "iu":
        raise ValueError(f"groups[{number}]={group!r} must hold positions of conditions.")
    outside = (positions < 0) | (positions >= size)
    refuse_where(outside, f"groups[{number}]", positions, f"must be a position from 0 to {size - 1}")
    return positions.astype(np.int64)


def _tested(arms: _Arms, conditions: IntArray, level: float) -> Node:
    """Test several conditions together."""
    log_p = arms.log_p(conditions)
    known = arms.changes()[conditions]
    known = known[np.isfinite(known)]
    return Node(
        conditions=conditions,
        p=float(np.exp(log_p)),
        log_p=log_p,
        level=level,
        changed=bool(is_significant_log(log_p, np.log(level))),
        change=float(known.mean()) if known.size else np.nan,
        resolvable=_resolvable(arms, conditions, level),
    )


def _family(arms: _Arms, conditions: IntArray, q: float) -> tuple[Node, ...]:
    # A lone change is held against the first rank's level, as everywhere.
    level = alpha_per_test(q, conditions.size)
    tests, limits = arms.each(conditions, level)
    changed = benjamini_hochberg(tests.log_p, q=q).rejected
    return tuple(
        Node(
            conditions=conditions[i : i + 1],
            p=float(tests.p[i]),
            log_p=float(tests.log_p[i]),
            level=level,
            changed=bool(changed[i]),
            change=float(arms.changes()[conditions[i]]),
            resolvable=_larger_limit(limits, i),
        )
        for i in range(conditions.size)
    )


def _larger_limit(limits: DetectionLimits, i: int) -> float:
    """Return a row's limit in the harder of the directions that have room; NaN where one finds nothing."""
    if NONE_DETECTABLE in {limits.status_rise[i], limits.status_fall[i]}:
        return np.nan
    return float(np.fmax(limits.rise[i], limits.fall[i]))


def _resolvable(arms: _Arms, conditions: IntArray, level: float) -> float:
    """Return the smallest common change found in both directions that have room, on the grid of limits."""
    rate = arms.rates_before()[conditions]
    rate = rate[np.isfinite(rate)]
    found = [
        _smallest_step(arms, conditions, sign, int(steps_to_cover(room.max())), level)
        for sign, room in ((1, 1 - rate), (-1, rate))
        if rate.size and room.max() > 0
    ]
    return max(found, default=np.nan) if all(np.isfinite(found)) else np.nan


def _smallest_step(arms: _Arms, conditions: IntArray, sign: int, most: int, level: float) -> float:
    if not arms.finds(conditions, sign * most / STEPS, level):
        return np.nan
    missed, found = 0, most
    while found - missed > 1:
        middle = (missed + found) // 2
        hit = arms.finds(conditions, sign * middle / STEPS, level)
        missed, found = (missed, middle) if hit else (middle, found)
    return found / STEPS


@dataclass(frozen=True, slots=True, eq=False)
class _Unpaired:
    k_before: IntArray
    n_before: IntArray
    k_after: IntArray
    n_after: IntArray

    @property
    def size(self) -> int:
        return self.k_before.size

    def rates_before(self) -> FloatArray:
        return _share(self.k_before, self.n_before)

    def changes(self) -> FloatArray:
        return _share(self.k_after, self.n_after) - self.rates_before()

    def log_p(self, conditions: IntArray) -> float:
        return stratified_test(*self._counts(conditions)).log_p

    def each(self, conditions: IntArray, level: float) -> tuple[ExactTest, DetectionLimits]:
        k0, n0, k1, n1 = self._counts(conditions)
        return fisher_test(k0, n0, k1, n1), limits_unpaired(k0, n0, n1, alpha=level)

    def _counts(self, conditions: IntArray) -> list[IntArray]:
        return [column[conditions] for column in (self.k_before, self.n_before, self.k_after, self.n_after)]

    def finds(self, conditions: IntArray, change: float, level: float) -> bool:
        n0, n1 = self.n_before[conditions], self.n_after[conditions]
        usable = (n0 > 0) & (n1 > 0)
        n0, n1, p0 = n0[usable], n1[usable], self.rates_before()[conditions][usable]
        p1, n = np.clip(p0 + change, 0, 1), n0 + n1
        weight, events = n0 * n1 / n, n0 * p0 + n1 * p1
        effect = abs(float((weight * (p1 - p0)).sum()))
        v0 = float((n0 * n1 * events * (n - events) / (n * n * np.maximum(n - 1, 1))).sum())
        v1 = float((weight**2 * (p0 * (1 - p0) / n0 + p1 * (1 - p1) / n1)).sum())
        needed = -ndtri(level / 2) * np.sqrt(v0) + ndtri(TARGET_POWER) * np.sqrt(v1)
        return bool(effect - 0.5 >= needed)


@dataclass(frozen=True, slots=True, eq=False)
class _Paired:
    only_before: IntArray
    only_after: IntArray
    pairs: IntArray
    k_before: IntArray

    @property
    def size(self) -> int:
        return self.pairs.size

    def rates_before(self) -> FloatArray:
        return _share(self.k_before, self.pairs)

    def changes(self) -> FloatArray:
        return _share(self.only_after - self.only_before, self.pairs)

    def log_p(self, conditions: IntArray) -> float:
        b, c = self.only_before[conditions].sum(), self.only_after[conditions].sum()
        return float(mcnemar_test(b, c).log_p)

    def each(self, conditions: IntArray, level: float) -> tuple[ExactTest, DetectionLimits]:
        b, c, k, n = (
            column[conditions] for column in (self.only_before, self.only_after, self.k_before, self.pairs)
        )
        return mcnemar_test(b, c), limits_paired(k, n, alpha=level)

    def finds(self, conditions: IntArray, change: float, level: float) -> bool:
        n = self.pairs[conditions]
        p0 = np.nan_to_num(self.rates_before()[conditions])
        p1 = np.clip(p0 + change, 0, 1)
        share = n / n.sum()
        before, after = (np.array([(share * part).sum()]) for part in (p0 * (1 - p1), (1 - p0) * p1))
        return bool(mcnemar_power(before, after, n.sum(keepdims=True), level)[0] >= TARGET_POWER)


def _share(k: IntArray, n: IntArray) -> FloatArray:
    return np.asarray(np.divide(k, n, out=np.full(n.size, np.nan), where=n > 0))
