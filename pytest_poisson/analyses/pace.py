"""How long a replicate took, on average over some runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from poisson_store.reader import RunReader


def mean_wall_s(*readers: RunReader) -> float | None:
    """Return the mean over all replicates of the runs that measured it, in seconds; None where none did."""
    measured = [reader.seconds_measured() for reader in readers]
    episodes = sum(count for _, count in measured)
    return sum(seconds for seconds, _ in measured) / episodes if episodes else None
