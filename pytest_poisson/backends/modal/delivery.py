"""Getting every replicate of a batch done although containers are lost, and calls delivered more than once."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_poisson.backends import BatchEnded, Event, ExitRequest, Notice, Rows
from pytest_poisson.backends.rows import row_without_outcome
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pytest_poisson.backends.modal.wire import Reply
    from pytest_poisson.batches import Batch
    from pytest_poisson.job import Job

TRIES = 3
"""How many containers a replicate may take along before it is held to be the reason."""


class LostError(Exception):
    """A call that has no reply: its container is gone. `cause` is what its replicate is recorded as in the end."""

    def __init__(self, text: str, cause: str = "crashed") -> None:
        super().__init__(text)
        self.cause = cause


class Attempt(NamedTuple):
    """What so many tries have come to: what is left, why, and the reply if there was one."""

    left: Batch
    loss: LostError | None
    reply: Reply | None


class Delivery:
    """Delivers batches; what comes of them goes to `emit` as the events of a backend.

    Parameters
    ----------
    job
        The job, for the rows of replicates that cannot speak for themselves.
    call
        Runs one batch in some container.
    emit
        Takes events; called on the event loop's thread.

    Notes
    -----
    A batch whose container is lost is tried once more as it is, since most losses are nobody's fault. Lost twice,
    its replicates go one by one, so that one that takes its container along takes no neighbour. What is lost a
    third time, alone, is recorded without an outcome.
    """

    def __init__(
        self, job: Job, call: Callable[[Batch], Awaitable[Reply]], emit: Callable[[Event], None]
    ) -> None:
        self._job = job
        self._call = call
        self._emit = emit

    async def deliver(self, batch: Batch) -> None:
        """Run a batch and emit its rows, and last its end.

        Raises
        ------
        UserError
            If no container can run it.
        """
        left, loss, reply = await self._attempt(batch, TRIES - 1)
        if loss is not None:
            rests = await asyncio.gather(*map(self._deliver_alone, left.singles()))
            left = batch.only(replicate for rest in rests for replicate in rest.replicates())
        ended = BatchEnded(left, len(batch) - len(left))
        if reply is not None and loss is None:
            ended = ended._replace(seconds=reply.seconds, set_up_s=reply.set_up_s)
        self._emit(ended)

    async def _deliver_alone(self, single: Batch) -> Batch:
        """Run one replicate for the last time; return it again only where it neither ran nor was lost."""
        left, loss, _ = await self._attempt(single, 1)
        if loss is None:
            return left
        self._emit(Rows([self._lost_row(single, loss)]))
        return left.after(1)

    async def _attempt(self, batch: Batch, tries: int) -> Attempt:
        """Call until there is a reply, so many times at most; rows of an interrupted call are kept."""
        left, loss, reply = batch, None, None
        for _ in range(tries):
            try:
                reply = await self._call(left)
            except LostError as lost:
                loss = lost
                continue
            left, loss = self._take(reply), None
            if not reply.interrupted or not len(left):
                break
            loss = LostError("it was interrupted")
        return Attempt(left, loss, reply)

    def _take(self, reply: Reply) -> Batch:
        """Emit what a reply brings, and return what it leaves."""
        if reply.refused is not None or reply.left is None:
            raise UserError(reply.refused or "A container gave no reason for refusing its batch.")
        self._emit(Rows([tuple(row) for row in reply.rows]))
        for notice in reply.notices:
            self._emit(Notice(notice))
        if reply.exit_request is not None:
            self._emit(ExitRequest(reply.exit_request))
        return reply.left

    def _lost_row(self, single: Batch, loss: LostError) -> tuple[Any, ...]:
        (replicate,) = single.replicates()
        return row_without_outcome(
            condition=single.condition,
            seed_key=self._job.seed_key(single.condition),
            replicate=replicate,
            salt=self._job.salt,
            cause=loss.cause,
            wall_s=0.0,
            error=f"its container was lost {TRIES} times, the last time alone in it: {loss}",
        )
