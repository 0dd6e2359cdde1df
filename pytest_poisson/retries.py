"""Trying a replicate again when its infrastructure failed: a listed exception, the same seed, every attempt kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pytest_poisson.span_rows import Spent

if TYPE_CHECKING:
    from pytest_poisson.ending import Ending

FIRST_PAUSE_S = 0.5
LONGEST_PAUSE_S = 30.0


class Attempt(NamedTuple):
    """An attempt that failed, in the order of `poisson_store.records.AttemptRow`, and what its calls used."""

    number: int
    error: str
    started_ns: int
    wall_s: float
    spent: Spent = Spent()

    def row(self) -> list[object]:
        """Return what is stored of the attempt itself; what it used is in the episode's sums."""
        return list(self[:-1])


class RetryPolicy(NamedTuple):
    """How often, and for which exceptions, a replicate is tried again.

    Only what leaves no outcome is ever tried again: retrying outcomes would bias the rate.
    """

    times: int = 0
    on: tuple[type[BaseException], ...] = ()

    def applies(self, ending: Ending, made: int) -> bool:
        """Tell whether a replicate that ended so, after `made` earlier attempts, is to be tried again."""
        return made < self.times and ending.cause == "errored" and isinstance(ending.exception, self.on)

    @staticmethod
    def pause_s(made: int) -> float:
        """Return how long to wait before the next attempt: half a second, doubled each time, at most 30 s."""
        return float(min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** min(made - 1, 10)))
