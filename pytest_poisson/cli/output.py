"""What a command says, and how it reaches a terminal, a pipe or a file."""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from pytest_poisson.cli.statuses import PASSED

if TYPE_CHECKING:
    from collections.abc import Mapping

NARROWEST, WIDEST, DEFAULT_WIDTH = 60, 120, 80


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command ends with: text for stdout, a sentence for stderr, and the exit status."""

    text: str = ""
    complaint: str = ""
    status: int = PASSED


def deliver(outcome: Outcome) -> int:
    """Print an outcome and return its status; a reader that has gone away changes nothing about it."""
    try:
        _print(outcome.text, sys.stdout)
        _print(f"pytest-poisson: {outcome.complaint}\n" if outcome.complaint else "", sys.stderr)
    except BrokenPipeError:
        _silence(sys.stdout)
    return outcome.status


def terminal_width() -> int:
    """Return the columns to write for: those of the terminal within reason, 80 on a pipe."""
    if not sys.stdout.isatty():
        return DEFAULT_WIDTH
    return max(NARROWEST, min(WIDEST, shutil.get_terminal_size().columns))


def use_colour(environ: Mapping[str, str] = os.environ) -> bool:
    """Tell whether to use colours: on a terminal, unless NO_COLOR is set; anywhere, if FORCE_COLOR is."""
    if environ.get("NO_COLOR"):
        return False
    return bool(environ.get("FORCE_COLOR")) or (sys.stdout.isatty() and environ.get("TERM") != "dumb")


def _print(text: str, stream: TextIO) -> None:
    """Write text, with what the stream's encoding does not have as escapes."""
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def _silence(stream: TextIO) -> None:
    """Point a broken stream at nothing, or the interpreter would complain when it flushes it at exit."""
    with Path(os.devnull).open("w", encoding="utf-8") as nothing:
        os.dup2(nothing.fileno(), stream.fileno())
