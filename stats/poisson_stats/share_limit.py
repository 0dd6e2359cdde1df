"""The smallest change of the failure share that a set of inputs and repeats would have shown.

One function, `share_limit`, states the limit; the repeats, inputs and ceilings that are recommended come from
the same formula.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from poisson_stats.limits import LIMIT, NO_ROOM, NONE_DETECTABLE
from poisson_stats.normal import detection_z
from poisson_stats.rounding import ceil_count, round_up
from poisson_stats.share_design import share_design
from poisson_stats.share_power import enumeration_cost, power_table
from poisson_stats.validation import levels

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from poisson_stats.limits import LimitStatus
    from poisson_stats.share_design import ShareDesign, Side
    from poisson_stats.share_power import PowerTable

__all__ = ["ShareGuidance", "ShareLimit", "detects_change", "share_guidance", "share_limit"]

# Below so many inputs the approximation is too conservative to be left alone.
_FEW_INPUTS = 20
# Additions an evaluation of the exact power may cost: at most a second or two for a whole limit.
_AFFORDABLE = 1.5e8

Basis: TypeAlias = Literal["exact", "approximate"]


@dataclass(frozen=True, slots=True)
class ShareLimit:
    """The smallest proportional change that the exact stratified test would have detected.

    Attributes
    ----------
    side : {"drop", "rise"}
        Which change of the event's rate is asked about.
    limit : float
        The change of the mean rate, in [0, 1]; NaN where there is none.
    ceiling : float
        The smallest accepted change under which the design as it stands is not too small: `limit` rounded up at
        the 4th decimal, or the whole room, rounded up alike, where nothing in that room is detectable. Infinite
        where no input ran in both arms.
    theta : float
        The proportion of every input's rate that goes: `limit` / `room`.
    room : float
        The largest change there is: the mean rate for a drop, one minus it for a rise. Inputs are weighted
        as the Mantel-Haenszel difference weights them.
    status : {"limit", "no room", "none detectable"}
        ``no room`` where `room` is 0; ``none detectable`` where even the whole of it would be missed too often.
    basis : {"exact", "approximate"}
        Whether the power is the exact test's own, by enumeration, or the normal approximation, which promises
        less than the test does.
    alpha, power : float
        Level of the two-sided test, and how often the change is detected.
    """

    side: Side
    limit: float
    ceiling: float
    theta: float
    room: float
    status: LimitStatus
    basis: Basis
    alpha: float
    power: float


@dataclass(frozen=True, slots=True)
class ShareGuidance:
    """What would bring the limit on a drop to what was asked.

    Attributes
    ----------
    max_change : float
        The change that must not go unseen.
    repeats : int or None
        Repeats an arm and input, on the same inputs.
    inputs : int or None
        Inputs like these, at the repeats they have.
    ceiling : float
        The accepted change under which the design as it stands is enough: see `ShareLimit.ceiling`.

    Repeats and inputs are None where the rate has less room than the asked change: it cannot happen.
    """

    max_change: float
    repeats: int | None
    inputs: int | None
    ceiling: float


def share_limit(
    k_before: ArrayLike,
    n_before: ArrayLike,
    k_after: ArrayLike,
    n_after: ArrayLike,
    *,
    side: Side = "drop",
    alpha: float = 0.05,
    power: float = 0.8,
    basis: Basis | None = None,
) -> ShareLimit:
    """Find the smallest proportional change on every input that the stratified test would have detected.

    Parameters
    ----------
    k_before, k_after : array_like of int, shape (inputs,)
        Runs with the event, in each arm.
    n_before, n_after : array_like of int, shape (inputs,)
        Runs with an outcome, at least k. Inputs that lack an arm are left out.
    side : {"drop", "rise"}, default "drop"
        A drop takes the share theta of every input's rate away; a rise takes it from the rate of *not* having the
        event, so that theta = 1 means every run has it.
    alpha : float, default 0.05
        Level of the two-sided test.
    power : float, default 0.8
        How often the change is to be detected.
    basis : {"exact", "approximate"}, optional
        Which power to use. By default the exact one for fewer than 20 inputs, where enumerating it is affordable.

    Returns
    -------
    ShareLimit

    Raises
    ------
    ValueError
        For counts that are not counts, k > n, an unknown `side` or `basis`, a level outside (0, 1), and for an
        exact basis that cannot be enumerated.

    Notes
    -----
    The rates are those of the pooled arms, m = f / N of input i, with w = f (N - f) / (N (N - 1)) unbiased for
    m (1 - m), so that m - w stands for m^2. With r = 1 - theta, n and n' runs before and after, W = n n' / N,

        D = theta sum W m                                          the expected excess,
        V0 = sum n n' E[f (N - f)] / (N^2 (N - 1))                 the null variance, expected under the change,
        V1 = sum W^2 (w / n + (r m - r^2 (m - w)) / n')            the variance under the change,

    and the change is detected when D - 1/2 >= z(1 - alpha/2) sqrt(V0) + z(power) sqrt(V1): the usual normal
    calculation [1]_ with a continuity correction, since the sum moves in steps of one. The limit is theta times
    the mean rate. The exact basis computes the probability of rejection from every table the inputs can
    produce at rates m before and r m after (`share_power`), and finds theta where it reaches `power`.

    References
    ----------
    .. [1] Woolson, R. F., Bean, J. A. and Rojas, P. B. (1986). Sample size for case-control studies using
       Cochran's statistic. Biometrics 42, 927-932.

    Examples
    --------
    >>> data = [3, 3, 4, 4, 3, 1], [4] * 6, [0, 0, 1, 1, 1, 0], [1] * 6
    >>> share_limit(*data, basis="approximate").ceiling
    0.643
    >>> share_limit(*data).basis, share_limit(*data).ceiling
    ('exact', 0.5664)
    """
    design = share_design(k_before, n_before, k_after, n_after, side)
    detection_z(alpha, power)
    chosen = _basis(design, basis)
    theta = _smallest_share(design, chosen, alpha, power)
    none_there: LimitStatus = NONE_DETECTABLE if design.room else NO_ROOM
    return ShareLimit(
        side=side,
        limit=theta * design.room,
        ceiling=round_up(design.room * (1.0 if math.isnan(theta) else theta), 4)
        if design.rate.size
        else math.inf,
        theta=theta,
        room=design.room,
        status=none_there if math.isnan(theta) else LIMIT,
        basis=chosen,
        alpha=alpha,
        power=power,
    )


def detects_change(
    k_before: ArrayLike,
    n_before: ArrayLike,
    k_after: ArrayLike,
    n_after: ArrayLike,
    *,
    max_change: float,
    limit: ShareLimit,
) -> bool:
    """Return whether `share_limit` of these counts has a ceiling of at most `max_change`, for less work.

    Parameters
    ----------
    k_before, n_before, k_after, n_after
        As for `share_limit`.
    max_change : float in (0, 1)
        The change asked about.
    limit : ShareLimit
        Whose side, basis, level and power to use.

    Raises
    ------
    ValueError
        For counts that are not counts, k > n, and a `max_change` outside (0, 1).
    """
    levels(max_change=max_change)
    design = share_design(k_before, n_before, k_after, n_after, limit.side)
    if design.room <= max_change:
        return design.rate.size > 0
    return _excess_of(design, limit.basis, limit.alpha, limit.power)(max_change / design.room) >= -1e-12


def share_guidance(
    k_before: ArrayLike,
    n_before: ArrayLike,
    k_after: ArrayLike,
    n_after: ArrayLike,
    *,
    max_change: float,
    limit: ShareLimit,
) -> ShareGuidance:
    """Say how many repeats, or how many inputs like these, bring the limit to `max_change`.

    Parameters
    ----------
    k_before, n_before, k_after, n_after
        As for `share_limit`.
    max_change : float in (0, 1)
        The change of the mean rate that must not go unseen.
    limit : ShareLimit
        What `share_limit` said of the same counts; its side, level and power are used, and its ceiling is handed on.

    Returns
    -------
    ShareGuidance

    Raises
    ------
    ValueError
        For counts that are not counts, k > n, and a `max_change` outside (0, 1).

    Notes
    -----
    Both numbers are from the approximate formula of `share_limit`, whatever the basis of `limit`: the smallest
    number of repeats, the same in both arms and all inputs, and the smallest number of inputs, all sums of the
    formula scaled in proportion, that detect theta = max_change / mean rate.

    Examples
    --------
    >>> data = [3, 3, 4, 4, 3, 1], [4] * 6, [0, 0, 1, 1, 1, 0], [1] * 6
    >>> share_guidance(*data, max_change=0.2, limit=share_limit(*data, basis="approximate"))
    ShareGuidance(max_change=0.2, repeats=16, inputs=55, ceiling=0.643)
    """
    levels(max_change=max_change)
    design = share_design(k_before, n_before, k_after, n_after, limit.side)
    if design.room < max_change:
        return ShareGuidance(max_change, None, None, limit.ceiling)
    theta = max_change / design.room
    z = detection_z(limit.alpha, limit.power)

    def enough(repeats: int) -> bool:
        return design.with_repeats(repeats).moments().excess(theta, z) >= 0

    scale = design.moments().scale_to_detect(theta, z)
    inputs = ceil_count(scale * design.rate.size)
    return ShareGuidance(max_change, _smallest(enough), inputs, limit.ceiling)


def _basis(design: ShareDesign, asked: str | None) -> Basis:
    """Return the basis to use: the one asked for, or exact where that is affordable and worth it."""
    if asked not in {None, "exact", "approximate"}:
        raise ValueError(f"basis={asked!r} must be 'exact' or 'approximate'.")
    changing = design.rate > 0
    affordable = bool(changing.any()) and (
        enumeration_cost(*(n[changing].astype(np.int64) for n in (design.n_before, design.n_after)))
        <= _AFFORDABLE
    )
    if asked == "exact" and changing.any() and not affordable:
        raise ValueError(f"basis={asked!r} needs a smaller design; 'approximate' is accepted for this one.")
    few = design.rate.size < _FEW_INPUTS
    return "approximate" if asked == "approximate" or not affordable or not (few or asked) else "exact"


def _smallest_share(design: ShareDesign, basis: Basis, alpha: float, power: float) -> float:
    """Return the smallest theta that is detected often enough; NaN if even 1 is not."""
    excess = _excess_of(design, basis, alpha, power)
    if design.room == 0 or excess(1.0) < 0:
        return math.nan
    if excess(0.0) >= 0:
        return 0.0
    from scipy.optimize import brentq  # noqa: PLC0415  (0.1 s that only a limit needs to pay)

    return float(brentq(excess, 0.0, 1.0, xtol=1e-9))


def _excess_of(design: ShareDesign, basis: Basis, alpha: float, power: float) -> Callable[[float], float]:
    """Return theta -> how far it lies beyond what is just detected: a function that increases."""
    if basis == "exact":
        return _exact_excess(design, alpha, power)
    z = detection_z(alpha, power)
    moments = design.moments()
    return lambda theta: moments.excess(theta, z)


@lru_cache(maxsize=4)
def _table(n_before: tuple[int, ...], n_after: tuple[int, ...], alpha: float) -> PowerTable:
    """Return the power table of a design: the drop, the rise and each input left out often share one."""
    return power_table(np.array(n_before), np.array(n_after), alpha=alpha)


def _exact_excess(design: ShareDesign, alpha: float, power: float) -> Callable[[float], float]:
    """Return theta -> exact power minus the power asked for."""
    changing = design.rate > 0
    order = np.lexsort((design.n_after[changing], design.n_before[changing]))
    before, after = (n[changing][order].astype(np.int64) for n in (design.n_before, design.n_after))
    rate = design.rate[changing][order]
    table = _table(tuple(before.tolist()), tuple(after.tolist()), alpha)
    return lambda theta: table.power(rate, (1 - theta) * rate) - power


def _smallest(enough: Callable[[int], bool]) -> int:
    """Return the smallest n of at least 1 that is enough, given that more is never less."""
    high = 1
    while not enough(high):
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
