"""What runs a directory holds."""

from __future__ import annotations

import json
from contextlib import ExitStack
from typing import TYPE_CHECKING

from poisson_store.connection import open_for_reading, read_status
from poisson_store.errors import StoreError, storage_errors
from poisson_store.index import FILE
from poisson_store.names import SUFFIX
from poisson_store.records import CAUSES, Accounting, RunSummary

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path
    from typing import Any


def list_runs(folder: Path) -> list[RunSummary]:
    """Summarize every run file of a directory, newest first; one that cannot be read says why."""
    with storage_errors(folder, "read"):
        files = [path for path in folder.glob(f"*{SUFFIX}") if path.name != FILE] if folder.is_dir() else []
    return sorted(map(summarize, files), key=lambda run: (run.created_at, run.run_id), reverse=True)


def summarize(path: Path) -> RunSummary:
    """Summarize one run file."""
    try:
        with ExitStack() as stack, storage_errors(path, "read"):
            connection = open_for_reading(path, stack)
            return _summary(path, connection, read_status(connection))
    except StoreError as error:
        return RunSummary(path, path.stem, path.stem, problem=str(error))


def _summary(path: Path, connection: sqlite3.Connection, status: str) -> RunSummary:
    row = connection.execute(
        "SELECT run_id, name, created_at, ended_at, salt, paired_with, variant, selection IS NULL AND shard IS NULL,"
        " (SELECT count(*) FROM conditions), (SELECT ifnull(sum(planned), 0) FROM conditions), status FROM run"
    ).fetchone()
    run_id, name, created_at, ended_at, salt, paired_with, variant, whole, conditions, planned, written = row
    return RunSummary(
        path=path,
        run_id=run_id,
        name=name,
        status=status,
        created_at=created_at,
        ended_at=ended_at,
        salt=salt,
        paired_with=paired_with,
        variant=json.loads(variant),
        whole=bool(whole),
        conditions=conditions,
        accounting=_accounting(connection, planned, ended=written != "running"),
    )


def _accounting(connection: sqlite3.Connection, planned: int, *, ended: bool) -> Accounting:
    counted: list[tuple[Any, ...]] = connection.execute(
        "SELECT cause, sum(episodes) FROM tallies GROUP BY cause"
        if ended
        else "SELECT cause, count(*) FROM episodes GROUP BY cause"
    ).fetchall()
    words = {"with_outcome" if cause is None else CAUSES[cause]: episodes for cause, episodes in counted}
    return Accounting(max(planned, sum(words.values())), **words)
