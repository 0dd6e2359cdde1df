"""Running replicates of one condition: fresh function-scoped fixtures, seeded state, one row each."""

from __future__ import annotations

import inspect
import os
import random
import time
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from poisson_store.records import CAUSES, EpisodeRow
from pytest_poisson.ending import IN_TEARDOWN, Ending, ending_of_call, ending_of_set_up, error_text
from pytest_poisson.neighbours import may_share_event_loop
from pytest_poisson.pytest_internals import (
    ItemRun,
    argument_names,
    fixture_scope,
    has_foreign_hooks,
    is_direct_parameter,
    skip_reason,
)
from pytest_poisson.recording import recording_of
from pytest_poisson.retries import Attempt, RetryPolicy
from pytest_poisson.rollout import CURRENT_ROLLOUT, Rollout
from pytest_poisson.seeds import derive_seeds
from pytest_poisson.span_rows import spent, trace_row
from pytest_poisson.spans import enter_replicate, leave_replicate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from pytest_poisson.concurrency import Flight
    from pytest_poisson.conditions import Condition
    from pytest_poisson.declaration import Declaration

Row = list[Any]
"""The leading items of `poisson_store.EpisodeRow`; what is left off is None."""

CAUSE_INDEX = {cause: index for index, cause in enumerate(CAUSES)}
ATTEMPTS = EpisodeRow._fields.index("attempts")
RUNTEST_HOOKS = ("pytest_runtest_setup", "pytest_runtest_call", "pytest_runtest_teardown")


class RunContext(NamedTuple):
    """What every replicate of a run shares."""

    run_id: str
    salt: str
    variant: Mapping[str, str]
    outcomes: tuple[str, ...]  # rows carry positions in it
    retries: int | None = None  # instead of the mark's
    concurrency: int = 1
    timeout_s: float | None = None  # for replicates in flight together; else the controlling process keeps it


