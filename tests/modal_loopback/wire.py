"""gRPC on one side, plain methods of the plane on the other."""

from __future__ import annotations

import base64
import json
import logging
import traceback

from grpclib import GRPCError, Status
from grpclib.config import Configuration
from grpclib.server import Server
from modal_proto.api_grpc import ModalClientBase

logging.getLogger("grpclib.server").setLevel(logging.CRITICAL)  # a killed container is a lost connection
WINDOW = 64 << 20


def message(cls, **fields):
    """Build a message of the fields that this client's protocol has."""
    return cls(**{name: value for name, value in fields.items() if name in cls.DESCRIPTOR.fields_by_name})


def same(request, *names):
    """Return fields of a request as they are, those that its protocol has."""
    return {name: getattr(request, name) for name in names if name in request.DESCRIPTOR.fields_by_name}


def token(**payload):
    """Return an unsigned token that carries a payload."""

    def encode(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    return f"{encode({'alg': 'none'})}.{encode(payload)}."


def payload_of(text):
    """Return what a token carries."""
    part = text.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def server_for(plane, container=None):
    """Return a gRPC server whose peer is the client, or one container."""
    config = Configuration(http2_connection_window_size=WINDOW, http2_stream_window_size=WINDOW)
    return Server([_Servicer(plane, container)], config=config)


class _Servicer:
    """Answers each RPC by the plane's method `rpc_<Name>`; one that it lacks is refused and remembered by name."""

    def __init__(self, plane, container):
        self._plane = plane
        self._container = container

    def __mapping__(self):
        return ModalClientBase.__mapping__(self)

    def __getattr__(self, name):
        async def handler(stream):
            self._authenticate(stream)
            request = await stream.recv_message()
            await self._answer(name, request, stream)

        return handler

    def _authenticate(self, stream):
        given = tuple(stream.metadata.get(f"x-modal-token-{part}") for part in ("id", "secret"))
        if self._container is None and given != self._plane.credentials:
            raise GRPCError(Status.UNAUTHENTICATED, "Token validation failed")

    async def _answer(self, name, request, stream):
        method = getattr(self._plane, f"rpc_{name}", None)
        if method is None:
            self._plane.unserved.add(name)
            raise GRPCError(Status.UNIMPLEMENTED, f"the loopback control plane has no {name}")
        try:
            answer = method(request, self._container)
            if hasattr(answer, "__aiter__"):
                async for part in answer:
                    await stream.send_message(part)
            else:
                await stream.send_message(await answer)
        except GRPCError:
            raise
        except Exception:  # the client would see no more than "Internal Server Error"
            self._plane.errors.append(f"{name}: {traceback.format_exc()}")
            raise
