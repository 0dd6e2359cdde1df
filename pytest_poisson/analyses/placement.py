"""Where every episode of a run landed: how many steps it took, and whether it died there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from poisson_store.records import CAUSES, KINDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poisson_stats.validation import BoolArray, IntArray
    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord, TraceColumns
    from pytest_poisson.analyses.event_set import EventSet

By: TypeAlias = Literal["kind", "step"]

FATES = ("no trace", "unreadable trace", "no leaves", "no outcome", "timed out", "capped", "died", "ended")
"""Each episode has the first that applies."""

EXCLUDED = FATES[:4]
"""Those that have no place on the curve."""

NO_STEP = "(no step)"
"""The cause of a death in a span that belongs to no named step."""


@dataclass(frozen=True, slots=True)
class Landed:
    """How many episodes landed where; each is counted once."""

    no_trace: int = 0
    unreadable_trace: int = 0
    no_leaves: int = 0
    no_outcome: int = 0
    timed_out: int = 0
    capped: int = 0
    died: int = 0
    ended: int = 0

    @property
    def excluded(self) -> int:
        """Episodes without a place."""
        return self.no_trace + self.unreadable_trace + self.no_leaves + self.no_outcome

    @property
    def placed(self) -> int:
        """Episodes with a place."""
        return self.timed_out + self.capped + self.died + self.ended

    @property
    def rows(self) -> int:
        """Stored episodes of the conditions that have the event."""
        return self.excluded + self.placed


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """The placed episodes of a run, one element each.

    Attributes
    ----------
    condition
        Position in the conditions that were asked about.
    steps
        How many steps the episode ran: where it died or was last seen.
    cause
        0 where it was censored, else 1 + the position in `causes` of what its last leaf was.
    fate
        Position in `FATES`.
    row
        Position among the rows of the run.
    causes
        What episodes died of, and perhaps more.
    landed
        All episodes, counted.
    """

    condition: IntArray
    steps: IntArray
    cause: IntArray
    fate: IntArray
    row: IntArray
    causes: tuple[str, ...]
    landed: Landed

    def with_causes(self, causes: Sequence[str]) -> IntArray:
        """Return `cause` as positions in another list of causes, which holds all that occur."""
        number = {cause: 1 + position for position, cause in enumerate(causes)}
        table = np.array([0, *(number.get(cause, 0) for cause in self.causes)], dtype=np.int64)
        return np.asarray(table[self.cause])

    def restrict(self, conditions: IntArray) -> Placement:
        """Keep the episodes of some conditions, which are numbered anew in the order given."""
        number = np.full(int(max(self.condition.max(), conditions.max())) + 1, -1, dtype=np.int64)
        number[conditions] = np.arange(conditions.size)
        condition = number[self.condition]
        kept = condition >= 0
        return replace(
            self,
            condition=condition[kept],
            steps=self.steps[kept],
            cause=self.cause[kept],
            fate=self.fate[kept],
            row=self.row[kept],
        )

    def reached(self, reader: RunReader, steps: Sequence[str]) -> BoolArray:
        """Return, [episode, step], whether the episode got to the named step."""
        return np.asarray(reader.reached(steps)[self.row])


def place(reader: RunReader, conditions: Sequence[ConditionRecord], events: EventSet, *, by: By) -> Placement:
    """Place the episodes of some conditions.

    Parameters
    ----------
    reader
        The run.
    conditions
        Those asked about; episodes of others are not counted.
    events
        What dying is.
    by
        Whether a death's cause is the kind of the last leaf or the named step it belongs to.
    """
    columns = reader.trace_columns()
    position = {condition.key: number for number, condition in enumerate(conditions)}
    asked = np.array([position.get(key, -1) for key in columns.conditions], dtype=np.int64)
    row = np.flatnonzero(asked[columns.condition] >= 0)
    fate = _fates(columns, events)[row]
    counts = np.bincount(fate, minlength=len(FATES)).tolist()
    kept = fate >= len(EXCLUDED)
    row, fate = row[kept], fate[kept]
    died = fate == FATES.index("died")
    causes, cause = _causes(columns, row, died, by)
    return Placement(
        condition=asked[columns.condition[row]],
        steps=columns.leaves[row].astype(np.int64),
        cause=cause,
        fate=fate,
        row=row,
        causes=causes,
        landed=Landed(*counts),
    )


def order_causes(placements: Sequence[Placement], by: By, steps: Iterable[str]) -> tuple[str, ...]:
    """Return every cause once: kinds in their own order, steps as declared and then by name, unnamed last."""
    order = {name: number for number, name in enumerate(KINDS if by == "kind" else steps)}

    def rank(cause: str) -> tuple[bool, int, str]:
        return cause == NO_STEP, order.get(cause, len(order)), cause

    occurring = (
        placement.causes[code - 1] for placement in placements for code in np.unique(placement.cause) if code
    )
    return tuple(sorted(set(occurring), key=rank))


def _fates(columns: TraceColumns, events: EventSet) -> IntArray:
    """Return each episode's position in `FATES`: the first rule that applies."""
    event = np.array([word in events.names for word in columns.outcomes] + [False])
    timed_out = columns.cause == CAUSES.index("timed_out")
    rules = [
        columns.leaves < 0,
        (columns.leaves > 0) & (columns.last_kind < 0),
        columns.leaves == 0,
        (columns.outcome < 0) & ~timed_out,
        timed_out,
        columns.spans_left_out > 0,
        event[columns.outcome],
    ]
    return np.select(rules, np.arange(len(rules)), default=len(rules)).astype(np.int64)


def _causes(
    columns: TraceColumns, row: IntArray, died: BoolArray, by: By
) -> tuple[tuple[str, ...], IntArray]:
    """Return the causes that occur and each placed episode's cause, 0 where it did not die."""
    code = (columns.last_kind if by == "kind" else columns.last_step)[row].astype(np.int64)
    names = (*(KINDS if by == "kind" else columns.steps), NO_STEP)
    code = np.where(code < 0, len(names) - 1, code)
    occurring = np.unique(code[died])
    number = np.zeros(len(names), dtype=np.int64)
    number[occurring] = 1 + np.arange(occurring.size)
    return tuple(names[each] for each in occurring.tolist()), np.where(died, number[code], 0)
