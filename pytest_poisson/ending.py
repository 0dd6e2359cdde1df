"""How a replicate ended: from what it raised, or said, to an outcome or the cause of having none."""

from __future__ import annotations

import traceback
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest

from pytest_poisson.caps import ERROR_LIMIT
from pytest_poisson.declaration import FAILED, PASSED, Declaration
from pytest_poisson.secrets import beginning_of

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_poisson.rollout import Rollout

IN_TEARDOWN = "in tear-down: "
"""What stands before the error of a tear-down, beside the outcome or cause that it does not change."""


@dataclass(frozen=True)
class Ending:
    """An outcome, or exactly one cause of having none, and the text that explains it.

    `exception` is what was raised where that alone decided the ending.
    """

    outcome: str | None = None
    cause: str | None = None
    error: str = ""
    exception: BaseException | None = field(default=None, compare=False, repr=False)

    def with_note(self, note: str) -> Ending:
        """Return the same ending with something more to read."""
        return replace(self, error=beginning_of(f"{self.error}\n{note}".strip(), ERROR_LIMIT))


def ending_of_set_up(error: BaseException, path: Path) -> Ending:
    """Return the ending of a replicate whose fixtures raised: skipped, or errored; never an outcome."""
    if isinstance(error, pytest.skip.Exception):
        return Ending(cause="skipped", error=str(error))
    return Ending(cause="errored", error=f"in set-up: {error_text(error, path)}", exception=error)


def ending_of_call(
    error: BaseException | None, rollout: Rollout, declaration: Declaration, path: Path
) -> Ending:
    """Return the ending of a replicate whose test function returned or raised.

    A misuse of `rollout`, or an exception after `rollout.end`, leaves no outcome: the test contradicts
    itself. Else `rollout.end` decides, then the mark's ``raises``, then pytest's own words.
    """
    if rollout.misuse is not None:
        return Ending(cause="errored", error=rollout.misuse)
    if error is None:
        return Ending(outcome=rollout.outcome or PASSED)
    text = error_text(error, path)
    if rollout.outcome is not None:
        return Ending(cause="errored", error=f"raised after rollout.end({rollout.outcome!r}): {text}")
    if isinstance(error, pytest.skip.Exception):
        return Ending(cause="skipped", error=str(error))
    outcome = _outcome_of_error(error, declaration)
    return Ending(outcome=outcome, cause=None if outcome else "errored", error=text, exception=error)


def _outcome_of_error(error: BaseException, declaration: Declaration) -> str | None:
    """Return the outcome an exception stands for, or None where it says nothing of the program under test."""
    if isinstance(error, pytest.xfail.Exception):  # a kind of pytest.fail that has no meaning in a rollout
        return None
    for kind, outcome in declaration.raises.items():
        if isinstance(error, kind):
            return outcome
    return FAILED if isinstance(error, (AssertionError, pytest.fail.Exception)) else None


def error_text(error: BaseException, path: Path) -> str:
    """Return an exception as one line or more, with the line of the suite's file that it came through."""
    lines = _words(error)
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == str(path):
            place = f" ({path.name}:{line})"
    return f"{beginning_of(lines, ERROR_LIMIT - len(place))}{place}"


def _words(error: BaseException) -> str:
    """Return what an exception says; of a group, what those in it say, too: its own words name none."""
    words = "".join(traceback.format_exception_only(type(error), error)).strip()
    inner = getattr(error, "exceptions", ())  # Python 3.10 has no class of groups to ask for
    grouped = isinstance(inner, tuple) and all(isinstance(each, BaseException) for each in inner)
    return f"{words}: {'; '.join(map(_words, inner))}" if grouped and inner else words
