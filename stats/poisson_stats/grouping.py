"""Equal rows are computed once: small integer keys to groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from poisson_stats.validation import IntArray

CHUNK_ELEMENTS = 1 << 16
"""Matrices are built in blocks of about this many elements: half a MiB of doubles stays near the processor."""


def distinct(*columns: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first position of every distinct tuple of values, and each position's group number.

    ``first[group]`` undoes the grouping: ``columns[i][first][group] == columns[i]`` for every column.

    Parameters
    ----------
    *columns
        One-dimensional integer arrays of one length.
    """
    code = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        values, index = np.unique(column, return_inverse=True)
        code = np.unique(code * values.size + index, return_inverse=True)[1]
    _, first, group = np.unique(code, return_index=True, return_inverse=True)
    return first, group


def chunks(count: int, width: int) -> Iterator[slice]:
    """Cut ``count`` matrix rows of ``width`` elements into slices of about ``CHUNK_ELEMENTS``."""
    step = max(1, CHUNK_ELEMENTS // max(1, width))
    for start in range(0, count, step):
        yield slice(start, min(start + step, count))
