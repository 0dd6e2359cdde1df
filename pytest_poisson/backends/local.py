"""The local backend: worker processes on this machine, each fed by its standard input.

The module is also the plugin that answers to its name.
"""

from __future__ import annotations

import contextlib
import os
import queue
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from poisson_store.records import EpisodeRow
from pytest_poisson.backends import Backend, BatchEnded, Event, ExitRequest, Notice, Outlook, Rows
from pytest_poisson.backends.process import WorkerProcess
from pytest_poisson.backends.rows import full_row, row_without_outcome
from pytest_poisson.batches import BatchPolicy
from pytest_poisson.errors import UserError, telling_line

if TYPE_CHECKING:
    import pytest

    from pytest_poisson.batches import Batch
    from pytest_poisson.job import Job

STARTS_BEFORE_GIVING_UP = 3
TAIL_CHARACTERS = 600
GRACE_TO_CANCEL_S = 5.0  # beyond the timeout, for replicates that their worker is to cancel itself
REPLICATE = EpisodeRow._fields.index("replicate")
TEAR_DOWN_S = 30.0  # for wider fixtures, when everything has run
LEFT_RUNNING = (
    f"a worker had not ended {TEAR_DOWN_S:g} s after its last replicate and was ended: a thread, a process or a tear-down of "
    "the suite's goes on."
)


def pytest_poisson_backend(name: str, session: pytest.Session, workers: int | None) -> Backend | None:
    """Provide `local`: worker processes, or this process where there are to be none."""
    if name != "local":
        return None
    if workers == 0:
        from pytest_poisson.backends.inline import InlineBackend

        return InlineBackend(session)
    return LocalBackend(workers or default_workers())


def default_workers() -> int:
    """Return one worker a core that this process may use."""
    try:
        return len(os.sched_getaffinity(0))  # type: ignore[attr-defined,unused-ignore]  # not on every platform
    except AttributeError:
        return os.cpu_count() or 1


