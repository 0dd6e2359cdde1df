"""Running a plan: batches out to the backend, rows into the store, until all is done or the user stops it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_poisson.backends import Backend, BatchEnded, Event, ExitRequest, Notice, Rows
from pytest_poisson.batches import BatchSizer, Dealer, Ranges

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from poisson_store import RunWriter
    from pytest_poisson.job import Job

POLL_S = 0.2
HEARTBEAT_S = 30.0


@dataclass(frozen=True)
class Progress:
    """How far a sweep is; what a progress line is made of."""

    stored: int
    planned: int
    without_outcome: int
    elapsed_s: float


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
    """

    def __init__(
        self,
        missing: Sequence[Ranges],
        *,
        job: Job,
        backend: Backend,
        writer: RunWriter,
        show: Callable[[Progress], None],
    ) -> None:
        self._dealer = Dealer(missing)
        self._planned = len(self._dealer)
        largest = max((_length(ranges) for ranges in missing), default=1)
        self._sizer = BatchSizer(largest, backend.batch_policy)
        self._job = job
        self._backend = backend
        self._writer = writer
        self._show = show
        self._in_flight = 0  # batches
        self._stored = 0
        self._without_outcome = 0
        self._started = self._beat = time.monotonic()
        self.notices: list[str] = []
        self.exit_request: str | None = None

    def run(self) -> str:
        """Run everything and return the status the run ends with: `complete`, or `interrupted` on an exit request.

        The run is finished in the store whatever happens: also on Ctrl-C, and when the backend or the store
        gives up, where the exception goes on to the caller.
        """
        status = "interrupted"
        try:
            self._backend.start(self._job)
            self._loop()
            if self.exit_request is None:
                self._handle(self._backend.finish())
                status = "complete"
        finally:
            self._backend.stop()
            self._writer.finish(status)
        self._show(self._progress())
        return status

    def _loop(self) -> None:
        while self.exit_request is None and (self._in_flight or len(self._dealer)):
            self._deal()
            self._handle(self._backend.poll(POLL_S))
            self._show(self._progress())
            self._beat_now_and_then()

    def _deal(self) -> None:
        while self._backend.wants():
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
            elif isinstance(event, ExitRequest):
                self.exit_request = event.text

    def _store(self, events: Sequence[Event]) -> None:
        """Commit every row that has arrived, in one transaction."""
        rows = [row for event in events if isinstance(event, Rows) for row in event.rows]
        if rows:
            self._stored += self._writer.add(rows)
            self._without_outcome += sum(row[3] is None for row in rows)
            self._beat = time.monotonic()

    def _beat_now_and_then(self) -> None:
        if time.monotonic() - self._beat > HEARTBEAT_S:
            self._writer.beat()
            self._beat = time.monotonic()

    def _progress(self) -> Progress:
        return Progress(self._stored, self._planned, self._without_outcome, time.monotonic() - self._started)


def _length(ranges: Ranges) -> int:
    return sum(stop - start for start, stop in ranges)
