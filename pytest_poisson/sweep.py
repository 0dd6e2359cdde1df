"""Running a plan: batches out to the backend, rows into the store, until all is done or the user stops it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from pytest_poisson.backends import Backend, BatchEnded, Doing, Event, ExitRequest, Interrupted, Notice, Rows
from pytest_poisson.batches import BatchSizer, Dealer, Ranges, how_many
from pytest_poisson.signals import Interrupts
from pytest_poisson.stops import OUTCOME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from poisson_store.records import RunRecord
    from pytest_poisson.job import Job
    from pytest_poisson.stops import Stop, StopRule

POLL_S = 0.2
HEARTBEAT_S = 30.0


@dataclass(frozen=True)
class Progress:
    """How far a sweep is; what a progress line is made of. `doing` is what goes on before the first row."""

    stored: int
    planned: int
    without_outcome: int
    elapsed_s: float
    doing: str = ""


class Writer(Protocol):
    """What a sweep asks of whatever stores its rows."""

    run: RunRecord

    def add(self, rows: Iterable[tuple[Any, ...]]) -> int:
        """Store rows and return how many were new."""

    def beat(self) -> None:
        """Show that the run is being written."""

    def finish(self, status: str = "complete") -> None:
        """End the run."""


class Decider(Protocol):
    """Watches rows as they arrive, condition by condition."""

    def observe(self, rows: Sequence[tuple[Any, ...]]) -> Iterable[int]:
        """Take in rows and return the positions of the conditions that are decided by now and were not before."""


class Sweep:
    """One sweep under way.

    Parameters
    ----------
    missing
        For each condition, the replicates to run.
    job
        What workers are told.
    backend, writer
        Where they run, and where their rows go.
    show
        Called with the progress now and then.
    rules
        What may stop the sweep before everything has run.
    decider
        What tells of conditions that need no more replicates, if anything does.
    clean
        Makes a row what may be stored of it, before anything looks at it.
    leaves_gaps
        Whether the run lacks replicates that this sweep does not run, so that it cannot end complete.
    """

    def __init__(
        self,
        missing: Sequence[Ranges],
        *,
        job: Job,
        backend: Backend,
        writer: Writer,
        show: Callable[[Progress], None],
        rules: Sequence[StopRule] = (),
        decider: Decider | None = None,
        clean: Callable[[tuple[Any, ...]], tuple[Any, ...]] = tuple,
        leaves_gaps: bool = False,
    ) -> None:
        self._dealer = Dealer(missing)
        self._planned = len(self._dealer)
        largest = max((how_many(ranges) for ranges in missing), default=1)
        self._sizer = BatchSizer(largest, backend.batch_policy, job.concurrency)
        self._job = job
        self._backend = backend
        self._writer = writer
        self._show = show
        self._rules = rules
        self._decider = decider
        self._clean = clean
        self._leaves_gaps = leaves_gaps
        self._interrupts = Interrupts()
        self._in_flight = 0  # batches
        self._stored = 0
        self._without_outcome = 0
        self._started = self._beat = time.monotonic()
        self._doing = ""
        self.notices: list[str] = []
        self.exit_request: str | None = None
        self.stop: Stop | None = None

    def run(self) -> str:
        """Run everything and return the status the run ends with.

        `complete`; `partial` where a rule stopped it or replicates are left for another session; `interrupted`
        where a replicate asked to exit. The run is finished in the store whatever happens: also on Ctrl-C, and
        when the backend or the store gives up, where the exception goes on to the caller.

        Raises
        ------
        KeyboardInterrupt
            If a signal asked for the end; everything that had finished by then is stored.
        """
        status = "interrupted"
        with self._interrupts.hold():
            try:
                self._backend.start(self._job)
                self._loop()
                if self.exit_request is None and self._interrupts.held is None:
                    self._handle(self._backend.finish())
                    status = "partial" if len(self._dealer) or self._leaves_gaps else "complete"
            finally:
                self._end(status)
        if self._interrupts.held is not None:
            raise self._interrupts.held
        self._show(self._progress())
        return status

    def _end(self, status: str) -> None:
        """End the workers, store what they had finished, close the run."""
        try:
            self._store(self._backend.stop())
        finally:
            self._writer.finish(status)

    def _loop(self) -> None:
        self._stop_by_rules(())
        self._drop_decided(())
        while self.exit_request is None and self._interrupts.held is None and self._is_unfinished():
            self._deal()
            self._handle(self._backend.poll(POLL_S))
            self._show(self._progress())
            self._beat_now_and_then()

    def _is_unfinished(self) -> bool:
        """Tell whether anything is in flight, or left and allowed to start; what is bought is waited for."""
        return bool(self._in_flight or (len(self._dealer) and self.stop is None))

    def _deal(self) -> None:
        while self.stop is None and self._backend.wants():
            batch = self._dealer.deal(self._size())
            if batch is None:
                return
            self._backend.submit(batch)
            self._in_flight += 1

    def _size(self) -> int:
        """Return the size of the next batch; towards the end small ones, so that all workers end together."""
        fair_share = len(self._dealer) // (2 * max(1, self._backend.workers))
        return max(1, min(self._sizer.size(), fair_share))

    def _handle(self, events: Sequence[Event]) -> None:
        self._store(events)
        for event in events:
            if isinstance(event, BatchEnded):
                self._in_flight -= 1
                self._dealer.take_back(event.left)
                if event.seconds is not None and event.set_up_s is not None:
                    self._sizer.observe(event.replicates, event.seconds, event.set_up_s)
            elif isinstance(event, Notice):
                self.notices.append(event.text)
            elif isinstance(event, Doing):
                self._doing = event.text
            elif isinstance(event, ExitRequest):
                self.exit_request = event.text
            elif isinstance(event, Interrupted):
                self._interrupts.held = event.error

    def _store(self, events: Sequence[Event]) -> None:
        """Commit every row that has arrived, in one transaction."""
        rows = [self._clean(row) for event in events if isinstance(event, Rows) for row in event.rows]
        if rows:
            self._stored += self._writer.add(rows)
            self._without_outcome += sum(row[OUTCOME] is None for row in rows)
            self._beat = time.monotonic()
            self._drop_decided(rows)
        self._stop_by_rules(rows)

    def _drop_decided(self, rows: Sequence[tuple[Any, ...]]) -> None:
        """Deal no more replicates of conditions that are decided."""
        for condition in () if self._decider is None else self._decider.observe(rows):
            before = len(self._dealer)
            self._dealer.drop(condition)
            self._planned -= before - len(self._dealer)

    def _stop_by_rules(self, rows: Sequence[tuple[Any, ...]]) -> None:
        for rule in self._rules:
            stop = rule.observe(rows)
            if self.stop is None:
                self.stop = stop

    def _beat_now_and_then(self) -> None:
        if time.monotonic() - self._beat > HEARTBEAT_S:
            self._writer.beat()
            self._beat = time.monotonic()

    def _progress(self) -> Progress:
        elapsed_s = time.monotonic() - self._started
        return Progress(self._stored, self._planned, self._without_outcome, elapsed_s, self._doing)
