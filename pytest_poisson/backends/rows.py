"""Rows between a worker and the store."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from poisson_store.records import CAUSES, EpisodeRow
from pytest_poisson.seeds import derive_seeds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_poisson.replicate import Row

_NOTHING = (None,) * len(EpisodeRow._fields)


def full_row(row: Row) -> tuple[Any, ...]:
    """Return a worker's row with the items it left off."""
    return (*row, *_NOTHING[len(row) :])


def row_without_outcome(
    *,
    condition: int,
    seed_key: str,
    replicate: int,
    salt: str,
    cause: str,
    wall_s: float,
    error: str,
    trace: Sequence[Any] = (),
) -> tuple[Any, ...]:
    """Return the row of a replicate that could not speak for itself: its worker died, or was ended.

    `trace` is what it had recorded, as `span_rows.trace_row` gives it, where that is known.
    """
    started_ns = time.time_ns() - int(wall_s * 1e9)
    seed = derive_seeds(salt, seed_key, replicate).seed
    return full_row(
        [
            condition,
            replicate,
            seed,
            None,
            CAUSES.index(cause),
            None,
            None,
            started_ns,
            round(wall_s, 6),
            error,
            *((None, *trace) if trace else ()),
        ]
    )
