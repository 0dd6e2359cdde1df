"""One worker process: started, written to, read from by a thread, ended for certain."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from typing import IO, TYPE_CHECKING, Any

from pytest_poisson.channel import FrameReader, encode_frame
from pytest_poisson.errors import UserError
from pytest_poisson.secrets import end_of
from pytest_poisson.worker_entry import ENTRY

if TYPE_CHECKING:
    import queue
    from collections.abc import Iterator

    from pytest_poisson.job import Job

PIECE = 1 << 16
GRACE_TO_END_S = 0.5  # a process that ends closes its output first
GRACE_FOR_OUTPUT_S = 0.5  # a child of the worker may hold its output open after the worker is gone


class WorkerProcess:
    """A worker: what it sends goes to the inbox in pieces, and an empty piece when there will be no more."""

    def __init__(self, job: Job, inbox: queue.SimpleQueue[tuple[WorkerProcess, bytes]]) -> None:
        with _refused_in_a_sentence(), contextlib.ExitStack() as undo:
            self._errors: IO[bytes] = undo.enter_context(tempfile.TemporaryFile("a+b"))
            self._process = self._start(job)
            undo.pop_all()
        self._reader = FrameReader()
        self._all_heard_at: float | None = None
        self._fault = ""  # why it had to be ended, where that is the program's own doing
        self._ended_at: float | None = None
        self.send(job.to_json())
        threading.Thread(target=self._listen, args=(inbox,), daemon=True).start()

    def _start(self, job: Job) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", ENTRY, json.dumps(job.import_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=job.directory,
            bufsize=0,
            **_own_group(),
        )

    def _listen(self, inbox: queue.SimpleQueue[tuple[WorkerProcess, bytes]]) -> None:
        output = self._process.stdout
        if output is None:
            return
        with contextlib.suppress(OSError, ValueError):  # closed under us when the worker is let go
            while piece := os.read(output.fileno(), PIECE):
                inbox.put((self, piece))
        inbox.put((self, b""))

    def send(self, value: Any) -> None:
        """Send one value; a worker that is gone does not get it, which `ended` will tell."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                data = encode_frame(value)
                while data:
                    data = data[self._process.stdin.write(data) or 0 :]

    def frames(self, piece: bytes) -> Iterator[Any]:
        """Yield the values that a piece from the inbox completes; end a worker that sends what is none.

        Its channel is no secret: a replicate that writes to files it did not open, or closes them, may hit it.
        """
        if not piece:
            self._all_heard_at = time.monotonic()
        elif not self._fault:
            try:
                yield from self._reader.feed(piece)
            except ValueError:
                self._fault = "something else was written where it sends its results"
                self.kill()

    def ended(self) -> bool:
        """Tell whether the process is gone and its last word has been heard, or will not come."""
        if self._process.poll() is None:
            if self._all_heard_at is not None and time.monotonic() - self._all_heard_at > GRACE_TO_END_S:
                self._fault = self._fault or "the file was closed by which it sends its results"
                self.kill()
            return False
        self._ended_at = self._ended_at or time.monotonic()
        return self._all_heard_at is not None or time.monotonic() - self._ended_at > GRACE_FOR_OUTPUT_S

    def close_input(self) -> None:
        """Tell the worker that no more batches will come."""
        if self._process.stdin is not None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()

    def kill(self) -> None:
        """End the process at once, and on POSIX whatever it started."""
        if self._process.poll() is None:
            if sys.platform == "win32":
                self._process.kill()
            else:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Wait for the process, which has been ended or is about to, and free what it held."""
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout, self._errors):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()

    def describe_end(self) -> str:
        """Return how the process ended, in words."""
        status = self._process.wait()
        if self._fault:
            return self._fault
        if status >= 0:
            return f"exit status {status}"
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = "unknown"
        return f"signal {-status} ({name})"

    def tail(self, characters: int) -> str:
        """Return the end of what the process printed in its last batch."""
        self._errors.seek(0)
        return end_of(self._errors.read().decode("utf-8", "replace"), characters).strip()


@contextlib.contextmanager
def _refused_in_a_sentence() -> Iterator[None]:
    """Say what the system has against one more process or file."""
    try:
        yield
    except OSError as refusal:
        raise UserError(
            f"A worker process cannot be started: {(refusal.strerror or str(refusal)).lower()}; "
            "--poisson-workers=N starts N of them."
        ) from refusal


def _own_group() -> dict[str, Any]:
    """Return what keeps a Ctrl-C at the terminal from reaching the worker: the controlling process handles it."""
    if sys.platform == "win32":
        return {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
    return {"start_new_session": True}
