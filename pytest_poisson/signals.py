"""Signals that end a sweep: Ctrl-C, and what a cancelled CI job sends."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


class TerminatedError(KeyboardInterrupt):
    """The process was asked to end by a signal other than Ctrl-C's."""


class Interrupts:
    """Holds the first signal until someone asks for it, so that it cannot tear a transaction or a batch apart.

    A second one is raised where it comes, for those who cannot wait.
    """

    def __init__(self) -> None:
        self.held: KeyboardInterrupt | None = None

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Hold signals inside."""
        with _handled_by(self._hold):
            yield

    @contextmanager
    def raise_at_once(self) -> Iterator[None]:
        """Raise signals where they come, inside: for code of the user's that runs in this process."""
        with _handled_by(_raise):
            yield

    def _hold(self, number: int, frame: Any) -> None:
        if self.held is not None:
            _raise(number, frame)
        self.held = _error_of(number)


def _raise(number: int, frame: Any) -> None:  # noqa: ARG001  the signature is signal's
    raise _error_of(number)


def _error_of(number: int) -> KeyboardInterrupt:
    name = signal.Signals(number).name
    return KeyboardInterrupt() if name == "SIGINT" else TerminatedError(f"ended by {name}")


@contextmanager
def _handled_by(handler: Any) -> Iterator[None]:
    """Handle the signals so inside; a thread other than the main one cannot, and leaves them alone.

    One that was ignored when the process began stays so: `nohup` and a shell's `&` mean it.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    present = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]  # Windows has no SIGHUP
    heeded = [number for number in present if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, handler) for number in heeded}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, signal.SIG_DFL if former is None else former)
