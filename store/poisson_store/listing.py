"""What runs a directory holds."""

from __future__ import annotations

import json
import os
from contextlib import ExitStack
from dataclasses import asdict
from typing import TYPE_CHECKING

from poisson_store.codec import read_object
from poisson_store.connection import open_for_reading, read_status
from poisson_store.errors import StoreError, reading, storage_errors
from poisson_store.index import FILE
from poisson_store.names import SUFFIX
from poisson_store.records import CAUSES, ENDS, Accounting, RunSummary

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path
    from typing import Any

    from poisson_store.index import Index


def list_runs(folder: Path, index: Index) -> list[RunSummary]:
    """Summarize every run file of a directory, newest first; one that cannot be read says why."""
    known, fresh, runs = index.summaries(), [], []
    for path, stamp in _run_files(folder):
        run = _recall(path, stamp, *known.get(path.name, ("", "")))
        if run is None:
            run = summarize(path)
            if stamp and run.status in ENDS:
                fresh.append((path.name, stamp, _to_text(run)))
        runs.append(run)
    index.remember(fresh)
    return sorted(runs, key=lambda run: (run.created_at, run.run_id), reverse=True)


def _run_files(folder: Path) -> Iterator[tuple[Path, str]]:
    """Yield the run files, each with a stamp that changes when it does; none while a log lies beside it."""
    if not folder.exists():
        return
    with storage_errors(folder, "read"), os.scandir(folder) as entries:
        files = {entry.name: entry for entry in entries}
    for name, entry in files.items():
        if name.endswith(SUFFIX) and name != FILE:
            yield folder / name, "" if f"{name}-wal" in files else _stamp(entry)


def _stamp(entry: os.DirEntry[str]) -> str:
    try:
        found = entry.stat()
    except OSError:
        return ""
    return f"{found.st_size} {found.st_mtime_ns} {found.st_ino}"


def _to_text(run: RunSummary) -> str:
    return json.dumps({name: value for name, value in asdict(run).items() if name != "path"})


def _recall(path: Path, stamp: str, known_stamp: str, text: str) -> RunSummary | None:
    if not stamp or stamp != known_stamp:
        return None
    try:
        fields = json.loads(text)
        accounting = fields.pop("accounting")
        return RunSummary(path=path, accounting=Accounting(**accounting), **fields)
    except (TypeError, ValueError, LookupError):
        return None  # another version wrote it; it is made again


def summarize(path: Path) -> RunSummary:
    """Summarize one run file."""
    try:
        with ExitStack() as stack, reading(path):
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
        variant=read_object(variant),
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