class LocalBackend:
    """Keeps a number of workers alive, feeds them, and turns what becomes of them into events."""

    name = "local"
    batch_policy = BatchPolicy()

    def __init__(self, workers: int) -> None:
        self.workers = workers
        self._inbox: queue.SimpleQueue[tuple[WorkerProcess, bytes]] = queue.SimpleQueue()
        self._received: deque[tuple[WorkerProcess, bytes]] = deque()
        self._events: list[Event] = []  # not handed on yet; kept where something is refused meanwhile
        self._seats: list[Seat] = []
        self._failed_starts = 0

    def outlook(self, replicates: int, seconds_each: float | None) -> Outlook:  # noqa: ARG002  this machine is there
        """Return nothing to print: this machine is there, and free."""
        return Outlook()

    def start(self, job: Job) -> None:
        """Start every worker; they collect while the first batches are dealt."""
        for _ in range(self.workers):
            self._seats.append(Seat(job, self._inbox))

    def wants(self) -> bool:
        """Tell whether a worker has less than one batch at work and one next in line."""
        return any(seat.wants() for seat in self._seats)

    def submit(self, batch: Batch) -> None:
        """Give the batch to the worker with the least to do."""
        min((seat for seat in self._seats if seat.wants()), key=Seat.load).take(batch)

    def poll(self, timeout_s: float) -> list[Event]:
        """Return what workers have sent and what has become of them."""
        self._hear(timeout_s)
        for seat in self._seats:
            self._look_after(seat)
        return self._hand_on()

    def finish(self) -> list[Event]:
        """Close every worker's input and hear it out, but no longer than a tear-down may take."""
        for seat in self._seats:
            seat.process.close_input()
        until = time.monotonic() + TEAR_DOWN_S
        while time.monotonic() < until and not all(seat.gone() for seat in self._seats):
            self._hear(0.1)
        if any(not seat.gone() for seat in self._seats):
            self._events.append(Notice(LEFT_RUNNING))
        return self.stop()

    def stop(self) -> list[Event]:
        """End every worker and hear what they had sent before."""
        for seat in self._seats:
            seat.process.kill()
        while self._received or not all(seat.gone() for seat in self._seats):
            with contextlib.suppress(UserError):  # what one worker refuses, another has refused before
                self._hear(0.1)
        for seat in self._seats:
            seat.process.close()
        self._seats = []
        return self._hand_on()

    def _hand_on(self) -> list[Event]:
        events, self._events = self._events, []
        return events

    def _hear(self, timeout_s: float) -> None:
        self._receive(0.0 if self._received else timeout_s)
        while self._received:
            worker, data = self._received.popleft()
            seat = next((seat for seat in self._seats if seat.process is worker), None)
            if seat is not None:  # else a worker that was replaced already
                self._events += seat.hear(data)

    def _receive(self, timeout_s: float) -> None:
        """Take in everything that has arrived, waiting for the first piece no longer than a deadline allows."""
        deadlines = [seat.deadline() for seat in self._seats]
        wait = max(
            0.0, min([timeout_s, *(each - time.monotonic() for each in deadlines if each is not None)])
        )
        with contextlib.suppress(queue.Empty):
            self._received.append(self._inbox.get(timeout=wait) if wait else self._inbox.get_nowait())
        while not self._inbox.empty():
            self._received.append(self._inbox.get())

    def _look_after(self, seat: Seat) -> None:
        if seat.overdue():
            seat.end_for_time()
        if not seat.gone():
            return
        if seat.ready:
            self._failed_starts = 0
        else:
            self._failed_starts += 1
            self._refuse_after_many(seat)
        self._events += seat.clear()
        seat.sit_down()

    def _refuse_after_many(self, seat: Seat) -> None:
        if self._failed_starts >= STARTS_BEFORE_GIVING_UP:
            raise UserError(
                "Worker processes end before they have collected the suite "
                f"({seat.process.describe_end()}; their last words: {telling_line(seat.process.tail(TAIL_CHARACTERS))})."
            )


