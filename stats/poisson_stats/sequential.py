"""Stopping early without paying for the peeking: a rule a sweep feeds batch by batch.

State in, state out: nothing is remembered between calls but the `SequentialState` that `StoppingRule.advance`
returns. Pairs are taken in the order of their replicate numbers, never in the order they arrive. Failures may be
quicker than successes, or slower; counting what happens to be there first would then be counting by outcome, and
no e-process is valid under that. A pair that arrives early waits in the state for its predecessors.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from poisson_stats.e_values import block_log_e, e_benjamini_hochberg, sign_log_e
from poisson_stats.validation import levels, positive, refuse_where, rows

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import BoolArray, FloatArray, IntArray

__all__ = ["SequentialState", "StopReason", "StoppingRule"]

StopReason: TypeAlias = Literal["running", "flagged", "planned"]

NO_OUTCOME = -1
"""Stands for an episode without an outcome: its pair takes its turn and says nothing."""

_REASONS: tuple[StopReason, ...] = ("running", "flagged", "planned")
_RUNNING, _FLAGGED, _PLANNED = range(3)


@dataclass(frozen=True, slots=True, eq=False)
class SequentialState:
    """What a stopping rule knows after the batches so far.

    Attributes
    ----------
    log_e : ndarray of float, shape (conditions, events)
        Log evidence of each row that nothing changed is wrong.
    before, after : ndarray of int, shape (conditions, events)
        Paired: pairs with the event only before, only after. Unpaired: events in each arm.
    used : ndarray of int, shape (conditions,)
        Pairs (blocks) with an outcome in both arms that entered the evidence.
    taken : ndarray of int, shape (conditions,)
        Replicates that took their turn, with or without outcomes: all those below this number.
    late : ndarray of int, shape (conditions,)
        Replicates that came in after their condition had stopped: stored, but not part of the evidence.
    flagged : ndarray of bool, shape (conditions, events)
        Rows flagged by e-BH; once flagged, for ever.
    reason : ndarray of int, shape (conditions,)
        Why each condition stopped, as an index into ("running", "flagged", "planned").
    waiting : ndarray of int, shape (w, 2 + 2 events)
        Replicates whose predecessors have not come: condition, replicate, before, after.
    """

    log_e: FloatArray
    before: IntArray
    after: IntArray
    used: IntArray
    taken: IntArray
    late: IntArray
    flagged: BoolArray
    reason: IntArray
    waiting: IntArray

    @property
    def running(self) -> BoolArray:
        """Conditions that want more replicates, shape (conditions,)."""
        return np.asarray(self.reason == _RUNNING)

    @property
    def reasons(self) -> tuple[StopReason, ...]:
        """Why each condition stopped, or that it has not."""
        return tuple(_REASONS[r] for r in self.reason.tolist())


@dataclass(frozen=True, slots=True)
class StoppingRule:
    """Stop a condition as soon as it is flagged, or when its planned replicates are done.

    Attributes
    ----------
    conditions, events : int
        The rows are conditions x events: all that will be compared, declared beforehand.
    planned : int
        Replicates of a condition that are run at most.
    paired : bool
        Whether the arms share their draws: the sign e-process; otherwise the block test.
    q : float
        False discovery rate of the flags.
    tested : array_like of bool, shape (conditions, events), optional
        Which rows are compared at all, where conditions differ in their events; the others have no evidence and do
        not count as tests. All of them by default.

    Raises
    ------
    ValueError
        A count below 1, q outside (0, 1), or `tested` of another shape.

    Notes
    -----
    After every round of pairs, one a condition, e-BH is applied to all rows. The conditions of flagged rows stop
    there and their evidence is frozen, so that R rows stay above m / (q R) for good: no later round takes a
    flag back. A condition with several events stops when one of its rows is flagged.

    The false discovery rate of all flags, whenever the sweep ends, is at most q: frozen evidence is an e-value
    at a stopping time, and e-BH allows any dependence between rows. What is required is that a condition's pairs
    be exchangeable in replicate order, and independent of other conditions' outcomes.

    Examples
    --------
    >>> rule = StoppingRule(conditions=2, events=1, planned=60, paired=True)
    >>> state = rule.start()
    >>> for replicate in range(12):
    ...     state = rule.advance(state, [0, 1], [replicate] * 2, before=[[0], [0]], after=[[1], [0]])
    >>> state.reasons, state.used.tolist()
    (('flagged', 'running'), [8, 12])
    """

    conditions: int
    events: int
    planned: int
    paired: bool
    q: float = 0.05
    tested: ArrayLike | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        positive(conditions=self.conditions, events=self.events, planned=self.planned)
        levels(q=self.q)
        shape = (self.conditions, self.events)
        tested = (
            np.ones(shape, dtype=np.bool_) if self.tested is None else np.asarray(self.tested, dtype=np.bool_)
        )
        if tested.shape != shape:
            raise ValueError(
                f"tested has shape {tested.shape}; a row a condition and a column an event, {shape}, is accepted."
            )
        object.__setattr__(self, "tested", tested)

    def start(self) -> SequentialState:
        """Return the state before any batch."""
        shape, width = (self.conditions, self.events), 2 + 2 * self.events
        return SequentialState(
            log_e=np.zeros(shape),
            before=np.zeros(shape, dtype=np.int64),
            after=np.zeros(shape, dtype=np.int64),
            used=np.zeros(self.conditions, dtype=np.int64),
            taken=np.zeros(self.conditions, dtype=np.int64),
            late=np.zeros(self.conditions, dtype=np.int64),
            flagged=np.zeros(shape, dtype=np.bool_),
            reason=np.zeros(self.conditions, dtype=np.int64),
            waiting=np.zeros((0, width), dtype=np.int64),
        )

    def advance(
        self,
        state: SequentialState,
        condition: ArrayLike,
        replicate: ArrayLike,
        *,
        before: ArrayLike,
        after: ArrayLike,
    ) -> SequentialState:
        """Take one batch of replicates into account.

        Parameters
        ----------
        state : SequentialState
            From `start`, or from the batch before.
        condition, replicate : array_like of int, shape (r,)
            Which replicate of which condition each row is, counted from 0; in any order, each once in the sweep.
        before, after : array_like of int, shape (r, events)
            1 where the replicate had the event in that arm, 0 where not, -1 in all columns where it has no outcome.

        Returns
        -------
        SequentialState
            A new one; the given one is unchanged. The same replicates give the same state however they were cut
            into batches, as long as each round finds the same conditions waiting.

        Raises
        ------
        ValueError
            A shape does not fit, a condition or replicate is out of range or was given before, or a value is
            not 1, 0 or -1.
        """
        table = np.concatenate((state.waiting, self._batch(state, condition, replicate, before, after)))
        table = table[np.lexsort((table[:, 1], table[:, 0]))]
        repeated = np.flatnonzero((np.diff(table[:, :2], axis=0) == 0).all(axis=1))
        if repeated.size:
            where, which = table[repeated[0], :2].tolist()
            raise ValueError(f"replicate={which} of condition={where} was given before; once is accepted.")
        state, table = self._set_aside(state, table)
        while (ready := table[:, 1] == state.taken[table[:, 0]]).any():
            state = self._stop(self._round(state, table[ready]))
            state, table = self._set_aside(state, table[~ready])
        return replace(state, waiting=table)

    def saved(self, state: SequentialState) -> int:
        """Return the planned replicates that were never run because their condition was decided."""
        stopped = state.reason == _FLAGGED
        return int((self.planned - state.taken - state.late)[stopped].sum())

    def _batch(
        self,
        state: SequentialState,
        condition: ArrayLike,
        replicate: ArrayLike,
        before: ArrayLike,
        after: ArrayLike,
    ) -> IntArray:
        """Return the batch as a table like `SequentialState.waiting`, or refuse it."""
        which, number = rows(condition=condition, replicate=replicate)
        refuse_where(which >= self.conditions, "condition", which, f"must be below {self.conditions}")
        refuse_where(number >= self.planned, "replicate", number, f"must be below {self.planned}")
        running = state.running[which]
        refuse_where(running & (number < state.taken[which]), "replicate", number, "was given before")
        arms = [_outcomes(n, v, (which.size, self.events)) for n, v in (("before", before), ("after", after))]
        return np.concatenate((which[:, np.newaxis], number[:, np.newaxis], *arms), axis=1)

    def _set_aside(self, state: SequentialState, table: IntArray) -> tuple[SequentialState, IntArray]:
        """Count the replicates of stopped conditions as late, and keep the others."""
        wanted = state.running[table[:, 0]]
        if wanted.all():
            return state, table
        late = state.late + np.bincount(table[~wanted, 0], minlength=self.conditions)
        return replace(state, late=late), table[wanted]

    def _round(self, state: SequentialState, pairs: IntArray) -> SequentialState:
        """Take one pair of each condition in `pairs` into the evidence."""
        taken = state.taken.copy()
        taken[pairs[:, 0]] += 1
        arms = pairs[:, 2:].reshape(-1, 2, self.events)
        complete = (arms != NO_OUTCOME).all(axis=(1, 2))
        at, y0, y1 = pairs[complete, 0], arms[complete, 0], arms[complete, 1]
        before, after, used = (array.copy() for array in (state.before, state.after, state.used))
        log_e = state.log_e.copy()
        if at.size and self.paired:
            before[at] += y0 & ~y1
            after[at] += y1 & ~y0
            log_e[at] = sign_log_e(before[at], after[at])
        elif at.size:
            blocks = np.repeat(used[at, np.newaxis], self.events, axis=1)
            log_e[at] += block_log_e(y0, y1, before[at], after[at], blocks)
            before[at] += y0
            after[at] += y1
        used[at] += 1
        return replace(state, log_e=log_e, before=before, after=after, used=used, taken=taken)

    def _stop(self, state: SequentialState) -> SequentialState:
        """Flag rows, and stop the conditions that are decided or done."""
        flagged, tested = np.zeros_like(state.flagged), np.asarray(self.tested)
        if tested.any():
            flagged[tested] = e_benjamini_hochberg(state.log_e[tested], q=self.q).flagged
        reason = state.reason.copy()
        reason[state.running & (state.taken >= self.planned)] = _PLANNED
        reason[state.running & flagged.any(axis=1)] = _FLAGGED
        return replace(state, flagged=flagged, reason=reason)


def _outcomes(name: str, values: ArrayLike, shape: tuple[int, int]) -> IntArray:
    array = np.asarray(values)
    if array.shape != shape:
        raise ValueError(
            f"{name} has shape {array.shape}; one row a replicate and a column an event, {shape}, is accepted."
        )
    refuse_where(~np.isin(array, (0, 1, NO_OUTCOME)), name, array, "must be 1, 0 or -1 (no outcome)")
    return array.astype(np.int64)
