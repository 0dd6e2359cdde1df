"""Entries of a ZIP file, also those compressed with Zstandard, which zipfile reads from Python 3.14 on."""

from __future__ import annotations

import zipfile
import zlib
from contextlib import contextmanager
from copy import copy
from typing import TYPE_CHECKING, Any

from poisson_store.errors import ImportRefusedError, storage_errors
from poisson_store.importers.arrow import load_arrow

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ZSTANDARD = 93


@contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a ZIP file.

    Raises
    ------
    ImportRefusedError
        If it is truncated or damaged, as far as it is read.
    """
    try:
        with storage_errors(path, "read"), zipfile.ZipFile(path) as archive:
            yield archive
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise ImportRefusedError(f"{path} is truncated, damaged or no ZIP file: {error}.") from error


def read_entry(path: Path, archive: zipfile.ZipFile, name: str) -> bytes:
    """Read one entry; of entries with one name the last counts.

    Raises
    ------
    ImportRefusedError
        If it is compressed with Zstandard and neither Python nor PyArrow can undo that.
    """
    entry = archive.getinfo(name)
    if entry.compress_type != ZSTANDARD or hasattr(zipfile, "ZIP_ZSTANDARD"):
        try:
            return archive.read(entry)
        except (NotImplementedError, RuntimeError) as error:  # another compression, or encrypted
            raise ImportRefusedError(f"{path} cannot be read in {name}: {error}.") from error
    arrow = load_arrow(path)
    try:
        with archive.open(_as_stored(entry)) as packed, arrow.CompressedInputStream(packed, "zstd") as stream:
            content: bytes = stream.read()
    except (arrow.ArrowException, OSError) as error:
        raise ImportRefusedError(f"{path} is damaged in {name}.") from error
    if zlib.crc32(content) != entry.CRC:
        raise ImportRefusedError(f"{path} is damaged in {name}: its checksum differs.")
    return content


def _as_stored(entry: zipfile.ZipInfo) -> zipfile.ZipInfo:
    """Describe an entry so that zipfile hands out its bytes as they are, and checks nothing of them."""
    stored: Any = copy(entry)
    stored.compress_type, stored.file_size = zipfile.ZIP_STORED, entry.compress_size
    del stored.CRC
    return stored  # type: ignore[no-any-return]
