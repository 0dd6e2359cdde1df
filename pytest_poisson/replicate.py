"""Running replicates of one condition: fresh function-scoped fixtures, seeded state, one row each."""

from __future__ import annotations

import inspect
import os
import random
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from poisson_store.records import CAUSES
from pytest_poisson.ending import Ending, ending_of_call, ending_of_set_up, error_text
from pytest_poisson.pytest_internals import (
    ItemRun,
    argument_names,
    fixture_scope,
    has_foreign_hooks,
    is_direct_parameter,
    skip_reason,
)
from pytest_poisson.recording import recording_of
from pytest_poisson.rollout import CURRENT_ROLLOUT, Rollout
from pytest_poisson.seeds import derive_seeds
from pytest_poisson.span_rows import trace_row
from pytest_poisson.spans import enter_replicate, leave_replicate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pytest_poisson.conditions import Condition
    from pytest_poisson.declaration import Declaration

Row = list[Any]
"""The leading items of `poisson_store.EpisodeRow`; what is left off is None."""

CAUSE_INDEX = {cause: index for index, cause in enumerate(CAUSES)}
RUNTEST_HOOKS = ("pytest_runtest_setup", "pytest_runtest_call", "pytest_runtest_teardown")


class RunContext(NamedTuple):
    """What every replicate of a run shares."""

    run_id: str
    salt: str
    variant: Mapping[str, str]
    outcomes: tuple[str, ...]  # rows carry positions in it


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
        self._run = ItemRun(item)
        self._process = os.getpid()
        self._foreign = "caplog" in item.fixturenames or has_foreign_hooks(item, *RUNTEST_HOOKS)
        self._direct = self._needs_only_a_call()
        self._plain = self._direct and not self._foreign and not self._fresh_fixtures() and item.cls is None
        self._arguments: dict[str, Any] = {}

    def run(self, replicates: Iterable[int], emit: Callable[[Row], None], ready: Callable[[], None]) -> None:
        """Run replicates in order and emit one row each; call `ready` once the wider fixtures are set up.

        Raises
        ------
        pytest.exit.Exception
            If a replicate called `pytest.exit`; its own row is emitted before.
        """
        refusal = self._enter()
        ready()
        if refusal is not None:
            for replicate in replicates:
                emit(self._row(self._new_rollout(replicate), refusal, time.time_ns(), 0.0))
            return
        try:
            for replicate in replicates:
                self._replicate(self._new_rollout(replicate), emit)
        finally:
            if self._plain:
                self._run.leave_replicate()

    def _new_rollout(self, replicate: int) -> Rollout:
        return Rollout(
            condition=self.condition,
            declaration=self.declaration,
            replicate=replicate,
            seeds=derive_seeds(self.context.salt, self.condition.key, replicate),
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
            self._run.enter()
            if self._plain:
                self._prepare_arguments()
        except BaseException as error:  # noqa: BLE001  whatever a fixture raises is this condition's ending
            self._let_pass(error)
            return ending_of_set_up(error, self.item.path)
        return None

    def _prepare_arguments(self) -> None:
        """Set the test up once for all its replicates, where only the rollout itself differs among them."""
        self.item.stash[CURRENT_ROLLOUT] = self._new_rollout(0)
        self._run.set_up()
        self._arguments = self._run.arguments()

    def _replicate(self, rollout: Rollout, emit: Callable[[Row], None]) -> None:
        self.item.stash[CURRENT_ROLLOUT] = rollout
        random.seed(rollout.seeds.random_module)
        np.random.seed(rollout.seeds.numpy_global)  # noqa: NPY002  what programs under test may draw from
        started_ns, started = time.time_ns(), time.perf_counter()
        stop: BaseException | None = None
        enter_replicate(rollout)
        try:
            ending = self._call_plainly(rollout) if self._plain else self._call_afresh(rollout)
        except pytest.exit.Exception as request:
            stop, ending = request, Ending(cause="cancelled", error=f"pytest.exit: {request.msg}")
        finally:
            leave_replicate()
        if os.getpid() != self._process:
            os._exit(0)  # a forked child came back out of the test: it must not speak for its parent
        emit(self._row(rollout, ending, started_ns, time.perf_counter() - started))
        if stop is not None:
            raise stop

    def _call_plainly(self, rollout: Rollout) -> Ending:
        if "rollout" in self._arguments:
            self._arguments["rollout"] = rollout
        return self._ending(rollout, self._call_function)

    def _call_afresh(self, rollout: Rollout) -> Ending:
        hooks, item = self.item.ihook, self.item
        self._run.renew()
        try:
            ending = self._set_up_and_call(rollout)
        finally:
            teardown_error = ""
            try:
                if self._foreign:
                    hooks.pytest_runtest_teardown(item=item, nextitem=item.parent)
                else:
                    self._run.leave_replicate()
            except BaseException as error:  # noqa: BLE001  a tear-down that raises changes no outcome
                self._let_pass(error)
                teardown_error = f"in tear-down: {error_text(error, item.path)}"
        return ending.with_note(teardown_error) if teardown_error else ending

    def _set_up_and_call(self, rollout: Rollout) -> Ending:
        try:
            if self._foreign:
                self.item.ihook.pytest_runtest_setup(item=self.item)
            else:
                self._run.set_up()
        except BaseException as error:  # noqa: BLE001  whatever a fixture raises is this replicate's ending
            self._let_pass(error)
            return ending_of_set_up(error, self.item.path)
        if self._foreign:
            return self._ending(rollout, lambda: self.item.ihook.pytest_runtest_call(item=self.item))
        if self._direct:
            self._arguments = self._run.arguments()
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

    def _let_pass(self, error: BaseException) -> None:
        """Raise what is meant for the whole sweep and not for one replicate."""
        if isinstance(error, pytest.exit.Exception) or (
            self.interruptible and isinstance(error, KeyboardInterrupt)
        ):
            raise error

    def _row(self, rollout: Rollout, ending: Ending, started_ns: int, wall_s: float) -> Row:
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
        spans = trace_row(rollout.trace)
        if ending.error or rollout.meta_json or spans:
            row += (ending.error or None, rollout.meta_json, *spans)
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
