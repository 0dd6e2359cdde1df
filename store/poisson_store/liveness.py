"""Whether the process that writes a run is alive."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

SILENCE_NS = 10 * 60 * 1_000_000_000
"""After this long without a sign of life a writer on another machine counts as dead."""

_PROC = Path("/proc/self/stat")


@dataclass(frozen=True, slots=True)
class Session:
    """A process that writes, or wrote, a run."""

    host: str
    pid: int
    process_started: str
    beat_ns: int


def this_session() -> Session:
    """Describe the present process as a writer."""
    pid = os.getpid()
    return Session(this_host(), pid, process_started(pid) or "", time.time_ns())


def this_host() -> str:
    """Name the machine and, on Linux, the pid namespace: a container has its own pids under any host name."""
    try:
        return f"{platform.node()} {Path('/proc/self/ns/pid').readlink()}"
    except OSError:
        return platform.node()


def is_alive(session: Session, *, now_ns: int | None = None) -> bool:
    """Tell whether a writer is alive.

    On this machine the process must exist and have begun when the writer did, since pids are used again.
    Of another machine only the last sign of life is known.
    """
    if session.host == this_host():
        return process_started(session.pid) == session.process_started
    return (time.time_ns() if now_ns is None else now_ns) - session.beat_ns < SILENCE_NS


def process_started(pid: int) -> str | None:
    """Tell when a process of this machine began, as its system writes it; None where there is no such process."""
    if sys.platform == "win32":
        return _started_on_windows(pid)
    return _started_by_proc(pid) if _PROC.exists() else _started_by_ps(pid)


def _started_by_proc(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
    # The second field is the program's name in brackets and may hold blanks; the state is the third.
    state, *fields = stat.rpartition(")")[2].split()
    return None if state in "ZX" else f"{boot} {fields[18]}"


def _started_by_ps(pid: int) -> str | None:
    told = subprocess.run(
        ["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return told.stdout.strip() or None


def _started_on_windows(pid: int) -> str | None:
    import ctypes  # noqa: PLC0415 - not there on every platform
    from ctypes import wintypes  # noqa: PLC0415

    kernel = ctypes.windll.kernel32  # type: ignore[attr-defined,unused-ignore]
    query_limited_information, still_active = 0x1000, 259
    handle = kernel.OpenProcess(query_limited_information, False, pid)  # noqa: FBT003 - positional in C
    if not handle:
        return None
    try:
        code = wintypes.DWORD()
        kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        times = [wintypes.FILETIME() for _ in range(4)]
        kernel.GetProcessTimes(handle, *map(ctypes.byref, times))
        created = times[0].dwHighDateTime << 32 | times[0].dwLowDateTime
        return str(created) if code.value == still_active else None
    finally:
        kernel.CloseHandle(handle)
