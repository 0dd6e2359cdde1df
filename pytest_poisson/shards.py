"""Dealing one run to several machines: which replicates are a shard's share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_poisson.batches import Ranges

LARGEST_BLOCK = 64


def share_of_shard(condition: int, replicates: int, shard: tuple[int, int] | None) -> Ranges:
    """Return the replicates of a condition that one shard runs.

    Parameters
    ----------
    condition
        The condition's position in the run; it shifts the blocks, so that small conditions spread over the shards.
    replicates
        How many replicates the condition has in all.
    shard
        (part, parts), with part from 1; None for everything.

    Returns
    -------
    Half-open ranges. The shares of all parts are disjoint and together make 0 to `replicates`; they depend on the
    arguments alone, so that machines need not talk to each other.
    """
    if shard is None:
        return ((0, replicates),) if replicates else ()
    part, parts = shard
    block = max(1, min(LARGEST_BLOCK, replicates // (4 * parts)))
    first = (part - 1 - condition) % parts * block
    return tuple((start, min(start + block, replicates)) for start in range(first, replicates, block * parts))