class ConditionRunner:
    """Runs replicates of one condition in a collected pytest session.

    Parameters
    ----------
    item
        The collected test.
    condition, index
        The condition, and its position among the run's conditions, which rows carry.
    declaration
        What the test's mark declares.
    context
        The run's own facts.
    interruptible
        Whether a KeyboardInterrupt is the user's and stops the sweep; in a worker process it can only come
        from the program under test, and is that replicate's error.
    """

    def __init__(
        self,
        item: pytest.Function,
        *,
        condition: Condition,
        index: int,
        declaration: Declaration,
        context: RunContext,
        interruptible: bool = False,
    ) -> None:
        self.item = item
        self.condition = condition
        self.index = index
        self.declaration = declaration
        self.context = context
        self.interruptible = interruptible
        self._outcome_index = {outcome: position for position, outcome in enumerate(context.outcomes)}
        self._recording = recording_of(item, declaration.recording)
        self.item_run = ItemRun(item)
        self.is_taking_off = False  # a replicate's fixtures are being set up, while others may be in flight
        self._process = os.getpid()
        self._foreign = "caplog" in item.fixturenames or has_foreign_hooks(item, *RUNTEST_HOOKS)
        self._direct = self._needs_only_a_call()
        self._plain = self._direct and not self._foreign and not self._fresh_fixtures() and item.cls is None
        self._arguments: dict[str, Any] = {}
        times = declaration.retries if context.retries is None else context.retries
        self._retry_policy = RetryPolicy(times, declaration.retry_on)

    @property
    def is_concurrent(self) -> bool:
        """Tell whether replicates of this condition may be in flight together."""
        return self.context.concurrency > 1 and may_share_event_loop(self.item)

    def run(
        self,
        replicates: Iterable[int],
        emit: Callable[[Row], None],
        report: Callable[[str], None],
        *,
        alone: bool = False,
    ) -> None:
        """Run replicates and emit one row each, as they end.

        Parameters
        ----------
        replicates
            Their numbers.
        emit
            Called with each row.
        report
            Called with `ready` once the wider fixtures are set up, `concurrent` before replicates are in flight
            together, `pause` when a replicate waits to be tried again, and `again` when it starts anew.
        alone
            Run one at a time, whatever the run's concurrency.

        Raises
        ------
        pytest.exit.Exception
            If a replicate called `pytest.exit`; its own row is emitted before.
        """
        refusal = self._enter()
        report("ready")
        if refusal is None and self.is_concurrent and not alone:
            from pytest_poisson.concurrency import ConcurrentRun

            report("concurrent")
            ConcurrentRun(self, self.context.concurrency, self.context.timeout_s).run(replicates, emit)
            return
        if refusal is not None:
            for replicate in replicates:
                emit(self._row(self._new_rollout(replicate), refusal, time.time_ns(), 0.0))
            return
        try:
            for replicate in replicates:
                self._replicate(replicate, emit, report)
        finally:
            if self._plain:
                self.item_run.leave_replicate()

    def _new_rollout(self, replicate: int) -> Rollout:
        return Rollout(
            condition=self.condition,
            declaration=self.declaration,
            replicate=replicate,
            seeds=derive_seeds(self.context.salt, self.condition.seed_key, replicate),
            run_id=self.context.run_id,
            variant=self.context.variant,
            recording=self._recording,
        )

    def _enter(self) -> Ending | None:
        """Set up what replicates share; return their ending where that leaves none of them an outcome."""
        reason = skip_reason(self.item)
        if reason is not None:
            return Ending(cause="skipped", error=reason)
        try:
            self.item_run.enter()
            if self._plain:
                self._prepare_arguments()
        except BaseException as error:  # noqa: BLE001  whatever a fixture raises is this condition's ending
            self._let_pass(error)
            return ending_of_set_up(error, self.item.path)
        return None

    def _prepare_arguments(self) -> None:
        """Set the test up once for all its replicates, where only the rollout itself differs among them."""
        self.item.stash[CURRENT_ROLLOUT] = self._new_rollout(0)
        self.item_run.set_up()
        self._arguments = self.item_run.arguments()

    def _replicate(self, replicate: int, emit: Callable[[Row], None], report: Callable[[str], None]) -> None:
        attempts: list[Attempt] = []
        while True:
            rollout = self._begin(replicate)
            started_ns, started = time.time_ns(), time.perf_counter()
            ending = self._call(rollout)
            wall_s = time.perf_counter() - started
            if os.getpid() != self._process:
                os._exit(0)  # a forked child came back out of the test: it must not speak for its parent
            if not self.retries(ending, attempts):
                break
            used = spent(rollout.trace)
            attempts.append(Attempt(len(attempts) + 1, ending.error, started_ns, round(wall_s, 6), used))
            report("pause")
            time.sleep(self._retry_policy.pause_s(len(attempts)))
            report("again")
        emit(self._row(rollout, ending, started_ns, wall_s, attempts))
        if isinstance(ending.exception, pytest.exit.Exception):
            raise ending.exception

    def _begin(self, replicate: int) -> Rollout:
        """Return a new rollout, which the fixture will hand out, with the process's generators seeded for it."""
        rollout = self._new_rollout(replicate)
        self.item.stash[CURRENT_ROLLOUT] = rollout
        random.seed(rollout.seeds.random_module)
        np.random.seed(rollout.seeds.numpy_global)  # noqa: NPY002  what programs under test may draw from
        return rollout

    def retries(self, ending: Ending, attempts: Sequence[Attempt]) -> bool:
        """Tell whether a replicate that ended so is to be tried again."""
        return self._retry_policy.applies(ending, len(attempts))

    def _call(self, rollout: Rollout) -> Ending:
        enter_replicate(rollout)
        try:
            return self._call_plainly(rollout) if self._plain else self._call_afresh(rollout)
        except pytest.exit.Exception as request:
            return Ending(cause="cancelled", error=f"pytest.exit: {request.msg}", exception=request)
        finally:
            leave_replicate()

    # Replicates in flight together

    def take_off(self, replicate: int, attempts: Sequence[Attempt] = ()) -> Flight:
        """Set a replicate up beside those in flight; where its fixtures raise it has ended already."""
        from pytest_poisson.concurrency import Flight, GlobalState

        flight = Flight(self._begin(replicate), self, attempts)
        self.item_run.renew()
        self.is_taking_off = True
        try:
            flight.context.run(self.item_run.set_up)
            flight.call = partial(self.item.obj, **self.item_run.arguments())
            flight.randomness = GlobalState.now()
        except BaseException as error:  # noqa: BLE001  whatever a fixture raises is this replicate's ending
            self._let_pass(error)
            flight.ending = ending_of_set_up(error, self.item.path)
        finally:
            self.is_taking_off = False
        flight.suspended = self.item_run.suspend()
        return flight

    def land(self, flight: Flight) -> Row:
        """Tear a replicate's fixtures down and return its row."""
        self.item.stash[CURRENT_ROLLOUT] = flight.rollout
        ending = flight.ending or Ending(cause="cancelled", error="its batch was abandoned")
        if flight.suspended is not None:
            self.item_run.resume(flight.suspended)
            try:
                flight.context.run(self.item_run.leave_replicate)
            except BaseException as error:  # noqa: BLE001  a tear-down that raises changes no outcome
                self._let_pass(error)
                ending = ending.with_note(f"{IN_TEARDOWN}{error_text(error, self.item.path)}")
        return self._row(flight.rollout, ending, flight.started_ns, flight.wall_s, flight.attempts)

    def _call_plainly(self, rollout: Rollout) -> Ending:
        if "rollout" in self._arguments:
            self._arguments["rollout"] = rollout
        return self._ending(rollout, self._call_function)

    def _call_afresh(self, rollout: Rollout) -> Ending:
        hooks, item = self.item.ihook, self.item
        self.item_run.renew()
        try:
            ending = self._set_up_and_call(rollout)
        finally:
            teardown_error = ""
            try:
                if self._foreign:
                    hooks.pytest_runtest_teardown(item=item, nextitem=item.parent)
                else:
                    self.item_run.leave_replicate()
            except BaseException as error:  # noqa: BLE001  a tear-down that raises changes no outcome
                self._let_pass(error)
                teardown_error = f"{IN_TEARDOWN}{error_text(error, item.path)}"
        return ending.with_note(teardown_error) if teardown_error else ending

    def _set_up_and_call(self, rollout: Rollout) -> Ending:
        try:
            if self._foreign:
                self.item.ihook.pytest_runtest_setup(item=self.item)
            else:
                self.item_run.set_up()
        except BaseException as error:  # noqa: BLE001  whatever a fixture raises is this replicate's ending
            self._let_pass(error)
            return ending_of_set_up(error, self.item.path)
        if self._foreign:
            return self._ending(rollout, lambda: self.item.ihook.pytest_runtest_call(item=self.item))
        if self._direct:
            self._arguments = self.item_run.arguments()
            return self._ending(rollout, self._call_function)
        return self._ending(rollout, self.item.runtest)

    def _call_function(self) -> None:
        result = self.item.obj(**self._arguments)
        if result is not None and inspect.isawaitable(result):
            raise TypeError(
                f"{self.item.originalname} returned {type(result).__name__}, which nothing awaits"
            )

    def _ending(self, rollout: Rollout, call: Callable[[], object]) -> Ending:
        error: BaseException | None = None
        try:
            call()
        except BaseException as raised:  # noqa: BLE001  whatever the program raises is its ending
            self._let_pass(raised)
            error = raised
        return ending_of_call(error, rollout, self.declaration, self.item.path)

    def concerns_all(self, error: BaseException | None) -> bool:
        """Tell whether an exception is meant for the whole sweep and not for one replicate."""
        return isinstance(error, pytest.exit.Exception) or (
            self.interruptible and isinstance(error, KeyboardInterrupt)
        )

    def _let_pass(self, error: BaseException) -> None:
        if self.concerns_all(error):
            raise error

    def _row(
        self,
        rollout: Rollout,
        ending: Ending,
        started_ns: int,
        wall_s: float,
        attempts: Sequence[Attempt] = (),
    ) -> Row:
        outcome, cause = ending.outcome, ending.cause
        row: Row = [
            self.index,
            rollout.replicate,
            rollout.seed,
            None if outcome is None else self._outcome_index[outcome],
            None if cause is None else CAUSE_INDEX[cause],
            None if outcome is None else rollout.t,
            None if outcome is None else rollout.horizon,
            started_ns,
            round(wall_s, 6),
        ]
        spans = trace_row(rollout.trace, [attempt.spent for attempt in attempts])
        if ending.error or rollout.meta_json or spans or attempts:
            row += (ending.error or None, rollout.meta_json, *spans)
        if attempts:
            row += [None] * (ATTEMPTS - len(row))
            row.append([attempt.row() for attempt in attempts])
        return row

    def _needs_only_a_call(self) -> bool:
        """Tell whether pytest's own call phase would do no more than call the test function."""
        return (
            type(self.item) is pytest.Function
            and not inspect.iscoroutinefunction(self.item.function)
            and not has_foreign_hooks(self.item, "pytest_pyfunc_call")
        )

    def _fresh_fixtures(self) -> bool:
        """Tell whether anything but the rollout is set up anew for every replicate."""
        return "request" in argument_names(self.item) or any(
            fixture_scope(self.item, name) == "function"
            for name in self.item.fixturenames
            if name != "rollout" and not is_direct_parameter(self.item, name)
        )
