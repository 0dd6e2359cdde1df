"""Opening the files of an import; whatever is wrong with one is one sentence."""

from __future__ import annotations

import hashlib
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from poisson_store.errors import ImportRefusedError, storage_errors

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from poisson_store.records import Json

_AT_ONCE = 1 << 20


def expand(files: Sequence[Path], suffixes: tuple[str, ...]) -> tuple[Path, ...]:
    """Let a directory stand for its files of these suffixes, in the order of their names.

    Raises
    ------
    ImportRefusedError
        If a file is missing, a directory holds none of the kind, or a file is there twice, which would make two
        replicates of each of its cases.
    """
    found: list[Path] = []
    for path in files:
        if not path.exists():
            raise ImportRefusedError(f"There is no file {path}.")
        if not path.is_dir():
            found.append(path)
            continue
        inside = sorted(each for each in path.iterdir() if each.suffix in suffixes and each.is_file())
        if not inside:
            raise ImportRefusedError(f"Directory {path} holds no {' or '.join(suffixes)} file.")
        found += inside
    twice = next((path for path, count in Counter(map(Path.resolve, found)).items() if count > 1), None)
    if twice is not None:
        raise ImportRefusedError(f"File {twice} is given twice.")
    return tuple(found)


@contextmanager
def open_text(path: Path, newline: str | None = None) -> Iterator[IO[str]]:
    """Open a UTF-8 text, with or without a byte order mark.

    Raises
    ------
    ImportRefusedError
        If what is read is not UTF-8.
    """
    with storage_errors(path, "read"), path.open(encoding="utf-8-sig", newline=newline) as file:
        try:
            yield file
        except UnicodeDecodeError as error:
            raise ImportRefusedError(f"{path} is not UTF-8 text: {error.reason}.") from error


def describe_file(path: Path) -> dict[str, Json]:
    """Tell a file by its name, length and SHA-256."""
    digest, length = hashlib.sha256(), 0
    with storage_errors(path, "read"), path.open("rb") as file:
        while chunk := file.read(_AT_ONCE):
            digest.update(chunk)
            length += len(chunk)
    return {"name": path.name, "bytes": length, "sha256": digest.hexdigest()}
