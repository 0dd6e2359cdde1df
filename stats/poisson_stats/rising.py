"""Functions that never fall, looked up at few places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from poisson_stats.validation import IntArray


def rising_values(size: int, value_at: Callable[[IntArray], IntArray]) -> IntArray:
    """Return a function that never falls at 0 … size - 1, asking for it at as few places as that takes.

    It is looked up at the ends of a stretch, which is halved only where they differ.

    Parameters
    ----------
    size
        How many places there are.
    value_at
        The values at given places, which rise.
    """
    value, known = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=bool)
    asked = np.unique([0, size - 1]) if size else np.array([], dtype=np.int64)
    while asked.size:
        value[asked], known[asked] = value_at(asked), True
        place = np.flatnonzero(known)
        left, right = place[:-1], place[1:]
        asked = ((left + right) // 2)[(value[left] != value[right]) & (right - left > 1)]
    place = np.flatnonzero(known)
    return value[place[np.searchsorted(place, np.arange(size), side="right") - 1]]