class Seat:
    """One place for a worker: the process that has it, what it was given, and how far it is."""

    def __init__(self, job: Job, inbox: queue.SimpleQueue[tuple[WorkerProcess, bytes]]) -> None:
        self._job = job
        self._inbox = inbox
        self.sit_down()

    def sit_down(self) -> None:
        """Put a new worker here."""
        self.process = WorkerProcess(self._job, self._inbox)
        self.ready = False  # has collected the suite
        self.batches: deque[Batch] = deque()
        self._left: dict[int, None] = {}  # replicates of the first batch without a row yet, in order
        self._running = False  # the first batch has its wider fixtures
        self._concurrent = False  # the first batch has several replicates in flight
        self._pausing = False  # its replicate waits to be tried again, which is none of its time
        self._timed_out = False
        self._last_words: dict[int, list[Any]] = {}  # what a replicate about to be ended had recorded
        self._since = self._batch_since = self._ready_at = time.monotonic()

    def wants(self) -> bool:
        """Tell whether one more batch would not wait long."""
        return len(self.batches) < 2 and not self._timed_out

    def load(self) -> int:
        """Return how many replicates wait here."""
        return sum(map(len, self.batches))

    def take(self, batch: Batch) -> None:
        """Send a batch to the worker; it starts when those before it are done."""
        self.batches.append(batch)
        if len(self.batches) == 1:
            self._begin_first()
        self.process.send([batch.condition, [list(each) for each in batch.ranges], batch.alone])

    def _begin_first(self) -> None:
        """Follow the batch that is first now."""
        self._batch_since = self._since = time.monotonic()
        self._running = self._concurrent = self._pausing = False
        self._left = dict.fromkeys(self.batches[0].replicates()) if self.batches else {}

    def hear(self, data: bytes) -> list[Event]:
        """Take in what the worker sent."""
        rows: list[tuple[Any, ...]] = []
        events: list[Event] = []
        for frame in self.process.frames(data):
            if isinstance(frame[0], str):
                events += self._hear_word(*frame)
            else:
                rows.append(full_row(frame))
                self._left.pop(frame[REPLICATE], None)
                self._last_words.clear()
        if rows:
            self._since = time.monotonic()
            events.insert(0, Rows(rows))
        return events

    def _hear_word(self, word: str, *arguments: Any) -> list[Event]:
        if word == "spans":
            replicate, trace = arguments
            self._last_words = {replicate: trace}
            return []
        now = time.monotonic()
        self._since = now
        self._last_words.clear()
        if word == "hello":
            self.ready = True
            self._batch_since = now
            return self._refuse_missing(*arguments)
        if word == "ready":
            self._running, self._ready_at = True, now
        elif word in ("pause", "again"):
            self._pausing = word == "pause"
        elif word == "concurrent":
            self._concurrent = True
        elif word == "notice":
            return [Notice(*arguments)]
        elif word == "exit":
            return [ExitRequest(*arguments)]
        elif word == "done":
            return [self._first_ended(now)]
        return []

    def _first_ended(self, now: float) -> BatchEnded:
        batch = self.batches.popleft()
        left = batch.only(self._left)
        ended = BatchEnded(
            left, len(batch) - len(left), now - self._ready_at, self._ready_at - self._batch_since
        )
        self._begin_first()
        return ended

    def _refuse_missing(self, missing: list[str], trouble: str) -> list[Event]:
        if missing and trouble:
            raise UserError(f"A worker process cannot collect what this session has collected: {trouble}.")
        if missing:
            raise UserError(
                f"A worker process collected other conditions than this session: {len(missing)} of them are missing "
                f"there, the first with the key {missing[0]}; axis values must not change from one collection to the next."
            )
        return []

    def deadline(self) -> float | None:
        """Return when the replicate at work will have had its time, on the monotonic clock; None without a limit.

        Replicates in flight together are cancelled by their worker; one that blocks it is overdue a little later.
        """
        if self._job.timeout_s is None or not self._running or self._pausing or not self.batches:
            return None
        return self._since + self._job.timeout_s + (GRACE_TO_CANCEL_S if self._concurrent else 0)

    def overdue(self) -> bool:
        """Tell whether the replicate at work has had its time."""
        deadline = self.deadline()
        return deadline is not None and not self._timed_out and time.monotonic() >= deadline

    def end_for_time(self) -> None:
        """End the worker because its replicate has had its time; what it sent before is still heard."""
        self._timed_out = True
        self.process.kill()

    def gone(self) -> bool:
        """Tell whether the worker has ended and everything it sent has been heard."""
        return self.process.ended()

    def clear(self) -> list[Event]:
        """Account for the replicate that the worker took along, and return the rest of what it was given."""
        events: list[Event] = []
        if self.batches and self.ready:
            batch = self.batches.popleft()
            if self._left and not self._concurrent:
                lost = next(iter(self._left))
                events.append(Rows([self._lost_row(batch, lost)]))
                del self._left[lost]
            self.batches.appendleft(batch.only(self._left, alone=self._concurrent))
        events += [BatchEnded(batch, 0) for batch in self.batches]
        self.batches.clear()
        self.process.close()
        return events

    def _lost_row(self, batch: Batch, replicate: int) -> tuple[Any, ...]:
        if self._timed_out:
            cause, error = "timed_out", f"no end within {self._job.timeout_s:g} s"
        else:
            cause, error = "crashed", f"the worker died: {self.process.describe_end()}"
        tail = self.process.tail(TAIL_CHARACTERS)
        return row_without_outcome(
            condition=batch.condition,
            seed_key=self._job.seed_key(batch.condition),
            replicate=replicate,
            salt=self._job.salt,
            cause=cause,
            wall_s=time.monotonic() - self._since,
            error=f"{error}\n{tail}".strip(),
            trace=self._last_words.get(replicate, ()),
        )
