"""A control plane for the real Modal client, on loopback, in a thread of the test process.

Real are the client with its gRPC channel, its uploads and its retries, and every container: a process that runs
`modal._container_entrypoint`. Ours are scheduling, images (an interpreter of this machine stands for each), and what
becomes of calls whose container is lost. It is written from the protobuf stubs that ship with the client.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import os
import shutil
import signal
import tempfile
import threading
import time
from pathlib import Path

from aiohttp import web

from tests.modal_loopback.calls import Calls
from tests.modal_loopback.containers import Containers
from tests.modal_loopback.objects import Objects
from tests.modal_loopback.wire import server_for


class LoopbackModal(Objects, Calls, Containers):
    """The plane, as a context manager.

    Parameters
    ----------
    input_plane
        Whether calls go by the newer of the two protocols.
    """

    def __init__(self, *, input_plane=False):
        self.input_plane = input_plane
        self.credentials = ("ak-loopback", "as-loopback")
        # What a test may set
        self.named_secrets = {}
        self.container_environment = {}
        self.build_failure = ""
        self.results_to_throw_away = 0
        self.out_of_order = False
        # What a test may look at
        self.events = []
        self.log = []
        self.unserved = set()
        self.errors = []
        # What the parts keep
        self.apps, self.functions, self.calls, self.calls_by_input = {}, {}, {}, {}
        self.containers, self.images, self.secrets, self.mounts = {}, {}, {}, {}
        self.files, self.blobs = {}, {}
        self.watchers = []
        self.results = 0
        self._ids = itertools.count(1)

    @property
    def environment(self):
        """The variables by which a client finds the plane, and no configuration of the user's."""
        return {
            "MODAL_SERVER_URL": self.url,
            "MODAL_TOKEN_ID": self.credentials[0],
            "MODAL_TOKEN_SECRET": self.credentials[1],
            "MODAL_CONFIG_PATH": str(self.directory / "no-config.toml"),
        }

    def __enter__(self):
        self.directory = Path(tempfile.mkdtemp(prefix="loopback"))
        self._ready = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve()), daemon=True)
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def __exit__(self, *exception):
        self.vanish()
        self._thread.join(15)
        shutil.rmtree(self.directory, ignore_errors=True)

    async def _serve(self):
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._tick = self._loop.create_future()
        runner = await self._serve_blobs()
        server = server_for(self)
        await server.start("127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server._server.sockets[0].getsockname()[1]}"
        self._ready.set()
        await self._stop.wait()
        for container in list(self.containers.values()):
            container.function.app.stopped = True
            self.kill(container, "the plane ends")
        await asyncio.gather(*self.watchers, return_exceptions=True)
        server.close()
        await runner.cleanup()
        for connection in list(self._loop._transports.values()):  # of a client that is still there
            connection.abort()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.sleep(0)

    async def _serve_blobs(self):
        application = web.Application(client_max_size=1 << 30)
        application.router.add_put("/blob/{id}", self.put_blob)
        application.router.add_get("/blob/{id}", self.get_blob)
        runner = web.AppRunner(application)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.blob_url = f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}/blob/"
        return runner

    def new_id(self, prefix):
        return f"{prefix}-{next(self._ids):06d}"

    def notify(self):
        """Wake up everyone who waits for something to be so."""
        tick, self._tick = self._tick, self._loop.create_future()
        tick.set_result(None)

    async def wait_for(self, condition, seconds):
        deadline = time.monotonic() + seconds
        while not condition() and (left := deadline - time.monotonic()) > 0:
            await asyncio.wait([self._tick], timeout=left)

    # What a test may do, from its own thread

    def vanish(self):
        """End the plane and its containers, as if the network was gone."""
        with contextlib.suppress(RuntimeError):  # it has ended before
            self._loop.call_soon_threadsafe(self._stop.set)

    def preempt_a_container(self):
        """Kill a container that is at work, as if its machine was needed elsewhere; tell whether there was one."""
        return self._with_busy_container(lambda container: self.kill(container, "preempted"))

    def interrupt_a_container(self):
        """Tell a container that is at work that it will be taken away; tell whether there was one."""
        return self._with_busy_container(lambda container: os.kill(container.process.pid, signal.SIGINT))

    def _with_busy_container(self, act):
        async def find():
            busy = [each for each in self.containers.values() if each.call is not None]
            if busy:
                act(busy[0])
            return bool(busy)

        return asyncio.run_coroutine_threadsafe(find(), self._loop).result(5)

    def count(self, kind):
        """Return how many events of a kind there were."""
        return sum(each[0] == kind for each in self.events)
