"""The wire between the controlling process and a worker: one JSON value a line, in both directions."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from io import TextIOWrapper
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
        self._begun: list[bytes] = []  # the pieces of a line that has not ended

    def feed(self, data: bytes) -> Iterator[Any]:
        """Take more bytes and yield every list that is complete; a torn last line waits for its end.

        Raises
        ------
        ValueError
            At a line that no end of a channel has sent.
        """
        end, *lines = data.split(b"\n")
        self._begun.append(end)
        if not lines:
            return
        lines.insert(0, b"".join(self._begun))
        self._begun = [lines.pop()]
        for line in lines:
            value = json.loads(line)
            if not isinstance(value, list) or not value:
                raise ValueError(f"{value!r} is no list that says something")
            yield value


class WorkerChannel:
    """A worker's end: its standard input and output, moved out of the program under test's reach."""

    def __init__(self, inbox: IO[bytes], outbox: int, errors: int) -> None:
        self._inbox = inbox
        self._outbox = outbox
        self._errors = errors
        self._sending = threading.Lock()

    @classmethod
    def take_standard_streams(cls) -> WorkerChannel:
        """Keep the standard streams for the channel alone: input becomes empty, output goes where errors go."""
        inbox, outbox = os.fdopen(os.dup(0), "rb"), os.dup(1)
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        os.dup2(2, 1)
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # of any encoding, which might refuse what a program prints
                stream.reconfigure(encoding="utf-8", errors="replace")
        return cls(inbox, outbox, os.dup(2))

    def renew_output(self) -> None:
        """Start the file that output goes to anew: it holds the last batch's output and does not grow with the sweep.

        Where a replicate has closed its standard output or error, or put another file there, the next batch has them
        again.
        """
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        with contextlib.suppress(OSError):  # a terminal or a pipe keeps nothing
            os.ftruncate(self._errors, 0)
        with contextlib.suppress(OSError):  # closed like every file: the channel is gone, too
            os.dup2(self._errors, 1)
            os.dup2(self._errors, 2)
            if sys.stdout.closed:
                sys.stdout = _text_on(1)
            if sys.stderr.closed:
                sys.stderr = _text_on(2)

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


def _text_on(descriptor: int) -> IO[str]:
    return open(descriptor, "w", encoding="utf-8", errors="replace", closefd=False)
