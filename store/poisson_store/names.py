"""Names of runs: which are allowed, and which run a name means."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

from poisson_store.errors import StoreError, UnknownRunError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime
    from pathlib import Path

    from poisson_store.records import RunSummary

LATEST = "latest"
SUFFIX = ".sqlite"
"""How the name of a run's file ends, after its run id."""

_RUN_ID = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{4}")
_MOST = 200
_SHOWN = 5


def is_run_id(text: str) -> bool:
    """Tell whether a text has the form of a run id, which is safe as a file name on every system."""
    return _RUN_ID.fullmatch(text) is not None


def new_run_id(now: datetime, new_suffix: Callable[[], str], taken: Callable[[str], bool]) -> str:
    """Make a run id that is not taken.

    Raises
    ------
    StoreError
        If no free one is found.
    """
    stamp = now.strftime("%Y%m%dT%H%M%SZ")
    for _ in range(1000):
        if not taken(run_id := f"{stamp}-{new_suffix()}"):
            return run_id
    raise StoreError(f"No free run id was found for {stamp}; try again in a second.")


def check_name(name: str, *, run_id: str = "", what: str = "run name") -> str:
    """Pass a name that can be given to a run or a baseline.

    Raises
    ------
    StoreError
        If it is empty, too long, not printable, or could be taken for something else.
    """
    if not name or len(name) > _MOST or not name.isprintable() or name != name.strip():
        raise StoreError(
            f"The {what} {name!r} must be 1 to {_MOST} printable characters without blanks around them."
        )
    if name == LATEST or name[0] in "@-" or name.endswith(SUFFIX) or (is_run_id(name) and name != run_id):
        raise StoreError(
            f"The {what} {name!r} could be taken for something else: {LATEST!r}, a leading '@' or '-', an ending"
            f" {SUFFIX!r} and the form of a run id are not allowed."
        )
    return name


def find_run(runs: Sequence[RunSummary], name: str, place: Path) -> RunSummary:
    """Find the one run that a name means among those of a store, newest first.

    A run id goes before a name, a name before the beginning of a run id.

    Raises
    ------
    UnknownRunError
        If there is none or more than one.
    """
    if name == LATEST:
        return _latest(runs, place)
    readable = [run for run in runs if run.problem is None]
    for meant in (
        [run for run in readable if run.run_id == name],
        [run for run in readable if run.name == name],
        [run for run in readable if name and run.run_id.startswith(name)],
    ):
        if len(meant) == 1:
            return meant[0]
        if meant:
            files = ", ".join(run.path.name for run in meant[:_SHOWN])
            raise UnknownRunError(
                f"{name!r} means {len(meant)} runs in {place}: {files}; name one by its run id."
            )
    raise UnknownRunError(_nothing_called(name, runs, place))


def _latest(runs: Iterable[RunSummary], place: Path) -> RunSummary:
    for run in runs:
        if run.status == "complete" and run.whole:
            return run
    raise UnknownRunError(f"There is no 'latest' run: {place} holds no complete run of a whole suite.")


def _nothing_called(name: str, runs: Sequence[RunSummary], place: Path) -> str:
    damaged = next(
        (run for run in runs if run.problem is not None and name in {run.run_id, run.path.name}), None
    )
    if damaged is not None:
        return f"Run {name!r} cannot be used: {damaged.problem}"
    if not runs:
        return f"No run is called {name!r}: {place} holds no runs."
    known = [run.name for run in runs if run.problem is None]
    shown = (difflib.get_close_matches(name, known, n=_SHOWN, cutoff=0.5) or known)[:_SHOWN]
    more = f" and {len(known) - len(shown)} more" if len(known) > len(shown) else ""
    return f"No run is called {name!r}: {place} holds {', '.join(shown) or 'no readable run'}{more}."
