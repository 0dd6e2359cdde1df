"""What a store knows beside its runs: baselines and saved comparisons; also the lock under which names are given."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

from poisson_store.codec import to_json
from poisson_store.connection import connect, now_text, transaction
from poisson_store.errors import (
    DamagedRunError,
    NewerSchemaError,
    StoreError,
    UnknownComparisonError,
    UnknownRunError,
    storage_errors,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from poisson_store.records import Json

FILE = "catalog.sqlite"
VERSION = 1
"""The format of the index."""

DDL = """\
-- The run that each baseline stands for.
CREATE TABLE baselines (
    baseline TEXT PRIMARY KEY,      -- without the leading @
    run_id TEXT NOT NULL,
    set_at TEXT NOT NULL            -- ISO 8601, UTC
) WITHOUT ROWID;

-- Comparisons that were saved; a result is read back by its own schema, the runs are not needed.
CREATE TABLE comparisons (
    id TEXT PRIMARY KEY,            -- first 12 hex digits of SHA-256 over the runs and the settings compared
    saved_at TEXT NOT NULL,         -- ISO 8601, UTC; of the last time
    result TEXT NOT NULL            -- JSON object, versioned by its `schema`, as `pytest-poisson diff --json` prints it
) WITHOUT ROWID;

-- Summaries of ended runs, so that a list need not open every file; may be emptied at any time.
CREATE TABLE summaries (
    file TEXT PRIMARY KEY,          -- name of the run's file
    stamp TEXT NOT NULL,            -- size, time of change and inode the summary is of
    summary TEXT NOT NULL           -- JSON object
) WITHOUT ROWID;
"""


@contextmanager
def _with_a_way_out() -> Iterator[None]:
    """Say of a damaged index what removing it costs."""
    try:
        yield
    except DamagedRunError as damage:
        raise DamagedRunError(
            f"{str(damage).removesuffix('.')}; remove it to go on: runs and their names stay, baselines and saved "
            "comparisons are lost."
        ) from damage


class Index:
    """The `catalog.sqlite` of a store; made when something is first written."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE

    @contextmanager
    def lock(self) -> Iterator[sqlite3.Connection]:
        """Hold the store against every other writer of names, committing at the end.

        Raises
        ------
        StoreError
            If the directory cannot be made or written.
        """
        with _with_a_way_out(), storage_errors(self._path, "write"):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with closing(connect(self._path, "rwc")) as connection, transaction(connection):
                self._prepare(connection)
                yield connection

    def set_baseline(self, baseline: str, run_id: str) -> None:
        """Let a baseline stand for a run."""
        with self.lock() as connection:
            connection.execute("REPLACE INTO baselines VALUES (?, ?, ?)", (baseline, run_id, now_text()))

    def remove_baseline(self, baseline: str) -> None:
        """Forget a baseline.

        Raises
        ------
        UnknownRunError
            If there is none of that name.
        """
        if baseline not in self.baselines():
            raise UnknownRunError(self.no_baseline(baseline))
        with self.lock() as connection:
            connection.execute("DELETE FROM baselines WHERE baseline = ?", (baseline,))

    def baselines(self) -> dict[str, str]:
        """Map each baseline to its run id."""
        return {
            row[0]: row[1] for row in self._read("SELECT baseline, run_id FROM baselines ORDER BY baseline")
        }

    def no_baseline(self, baseline: str) -> str:
        """Say that a baseline is unknown, and which are known."""
        known = ", ".join(f"@{name}" for name in self.baselines()) or "none"
        return f"No baseline is called {'@' + baseline!r}; known in {self._path.parent}: {known}."

    def save_comparison(self, comparison_id: str, result: Mapping[str, Json]) -> None:
        """Keep a comparison's result under its id; the same id again replaces it."""
        text = to_json(result, f"comparison {comparison_id}")
        with self.lock() as connection:
            connection.execute("REPLACE INTO comparisons VALUES (?, ?, ?)", (comparison_id, now_text(), text))

    def comparison(self, comparison_id: str) -> dict[str, Json]:
        """Read a saved comparison by its id or the unique beginning of one.

        Raises
        ------
        UnknownComparisonError
            If there is none or more than one.
        DamagedRunError
            If it cannot be read.
        """
        meant = self._meant(comparison_id)
        ((text,),) = self._read("SELECT result FROM comparisons WHERE id = ?", meant)
        try:
            found: dict[str, Json] = dict(json.loads(text))
        except (TypeError, ValueError) as problem:
            raise DamagedRunError(
                f"Comparison {meant} in {self._path} is damaged: it is no JSON object ({problem})."
            ) from problem
        return found

    def forget_comparisons(self, comparison_ids: Iterable[str]) -> list[str]:
        """Delete saved comparisons, damaged ones too, by id or the unique beginning of one; return their ids.

        Raises
        ------
        UnknownComparisonError
            If one of them is none or more than one; none is deleted then.
        """
        meant = list(dict.fromkeys(map(self._meant, comparison_ids)))
        with self.lock() as connection:
            connection.executemany("DELETE FROM comparisons WHERE id = ?", [(each,) for each in meant])
        return meant

    def _meant(self, comparison_id: str) -> str:
        meant = [known for known in self.comparisons() if known.startswith(comparison_id)]
        if len(meant) != 1:
            raise UnknownComparisonError(
                f"{comparison_id!r} is the beginning of {len(meant)} saved comparisons, not of one."
            )
        return meant[0]

    def comparisons(self) -> dict[str, str]:
        """Map the ids of the saved comparisons, newest first, to when each was saved."""
        rows = self._read("SELECT id, saved_at FROM comparisons ORDER BY saved_at DESC, id")
        return {row[0]: row[1] for row in rows}

    def summaries(self) -> dict[str, tuple[str, str]]:
        """Map file names to stamp and summary as far as they are known; a damaged index knows none."""
        try:
            return {
                row[0]: (row[1], row[2]) for row in self._read("SELECT file, stamp, summary FROM summaries")
            }
        except StoreError:
            return {}

    def remember(self, rows: Sequence[tuple[str, str, str]]) -> None:
        """Keep summaries where there is an index that can be written right now; else do nothing."""
        if not rows or not self._path.exists():
            return
        with (
            suppress(sqlite3.DatabaseError),
            closing(connect(self._path, "rw", timeout=0)) as it,
            transaction(it),
        ):
            it.executemany("REPLACE INTO summaries VALUES (?, ?, ?)", rows)

    def _read(self, query: str, *values: str) -> list[tuple[str, ...]]:
        if not self._path.exists():
            return []
        with (
            _with_a_way_out(),
            storage_errors(self._path, "read"),
            closing(connect(self._path, "ro")) as connection,
        ):
            self._check_version(connection)
            return connection.execute(query, values).fetchall()

    def _prepare(self, connection: sqlite3.Connection) -> None:
        if self._check_version(connection) == 0:
            for statement in DDL.split("\n\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")

    def _check_version(self, connection: sqlite3.Connection) -> int:
        (version,) = connection.execute("PRAGMA user_version").fetchone()
        if version > VERSION:
            raise NewerSchemaError(
                f"{self._path} was written by schema {version} and this version of pytest-poisson reads up to"
                f" {VERSION}: upgrade it."
            )
        return int(version)
