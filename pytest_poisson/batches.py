"""Cutting conditions and replicates into batches, dealt round-robin so that every condition advances alike."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Sequence

Ranges = tuple[tuple[int, int], ...]
"""Replicate numbers as half-open ranges, in order."""


@dataclass(frozen=True)
class Batch:
    """Replicates of one condition that one worker runs.

    `alone` is whether they are to run one at a time where others run concurrently: a worker died with several in
    flight, and it must be found out which of them it was.
    """

    condition: int
    ranges: Ranges
    alone: bool = False

    def __len__(self) -> int:
        return how_many(self.ranges)

    def replicates(self) -> Iterable[int]:
        """Return the replicate numbers in order."""
        return (replicate for start, stop in self.ranges for replicate in range(start, stop))

    def after(self, done: int) -> Batch:
        """Return what is left once the first `done` replicates are through."""
        _, rest = _split(deque(self.ranges), done)
        return replace(self, ranges=tuple(rest))

    def only(self, replicates: Iterable[int], *, alone: bool = False) -> Batch:
        """Return a batch of some of these replicates, given in rising order."""
        ranges: list[tuple[int, int]] = []
        for replicate in replicates:
            if ranges and ranges[-1][1] == replicate:
                ranges[-1] = (ranges[-1][0], replicate + 1)
            else:
                ranges.append((replicate, replicate + 1))
        return Batch(self.condition, tuple(ranges), alone or self.alone)

    def without(self, done: Container[int]) -> Batch:
        """Return what is left once these replicates are through, in whatever order they were run."""
        return self.only(each for each in self.replicates() if each not in done)

    def singles(self) -> Iterator[Batch]:
        """Return a batch for each replicate."""
        return (self.only([each]) for each in self.replicates())


class Dealer:
    """Hands out batches: the next condition's turn, as many replicates as asked for.

    Parameters
    ----------
    missing
        For each condition, the ranges of replicates to run. Memory does not depend on how many there are.
    """

    def __init__(self, missing: Sequence[Ranges]) -> None:
        self._left = {index: deque(ranges) for index, ranges in enumerate(missing) if ranges}
        self._turns = deque(self._left)
        self._alone: deque[Batch] = deque()
        self._dropped: set[int] = set()
        self._count = sum(how_many(ranges) for ranges in self._left.values())

    def __len__(self) -> int:
        return self._count

    def deal(self, size: int) -> Batch | None:
        """Return up to `size` replicates of the condition whose turn it is; None when all are dealt."""
        batch = self._alone.popleft() if self._alone else self._next(size)
        self._count -= 0 if batch is None else len(batch)
        return batch

    def _next(self, size: int) -> Batch | None:
        if not self._turns:
            return None
        condition = self._turns.popleft()
        taken, rest = _split(self._left.pop(condition), size)
        if rest:
            self._left[condition] = rest
            self._turns.append(condition)
        return Batch(condition, tuple(taken))

    def drop(self, condition: int) -> None:
        """Deal no more of a condition, nor take anything of it back."""
        self._dropped.add(condition)
        if (ranges := self._left.pop(condition, None)) is not None:
            self._turns.remove(condition)
            self._count -= how_many(ranges)
        self._count -= sum(len(batch) for batch in self._alone if batch.condition == condition)
        self._alone = deque(batch for batch in self._alone if batch.condition != condition)

    def take_back(self, batch: Batch) -> None:
        """Put a batch, or what is left of one, at the head of its condition's queue, and the condition first."""
        if not len(batch) or batch.condition in self._dropped:
            return
        self._count += len(batch)
        if batch.alone:
            self._alone.append(batch)
            return
        if batch.condition in self._left:
            self._turns.remove(batch.condition)
        self._left.setdefault(batch.condition, deque()).extendleft(reversed(batch.ranges))
        self._turns.appendleft(batch.condition)


def how_many(ranges: Iterable[tuple[int, int]]) -> int:
    """Return how many numbers ranges hold."""
    return sum(stop - start for start, stop in ranges)


def _split(ranges: deque[tuple[int, int]], size: int) -> tuple[list[tuple[int, int]], deque[tuple[int, int]]]:
    """Return the first `size` numbers of ranges, and the rest."""
    taken: list[tuple[int, int]] = []
    rest = deque(ranges)
    while rest and size > 0:
        start, stop = rest.popleft()
        cut = min(stop, start + size)
        taken.append((start, cut))
        size -= cut - start
        if cut < stop:
            rest.appendleft((cut, stop))
    return taken, rest


@dataclass(frozen=True)
class BatchPolicy:
    """How large a backend's batches should be.

    Attributes
    ----------
    first
        Replicates in a batch while nobody knows how long one takes.
    target_s
        How long a batch should last: so short that rows are stored and progress is shown while it matters.
    largest
        The most replicates in a batch, whatever they take.
    parts
        The fewest batches that a condition's replicates are cut into, so that a run that stops early has touched
        every condition alike; fewer where replicates are known to be so short that `first` of them fit a batch.
    """

    first: int = 8
    target_s: float = 0.5
    largest: int = 4096
    parts: int = 8


class BatchSizer:
    """Chooses how many replicates a batch holds, from what replicates and set-up have taken so far.

    A batch lasts as long as the policy wants, or ten times as long as setting up its wider fixtures, so that those
    stay a small part.
    """

    set_up_share = 0.1

    def __init__(self, replicates: int, policy: BatchPolicy, concurrency: int = 1) -> None:
        self._policy = policy
        self._cap = max(concurrency, min(policy.largest, replicates // policy.parts))
        self._first = max(concurrency, policy.first)
        self._mean_s: float | None = None
        self._set_up_s = 0.0

    def observe(self, replicates: int, seconds: float, set_up_s: float) -> None:
        """Take in what a finished batch took: for its replicates, and before the first of them."""
        if replicates:
            mean = seconds / replicates
            self._mean_s = mean if self._mean_s is None else 0.7 * self._mean_s + 0.3 * mean
        self._set_up_s = 0.7 * self._set_up_s + 0.3 * set_up_s

    def size(self) -> int:
        """Return the size of the next batch."""
        if self._mean_s is None:
            return min(self._first, self._cap)
        target = max(self._policy.target_s, self._set_up_s / self.set_up_share)
        return max(1, min(max(self._cap, self._first), int(target / max(self._mean_s, 1e-6))))
