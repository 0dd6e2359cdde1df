"""Containers: a process each, which runs the real entry point, and the RPCs by which it gets and answers inputs."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import sys

from google.protobuf.empty_pb2 import Empty
from modal_proto import api_pb2 as pb

from tests.modal_loopback.model import Container
from tests.modal_loopback.wire import server_for

Result = pb.GenericResult
POLL_S = 50.0
STARTS_BEFORE_GIVING_UP = 2


class Containers:
    """The part of the plane that runs containers."""

    async def schedule(self, function):
        """Start as many containers as there is work for and the function may have."""
        alive = [each for each in function.containers.values() if not each.draining]
        busy = sum(each.call is not None for each in alive)
        most = function.definition.autoscaler_settings.max_containers or 1000
        for _ in range(min(most, busy + len(function.pending)) - len(alive)):
            if not function.app.stopped:
                await self._start(function)
        self.notify()

    async def _start(self, function):
        container = Container(self.new_id("ta"), function, self.directory / self.new_id("c"))
        function.containers[container.id] = self.containers[container.id] = container
        home = container.root / "root"
        home.mkdir(parents=True)
        for mount_id in function.definition.mount_ids:
            self._lay_out(container.root, mount_id)
        (container.root / "arguments").write_bytes(self._arguments(container).SerializeToString())
        container.server = server_for(self, container)
        await container.server.start(path=str(container.root / "s"))
        container.process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "modal._container_entrypoint"),
            cwd=home,
            env=self._environment(container),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        self.events.append(("container-started", container.id))
        if function.app.stopped:  # while the process was being made
            self.kill(container, "app stopped")
        self.watchers.append(asyncio.create_task(self._watch(container)))

    def _lay_out(self, root, mount_id):
        for name, digest in self.mounts[mount_id]:
            path = root / name.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(self.files[digest])

    def _arguments(self, container):
        function = container.function
        layout = pb.AppLayout(
            function_ids={function.name: function.id},
            objects=[pb.Object(object_id=function.id, function_handle_metadata=function.handle)]
            + [pb.Object(object_id=each.object_id) for each in function.definition.object_dependencies],
        )
        return pb.ContainerArguments(
            task_id=container.id,
            function_id=function.id,
            app_id=function.app.id,
            function_def=function.definition,
            environment_name="main",
            app_layout=layout,
        )

    def _environment(self, container):
        home = str(container.root / "root")
        secrets = [self.secrets[each] for each in container.function.definition.secret_ids]
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": home,
            "PYTHONPATH": home,
            "MODAL_IS_REMOTE": "1",
            "MODAL_SERVER_URL": f"unix://{container.root / 's'}",
            "MODAL_TASK_ID": container.id,
            "MODAL_IMAGE_ID": container.function.definition.image_id,
            "MODAL_CONTAINER_ARGUMENTS_PATH": str(container.root / "arguments"),
            **self.container_environment,
            **{name: value for secret in secrets for name, value in secret.items()},
        }

    async def _watch(self, container):
        """Wait for a container's end and decide what becomes of the call it had."""
        async for line in container.process.stdout:
            self.log.append((container.id, line.decode(errors="replace").rstrip()))
        status = await container.process.wait()
        self.events.append(("container-ended", container.id, container.fate or f"exit status {status}"))
        if container.timer is not None:
            container.timer.cancel()
        container.server.close()
        del container.function.containers[container.id], self.containers[container.id]
        if container.call is not None:
            self._settle(container.call, container.fate, status)
        await self.schedule(container.function)
        shutil.rmtree(container.root, ignore_errors=True)

    def _settle(self, call, fate, status):
        if fate == "timeout":
            result = Result(status=Result.GENERIC_STATUS_TIMEOUT, exception="the input hit its timeout")
        elif fate == "preempted":
            result = Result(
                status=Result.GENERIC_STATUS_INTERNAL_FAILURE, exception="the worker was preempted"
            )
        else:
            text = f"the container ended with status {status} while it ran this input"
            result = Result(status=Result.GENERIC_STATUS_FAILURE, exception=text)
        self.finish(call, result)

    def kill(self, container, fate):
        """End a container's process; its fate decides what the client is told."""
        container.fate = container.fate or fate
        if container.process is not None and container.process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(container.process.pid, signal.SIGKILL)

    # What containers ask for

    async def rpc_ContainerHello(self, request, container):
        return Empty()

    async def rpc_ContainerHeartbeat(self, request, container):
        with contextlib.suppress(asyncio.TimeoutError):
            input_id = await asyncio.wait_for(container.cancelled.get(), 10)
            event = pb.CancelInputEvent(input_ids=[input_id])
            return pb.ContainerHeartbeatResponse(cancel_input_event=event)
        return pb.ContainerHeartbeatResponse()

    async def rpc_FunctionGetInputs(self, request, container):
        function = container.function
        container.call = None

        def has_ended():
            return function.app.stopped or container.draining

        await self.wait_for(lambda: function.pending or has_ended(), POLL_S)
        if has_ended():
            return pb.FunctionGetInputsResponse(inputs=[pb.FunctionGetInputsItem(kill_switch=True)])
        if not function.pending:
            return pb.FunctionGetInputsResponse()
        call = container.call = function.pending.popleft()
        self._limit_time(container)
        item = pb.FunctionGetInputsItem(
            input_id=call.input_id, input=call.input, function_call_id=call.id, retry_count=call.retries
        )
        return pb.FunctionGetInputsResponse(inputs=[item])

    def _limit_time(self, container):
        if container.timer is not None:
            container.timer.cancel()
        seconds = container.function.definition.timeout_secs
        container.timer = asyncio.get_running_loop().call_later(seconds, self.kill, container, "timeout")

    async def rpc_FunctionPutOutputs(self, request, container):
        container.timer.cancel()
        for item in request.outputs:
            call = self.calls_by_input[item.input_id]
            container.call = None
            if call.thrown_away < self.results_to_throw_away:  # delivered, lost on its way, delivered again
                call.thrown_away += 1
                call.function.pending.append(call)
            else:
                await self._hold_back()
                times = {name: getattr(item, name) for name in ("input_started_at", "output_created_at")}
                self.finish(call, item.result, item.data_format, container.id, **times)
        return Empty()

    async def _hold_back(self):
        """Hold every other result back until a later one has come."""
        self.results += 1
        number = self.results
        if self.out_of_order and number % 2:
            await self.wait_for(lambda: self.results > number, 2.0)

    async def rpc_TaskResult(self, request, container):
        """Hear that a container could not start; after a few, its calls fail."""
        container.draining = True
        function = container.function
        function.failed_starts += 1
        if function.failed_starts >= STARTS_BEFORE_GIVING_UP:
            while function.pending:
                self.finish(function.pending.popleft(), request.result, pb.DATA_FORMAT_UNSPECIFIED)
        return Empty()
