"""The comparison as a whole: whether any condition changed at all, and along which axis values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.fault_lines import fault_lines_paired, fault_lines_unpaired
from poisson_stats.omnibus import omnibus_paired, omnibus_unpaired
from poisson_stats.significance import is_significant
from pytest_poisson.analyses.cells import pair_cells
from pytest_poisson.analyses.coverage import value_key
from pytest_poisson.analyses.figures import finite
from pytest_poisson.conditions import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from poisson_stats import fault_lines
    from poisson_stats.comparison import Comparison
    from poisson_stats.omnibus import Omnibus
    from poisson_stats.validation import IntArray
    from poisson_store.records import ConditionRecord, Json
    from pytest_poisson.analyses.tally import Grid
    from pytest_poisson.events import Event


@dataclass(frozen=True, slots=True)
class Node:
    """One test of the tree.

    Attributes
    ----------
    axis, value
        Of a group: all conditions with this value of this axis. Of the whole and of a single condition None.
    conditions
        Those it is about.
    p, log_p, level
        Exact two-sided p-value, stratified over the conditions, and what it was held against.
    changed
        Whether the test rejects.
    change
        The mean of the conditions' changes; None without data.
    resolvable
        The change common to all of them that would have been found 4 times in 5; None where none would.
    """

    axis: str | None
    value: Json
    conditions: tuple[ConditionRecord, ...]
    p: float
    log_p: float
    level: float
    changed: bool
    change: float | None
    resolvable: float | None


@dataclass(frozen=True, slots=True)
class Group:
    """A group of the tree, and its conditions' tests; none where the group did not change."""

    node: Node
    below: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class WholeEvent:
    """One event over all conditions of its rollout.

    Attributes
    ----------
    event
        Which.
    omnibus, changed
        The test of "no condition changed", and whether it rejects at the error level.
    root
        All conditions together.
    groups
        The values of every axis that has several; none where the root did not change.
    bound
        What the procedure was built to bound the false discovery rate over the outer nodes by. It is proved for
        independent tests, which those of a group and of its conditions are not.
    """

    event: Event
    omnibus: Omnibus
    changed: bool
    root: Node
    groups: tuple[Group, ...]
    bound: float


@dataclass(frozen=True, slots=True)
class Whole:
    """What `--full` adds to a comparison.

    Attributes
    ----------
    events
        One entry an event and rollout.
    planned_before, planned_after
        Conditions that each run planned.
    common
        Those compared.
    absent_before, absent_after
        Conditions of the other run that this one did not plan.
    skipped
        Conditions skipped whole in both.
    """

    events: tuple[WholeEvent, ...]
    planned_before: int
    planned_after: int
    common: int
    absent_before: int
    absent_after: int
    skipped: int


def describe_events(grid: Grid, comparison: Comparison) -> tuple[WholeEvent, ...]:
    """Test every event over the conditions of its rollout, and walk down the tree of their axis values."""
    return tuple(
        _event(grid, comparison, event, np.flatnonzero(grid.event == number))
        for number, event in enumerate(grid.events)
        if (grid.event == number).any()
    )


def _event(grid: Grid, comparison: Comparison, event: Event, rows: IntArray) -> WholeEvent:
    conditions = [grid.conditions[position] for position in grid.condition[rows].tolist()]
    groups = list(_groups(conditions))
    members = [positions for _, _, positions in groups]
    omnibus, tree = _tests(comparison, rows, members)
    return WholeEvent(
        event=event,
        omnibus=omnibus,
        changed=bool(is_significant(omnibus.p, comparison.q)),
        root=_node(tree.root, conditions),
        groups=tuple(
            Group(_node(node, conditions, axis, value), tuple(_node(each, conditions) for each in below))
            for (axis, value, _), node, below in zip(groups, tree.groups, tree.below, strict=False)
        ),
        bound=tree.bound,
    )


def _tests(
    comparison: Comparison, rows: IntArray, members: Sequence[Sequence[int]]
) -> tuple[Omnibus, fault_lines.FaultLines]:
    q = comparison.q
    if comparison.method == "mcnemar":
        cells = [cell[rows] for cell in pair_cells(comparison)]
        return omnibus_paired(*cells), fault_lines_paired(*cells, groups=members, q=q)
    names = ("k_before", "n_before", "k_after", "n_after")
    counts = [getattr(comparison, name)[rows] for name in names]
    return omnibus_unpaired(*counts), fault_lines_unpaired(*counts, groups=members, q=q)


def _groups(conditions: Sequence[ConditionRecord]) -> Iterator[tuple[str, Json, list[int]]]:
    """Yield axis, value and the positions of its conditions, for every axis with several values."""
    for axis in dict.fromkeys(name for condition in conditions for name in condition.axes):
        by_value: dict[str, list[int]] = {}
        for position, condition in enumerate(conditions):
            if axis in condition.axes:
                by_value.setdefault(canonical_json(condition.axes[axis]), []).append(position)
        if len(by_value) > 1:
            found = [(conditions[positions[0]].axes[axis], positions) for positions in by_value.values()]
            for value, positions in sorted(found, key=lambda pair: value_key(pair[0])):
                yield axis, value, positions


def _node(
    node: fault_lines.Node, conditions: Sequence[ConditionRecord], axis: str | None = None, value: Json = None
) -> Node:
    return Node(
        axis=axis,
        value=value,
        conditions=tuple(conditions[position] for position in node.conditions.tolist()),
        p=node.p,
        log_p=node.log_p,
        level=node.level,
        changed=node.changed,
        change=finite(node.change),
        resolvable=finite(node.resolvable),
    )
