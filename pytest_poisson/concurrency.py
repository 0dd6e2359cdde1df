"""Many replicates of an asynchronous rollout in flight in one worker, each with its own fixtures, seeds and spans.

Between two endings the event loop stands still: fixtures are then set up and torn down as ever, one replicate at a
time, while the other replicates wait where they are.
"""

from __future__ import annotations

import asyncio
import contextvars
import random
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from pytest_poisson.ending import Ending, ending_of_call
from pytest_poisson.neighbours import shared_event_loop
from pytest_poisson.retries import Attempt, RetryPolicy
from pytest_poisson.span_rows import spent
from pytest_poisson.spans import enter_replicate

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Generator, Iterable, Iterator, Sequence

    from pytest_poisson.pytest_internals import Suspended
    from pytest_poisson.replicate import ConditionRunner, Row
    from pytest_poisson.rollout import Rollout


class ConcurrentRun:
    """Runs replicates of one condition, up to `limit` of them at a time, on one event loop.

    Parameters
    ----------
    runner
        The condition's runner, whose wider fixtures are set up.
    limit
        How many replicates may be in flight.
    timeout_s
        After how long a replicate is cancelled and ends as timed_out; None for no limit. A replicate that blocks
        the loop cannot be cancelled: the controlling process ends such a worker.
    """

    def __init__(self, runner: ConditionRunner, limit: int, timeout_s: float | None) -> None:
        self._runner = runner
        self._limit = limit
        self._timeout_s = timeout_s
        self._in_flight: dict[asyncio.Task[None], Flight] = {}

    def run(self, replicates: Iterable[int], emit: Callable[[Row], None]) -> None:
        """Run replicates and emit a row as each ends, in the order in which they end.

        Raises
        ------
        pytest.exit.Exception, KeyboardInterrupt
            If a replicate asked to exit, or the user did; the others in flight are cancelled and leave no row.
        """
        waiting = (self._runner.take_off(replicate) for replicate in replicates)
        with shared_event_loop(self._runner.item, self._runner.item_run) as loop:
            try:
                while self._start(waiting, loop, emit):
                    ended, _ = loop.run_until_complete(
                        asyncio.wait(set(self._in_flight), return_when=asyncio.FIRST_COMPLETED)
                    )
                    for task in ended:
                        self._land(self._in_flight.pop(task), loop, emit)
            finally:
                self._abandon(loop)

    def _start(
        self, waiting: Iterator[Flight], loop: asyncio.AbstractEventLoop, emit: Callable[[Row], None]
    ) -> bool:
        """Start replicates while there is room; tell whether any is in flight."""
        while len(self._in_flight) < self._limit:
            flight = next(waiting, None)
            if flight is None:
                break
            if flight.ending is None:
                self._in_flight[flight.start(loop, self._timeout_s)] = flight
            else:  # its fixtures raised
                self._land(flight, loop, emit)
        return bool(self._in_flight)

    def _land(self, flight: Flight, loop: asyncio.AbstractEventLoop, emit: Callable[[Row], None]) -> None:
        """Emit the row of a replicate that has ended, or start it again."""
        runner, ending = self._runner, flight.ending
        row = runner.land(flight)
        if ending is not None and runner.retries(ending, flight.attempts):
            again = runner.take_off(flight.rollout.replicate, flight.attempts_with_this())
            if again.ending is None:
                self._in_flight[again.start(loop, self._timeout_s)] = again
                return
            row = runner.land(again)
        emit(row)
        if ending is not None and isinstance(ending.exception, (KeyboardInterrupt, pytest.exit.Exception)):
            raise ending.exception

    def _abandon(self, loop: asyncio.AbstractEventLoop) -> None:
        """Cancel what is in flight when the batch ends early, and let it clean up; it leaves no rows."""
        for task in self._in_flight:
            task.cancel()
        if self._in_flight:
            loop.run_until_complete(asyncio.wait(set(self._in_flight)))
        for flight in self._in_flight.values():
            self._runner.land(flight)
        self._in_flight.clear()


