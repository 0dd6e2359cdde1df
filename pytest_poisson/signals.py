"""Signals that end a sweep: Ctrl-C, and what a cancelled CI job sends."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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
    forks = _forks()
    forks.held.append(before)
    try:
        yield
    finally:
        if forks.held and forks.held[-1] is before:  # else in a forked process, where they are back already
            _restore(forks.held.pop())


def _restore(handlers: Mapping[int, Any]) -> None:
    for number, handler in handlers.items():
        signal.signal(number, signal.SIG_DFL if handler is None else handler)


class _Forks:
    """Gives forked processes the handlers back that were there before ours.

    A pool of multiprocessing ends its processes by SIGTERM. An exception raised by it could leave a lock taken for
    which the pool waits, and Python forgets a signal that comes while it forks; so signals wait until that is over.
    """

    def __init__(self) -> None:
        self.held: list[Mapping[int, Any]] = []
        self._mask = threading.local()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(before=self._block, after_in_parent=self._unblock, after_in_child=self._leave)

    def _block(self) -> None:
        numbers = {number for each in self.held for number in each}
        self._mask.before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)

    def _unblock(self) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self._mask.before)

    def _leave(self) -> None:
        while self.held:
            _restore(self.held.pop())
        self._unblock()


@cache
def _forks() -> _Forks:
    """Return the one of this process: what is registered at forks cannot be taken back."""
    return _Forks()
