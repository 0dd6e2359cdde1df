"""Exit statuses of the command line."""

from __future__ import annotations

PASSED = 0
"""The report was printed; the gate, where there is one, passes."""

REFUSED = 1
"""A run, a file, a declaration or an event cannot be used; nothing was written."""

USAGE = 2
"""The command line is wrong."""

FAILURE = 3
"""An unexpected failure of ours."""

GATE = 4
"""A gate failed."""

INTERRUPTED = 130
"""Ctrl-C."""

TOO_SMALL = 2
"""Of `compare` and `fix-check`: too small to tell. Where a wrong command line is 1."""
