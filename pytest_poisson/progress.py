"""The line that says how far a sweep is: rewritten on a terminal, printed now and then on a pipe."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pytest_poisson.sweep import Progress

TERMINAL_INTERVAL_S = 0.2
PIPE_INTERVAL_S = 10.0
FIRST_S = 2.0  # on a terminal, nothing is said of what is over before anyone wonders


class ProgressLine:
    """Shows progress through pytest's terminal reporter; without one, nowhere."""

    def __init__(self, reporter: Any) -> None:
        self._reporter = reporter
        self._live = reporter is not None and reporter.isatty and reporter.config.option.verbose >= 0
        self._next = time.monotonic() + (FIRST_S if self._live else PIPE_INTERVAL_S)
        self._shown = False

    def show(self, progress: Progress) -> None:
        """Show progress if it is time to."""
        now = time.monotonic()
        if self._reporter is None or now < self._next or self._reporter.config.option.verbose < 0:
            return
        self._next = now + (TERMINAL_INTERVAL_S if self._live else PIPE_INTERVAL_S)
        line = describe(progress)
        if self._live:
            self._reporter.rewrite(line, erase=True)
        else:
            self._reporter.write_line(line)
        self._shown = True

    def close(self) -> None:
        """End the live line, so that what follows starts on one of its own."""
        if self._live and self._shown:
            self._reporter.write_line("")


def describe(progress: Progress) -> str:
    """Return progress in one line: how many, how fast, how much longer; before the first row, what goes on."""
    if not progress.stored:
        what = progress.doing or f"0 of {progress.planned:,} replicates"
        return f"{what} ({duration(progress.elapsed_s)})"
    share = progress.stored / progress.planned if progress.planned else 1.0
    rate = progress.stored / progress.elapsed_s if progress.elapsed_s > 0 else 0.0
    left = (progress.planned - progress.stored) / rate if rate else None
    parts = [
        f"{progress.stored:,} of {progress.planned:,} replicates ({int(100 * share)} %)",
        f"{rate:,.1f}/s",
    ]
    if left is not None:
        parts.append(f"{duration(left)} left")
    if progress.without_outcome:
        parts.append(f"{progress.without_outcome:,} without an outcome")
    return ", ".join(parts)


def duration(seconds: float) -> str:
    """Return a time as people say it: `12 s`, `3 min 20 s`, `2 h 5 min`."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
