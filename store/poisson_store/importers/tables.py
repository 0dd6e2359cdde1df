"""Tables as rows: CSV, JSON, JSON Lines and Parquet, known by the ending of the file's name."""

from __future__ import annotations

import csv
import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from poisson_store.errors import ImportRefusedError
from poisson_store.importers.arrow import read_parquet
from poisson_store.importers.files import open_text
from poisson_store.importers.json_stream import stream_json
from poisson_store.importers.reader import as_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

LONGEST_CELL = 1 << 28
"""Characters of a CSV cell: retrieved documents are far longer than the 128 KiB that the csv module allows."""


def read_table(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (where, row) for each row of a table.

    Raises
    ------
    ImportRefusedError
        If the ending is unknown or the file is broken.
    """
    read = READERS.get(path.suffix.lower())
    if read is None:
        raise ImportRefusedError(
            f"{path} has none of the endings {', '.join(READERS)}, so its format is unknown."
        )
    yield from read(path)


def _read_csv(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    with open_text(path, newline="") as file, _long_cells(path):
        rows = csv.reader(file, strict=True)
        header = next(rows, None)
        if not header:
            raise ImportRefusedError(f"{path} is empty.")
        twice = [name for name in header if header.count(name) > 1]
        if twice:
            raise ImportRefusedError(f"{path} has two columns {twice[0]!r}.")
        for row in rows:
            where = f"{path} line {rows.line_num}"
            if len(row) != len(header):
                raise ImportRefusedError(
                    f"{where} has {len(row)} values where the header names {len(header)} columns."
                )
            yield where, dict(zip(header, row, strict=True))


@contextmanager
def _long_cells(path: Path) -> Iterator[None]:
    before = csv.field_size_limit(LONGEST_CELL)
    try:
        yield
    except csv.Error as error:
        raise ImportRefusedError(f"{path} is broken CSV: {error}.") from error
    finally:
        csv.field_size_limit(before)


def _read_json(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read an array of rows, or an object of columns as pandas writes one unless told otherwise."""
    columns: dict[str, dict[str, Any]] = {}
    with open_text(path) as file:
        for place, value in stream_json(file, str(path), lambda path: path == ()):
            if place and isinstance(place[0], int):
                yield (where := f"{path} row {place[0] + 1}"), as_object(value, where)
            elif place:
                columns[str(place[0])] = as_object(value, f"{path}, column {str(place[0])!r}")
            elif value not in ([], {}):
                raise ImportRefusedError(f"{path} holds neither an array of rows nor an object of columns.")
    for position, key in enumerate(next(iter(columns.values()), ())):
        where = f"{path} row {position + 1}"
        yield where, {name: column.get(key) for name, column in columns.items()}


def _read_lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    with open_text(path, newline="\n") as file:
        for number, line in enumerate(file, 1):
            if not line.isspace():
                where = f"{path} line {number}"
                yield where, as_object(parse_json(line, where), where)


def parse_json(text: str, where: str) -> Any:
    """Read one JSON value.

    Raises
    ------
    ImportRefusedError
        If it is broken or nested too deeply.
    """
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise ImportRefusedError(
            f"{where} is broken JSON at character {error.pos + 1}: {error.msg}."
        ) from error
    except RecursionError as error:
        raise ImportRefusedError(f"{where} is nested too deeply.") from error
    except ValueError as error:  # a number of thousands of digits
        raise ImportRefusedError(f"{where} cannot be read: {error}.") from error


def _read_parquet(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for position, row in enumerate(read_parquet(path)):
        yield f"{path} row {position + 1}", row


READERS: dict[str, Callable[[Path], Iterator[tuple[str, dict[str, Any]]]]] = {
    ".csv": _read_csv,
    ".json": _read_json,
    ".jsonl": _read_lines,
    ".ndjson": _read_lines,
    ".parquet": _read_parquet,
}