class Flight:
    """One replicate under way: its rollout, its set-up, and how it ended once it has."""

    def __init__(self, rollout: Rollout, runner: ConditionRunner, attempts: Sequence[Attempt]) -> None:
        self.rollout = rollout
        self.attempts = tuple(attempts)
        self.started_ns, self.started = time.time_ns(), time.perf_counter()
        self.wall_s = 0.0
        self.ending: Ending | None = None
        self.suspended: Suspended | None = None
        self.call: Callable[[], Coroutine[Any, Any, object]] | None = None
        self.randomness = GlobalState.now()
        self.context = contextvars.copy_context()
        self.context.run(enter_replicate, rollout)
        self._runner = runner
        self._timed_out = False

    def attempts_with_this(self) -> tuple[Attempt, ...]:
        """Return the attempts made, of which this one was the last."""
        error = self.ending.error if self.ending is not None else ""
        used = spent(self.rollout.trace)
        this = Attempt(len(self.attempts) + 1, error, self.started_ns, round(self.wall_s, 6), used)
        return (*self.attempts, this)

    def start(self, loop: asyncio.AbstractEventLoop, timeout_s: float | None) -> asyncio.Task[None]:
        """Begin the replicate's task, in a context of its own."""
        task: asyncio.Task[None] = self.context.run(loop.create_task, self._fly())
        if timeout_s is not None:
            handle = loop.call_later(self._pause_s() + timeout_s, self._end_for_time, task)
            task.add_done_callback(lambda _: handle.cancel())
        return task

    def _pause_s(self) -> float:
        """Return how long the replicate waits before it is tried again, which is none of its time."""
        return RetryPolicy.pause_s(len(self.attempts)) if self.attempts else 0.0

    def _end_for_time(self, task: asyncio.Task[None]) -> None:
        self._timed_out = True
        task.cancel()

    async def _fly(self) -> None:
        error: BaseException | None = None
        if self.attempts:
            await asyncio.sleep(self._pause_s())
        self.started = time.perf_counter()
        try:
            if self.call is not None:
                await OwnRandomness(self.call(), self.randomness, self._runner)
        except BaseException as raised:  # noqa: BLE001  whatever the program raises is its ending
            error = raised
        self.wall_s = time.perf_counter() - self.started
        self.ending = self._ending(error)

    def _ending(self, error: BaseException | None) -> Ending:
        if self._timed_out:
            return Ending(cause="timed_out", error="it did not end within its time and was cancelled")
        if self._runner.concerns_all(error):
            return Ending(cause="cancelled", error=f"{type(error).__name__}: {error}", exception=error)
        return ending_of_call(error, self.rollout, self._runner.declaration, self._runner.item.path)


class GlobalState(NamedTuple):
    """The state of the generators that belong to the process."""

    random: Any
    numpy: Any

    @classmethod
    def now(cls) -> GlobalState:
        """Return the state as it is."""
        return cls(random.getstate(), np.random.get_state())  # noqa: NPY002  the process's, not one of ours

    def put_back(self) -> None:
        """Let the generators go on from here."""
        random.setstate(self.random)
        np.random.set_state(self.numpy)  # noqa: NPY002


class OwnRandomness:
    """Awaits a coroutine that finds the global generators as it left them, whoever ran in between.

    `random` and NumPy's global state belong to the process; without this, what a replicate draws from them would
    depend on which others were in flight. Tasks that the replicate starts are not followed.
    """

    def __init__(
        self, coroutine: Coroutine[Any, Any, object], state: GlobalState, runner: ConditionRunner
    ) -> None:
        self._coroutine = coroutine
        self._state = state
        self._runner = runner

    def __await__(self) -> Generator[Any, Any, object]:
        step, argument = self._coroutine.send, None
        while True:
            try:
                yielded = self._step(step, argument)
            except StopIteration as end:
                return end.value
            try:
                step, argument = self._coroutine.send, (yield yielded)
            except GeneratorExit:
                self._coroutine.close()
                raise
            except BaseException as error:  # noqa: BLE001  a cancellation is the coroutine's to hear
                step, argument = self._coroutine.throw, error

    def _step(self, step: Callable[[Any], Any], argument: Any) -> Any:
        # An asynchronous fixture that is being set up goes on drawing where it was.
        fixtures = GlobalState.now() if self._runner.is_taking_off else None
        self._state.put_back()
        try:
            return step(argument)
        finally:
            self._state = GlobalState.now()
            if fixtures is not None:
                fixtures.put_back()
