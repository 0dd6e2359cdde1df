"""The fewest outcomes that, had they ended otherwise, would change the verdict's word."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from poisson_stats.comparison import compare_paired, compare_unpaired
from poisson_stats.nearest_counts import Flip, Move, PairedCounts, UnpairedCounts
from poisson_stats.significance import LEVEL_SLACK
from poisson_stats.validation import rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import ArrayLike

    from poisson_stats.comparison import Comparison
    from poisson_stats.validation import FloatArray, IntArray
    from poisson_stats.verdict import Verdict


MOST_WAYS = 32
"""How many numbers of rows that stay counted are tried, the most promising first, to undo half of a trade."""


@dataclass(frozen=True, slots=True)
class Fragility:
    """How many outcomes the verdict's word hangs on.

    Attributes
    ----------
    word
        The verdict as it is.
    becomes
        The verdict after the flips; None where no flips were found that change it.
    outcomes
        How many outcomes flip; None where ``becomes`` is.
    flips
        Which: row, run and direction, the rows in order.
    certified
        Whether fewer outcomes cannot change the word. If false, the search was not exhaustive and fewer may do.
    """

    word: Verdict
    becomes: Verdict | None
    outcomes: int | None
    flips: tuple[Flip, ...]
    certified: bool


def fragility_unpaired(
    k_before: ArrayLike,
    n_before: ArrayLike,
    k_after: ArrayLike,
    n_after: ArrayLike,
    *,
    direction: ArrayLike,
    q: float = 0.05,
    max_mde: float = 0.20,
    condition: ArrayLike | None = None,
) -> Fragility:
    """Return the fewest outcomes that change the word of `comparison.compare_unpaired`.

    The word hangs on three things, and each has a nearest change that can be computed exactly:

    - *Some row is counted* by Holm's procedure exactly where some p is at most q/m. So to count a row where
      none was, one row must reach its rejection region; to count none, every row in it must leave it, and the
      outcomes add up.
    - *A counted row in each direction* makes a trade. To add the missing direction, one row must be rejected at
      the level that Holm has reached by then; to take one direction away, all its rows must leave the region
      at that level.
    - *Some row is too small*, which hangs on its count before alone.

    Of these the cheapest is returned. It is certified where no route can be cheaper; a trade that would be
    cheaper with the help of further rows, and rows that share a condition, may leave that open.

    Parameters
    ----------
    k_before, n_before, k_after, n_after, direction, q, max_mde
        As in `comparison.compare_unpaired`.
    condition
        Which condition each row belongs to; each its own by default. Rows of one condition are several events
        of the same episodes: one outcome that ends otherwise can then count for each of them, so that what
        is certified needs only the dearest of them.

    Raises
    ------
    ValueError
        As `comparison.compare_unpaired`, and for a ``condition`` of another shape.

    References
    ----------
    M. Walsh et al., The statistical significance of randomized controlled trial results is frequently fragile: a
    case for a fragility index, Journal of Clinical Epidemiology 67 (2014), 622-628. For one row it is their
    index, with flips allowed in both arms.

    Examples
    --------
    >>> found = fragility_unpaired([10], [200], [30], [200], direction=1)
    >>> found.word, found.outcomes, found.becomes, found.certified
    ('worse', 7, 'no significant change', True)
    """
    k0, n0, k1, n1 = rows(k_before=k_before, n_before=n_before, k_after=k_after, n_after=n_after)

    def compare(counts: Sequence[IntArray]) -> Comparison:
        return compare_unpaired(counts[0], n0, counts[1], n1, direction=direction, q=q, max_mde=max_mde)

    search = _Search(UnpairedCounts(k0, n0, k1, n1), compare([k0, k1]), _conditions(condition, k0.size))
    return search.result(lambda moves: compare(_moved([k0, k1], moves)).verdict)


def fragility_paired(
    both: ArrayLike,
    only_before: ArrayLike,
    only_after: ArrayLike,
    neither: ArrayLike,
    *,
    direction: ArrayLike,
    q: float = 0.05,
    max_mde: float = 0.20,
    condition: ArrayLike | None = None,
) -> Fragility:
    """Return the fewest outcomes that change the word of `comparison.compare_paired`.

    As `fragility_unpaired`. Where a rise must be undone, pairs with the event in both runs lose it after first
    (a pair more on the other side says more than a pair less on this), then pairs with the event only after.

    Parameters
    ----------
    both, only_before, only_after, neither, direction, q, max_mde
        As in `comparison.compare_paired`.
    condition
        As in `fragility_unpaired`.

    Raises
    ------
    ValueError
        As `comparison.compare_paired`, and for a ``condition`` of another shape.

    Examples
    --------
    Six pairs changed, all for the worse (p = 1/32): one pair more on the other side undoes it.

    >>> found = fragility_paired([20], [0], [6], [30], direction=1)
    >>> found.word, found.outcomes, found.flips[0].pairs
    ('worse', 1, 'both to only before')
    """
    cells = list(rows(both=both, only_before=only_before, only_after=only_after, neither=neither))

    def compare(counts: Sequence[IntArray]) -> Comparison:
        return compare_paired(*counts, direction=direction, q=q, max_mde=max_mde)

    search = _Search(PairedCounts(*cells), compare(cells), _conditions(condition, cells[0].size))
    return search.result(lambda moves: compare(_moved(cells, moves)).verdict)


class _Counts(Protocol):
    """Rows that know how far their tests are from deciding otherwise."""

    def to_rejected(self, row: int, level: float, side: int) -> Move | None:
        """Return the nearest counts whose test rejects on a side."""

    def to_accepted(self, row: int, level: float) -> Move | None:
        """Return the nearest counts whose test does not reject."""

    def to_count_before(self, row: int, target: int) -> Move:
        """Return a move of the count before alone."""

    def ceilings(self, row: int, alpha: float) -> FloatArray:
        """Return the ceiling for every count before."""


@dataclass(frozen=True, slots=True)
class _Route:
    """A way to change the word: moves that do it, if any were found, and what no such way can undercut."""

    moves: tuple[Move, ...] | None
    at_least: int

    @property
    def outcomes(self) -> float:
        return np.inf if self.moves is None else sum(move.outcomes for move in self.moves)


@dataclass(frozen=True, slots=True, eq=False)
class _Search:
    counts: _Counts
    found: Comparison
    condition: IntArray

    def result(self, verdict_after: Callable[[tuple[Move, ...]], Verdict]) -> Fragility:
        """Take the cheapest route, check that it leads elsewhere, and say whether it is certified."""
        word = self.found.verdict
        routes = sorted(self._routes(), key=lambda route: route.outcomes)
        for route in routes:
            if route.moves is None:
                break
            becomes = verdict_after(route.moves)
            if becomes != word:
                flips = tuple(flip for move in route.moves for flip in move.flips)
                outcomes = sum(flip.count for flip in flips)
                certified = outcomes <= min(other.at_least for other in routes)
                return Fragility(word, becomes, outcomes, flips, certified)
        return Fragility(word, None, None, (), certified=not routes)

    def _routes(self) -> Iterator[_Route]:
        worse, safer = self._counted(1), self._counted(-1)
        if not (worse.size or safer.size):
            yield from self._count_one()
            yield from self._resize()
            return
        if worse.size:
            yield from self._take_away(worse, others=safer)
        if safer.size:
            yield from self._take_away(safer, others=worse)
        if not (worse.size and safer.size):
            yield from self._make_trade(-1 if worse.size else 1)

    def _counted(self, effect: int) -> IntArray:
        """Return the counted rows that got worse (+1) or safer (-1)."""
        return np.flatnonzero(self.found.counted & (self.found.change * self.found.direction * effect > 0))

    def _count_one(self) -> Iterator[_Route]:
        """Bring one row into its rejection region, where no row is counted."""
        moves = [
            self.counts.to_rejected(row, self.found.alpha, side)
            for row in range(self.found.tests)
            for side in (1, -1)
        ]
        best = _cheapest(moves)
        if best:
            yield _Route((best,), best.outcomes)

    def _take_away(self, leaving: IntArray, others: IntArray) -> Iterator[_Route]:
        """Count none of the given rows any more, where others are counted too.

        If r rows stay counted, all others have p above q/(m - r). So for each r up to the number of the other
        counted rows: the given rows and the cheapest of the others must leave their region at that level. More
        than those r would only make it harder.
        """
        least = [self.counts.to_accepted(row, self.found.alpha) for row in leaving.tolist()]
        if not all(least):
            return
        bound = self._joint_bound(leaving, [move.outcomes for move in least if move])
        ways = sorted(self._floors(others, bound))
        best: tuple[Move, ...] | None = None
        cheapest: float = np.inf
        for tried, (floor, r) in enumerate(ways):
            if floor >= cheapest or tried == MOST_WAYS:
                yield _Route(
                    best, min(int(min(floor, cheapest)), bound if self._shares_conditions() else floor)
                )
                return
            moves = self._leave(leaving, others, r)
            outcomes = sum(move.outcomes for move in moves) if moves is not None else np.inf
            best, cheapest = (moves, outcomes) if outcomes < cheapest else (best, cheapest)
        yield _Route(best, bound if self._shares_conditions() or best is None else int(cheapest))

    def _floors(self, others: IntArray, bound: int) -> Iterator[tuple[int, int]]:
        """Yield for each r what counting the given rows no more costs at least, and r.

        Leaving at q/m, and an outcome for each of the other rows that must leave and is not outside already.
        """
        p = np.sort(self.found.p[others])
        for r in range(others.size + 1):
            inside = int(np.searchsorted(p, self.found.q / (self.found.tests - r), side="right"))
            yield bound + (0 if self._shares_conditions() else max(0, inside - r)), r

    def _leave(self, leaving: IntArray, others: IntArray, r: int) -> tuple[Move, ...] | None:
        """Return the moves by which the given rows, and all but r of the others, have p above q/(m - r)."""
        level = self.found.q / (self.found.tests - r)
        moves = [self.counts.to_accepted(row, level) for row in leaving.tolist()]
        rest = [self.counts.to_accepted(row, level) for row in others.tolist()]
        rest = sorted(rest, key=lambda move: move.outcomes if move else np.inf)[: others.size - r]
        if not (all(moves) and all(rest)):
            return None
        return tuple(move for move in (*moves, *rest) if move and move.outcomes)

    def _make_trade(self, effect: int) -> Iterator[_Route]:
        """Bring one row to be counted with the effect that no counted row has.

        Holm's procedure comes to it after the R rows counted now, so it must be rejected at q/(m - R). Where
        i further rows are counted before it, q/(m - R - i) would do; but then the first of them must be brought
        below q/(m - R), and of all of them those that are not below their own level by now.
        """
        q, m, counted = self.found.q, self.found.tests, self.found.counted
        rank, side = int(counted.sum()), self.found.direction * effect
        new = np.flatnonzero(~counted).tolist()
        moves = [self.counts.to_rejected(row, q / (m - rank), int(side[row])) for row in new]
        moves += [
            self.counts.to_rejected(row, q / (m - rank + 1), int(side[row]))
            for row in np.flatnonzero(counted).tolist()
        ]
        best = _cheapest(moves)
        # A counted row that changes sides, at the loosest level there is.
        turned = [self.counts.to_rejected(row, q, int(side[row])) for row in np.flatnonzero(counted).tolist()]
        bounds = [move.outcomes for move in [_cheapest(turned)] if move]
        bounds += self._detours(new, side, best.outcomes if best else m)
        if best or bounds:
            yield _Route((best,) if best else None, min(bounds, default=0))

    def _detours(self, new: list[int], side: IntArray, most: int) -> Iterator[int]:
        """Yield what the trade costs at least with i = 0, 1, … further rows counted first."""
        q, m, rank = self.found.q, self.found.tests, int(self.found.counted.sum())
        nearest = _cheapest(
            self.counts.to_rejected(row, q / (m - rank), way) for row in new for way in (1, -1)
        )
        for i in range(len(new)):
            level = q / (m - rank - i)
            row_alone = _cheapest(self.counts.to_rejected(row, level, int(side[row])) for row in new)
            below = int(np.count_nonzero(self.found.p[new] <= q / (m - rank - i + 1) * (1 + LEVEL_SLACK)))
            first = max(nearest.outcomes if nearest else most, i - below) if i else 0
            if i - below > most:
                return
            if row_alone:
                yield (
                    max(row_alone.outcomes, first)
                    if self._shares_conditions()
                    else row_alone.outcomes + first
                )

    def _shares_conditions(self) -> bool:
        return int(self.condition.max()) + 1 < self.condition.size

    def _resize(self) -> Iterator[_Route]:
        """Make one row too small, or all that are too small large enough."""
        small = np.flatnonzero(self.found.too_small)
        moves = [
            self._nearest_size(row, wanted_small=not small.size)
            for row in (small.tolist() or range(self.found.tests))
        ]
        if not small.size:
            best = _cheapest(moves)
            if best:
                yield _Route((best,), best.outcomes)
        elif all(moves):
            kept = tuple(move for move in moves if move)
            yield _Route(kept, self._joint_bound(small, [move.outcomes for move in kept]))

    def _nearest_size(self, row: int, *, wanted_small: bool) -> Move | None:
        ceilings = self.counts.ceilings(row, self.found.alpha)
        fits = np.flatnonzero((ceilings > self.found.max_mde) == wanted_small)
        if fits.size == 0:
            return None
        nearest = fits[np.argmin(np.abs(fits - self.found.k_before[row]))]
        return self.counts.to_count_before(row, int(nearest))

    def _joint_bound(self, at: IntArray, outcomes: Sequence[int]) -> int:
        """Add up over conditions the dearest row of each: one outcome may serve several of its rows."""
        dearest = np.zeros(int(self.condition.max()) + 1, dtype=np.int64)
        np.maximum.at(dearest, self.condition[at], outcomes)
        return int(dearest.sum())


def _cheapest(moves: Iterable[Move | None]) -> Move | None:
    return min((move for move in moves if move), key=lambda move: move.outcomes, default=None)


def _conditions(condition: ArrayLike | None, size: int) -> IntArray:
    if condition is None:
        return np.arange(size)
    given = np.asarray(condition)
    if given.shape != (size,):
        raise ValueError(f"condition has shape {given.shape} where the counts have ({size},).")
    return np.unique(given, return_inverse=True)[1]


def _moved(columns: Sequence[IntArray], moves: Iterable[Move]) -> list[IntArray]:
    moved = [column.copy() for column in columns]
    for move in moves:
        for column, count in zip(moved, move.counts, strict=True):
            column[move.row] = count
    return moved
