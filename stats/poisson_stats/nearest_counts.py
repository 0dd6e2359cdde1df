"""How few outcomes must end otherwise before a row's test decides otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from poisson_stats.fisher_region import fisher_region
from poisson_stats.limits import limits_paired, limits_unpaired
from poisson_stats.mcnemar import critical_counts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_stats.validation import FloatArray, IntArray

Arm: TypeAlias = Literal["before", "after"]


@dataclass(frozen=True, slots=True)
class Flip:
    """Outcomes of one row and arm that would have to end otherwise.

    Attributes
    ----------
    row
        The row's position.
    arm
        The run they belong to.
    to_event
        True if episodes without the event would have to have it, false for the reverse.
    count
        How many.
    pairs
        For paired rows, what kind of pair they turn into what, such as ``both to only before``; empty for
        unpaired ones.
    """

    row: int
    arm: Arm
    to_event: bool
    count: int
    pairs: str = ""


@dataclass(frozen=True, slots=True)
class Move:
    """A change of one row's counts: how many outcomes it takes, which, and the counts then.

    ``counts`` are k before and k after of an unpaired row, the four cells of a paired one.
    """

    row: int
    outcomes: int
    flips: tuple[Flip, ...]
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class UnpairedCounts:
    """Rows of two independent arms: counts, one element a row."""

    k_before: IntArray
    n_before: IntArray
    k_after: IntArray
    n_after: IntArray

    def to_rejected(self, row: int, level: float, side: int) -> Move | None:
        """Return the nearest counts whose test rejects with a rise (+1) or fall (-1); None if none does."""
        n0, k1, n1 = self._row(row)
        region = fisher_region(n0, n1, level)
        x = np.arange(n0 + 1)
        # Within one margin the rejected counts on the side of a rise are y >= high, on that of a fall y <= low.
        y = np.maximum(k1, region.high) if side > 0 else np.minimum(k1, region.low)
        possible = y <= n1 if side > 0 else y >= 0
        rises = region.extra_after * n0 > region.extra_before * n1
        on_side = rises if side > 0 else ~rises
        x = np.concatenate((x[possible], region.extra_before[on_side]))
        y = np.concatenate((y[possible], region.extra_after[on_side]))
        return self._nearest(row, x, y)

    def to_accepted(self, row: int, level: float) -> Move | None:
        """Return the nearest counts whose test does not reject; None if every one does."""
        n0, k1, n1 = self._row(row)
        region = fisher_region(n0, n1, level)
        x = np.arange(n0 + 1)
        least, most = np.maximum(region.low + 1, 0), np.minimum(region.high - 1, n1)
        y = np.clip(k1, least, most)
        x, y = x[least <= most], y[least <= most]
        exceptions = set(zip(region.extra_before.tolist(), region.extra_after.tolist(), strict=True))
        if exceptions:
            fine = [
                (int(i), j)
                for i in x
                for j in range(int(least[i]), int(most[i]) + 1)
                if (int(i), j) not in exceptions
            ]
            x, y = np.array(fine, dtype=np.int64).reshape(-1, 2).T
        return self._nearest(row, x, y)

    def ceilings(self, row: int, alpha: float) -> FloatArray:
        """Return the row's ceiling for every count before, 0 to n."""
        n0, _, n1 = self._row(row)
        return _ceilings_unpaired(n0, n1, alpha)

    def to_count_before(self, row: int, target: int) -> Move:
        """Return the move of the count before alone."""
        return self._move(row, target, int(self.k_after[row]))

    def _row(self, row: int) -> tuple[int, int, int]:
        return int(self.n_before[row]), int(self.k_after[row]), int(self.n_after[row])

    def _nearest(self, row: int, x: IntArray, y: IntArray) -> Move | None:
        if x.size == 0:
            return None
        best = int(np.argmin(np.abs(x - self.k_before[row]) + np.abs(y - self.k_after[row])))
        return self._move(row, int(x[best]), int(y[best]))

    def _move(self, row: int, x: int, y: int) -> Move:
        before, after = x - int(self.k_before[row]), y - int(self.k_after[row])
        flips = Flip(row, "after", after > 0, abs(after)), Flip(row, "before", before > 0, abs(before))
        return Move(row, abs(before) + abs(after), tuple(flip for flip in flips if flip.count), (x, y))


