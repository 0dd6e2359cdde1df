"""The smallest change from a given rate that a row would be flagged for 4 times in 5."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

import numpy as np
from scipy.special import ndtri

from poisson_stats.binomial import window_width
from poisson_stats.boschloo import boschloo_level
from poisson_stats.fisher_region import fisher_region
from poisson_stats.grouping import chunks, distinct
from poisson_stats.power import FisherRows, PairedRows
from poisson_stats.validation import levels, one_of, refuse_where, rows, within

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from poisson_stats.fisher_region import FisherRegion
    from poisson_stats.validation import BoolArray, FloatArray, IntArray

LimitStatus: TypeAlias = Literal["limit", "no room", "none detectable"]

UnpairedTest: TypeAlias = Literal["fisher", "boschloo"]

TARGET_POWER = 0.8
"""How often the change called a limit is found: 4 times in 5."""

STEPS = 10_000
"""Limits are stated on a grid of 1/10,000, rounded up: the change found 4 times in 5 is at most the limit."""

STEP_SLACK = 1e-9
"""Part of a step by which a limit may pass its grid point and still be rounded to it."""

LIMIT: LimitStatus = "limit"
NO_ROOM: LimitStatus = "no room"
NONE_DETECTABLE: LimitStatus = "none detectable"


@dataclass(frozen=True, slots=True, eq=False)
class DetectionLimits:
    """Limits of m rows, each from its own rate before.

    Attributes
    ----------
    rise, fall
        The smallest detectable change upward and downward, a multiple of 1/10,000; NaN unless its status is
        ``limit``. A limit may exceed the room left by less than 1/10,000, because it is rounded up.
    status_rise, status_fall
        ``limit``; ``no room`` where the rate before is already 1 (0); ``none detectable`` where even the
        change to 1 (0) is found less than 4 times in 5.
    ceiling
        The smallest accepted change under which the row is not too small: the larger of its limits, or the
        whole room where nothing in that room is detectable, rounded up alike. Infinite without data.
    """

    rise: FloatArray
    fall: FloatArray
    status_rise: tuple[LimitStatus, ...]
    status_fall: tuple[LimitStatus, ...]
    ceiling: FloatArray


class _Rows(Protocol):
    """Designs of r rows that know their power at a rate after."""

    def power(self, rate_after: FloatArray) -> FloatArray:
        """Return the probability of a rejection, shape (r,)."""


def limits_unpaired(
    k_before: ArrayLike,
    n_before: ArrayLike,
    n_after: ArrayLike,
    *,
    alpha: float,
    test: UnpairedTest = "fisher",
) -> DetectionLimits:
    """Return what Fisher's or Boschloo's exact test can detect from each row's rate before.

    The power at a rate after, p1, is exact: the sum over both binomial counts, Binomial(n_before, p0) and
    Binomial(n_after, p1), of "p <= alpha", with p0 = k_before / n_before as it stands (not smoothed).

    Parameters
    ----------
    k_before, n_before
        Events and episodes of the arm before, per row.
    n_after
        Episodes of the arm after, per row.
    alpha
        Level of the single test: q/m, as `significance.alpha_per_test` gives it.
    test
        ``fisher`` or ``boschloo``.

    Raises
    ------
    ValueError
        For counts that are not counts, k > n, shapes that differ, a level outside (0, 1).

    Examples
    --------
    >>> limits = limits_unpaired([12], [194], [194], alpha=0.05 / 18)
    >>> float(limits.rise[0]), limits.status_fall[0]
    (0.1312, 'none detectable')
    """
    k, n0, n1 = rows(k_before=k_before, n_before=n_before, n_after=n_after)
    within("k_before", k, "n_before", n0)
    levels(alpha=alpha)
    one_of("test", test, ("fisher", "boschloo"))
    level_of = boschloo_level if test == "boschloo" else lambda *_: alpha

    def region_of(before: int, after: int) -> FisherRegion:
        return fisher_region(before, after, level_of(before, after, alpha))

    return _limits(
        (k, n0, n1), lambda rate, before, after: FisherRows.prepare(rate, before, after, region_of)
    )


def limits_paired(
    k_before: ArrayLike, pairs: ArrayLike, *, alpha: float, correlation: ArrayLike = 0.0
) -> DetectionLimits:
    """Return what McNemar's exact test can detect from each row's rate before.

    The discordance is that of arms with correlation φ (see `correlation.discordance`),

        P(only before) = p0 (1 - p1) - c,  P(only after) = (1 - p0) p1 - c,  c = φ sqrt(p0 (1 - p0) p1 (1 - p1)),

    and the power is exact: the sum over d of Binomial(n, P1 + P2)(d) times P(McNemar rejects | d). φ = 0,
    independent arms, gives the *design limit*, which is known before the run. The φ that the pairs showed
    (`correlation.pair_correlation`), held fixed while p1 moves, gives the *observed limit*.

    Parameters
    ----------
    k_before, pairs
        Pairs with the event in the arm before, and all pairs, per row.
    alpha
        Level of the single test: q/m, as `significance.alpha_per_test` gives it.
    correlation
        φ, a scalar or one element a row, in [-1, 1]. NaN, where the pairs showed none, counts as 0.

    Raises
    ------
    ValueError
        As `limits_unpaired`, and for a correlation outside [-1, 1].

    Examples
    --------
    >>> limits = limits_paired([2, 52], [194, 194], alpha=0.05 / 18)
    >>> limits.rise.tolist(), limits.status_fall
    ([0.0846, 0.1924], ('none detectable', 'limit'))
    >>> limits_paired([52], [194], alpha=0.05 / 18, correlation=0.6).rise.tolist()
    [0.1187]
    """
    k, n = rows(k_before=k_before, pairs=pairs)
    within("k_before", k, "pairs", n)
    levels(alpha=alpha)
    phi = _correlations(correlation, n.size)
    known, number = np.unique(phi, return_inverse=True)
    return _limits(
        (k, n, n, number),
        lambda rate, before, _, index: PairedRows(rate, before, known[index], alpha),
    )


def _correlations(correlation: ArrayLike, size: int) -> FloatArray:
    given = np.asarray(correlation, dtype=np.float64)
    if given.shape not in {(), (size,)}:
        raise ValueError(f"correlation has shape {given.shape} where the counts have ({size},).")
    refuse_where(np.abs(given) > 1, "correlation", given, "must lie in -1 to 1")
    return np.broadcast_to(np.nan_to_num(given, nan=0.0), (size,))


def _limits(columns: tuple[IntArray, ...], prepare: Callable[..., _Rows]) -> DetectionLimits:
    """Find both limits of every distinct row.

    Parameters
    ----------
    columns
        k before, n before, n after, and whatever else tells rows apart.
    prepare
        Makes designs from the rates before and all columns but the first.
    """
    first, group = distinct(*columns)
    k, n0, n1, *others = (column[first] for column in columns)
    rate = k / np.maximum(n0, 1)
    steps_up, steps_down = np.empty((2, k.size), dtype=np.int64)
    for i in chunks(k.size, window_width(np.maximum(n0, n1))):
        design = prepare(rate[i], n0[i], n1[i], *(column[i] for column in others))
        steps_up[i] = smallest_detected(design.power, rate[i], 1)
        steps_down[i] = smallest_detected(design.power, rate[i], -1)
    empty = (n0 == 0) | (n1 == 0)
    up = _directed(steps_up, 1 - rate, empty)
    down = _directed(steps_down, rate, empty)
    ceiling = np.where(empty, np.inf, np.maximum(up[2], down[2]))
    return DetectionLimits(
        rise=up[0][group],
        fall=down[0][group],
        status_rise=tuple(up[1][g] for g in group),
        status_fall=tuple(down[1][g] for g in group),
        ceiling=ceiling[group],
    )


def _directed(
    steps: IntArray, room: FloatArray, empty: BoolArray
) -> tuple[FloatArray, list[LimitStatus], FloatArray]:
    """Return the limit, its status and the ceiling of one direction from its steps (0: none detected)."""
    status: list[LimitStatus] = [
        NONE_DETECTABLE if bare else LIMIT if step else NONE_DETECTABLE if left else NO_ROOM
        for step, left, bare in zip(steps.tolist(), room.tolist(), empty.tolist(), strict=True)
    ]
    limit = np.where((steps > 0) & ~empty, steps / STEPS, np.nan)
    return limit, status, np.where(steps > 0, steps, steps_to_cover(room)) / STEPS


def steps_to_cover(change: FloatArray) -> IntArray:
    """Return the number of grid steps that reach ``change``, rounded up but for a billionth of a step."""
    return np.asarray(np.ceil(change * STEPS - STEP_SLACK).astype(np.int64))


def smallest_detected(power: Callable[[FloatArray], FloatArray], rate: FloatArray, sign: int) -> IntArray:
    """Return the fewest grid steps from ``rate`` at which the power reaches the target; 0 where none does.

    Parameters
    ----------
    power
        Power at a rate after, elementwise over rows.
    rate
        The rate before, shape (r,).
    sign
        +1 to search upward to 1, -1 downward to 0.

    Notes
    -----
    At the limit the power rises with the change (the rejections on the wrong side are fewer than alpha), so
    there is one crossing in 1 … room. The normal quantile of the power is nearly a straight line in the change:
    interpolation on it needs about four powers where halving needs fourteen; every third step halves all the
    same, lest a bent line keep one end of the bracket for ever.
    """
    room = steps_to_cover(1 - rate if sign > 0 else rate)

    def strength(steps: IntArray) -> FloatArray:
        chance = power(np.clip(rate + sign * steps / STEPS, 0.0, 1.0))
        # Only the sign must be exact; far quantiles are cut off to stay finite.
        return np.asarray(
            np.where(chance >= TARGET_POWER, 1, -1) * np.abs(_quantile(chance) - _quantile(TARGET_POWER))
        )

    missed, found = np.zeros_like(room), np.maximum(room, 1)
    below, above = strength(missed), strength(found)
    reachable = (room > 0) & (above >= 0)
    turn = 0
    while (open_rows := reachable & (found - missed > 1)).any():
        turn += 1
        straight = open_rows & (turn % 3 > 0)
        share = np.divide(-below, above - below, out=np.full_like(below, 0.5), where=straight)
        guess = missed + np.rint(share * (found - missed)).astype(np.int64)
        middle = np.where(open_rows, np.clip(guess, missed + 1, found - 1), found)
        at_middle = strength(middle)
        hit = at_middle >= 0
        found, above = np.where(hit, middle, found), np.where(hit, at_middle, above)
        missed, below = np.where(hit, missed, middle), np.where(hit, below, at_middle)
    return np.where(reachable, found, 0)


def _quantile(probability: ArrayLike) -> FloatArray:
    return np.asarray(ndtri(np.clip(probability, 1e-15, 1 - 1e-15)))
