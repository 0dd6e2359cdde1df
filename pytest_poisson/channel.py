"""The wire between the controlling process and a worker: one JSON value a line, in both directions."""

from __future__ import annotations

import json
import os
import threading
from typing import IO, TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_encode = json.JSONEncoder(separators=(",", ":")).encode  # ASCII only: any text survives any pipe


def encode_frame(value: Any) -> bytes:
    """Return a JSON value as the line that carries it."""
    return _encode(value).encode("ascii") + b"\n"


class FrameReader:
    """Cuts a stream of bytes, as it arrives in pieces, into the values that were sent."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, data: bytes) -> Iterator[Any]:
        """Take more bytes and yield every value that is complete; a torn last line waits for its end."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            yield json.loads(line)


class WorkerChannel:
    """A worker's end: its standard input and output, moved out of the program under test's reach."""

    def __init__(self, inbox: IO[bytes], outbox: int) -> None:
        self._inbox = inbox
        self._outbox = outbox
        self._sending = threading.Lock()

    @classmethod
    def take_standard_streams(cls) -> WorkerChannel:
        """Keep the standard streams for the channel alone: input becomes empty, output goes where errors go."""
        inbox, outbox = os.fdopen(os.dup(0), "rb"), os.dup(1)
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        os.dup2(2, 1)
        return cls(inbox, outbox)

    def receive(self) -> Any:
        """Return the next value, or None when the controlling process has closed its end."""
        line = self._inbox.readline()
        return json.loads(line) if line.endswith(b"\n") else None

    def send(self, value: Any) -> None:
        """Send one value; it has left this process when the call returns."""
        data = encode_frame(value)
        with self._sending:
            while data:
                data = data[os.write(self._outbox, data) :]
