"""A store: a directory of runs, their names, baselines and saved comparisons."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import datetime

    from poisson_store.reader import RunReader
    from poisson_store.records import Json, RunRecord, RunSummary
    from poisson_store.writer import RunWriter


class Store:
    """A directory with one SQLite file a run; made when the first run is.

    Parameters
    ----------
    path : str or Path
        The directory.
    clock : callable, optional
        Gives the present time in UTC.
    new_suffix : callable, optional
        Gives the 4 hex digits that end a run id.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        clock: Callable[[], datetime] | None = None,
        new_suffix: Callable[[], str] | None = None,
    ) -> None:
        self.path = Path(path)
        self._clock = clock
        self._new_suffix = new_suffix

    def create(self, record: RunRecord) -> RunWriter:
        """Begin a run; its run id, name (default: the run id) and time of creation are filled in where empty.

        Raises
        ------
        StoreError
            If the name is taken or not allowed, or the directory cannot be written.
        """
        raise NotImplementedError

    def reopen(self, name: str, *, planned: Mapping[str, int] | None = None) -> RunWriter:
        """Continue a run, raising the planned counts of the condition keys in `planned`.

        Raises
        ------
        StoreError
            If the run's writer is alive, or a planned count is below what it was.
        """
        raise NotImplementedError

    def runs(self) -> list[RunSummary]:
        """List every run, newest first; a damaged file is listed with its problem."""
        raise NotImplementedError

    def resolve(self, name: str) -> Path:
        """Find the one run that is meant.

        Parameters
        ----------
        name : str
            A run id, the unique beginning of one, a name, `latest` (the newest complete run of everything),
            `@baseline`, or the path of a run file.

        Raises
        ------
        UnknownRunError
            If there is none or more than one; the message names candidates.
        """
        raise NotImplementedError

    def open(self, name: str) -> RunReader:
        """Open the run that `resolve` finds, for reading."""
        raise NotImplementedError

    def set_baseline(self, baseline: str, name: str) -> str:
        """Let `@baseline` mean the run that `name` resolves to now; return its run id."""
        raise NotImplementedError

    def remove_baseline(self, baseline: str) -> None:
        """Forget a baseline."""
        raise NotImplementedError

    def baselines(self) -> dict[str, str]:
        """Map each baseline to its run id."""
        raise NotImplementedError

    def export_run(self, name: str, file: str | Path) -> Path:
        """Write one run as one file with a checksum, atomically.

        Raises
        ------
        StoreError
            If the run is being written.
        """
        raise NotImplementedError

    def import_run(self, file: str | Path, *, name: str | None = None) -> str:
        """Add an exported run (or a plain run file) to the store, atomically, and return its run id.

        Raises
        ------
        StoreError
            If the file is truncated or damaged, or the run or its name is in the store already.
        """
        raise NotImplementedError

    def merge(self, names: Sequence[str], *, name: str = "") -> str:
        """Join parts of one design (shards, selections) into a new run and return its run id.

        Raises
        ------
        StoreError
            If the parts differ in salt, declarations or variant, or hold a replicate twice.
        """
        raise NotImplementedError

    def recover(self, file: str | Path, *, name: str = "") -> str:
        """Save what can be read of a damaged run file as a new, interrupted run and return its run id.

        Raises
        ------
        DamagedRunError
            If not even the run's declarations can be read.
        """
        raise NotImplementedError

    def save_comparison(self, comparison_id: str, result: Mapping[str, Json]) -> None:
        """Keep a comparison's result under its id; the same id again replaces it."""
        raise NotImplementedError

    def comparison(self, comparison_id: str) -> Mapping[str, Json]:
        """Read a saved comparison by its id or the unique beginning of one."""
        raise NotImplementedError

    def comparisons(self) -> list[str]:
        """List the ids of the saved comparisons, newest first."""
        raise NotImplementedError
