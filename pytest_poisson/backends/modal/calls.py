"""Modal's client in a thread with an event loop of its own: batches in, events out.

Not in the main thread, because `app.run` would swallow the Ctrl-C that belongs to the sweep.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pytest_poisson.backends import Doing, Event
from pytest_poisson.backends.modal.delivery import Delivery
from pytest_poisson.backends.modal.failures import is_busy, meaning_of_call, meaning_of_session
from pytest_poisson.backends.modal.wire import Reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from contextlib import AbstractAsyncContextManager

    from pytest_poisson.backends.modal.wire import Call
    from pytest_poisson.batches import Batch
    from pytest_poisson.errors import UserError
    from pytest_poisson.job import Job

RemoteCall: TypeAlias = "Callable[[bytes], Awaitable[bytes]]"
"""Runs a container's function on bytes and returns its bytes."""

STOP_S = 30.0
WAITS_S = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0)
"""How long to wait, each time, before a call that Modal was too busy for is made again."""


class Failed(NamedTuple):
    """The client is at its end; nothing more will come."""

    reason: UserError


class CallThread:
    """Runs calls until it is closed or stopped; what comes of them is in `outbox`.

    Parameters
    ----------
    connect
        Opens a session with Modal, as a context manager that yields the call to make.
    job, call_of
        The job, and what is to be said to a container of each batch.
    """

    def __init__(
        self,
        connect: Callable[[], AbstractAsyncContextManager[RemoteCall]],
        job: Job,
        call_of: Callable[[Batch], Call],
    ) -> None:
        self.outbox: queue.SimpleQueue[Event | Failed] = queue.SimpleQueue()
        self._connect = connect
        self._job = job
        self._call_of = call_of
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None
        self._inbox: asyncio.Queue[Batch | None] = asyncio.Queue()
        self._thread = threading.Thread(target=self._run, name="poisson-modal", daemon=True)

    def start(self) -> None:
        """Start the thread; connecting goes on while this returns."""
        self._thread.start()
        self._ready.wait()

    def submit(self, batch: Batch | None) -> None:
        """Take a batch to deliver; None says that no more will come."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has ended: its reason is in the outbox
                self._loop.call_soon_threadsafe(self._inbox.put_nowait, batch)

    def finish(self) -> None:
        """Wait until everything has been delivered and the session with Modal has been closed."""
        self.submit(None)
        self._thread.join(STOP_S)

    def stop(self) -> None:
        """End the session with Modal, and with it every container; calls under way leave nothing."""
        if self._loop is not None and self._task is not None and self._thread.is_alive():
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(self._task.cancel)
            self._thread.join(STOP_S)

    def _run(self) -> None:
        try:
            asyncio.run(self._session())
        except asyncio.CancelledError:
            pass
        except BaseException as error:  # noqa: BLE001  whatever ends the client is said in the main thread
            self.outbox.put(Failed(meaning_of_session(error)))
        finally:
            self._ready.set()

    async def _session(self) -> None:
        self._loop, self._task = asyncio.get_running_loop(), asyncio.current_task()
        self._ready.set()
        self.outbox.put(Doing("connecting to Modal and building the image"))
        async with self._connect() as remote:
            self.outbox.put(Doing("starting containers"))
            delivery = Delivery(self._job, lambda batch: self._call(remote, batch), self.outbox.put)
            deliveries: set[asyncio.Task[None]] = set()
            try:
                while (batch := await self._inbox.get()) is not None:
                    task = asyncio.create_task(self._deliver(delivery, batch))
                    deliveries.add(task)
                    task.add_done_callback(deliveries.discard)
                await asyncio.gather(*deliveries)
            finally:
                for task in deliveries:
                    task.cancel()
                await asyncio.gather(*deliveries, return_exceptions=True)

    async def _deliver(self, delivery: Delivery, batch: Batch) -> None:
        try:
            await delivery.deliver(batch)
        except Exception as error:  # noqa: BLE001  one failed delivery is the end of the sweep, said in the main thread
            self.outbox.put(Failed(meaning_of_session(error)))

    async def _call(self, remote: RemoteCall, batch: Batch) -> Reply:
        """Make one call, and again where Modal has too much to do for the moment."""
        payload = self._call_of(batch).to_bytes()
        for wait_s in WAITS_S:
            if (reply := await self._try(remote, payload)) is not None:
                return reply
            await asyncio.sleep(wait_s)
        return Reply(left=None, refused=f"Modal takes no more calls, {len(WAITS_S)} times in a row.")

    async def _try(self, remote: RemoteCall, payload: bytes) -> Reply | None:
        try:
            return Reply.from_bytes(await remote(payload))
        except Exception as error:
            if is_busy(error):
                return None
            raise meaning_of_call(error) from error
