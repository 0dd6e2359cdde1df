"""RPCs by which the client calls a function and waits for what it returns, in both protocols there are."""

from __future__ import annotations

from google.protobuf.empty_pb2 import Empty
from modal_proto import api_pb2 as pb

from tests.modal_loopback.model import Call
from tests.modal_loopback.wire import message, payload_of, token

Result = pb.GenericResult


class Calls:
    """The part of the plane that keeps calls; each has one input."""

    def enqueue(self, function_id, item):
        function = self.functions[function_id]
        call = Call(self.new_id("fc"), self.new_id("in"), function, item.input)
        self.calls[call.id] = self.calls_by_input[call.input_id] = call
        function.pending.append(call)
        return call

    def finish(self, call, result, data_format=pb.DATA_FORMAT_PICKLE, task_id="", **times):
        """Give a call its output; the first counts."""
        if call.output is None:
            call.output = message(
                pb.FunctionGetOutputsItem,
                result=result,
                input_id=call.input_id,
                data_format=data_format,
                task_id=task_id,
                retry_count=call.retries,
                **times,
            )
            self.events.append(("output", call.id, Result.GenericStatus.Name(result.status)))
        self.notify()

    # By the control plane

    async def rpc_FunctionMap(self, request, _):
        (item,) = request.pipelined_inputs
        call = self.enqueue(request.function_id, item)
        await self.schedule(call.function)
        return pb.FunctionMapResponse(
            function_call_id=call.id,
            function_call_jwt=token(call=call.id),
            pipelined_inputs=[
                pb.FunctionPutInputsResponseItem(input_id=call.input_id, input_jwt=token(idx=0, call=call.id))
            ],
            retry_policy=call.function.definition.retry_policy,
            sync_client_retries_enabled=True,
        )

    async def rpc_FunctionGetOutputs(self, request, _):
        call = self.calls[request.function_call_id]
        await self.wait_for(lambda: call.output is not None, request.timeout)
        outputs = [] if call.output is None else [call.output]
        return pb.FunctionGetOutputsResponse(
            outputs=outputs, last_entry_id="1-0", num_unfinished_inputs=int(call.output is None)
        )

    async def rpc_FunctionCallCancel(self, request, _):
        call = self.calls[request.function_call_id]
        if call in call.function.pending:
            call.function.pending.remove(call)
        for container in call.function.containers.values():
            if container.call is call:
                container.cancelled.put_nowait(call.input_id)
        self.finish(call, Result(status=Result.GENERIC_STATUS_TERMINATED, exception="cancelled"))
        return Empty()

    # By the input plane: the server says in a function's metadata that it is to be used

    async def rpc_AttemptStart(self, request, _):
        call = self.enqueue(request.function_id, request.input)
        await self.schedule(call.function)
        policy = call.function.definition.retry_policy
        return pb.AttemptStartResponse(attempt_token=token(call=call.id), retry_policy=policy)

    async def rpc_AttemptAwait(self, request, _):
        call = self.calls[payload_of(request.attempt_token)["call"]]
        await self.wait_for(lambda: call.output is not None, request.timeout_secs)
        return pb.AttemptAwaitResponse(output=call.output)

    async def rpc_AttemptRetry(self, request, _):
        call = self.calls[payload_of(request.attempt_token)["call"]]
        call.output, call.retries = None, call.retries + 1
        call.function.pending.appendleft(call)
        await self.schedule(call.function)
        return pb.AttemptRetryResponse(attempt_token=token(call=call.id, retry=call.retries))
