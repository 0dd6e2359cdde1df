"""Opening run files: for writing, for reading without a trace, and folding a write-ahead log back in."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from contextlib import closing, contextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Literal
from urllib.parse import quote

from poisson_store.errors import DamagedRunError, NewerSchemaError, UnknownRunError, storage_errors
from poisson_store.liveness import Session, is_alive
from poisson_store.schema import APPLICATION_ID, VERSION, migrate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import ExitStack

BUSY_S = 30.0
"""How long to wait for another process before giving up."""

SETTLE_S = 5.0
"""How long the end of a run waits for those who are reading it."""


def now_text() -> str:
    """Give the present time, UTC, as ISO 8601 with milliseconds."""
    return datetime.now(timezone.utc).isoformat(timespec="milliseconds")


def connect(
    path: Path, mode: Literal["ro", "rw", "rwc"], *, timeout: float = BUSY_S, immutable: bool = False
) -> sqlite3.Connection:
    """Connect to an SQLite file without changing it; transactions are begun and ended by hand."""
    uri = f"{file_uri(path)}?mode={mode}{'&immutable=1' if immutable else ''}"
    connection = sqlite3.connect(uri, uri=True, timeout=timeout, isolation_level=None)
    # A file may come from anywhere: nothing in it may call a function that acts, nor a torn page mislead.
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA cell_size_check = ON")
    return connection


def file_uri(path: Path) -> str:
    """Write a path as the URI SQLite reads, whatever characters it holds."""
    posix = Path(path).absolute().as_posix()
    return "file://" + quote(os.fsencode(posix if posix.startswith("/") else f"/{posix}"))


def open_for_writing(path: Path) -> sqlite3.Connection:
    """Open a run for its one writer, migrated, with a write-ahead log so that others can read meanwhile."""
    with storage_errors(path, "write"):
        connection = connect(path, "rw")
        try:
            _check_version(connection, path)
            migrate(connection, now_text())
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA cache_size = -4096")
            connection.execute("PRAGMA wal_autocheckpoint = 2000")
            connection.execute("PRAGMA journal_mode = WAL")
        except BaseException:
            connection.close()
            raise
        return connection


def check_pages(connection: sqlite3.Connection, path: Path) -> None:
    """Read every page of an open file, which takes about as long as copying it.

    Raises
    ------
    DamagedRunError
        If one is not as it was written.
    """
    if connection.execute("PRAGMA quick_check(1)").fetchall() != [("ok",)]:
        raise DamagedRunError(f"{path} is damaged inside; what is readable of it can be recovered.")


def open_for_reading(path: Path, stack: ExitStack) -> sqlite3.Connection:
    """Open a run for reading; `stack` releases it.

    An older file is migrated first, and the log of a writer that died is folded into the file, both where
    the disk allows it and otherwise in a copy. A complete run of the present version is not touched.
    """
    if not path.exists():
        raise UnknownRunError(f"There is no run file {path}.")
    with storage_errors(path, "read"):
        connection = _read(path, stack)
        version = _check_version(connection, path)
        if version == VERSION and not _has_dead_log(connection):
            return connection
        connection.close()
        if version < VERSION and not _migrate_in_place(path):
            path = copy_aside(path, stack)
            _migrate_in_place(path)
        settle(path)
        return _read(path, stack)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """Write all or nothing; the lock for writing is taken at the beginning."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def settle(path: Path) -> bool:
    """Fold a write-ahead log into its file, leaving one plain file; False where somebody uses it or may not."""
    try:
        with closing(connect(path, "rw", timeout=0)) as connection:
            return leave_plain(connection)
    except sqlite3.OperationalError:
        return False


def leave_plain(connection: sqlite3.Connection) -> bool:
    """Do as `settle` over an open connection, waiting as long as its timeout says."""
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return bool(connection.execute("PRAGMA journal_mode = DELETE").fetchone() == ("delete",))
    except sqlite3.OperationalError:
        return False


def last_session(connection: sqlite3.Connection) -> Session | None:
    """Read who wrote the run last."""
    row = connection.execute(
        "SELECT host, pid, process_started, beat_ns FROM sessions ORDER BY session DESC LIMIT 1"
    ).fetchone()
    return None if row is None else Session(*row)


def read_status(connection: sqlite3.Connection) -> str:
    """Read a run's status; one whose writer died without ending it is `interrupted`."""
    row = connection.execute("SELECT status FROM run").fetchone()
    if row is None:
        raise sqlite3.DatabaseError("it holds no run")
    if row[0] != "running":
        return str(row[0])
    session = last_session(connection)
    return "running" if session is not None and is_alive(session) else "interrupted"


def _has_dead_log(connection: sqlite3.Connection) -> bool:
    (mode,) = connection.execute("PRAGMA journal_mode").fetchone()
    return bool(mode == "wal" and read_status(connection) != "running")


def _check_version(connection: sqlite3.Connection, path: Path) -> int:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if application != APPLICATION_ID:
        raise DamagedRunError(f"{path} is no pytest-poisson run.")
    (page_bytes,) = connection.execute("PRAGMA page_size").fetchone()
    if path.stat().st_size % page_bytes:  # SQLite would read the missing end of the last page as zeros
        raise DamagedRunError(
            f"{path} is truncated: it does not end with a whole page of {page_bytes} bytes."
        )
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version > VERSION:
        raise NewerSchemaError(
            f"{path} was written by schema {version} and this version of pytest-poisson reads up to {VERSION}: upgrade it."
        )
    return int(version)


def _read(path: Path, stack: ExitStack) -> sqlite3.Connection:
    """Connect read-only, also where the disk does not allow the files a write-ahead log needs beside it."""
    connection = stack.enter_context(closing(connect(path, "ro")))
    try:
        connection.execute("SELECT 1 FROM sqlite_master").fetchall()
    except sqlite3.OperationalError as error:
        if "unable to open" not in str(error) and "readonly" not in str(error):
            raise
        connection.close()
        if not _log_of(path).exists() or not _log_of(path).stat().st_size:
            return stack.enter_context(closing(connect(path, "ro", immutable=True)))
        return stack.enter_context(closing(connect(copy_aside(path, stack), "rw")))
    return connection


def _log_of(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def copy_aside(path: Path, stack: ExitStack) -> Path:
    """Copy a run with its log to where it may be changed, for as long as `stack` lasts."""
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="poisson-")))
    shutil.copyfile(path, folder / path.name)
    if _log_of(path).exists():
        shutil.copyfile(_log_of(path), _log_of(folder / path.name))
    return folder / path.name


def _migrate_in_place(path: Path) -> bool:
    try:
        with closing(connect(path, "rw")) as connection:
            migrate(connection, now_text())
    except sqlite3.OperationalError as error:
        if "readonly" not in str(error) and "unable to open" not in str(error):
            raise
        return False
    return True
