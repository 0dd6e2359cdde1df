"""What runs in a container: the local backend with one worker, fed one batch a call.

So a replicate that hangs, dies or exits is dealt with here, by the code that deals with it on one machine. A call
takes and returns JSON as bytes; nothing is pickled.
"""

from __future__ import annotations

import atexit
import json
import os
import platform
import sys
import time
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_poisson.backends import BatchEnded, Event, ExitRequest, Notice, Rows
from pytest_poisson.backends.local import LocalBackend
from pytest_poisson.backends.modal.relocation import relocated
from pytest_poisson.backends.modal.wire import Call, Reply, encode_row, reply_bytes
from pytest_poisson.backends.rows import row_without_outcome
from pytest_poisson.batches import BatchPolicy, BatchSizer, Dealer
from pytest_poisson.errors import UserError
from pytest_poisson.job import Job

if TYPE_CHECKING:
    from collections.abc import Sequence

PROJECT = "project"
"""The project's directory beside this package."""

POLL_S = 0.5


def run_batch(payload: bytes) -> bytes:
    """Run one batch and return its rows; what cannot be done at all is said in the reply, not raised."""
    call = Call.from_bytes(payload)
    try:
        refuse_other_python(call.python)
        return _run(call)
    except UserError as refusal:
        return reply_bytes(Reply(left=None, refused=str(refusal)), [])


def _run(call: Call) -> bytes:
    try:
        return _supervisor(call.job, call.root, tuple(call.environment.items())).run(call)
    except UserError as refusal:
        _supervisor.cache_clear()
        raise UserError(
            f"In a container: {str(refusal).removesuffix('.')}; what the suite needs there goes in by "
            "poisson_modal_requirements, poisson_modal_packages or poisson_modal_include."
        ) from None


def refuse_other_python(wanted: str) -> None:
    """Refuse to run a session on another Python than the one that asks for its rows.

    Raises
    ------
    UserError
        If the two differ in more than the last number of their versions.
    """
    here = ".".join(platform.python_version_tuple()[:2])
    if here != wanted:
        raise UserError(
            f"The container runs Python {here} where this session runs {wanted}, which may change what a rollout does; "
            f"run this session on Python {here}, or let the project's requirements allow {wanted}."
        )


@lru_cache(maxsize=1)
def _supervisor(job: str, root: str, environment: tuple[tuple[str, str], ...]) -> Supervisor:
    """Return the supervisor of this container: it keeps its worker, and the worker its fixtures, between calls."""
    os.environ.update(environment)
    home = Path(__file__).resolve().parents[3]
    supervisor = Supervisor(relocated(Job.from_json(json.loads(job)), root, str(home / PROJECT), sys.path))
    atexit.register(supervisor.close)
    return supervisor


class Supervisor:
    """Runs batches on one local worker and stops early where there is a reason to.

    Parameters
    ----------
    job
        As the worker is to see it, with paths of this machine.
    """

    def __init__(self, job: Job) -> None:
        self._job = job
        self.backend = self._start()

    def _start(self) -> LocalBackend:
        backend = LocalBackend(1)
        backend.start(self._job)
        return backend

    def close(self) -> None:
        """End the worker, and let its wider fixtures be torn down."""
        self.backend.finish()

    def run(self, call: Call) -> bytes:
        """Run a batch until it is done, its time or room is used up, or the container is asked to end."""
        run = BatchRun(self.backend, self._job, call)
        try:
            run.to_its_end()
        except KeyboardInterrupt:  # how a container learns that it will be taken away in seconds
            for event in self.backend.stop():
                run.take(event)
            self.backend = self._start()
            return run.reply(interrupted=True)
        return run.reply()


class BatchRun:
    """One batch under way: it is cut into short ones, so that the rest can be handed back at any time."""

    def __init__(self, backend: LocalBackend, job: Job, call: Call) -> None:
        self._backend = backend
        self._job = job
        self._call = call
        self._dealer = Dealer([])
        self._dealer.take_back(call.batch)
        self._sizer = BatchSizer(len(call.batch), BatchPolicy(first=1), job.concurrency)
        self._in_flight = 0
        self._until = time.monotonic() + call.budget_s
        self._rows: list[bytes] = []
        self._bytes = 0
        self._done: set[int] = set()
        self._reply = Reply(left=None)

    def to_its_end(self) -> None:
        """Run replicates until there are no more, or there is a reason to stop."""
        self._deal()
        while self._in_flight:
            for event in self._backend.poll(POLL_S):
                self.take(event)
            self._deal()

    def reply(self, *, interrupted: bool = False) -> bytes:
        """Return what has been done, and what is left."""
        left = self._call.batch.without(self._done)
        return reply_bytes(replace(self._reply, left=left, interrupted=interrupted), self._rows)

    def _deal(self) -> None:
        while self._goes_on() and self._backend.wants() and (batch := self._dealer.deal(self._sizer.size())):
            self._backend.submit(batch)
            self._in_flight += 1

    def _goes_on(self) -> bool:
        """Tell whether more replicates are to start.

        The first one always is, so that every call gets on, and is waited for: it may use up all of the time.
        """
        if self._reply.exit_request is not None:
            return False
        if not self._rows:
            return self._in_flight == 0
        return time.monotonic() < self._until and self._bytes < self._call.room_bytes

    def take(self, event: Event) -> None:
        """Take in what the worker has done."""
        reply = self._reply
        if isinstance(event, Rows):
            for row in event.rows:
                self._keep(row)
        elif isinstance(event, BatchEnded):
            self._in_flight -= 1
            self._dealer.take_back(event.left)
            if event.seconds is not None and event.set_up_s is not None:
                self._sizer.observe(event.replicates, event.seconds, event.set_up_s)
                seconds, set_up_s = reply.seconds + event.seconds, reply.set_up_s + event.set_up_s
                self._reply = replace(reply, seconds=seconds, set_up_s=set_up_s)
        elif isinstance(event, Notice):
            self._reply = replace(reply, notices=(*reply.notices, event.text))
        elif isinstance(event, ExitRequest):
            self._reply = replace(reply, exit_request=event.text)

    def _keep(self, row: Sequence[Any]) -> None:
        encoded = encode_row(row)
        if len(encoded) > self._call.row_bytes:
            encoded = encode_row(self._row_of_one_too_large(row, len(encoded)))
        self._rows.append(encoded)
        self._bytes += len(encoded)
        self._done.add(row[1])

    def _row_of_one_too_large(self, row: Sequence[Any], size: int) -> tuple[Any, ...]:
        condition, replicate, *_ = row
        return row_without_outcome(
            condition=condition,
            seed_key=self._job.seed_key(condition),
            replicate=replicate,
            salt=self._job.salt,
            cause="errored",
            wall_s=row[8] or 0.0,
            error=f"its row of {size:,} bytes exceeds the {self._call.row_bytes:,} that a container sends back; "
            "keep less in meta or cap the texts of spans",
        )