@dataclass(frozen=True, slots=True, eq=False)
class PairedCounts:
    """Rows of paired arms: the four kinds of pair, one element a row.

    One outcome that ends otherwise moves one pair: only in the arm after, between both and only before or
    between only after and neither; only in the arm before, between both and only after or between only before
    and neither. So b only-before and c only-after pairs become b' and c' by |b' - b| + |c' - c| outcomes, if
    b' + c' is at most n.
    """

    both: IntArray
    only_before: IntArray
    only_after: IntArray
    neither: IntArray

    def to_rejected(self, row: int, level: float, side: int) -> Move | None:
        """Return the nearest counts whose test rejects with a rise (+1) or fall (-1); None if none does."""
        a, b, c, d = self._row(row)
        less, more = (b, c) if side > 0 else (c, b)
        size = np.arange(a + b + c + d + 1)
        critical = critical_counts(size, level)[0]
        size, critical = size[critical >= 0], critical[critical >= 0]
        rarer = np.minimum(np.maximum(np.minimum(less, size - more), 0), critical)
        b_then, c_then = (rarer, size - rarer) if side > 0 else (size - rarer, rarer)
        return self._nearest(row, b_then, c_then)

    def to_accepted(self, row: int, level: float) -> Move | None:
        """Return the nearest counts whose test does not reject."""
        a, b, c, d = self._row(row)
        size = np.arange(a + b + c + d + 1)
        critical = critical_counts(size, level)[0]
        least, most = critical + 1, size - critical - 1
        possible = least <= most
        size, least, most = size[possible], least[possible], most[possible]
        b_then = np.clip(np.minimum(b, size - c), least, most)
        return self._nearest(row, b_then, size - b_then)

    def ceilings(self, row: int, alpha: float) -> FloatArray:
        """Return the row's ceiling for every count before, 0 to n."""
        return _ceilings_paired(sum(self._row(row)), alpha)

    def to_count_before(self, row: int, target: int) -> Move:
        """Return a move of the count before alone."""
        change = target - int(self.both[row] + self.only_before[row])
        kinds = (NEITHER_TO_BEFORE, AFTER_TO_BOTH) if change > 0 else (BOTH_TO_AFTER, BEFORE_TO_NEITHER)
        return self._moves(row, [(kinds, abs(change))])

    def _row(self, row: int) -> tuple[int, int, int, int]:
        return (
            int(self.both[row]),
            int(self.only_before[row]),
            int(self.only_after[row]),
            int(self.neither[row]),
        )

    def _nearest(self, row: int, b_then: IntArray, c_then: IntArray) -> Move | None:
        """Return the move to the nearest of some (b, c).

        Of equally near ones it is the one that changes the fewest outcomes of the run before, and then the one
        with the most discordance.
        """
        if b_then.size == 0:
            return None
        a, b, c, d = self._row(row)
        outcomes = np.abs(b_then - b) + np.abs(c_then - c)
        in_before = np.maximum(b_then - b - a, 0) + np.maximum(c_then - c - d, 0)
        best = int(np.lexsort((-b_then - c_then, in_before, outcomes))[0])
        b_change, c_change = int(b_then[best]) - b, int(c_then[best]) - c
        # Leaving discordance first, so that what is freed can enter it again.
        steps = [
            ((AFTER_TO_NEITHER,), -min(c_change, 0)),
            ((BEFORE_TO_BOTH,), -min(b_change, 0)),
            ((BOTH_TO_BEFORE, NEITHER_TO_BEFORE), max(b_change, 0)),
            ((NEITHER_TO_AFTER, BOTH_TO_AFTER), max(c_change, 0)),
        ]
        return self._moves(row, steps)

    def _moves(self, row: int, steps: Sequence[tuple[tuple[_Turn, ...], int]]) -> Move:
        """Carry out steps, each a number of pairs that turn the first way as long as any can, then the second."""
        cells = list(self._row(row))
        flips: list[Flip] = []
        for turns, count in steps:
            left = count
            for turn in turns:
                moved = min(left, cells[turn.source])
                left -= moved
                cells[turn.source] -= moved
                cells[turn.target] += moved
                if moved:
                    flips.append(Flip(row, turn.arm, turn.to_event, moved, turn.words))
        return Move(row, sum(flip.count for flip in flips), tuple(flips), tuple(cells))


CELLS = ("both", "only before", "only after", "neither")


@dataclass(frozen=True, slots=True)
class _Turn:
    """One outcome of a pair that ends otherwise: from a cell to a cell, in one arm."""

    source: int
    target: int
    arm: Arm
    to_event: bool

    @property
    def words(self) -> str:
        return f"{CELLS[self.source]} to {CELLS[self.target]}"


BOTH_TO_BEFORE = _Turn(0, 1, "after", to_event=False)
BEFORE_TO_BOTH = _Turn(1, 0, "after", to_event=True)
AFTER_TO_NEITHER = _Turn(2, 3, "after", to_event=False)
NEITHER_TO_AFTER = _Turn(3, 2, "after", to_event=True)
BOTH_TO_AFTER = _Turn(0, 2, "before", to_event=False)
AFTER_TO_BOTH = _Turn(2, 0, "before", to_event=True)
BEFORE_TO_NEITHER = _Turn(1, 3, "before", to_event=False)
NEITHER_TO_BEFORE = _Turn(3, 1, "before", to_event=True)


@lru_cache(maxsize=64)
def _ceilings_unpaired(n_before: int, n_after: int, alpha: float) -> FloatArray:
    k = np.arange(n_before + 1)
    return limits_unpaired(k, np.full_like(k, n_before), np.full_like(k, n_after), alpha=alpha).ceiling


@lru_cache(maxsize=64)
def _ceilings_paired(n: int, alpha: float) -> FloatArray:
    k = np.arange(n + 1)
    return limits_paired(k, np.full_like(k, n), alpha=alpha).ceiling
