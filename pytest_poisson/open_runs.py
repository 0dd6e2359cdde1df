"""The stored runs that a session reads: opened by name, closed together."""

from __future__ import annotations

from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING

from poisson_store import StoreError

if TYPE_CHECKING:
    from collections.abc import Collection

    from poisson_store import RunReader, Store

LOOKED_AT = 50
"""Runs, the newest first, that are looked through for conditions: a hint is not worth more."""


class OpenRuns:
    """Runs of one store that stay open until the session ends."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stack = ExitStack()

    def open(self, name: str) -> RunReader:
        """Open a run.

        Raises
        ------
        StoreError
            If it is not there or cannot be read.
        """
        return self._stack.enter_context(self._store.open(name))

    def open_named(self, name: str | None) -> RunReader | None:
        """Open the run that an option names, if it names one; raises as `open`."""
        return None if name is None else self.open(name)

    def open_if_there(self, name: str) -> RunReader | None:
        """Open a run, or return None where there is none to be read."""
        with suppress(StoreError):
            return self.open(name)
        return None

    def newest_with(self, conditions: Collection[str]) -> str | None:
        """Return the name of the newest run with all of these conditions, among the last that may be `latest`."""
        whole = [run for run in self._store.runs() if run.status == "complete" and run.whole]
        for run in whole[:LOOKED_AT]:
            with suppress(StoreError), self._store.open(run.run_id) as reader:
                if {each.key for each in reader.conditions}.issuperset(conditions):
                    return run.name
        return None

    def close(self) -> None:
        """Close them all."""
        self._stack.close()
