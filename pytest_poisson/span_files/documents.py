"""JSON files as tools write them: one document, one list, or one document a line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def read_documents(path: Path, what: str) -> Iterator[Any]:
    """Yield a file's documents: of each line, or of the whole file, a list's items one by one.

    Raises
    ------
    UserError
        If the file cannot be read, or is JSON in none of these ways; `what` says what was expected.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from _lines(file) if _is_lines(path) else _items(json.load(file))
    except OSError as problem:
        raise UserError(f"{path} cannot be read: {problem.strerror}.") from None
    except (ValueError, RecursionError) as problem:
        raise UserError(f"{path} is no {what}: {problem}.") from None


def _is_lines(path: Path) -> bool:
    """Tell whether the first line is a document of its own and more lines follow."""
    with path.open(encoding="utf-8-sig") as file:
        told = (line for line in file if not line.isspace())
        first, second = next(told, ""), next(told, "")
    try:
        json.loads(first)
    except ValueError:
        return False
    return bool(second)


def _lines(lines: Iterator[str]) -> Iterator[Any]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            try:
                document = json.loads(line)
            except ValueError as problem:
                raise ValueError(f"line {number}: {problem}") from None
            yield from _items(document)


def _items(document: Any) -> Iterator[Any]:
    if isinstance(document, list):
        yield from document
    else:
        yield document
