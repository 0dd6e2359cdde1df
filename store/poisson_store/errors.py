"""What can go wrong with a store; each message is one sentence that names the value and what would be accepted."""

from __future__ import annotations

import errno
import os
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


class StoreError(Exception):
    """Anything a store refuses or cannot do; the base of the others."""


class UnknownRunError(StoreError):
    """A name that resolves to no run, or to more than one; the message lists the candidates."""


class UnknownComparisonError(StoreError):
    """An id that no saved comparison has, or that begins several."""


class DamagedRunError(StoreError):
    """A file that is not a run or cannot be read as one; the message names the file."""


class NewerSchemaError(StoreError):
    """A run written by a later version of the store than this one reads."""


class ImportRefusedError(StoreError):
    """Another tool's file that cannot be imported as declared; the message names file, place and value."""


# SQLite tells what happened in words only, before Python 3.11.
_REASONS = {
    "disk is full": "the disk is full",
    "readonly database": "it is read-only",
    "unable to open": "it cannot be opened there",
    "is locked": "another process holds it",
    "disk I/O error": "the disk refused",
}


@contextmanager
def storage_errors(path: Path, doing: str) -> Iterator[None]:
    """Turn what SQLite and the system raise into one sentence about `path`; `doing` is a verb such as `read`.

    Raises
    ------
    DamagedRunError
        If the file's content is at fault.
    StoreError
        If the disk, its permissions or another process are.
    """
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise _explain(path, doing, error) from error
    except OSError as error:
        raise StoreError(f"Cannot {doing} {path}: {_in_words(error)}.") from error


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Read a run file, whose content may be anything, with every failure in one sentence about it.

    Raises
    ------
    DamagedRunError
        If the file's content is at fault.
    StoreError
        If the disk, its permissions or another process are.
    """
    with storage_errors(path, "read"):
        try:
            yield
        except (ValueError, LookupError, TypeError) as error:
            raise DamagedRunError(f"Cannot read {path}: the file is damaged ({error!r}).") from error


def _explain(path: Path, doing: str, error: sqlite3.DatabaseError) -> StoreError:
    for sign, reason in _REASONS.items():
        if sign in str(error):
            return StoreError(f"Cannot {doing} {path}: {reason}.")
    return DamagedRunError(f"Cannot {doing} {path}: the file is damaged ({error}).")


def _in_words(error: OSError) -> str:
    if error.errno in {errno.ENOSPC, getattr(errno, "EDQUOT", None)}:
        return "the disk is full"
    return (os.strerror(error.errno) if error.errno else str(error)).lower()
