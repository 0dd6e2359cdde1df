"""Two arms sent the same requests: how often the decision flipped, and whether that says anything."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from poisson_stats.clustering import clustering
from poisson_stats.item_interval import item_interval
from poisson_stats.mcnemar import mcnemar_test
from poisson_stats.rate_intervals import clopper_pearson
from poisson_stats.significance import is_significant
from poisson_stats.validation import counts, levels, probability, rows, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.clustering import Clustering
    from poisson_stats.item_interval import ItemInterval

__all__ = ["ArmOrder", "FlipRate", "Outcome", "PooledFlips", "flip_outcome", "flip_rate", "pooled_flips"]

Letter: TypeAlias = Literal["A", "B", "C"]


@dataclass(frozen=True, slots=True)
class ArmOrder:
    """Whether flips go one way: McNemar's exact test on the two kinds of flip.

    Attributes
    ----------
    p, log_p : float
        Two-sided p-value. It tests lopsidedness, not whether decisions flip.
    could_reject : bool
        Whether so many flips, all one way, would have been significant at all.
    alpha : float
        The level meant by that.
    """

    p: float
    log_p: float
    could_reject: bool
    alpha: float


@dataclass(frozen=True, slots=True)
class FlipRate:
    """The flips of one sweep with one pair an item.

    Attributes
    ----------
    n11, n10, n01, n00 : int
        Pairs decided yes by both arms, by the first only, by the second only, by neither.
    pairs, flips : int
        All pairs, and those whose decision differs.
    rate, low, high : float
        flips / pairs with its exact binomial interval (Clopper-Pearson).
    net_swing : float
        Rate of yes in the second arm minus the first: (n01 - n10) / pairs.
    order : ArmOrder
        Whether the flips go one way.
    confidence : float
        Level of the interval.
    """

    n11: int
    n10: int
    n01: int
    n00: int
    pairs: int
    flips: int
    rate: float
    low: float
    high: float
    net_swing: float
    order: ArmOrder
    confidence: float


@dataclass(frozen=True, slots=True)
class PooledFlips:
    """The flips of several sweeps, or several pairs an item, with the item as the unit.

    Attributes
    ----------
    interval : ItemInterval
        The flip rate with its interval and the interval's basis.
    clustering : Clustering
        How alike an item's pairs are.
    """

    interval: ItemInterval
    clustering: Clustering


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a flip rate means, given the floor below which flips do not matter.

    Attributes
    ----------
    letter : {"A", "B", "C"}
        B: decisions flip (the interval is above nought); else A: they flip too rarely to matter (it is below the
        floor); else C: it cannot be told.
    below_floor : bool
        Whether the interval is below the floor: with B, both are so, and both are to be said.
    floor : float
        The floor.
    """

    letter: Letter
    below_floor: bool
    floor: float


def flip_rate(n11: int, n10: int, n01: int, n00: int, *, confidence: float = 0.95) -> FlipRate:
    """Return how often two arms decided one request differently, one pair an item.

    Parameters
    ----------
    n11, n10, n01, n00 : int
        Pairs decided yes by both arms, by the first only, by the second only, by neither; one pair at least.
    confidence : float in (0, 1), default 0.95
        Level of the interval; the arm-order test is meant at one minus it.

    Returns
    -------
    FlipRate

    Raises
    ------
    ValueError
        For counts that are not counts, no pair at all, and a level outside (0, 1).

    Examples
    --------
    >>> got = flip_rate(91, 20, 26, 149)
    >>> round(got.rate, 6), round(got.low, 6), round(got.high, 6), round(got.order.p, 6)
    (0.160839, 0.120225, 0.208646, 0.461391)
    """
    cells = [int(cell) for cell in counts(n11=n11, n10=n10, n01=n01, n00=n00)]
    pairs, flips = sum(cells), cells[1] + cells[2]
    if pairs == 0:
        raise ValueError("n11=0, n10=0, n01=0 and n00=0 make no pair; at least one is needed.")
    interval = clopper_pearson(flips, pairs, confidence=confidence)
    return FlipRate(
        n11=cells[0],
        n10=cells[1],
        n01=cells[2],
        n00=cells[3],
        pairs=pairs,
        flips=flips,
        rate=flips / pairs,
        low=float(interval.low),
        high=float(interval.high),
        net_swing=(cells[2] - cells[1]) / pairs,
        order=arm_order(cells[1], cells[2], alpha=1 - confidence),
        confidence=confidence,
    )


def arm_order(n10: int, n01: int, *, alpha: float = 0.05) -> ArmOrder:
    """Test whether flips go one way more often than the other.

    Parameters
    ----------
    n10, n01 : int
        Flips from yes to no, and from no to yes.
    alpha : float in (0, 1), default 0.05
        The level at which the test is asked whether it could have rejected.

    Raises
    ------
    ValueError
        For counts that are not counts, and a level outside (0, 1).
    """
    counts(n10=n10, n01=n01)
    levels(alpha=alpha)
    test, most = mcnemar_test(n10, n01), mcnemar_test(0, n10 + n01)
    return ArmOrder(
        p=float(test.p),
        log_p=float(test.log_p),
        could_reject=bool(is_significant(most.p, alpha)),
        alpha=alpha,
    )


def pooled_flips(
    flips: ArrayLike,
    pairs: ArrayLike,
    *,
    confidence: float = 0.95,
    resamples: int = 2000,
    seed: int = 0,
) -> PooledFlips:
    """Return the flip rate over several pairs an item, with an interval that knows items are the unit.

    Parameters
    ----------
    flips, pairs : array_like of int, shape (items,)
        Flips and eligible pairs of each item, over all sweeps.
    confidence, resamples, seed
        As for `item_interval.item_interval`, whose rules choose the basis.

    Returns
    -------
    PooledFlips

    Raises
    ------
    ValueError
        As `item_interval.item_interval`.

    Examples
    --------
    >>> got = pooled_flips([0, 3, 0, 1, 3, 0], [3] * 6)
    >>> got.interval.basis, round(got.clustering.icc, 2)
    ('Korn-Graubard', 0.8)
    """
    flipped, eligible = rows(flips=flips, pairs=pairs)
    within("flips", flipped, "pairs", eligible)
    if not eligible.any():
        raise ValueError(f"pairs={eligible.tolist()} must hold at least one pair.")
    return PooledFlips(
        interval=item_interval(flips, pairs, confidence=confidence, resamples=resamples, seed=seed),
        clustering=clustering(flips, pairs),
    )


def flip_outcome(low: float, high: float, *, floor: float) -> Outcome:
    """Return the letter for an interval of a flip rate and a floor.

    Parameters
    ----------
    low, high : float
        The interval; NaN where there is none.
    floor : float in [0, 1]
        The flip rate below which flips do not matter.

    Returns
    -------
    Outcome
        Never A from an interval that is a single point: no data narrow it to nothing.

    Raises
    ------
    ValueError
        `floor` is outside [0, 1], or `low` is above `high`.

    Examples
    --------
    >>> flip_outcome(0.0, 0.0099, floor=0.02)
    Outcome(letter='A', below_floor=True, floor=0.02)
    >>> flip_outcome(0.01, 0.04, floor=0.05)
    Outcome(letter='B', below_floor=True, floor=0.05)
    """
    probability("floor", floor)
    if low > high:
        raise ValueError(f"low={low} must not exceed high={high}.")
    below = bool(low < high < floor)
    letter: Letter = "B" if low > 0 else "A" if below else "C"
    return Outcome(letter=letter, below_floor=below, floor=floor)
