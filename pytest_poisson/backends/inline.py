"""The backend of `--poisson-workers=0`: replicates run in the controlling process, one batch a poll."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

from pytest_poisson import neighbours
from pytest_poisson.backends import BatchEnded, Event, ExitRequest, Interrupted, Notice, Outlook, Rows
from pytest_poisson.backends.rows import full_row
from pytest_poisson.batches import BatchPolicy
from pytest_poisson.pytest_internals import FixtureFailures, captured, leave_for, tear_down_all
from pytest_poisson.runners import Runners
from pytest_poisson.selection import SELECTION
from pytest_poisson.signals import Interrupts

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_poisson.batches import Batch
    from pytest_poisson.job import Job
    from pytest_poisson.replicate import ConditionRunner, Row


class InlineBackend:
    """Runs batches where a debugger, a profiler or a print can follow them."""

    name = "inline"
    workers = 0
    batch_policy = BatchPolicy()

    def __init__(self, session: pytest.Session) -> None:
        self._session = session
        self._runners: Runners | None = None
        self._batch: Batch | None = None

    def outlook(self, replicates: int, seconds_each: float | None) -> Outlook:  # noqa: ARG002  this process is there
        """Return nothing to print: this process is there, and free."""
        return Outlook()

    def start(self, job: Job) -> None:
        """Take the session's own conditions; nothing else starts."""
        selected = self._session.config.stash[SELECTION].conditions
        self._runners = Runners(selected, job, interruptible=True)

    def wants(self) -> bool:
        """Tell whether there is no batch yet."""
        return self._batch is None

    def submit(self, batch: Batch) -> None:
        """Keep the batch for the next poll."""
        self._batch = batch

    def poll(self, timeout_s: float) -> list[Event]:  # noqa: ARG002  one batch is run, however long it takes
        """Run the batch at hand."""
        if self._batch is None or self._runners is None:
            return []
        batch, self._batch = self._batch, None
        return list(_BatchRun(self._session, self._runners[batch.condition], batch).events())

    def finish(self) -> list[Event]:
        """Tear the wider fixtures down."""
        with captured(self._session.config):
            return _noting(tear_down_all, self._session)

    def stop(self) -> list[Event]:
        """Tear the wider fixtures down."""
        return self.finish()


class _BatchRun(FixtureFailures):
    """One batch under way, inside what pytest wraps around every item."""

    def __init__(self, session: pytest.Session, runner: ConditionRunner, batch: Batch) -> None:
        self.session = session
        self.runner = runner
        self.batch = batch
        self.rows: list[tuple[Any, ...]] = []
        self.ready_at = 0.0

    def events(self) -> list[Event]:
        started = time.perf_counter()
        events: list[Event] = []
        item = self.runner.item
        self.session.config.pluginmanager.register(self, "poisson-batch")
        try:
            with (
                captured(self.session.config),
                neighbours.no_reseeding(self.session.config),
                Interrupts().raise_at_once(),
            ):
                events += _noting(leave_for, item)
                item.ihook.pytest_runtest_protocol(item=item, nextitem=None)
        except pytest.exit.Exception as request:
            events.append(ExitRequest(str(request.msg)))
        except KeyboardInterrupt as interrupt:
            events.append(Interrupted(interrupt))
        finally:
            self.session.config.pluginmanager.unregister(self)
        ended = time.perf_counter()
        self.ready_at = self.ready_at or ended
        run = {row[1] for row in self.rows}
        left = self.batch.only(replicate for replicate in self.batch.replicates() if replicate not in run)
        done = BatchEnded(left, len(self.rows), ended - self.ready_at, self.ready_at - started)
        return [Rows(self.rows), *events, done]

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool:
        """Run the batch instead of the item."""
        self.runner.run(self.batch.replicates(), self._emit, self._report, alone=self.batch.alone)
        return True

    def _emit(self, row: Row) -> None:
        self.rows.append(full_row(row))

    def _report(self, word: str) -> None:
        if word == "ready":
            self.ready_at = time.perf_counter()


def _noting(tear_down: Callable[[Any], None], node: Any) -> list[Event]:
    """Tear down wider fixtures; what they raise belongs to no replicate and is passed on as a notice.

    Not so a KeyboardInterrupt, which is the user's.
    """
    try:
        tear_down(node)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  a fixture may raise anything, pytest.fail's exception included
        return [Notice(f"a wider fixture raised in tear-down: {type(error).__name__}: {error}")]
    return []
