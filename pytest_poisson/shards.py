"""Dealing one run to several machines: which replicates are a shard's share."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poisson_store.records import RunRecord
    from pytest_poisson.batches import Ranges

LARGEST_BLOCK = 64

WHOLE = "shard_of"
"""Where the settings of a shard's run keep how many replicates of each condition, by key, all shards have together."""


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


def whole_replicates(run: RunRecord) -> dict[str, int]:
    """Return how many replicates of each condition a run is to have; of a shard, it and the other shards together."""
    planned = {each.key: each.planned for each in run.conditions}
    whole = run.settings.get(WHOLE)
    if run.shard is None or not isinstance(whole, dict):
        return planned
    return planned | {key: count for key, count in whole.items() if isinstance(count, int)}
