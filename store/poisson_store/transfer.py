"""Carrying one run between machines as one file with a checksum: a ZIP of the run and a manifest."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
import zipfile
import zlib
from contextlib import ExitStack, closing
from itertools import zip_longest
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from poisson_store.connection import (
    check_pages,
    connect,
    now_text,
    open_for_reading,
    read_status,
    transaction,
)
from poisson_store.errors import DamagedRunError, NewerSchemaError, StoreError, reading, storage_errors
from poisson_store.schema import VERSION
from poisson_store.writer import end_run

if TYPE_CHECKING:
    import sqlite3

FORMAT = "pytest-poisson.run/1"
MANIFEST = "manifest.json"
CONTENT = "run.sqlite"

_AT_ONCE = 1 << 20
# The oldest time a ZIP can hold, so that equal runs give equal files.
_NO_TIME = (1980, 1, 1, 0, 0, 0)


def refuse_if_written(path: Path) -> None:
    """Refuse a run whose writer is alive.

    Raises
    ------
    StoreError
        If it is.
    """
    with ExitStack() as stack, reading(path):
        connection = open_for_reading(path, stack)
        if read_status(connection) == "running":
            name, host, pid = connection.execute(
                "SELECT name, host, pid FROM run, sessions ORDER BY session DESC LIMIT 1"
            ).fetchone()
            raise StoreError(
                f"Run {name!r} is being written by process {pid} on {host.split()[0]}; wait until it ends"
                " (a writer on another machine counts as dead after 10 minutes of silence)."
            )


def snapshot(path: Path, target: Path) -> None:
    """Copy a run that nobody writes into one plain file; where its writer died, the copy says `interrupted`.

    Raises
    ------
    StoreError
        If the run is being written or is damaged.
    """
    refuse_if_written(path)
    with ExitStack() as stack, reading(path):
        connection = open_for_reading(path, stack)
        connection.execute("VACUUM INTO ?", (str(target.absolute()),))
    with storage_errors(target, "write"), closing(connect(target, "rw")) as connection:
        if connection.execute("SELECT status FROM run").fetchone() == ("running",):
            with transaction(connection):
                end_run(connection, "interrupted", now_text())


def export_run(path: Path, file: Path) -> None:
    """Write a run as one file, atomically.

    Raises
    ------
    StoreError
        If `file` exists, or the run is being written or is damaged, or the disk refuses.
    """
    if file.exists():
        raise StoreError(f"{file} exists already; an export never overwrites.")
    with (
        storage_errors(file, "write"),
        tempfile.TemporaryDirectory(prefix=".poisson-", dir=file.parent) as folder,
    ):
        content, archive = Path(folder, CONTENT), Path(folder, "archive.zip")
        snapshot(path, content)
        manifest = {
            "format": FORMAT,
            "schema": VERSION,
            "bytes": content.stat().st_size,
            "sha256": _digest(content),
        }
        with zipfile.ZipFile(archive, "x") as made:
            made.writestr(zipfile.ZipInfo(MANIFEST, _NO_TIME), json.dumps(manifest, indent=1) + "\n")
            entry = zipfile.ZipInfo(CONTENT, _NO_TIME)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with content.open("rb") as source, made.open(entry, "w", force_zip64=True) as target:
                shutil.copyfileobj(source, target, _AT_ONCE)
        with archive.open("rb+") as written:
            os.fsync(written.fileno())
        archive.rename(file)


def unpack_run(file: Path, target: Path) -> None:
    """Write the run of an exported file, or of a plain run file, to `target`, checked and migrated.

    Raises
    ------
    DamagedRunError
        If it is truncated or damaged or no run.
    NewerSchemaError
        If a later version wrote it.
    StoreError
        If it cannot be read or is being written.
    """
    with reading(file):
        with file.open("rb") as opened:
            plain = opened.read(16) == b"SQLite format 3\0"
        if plain:
            snapshot(file, target)
        else:
            _unzip(file, target)
    _check_content(file, target)


def hold_the_same(first: Path, second: Path) -> bool:
    """Tell whether two files hold the same run, whatever it is called in each and when its format was migrated."""
    with ExitStack() as stack, reading(first):
        ours, theirs = (open_for_reading(path, stack) for path in (first, second))
        shapes = [_columns(connection) for connection in (ours, theirs)]
        return shapes[0] == shapes[1] and all(
            mine == other
            for table, columns in shapes[0].items()
            for mine, other in zip_longest(
                *(each.execute(f"SELECT {', '.join(columns)} FROM {table}") for each in (ours, theirs))
            )
        )


def _columns(connection: sqlite3.Connection) -> dict[str, list[str]]:
    """Return the columns of each table that says something of the run itself."""
    tables = connection.execute(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'history' ORDER BY 1"
    )
    return {
        table: [
            name
            for _, name, *_ in connection.execute(f"PRAGMA table_info({table})")
            if (table, name) != ("run", "name")
        ]
        for (table,) in tables.fetchall()
    }


def _unzip(file: Path, target: Path) -> None:
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = json.loads(archive.read(MANIFEST))
            _check_format(file, manifest)
            with archive.open(CONTENT) as source, target.open("xb") as copy:
                _copy_exactly(source, copy, manifest["bytes"])
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, ValueError, TypeError) as error:
        raise DamagedRunError(f"{file} is truncated, damaged or no exported run.") from error
    if _digest(target) != manifest["sha256"]:
        raise DamagedRunError(f"{file} is damaged: its content does not have the checksum it names.")


def _check_format(file: Path, manifest: dict[str, Any]) -> None:
    if manifest["format"] != FORMAT or manifest["schema"] > VERSION:
        raise NewerSchemaError(
            f"{file} has format {manifest['format']!r} and schema {manifest['schema']}; this version of pytest-poisson"
            f" reads {FORMAT!r} up to schema {VERSION}."
        )


def _copy_exactly(source: IO[bytes], copy: IO[bytes], length: int) -> None:
    """Copy what a manifest promises, so that a small file cannot fill the disk."""
    while chunk := source.read(_AT_ONCE):
        length -= len(chunk)
        if length < 0:
            break
        copy.write(chunk)
    if length:
        raise EOFError


def _check_content(file: Path, target: Path) -> None:
    """Check that the unpacked file is a sound run and nothing but one."""
    with ExitStack() as stack, reading(file):
        connection = open_for_reading(target, stack)
        check_pages(connection, file)
        if connection.execute("SELECT 1 FROM sqlite_master WHERE type = 'trigger'").fetchone():
            raise DamagedRunError(f"{file} holds triggers, which no run has.")


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as opened:
        while chunk := opened.read(_AT_ONCE):
            digest.update(chunk)
    return digest.hexdigest()
