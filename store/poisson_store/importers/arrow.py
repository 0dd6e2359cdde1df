"""Parquet and Zstandard, for which the standard library has no reader: PyArrow, loaded when it is needed."""

from __future__ import annotations

from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from poisson_store.errors import ImportRefusedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

ROWS_AT_ONCE = 2_000


def load_arrow(path: Path, module: str = "pyarrow") -> Any:
    """Load PyArrow or one of its modules.

    Raises
    ------
    ImportRefusedError
        If it is not installed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise ImportRefusedError(
            f"{path} needs PyArrow to be read: pip install 'pytest-poisson[arrow]'."
        ) from error


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file, holding few of them in memory.

    Raises
    ------
    ImportRefusedError
        If PyArrow is not installed or the file is truncated or damaged.
    """
    arrow, parquet = load_arrow(path), load_arrow(path, "pyarrow.parquet")
    with _damage(path, arrow), parquet.ParquetFile(path) as file:
        wanted = None if columns is None else [name for name in columns if name in file.schema_arrow.names]
        for batch in file.iter_batches(batch_size=ROWS_AT_ONCE, columns=wanted):
            yield from batch.to_pylist()


def parquet_columns(path: Path) -> tuple[str, ...]:
    """Name the columns of a Parquet file."""
    arrow, parquet = load_arrow(path), load_arrow(path, "pyarrow.parquet")
    with _damage(path, arrow), parquet.ParquetFile(path) as file:
        return tuple(file.schema_arrow.names)


@contextmanager
def _damage(path: Path, arrow: Any) -> Iterator[None]:
    try:
        yield
    except (arrow.ArrowException, OSError) as error:
        raise ImportRefusedError(f"{path} is truncated, damaged or no Parquet file.") from error
