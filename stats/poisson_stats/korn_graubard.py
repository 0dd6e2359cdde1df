"""The Korn-Graubard interval: Clopper-Pearson on as many trials as clustered ones are worth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from scipy.special import betaincinv, stdtrit

from poisson_stats.validation import levels, rows, within

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import IntArray

__all__ = ["KornGraubard", "item_counts", "korn_graubard"]


@dataclass(frozen=True, slots=True)
class KornGraubard:
    """An interval for a rate whose trials come in clusters.

    Attributes
    ----------
    estimate : float
        Events / trials, over all items.
    low, high : float
        The interval.
    confidence : float
        Its level.
    effective : float
        How many independent trials the clustered ones are worth.
    events, trials, items : int
        What it was computed from.
    """

    estimate: float
    low: float
    high: float
    confidence: float
    effective: float
    events: int
    trials: int
    items: int


def korn_graubard(events: ArrayLike, trials: ArrayLike, *, confidence: float = 0.95) -> KornGraubard:
    """Return an interval for a rate from several trials an item, with the item as the unit.

    Parameters
    ----------
    events, trials : array_like of int, shape (items,)
        Events and trials of each item. Items without a trial are left out.
    confidence : float in (0, 1), default 0.95
        Level of the interval.

    Returns
    -------
    KornGraubard

    Raises
    ------
    ValueError
        For counts that are not counts, events above trials, a level outside (0, 1), and fewer than two items
        with a trial: one item cannot show how much items differ.

    Notes
    -----
    With p the rate over all n trials of k items, of which item i had m_i trials and f_i events [1]_,

        v  = k / (k - 1) sum (f_i - p m_i)^2 / n^2                the variance of p as a ratio over items,
        n* = min(n, p (1 - p) / v (t(n - 1) / t(k - 1))^2),       t(d): Student's quantile at 1 - (1 - confidence)/2,

    and the interval is Clopper and Pearson's for p n* events in n* trials (Beta quantiles take fractions).
    More than the n trials is never claimed, however evenly they fell.

    Where no item, or every item, had the event in all its trials, v is 0 and says nothing: n* is then the number of
    items, as if each one's trials were copies. SUDAAN and R's ``svyciprop(method = "beta")`` take all n
    trials there, which is right only if they are independent.

    References
    ----------
    .. [1] Korn, E. L. and Graubard, B. I. (1998). Confidence intervals for proportions with small expected
       number of positive counts estimated from survey data. Survey Methodology 24, 193-201.

    Examples
    --------
    >>> interval = korn_graubard([0, 3, 0, 1, 3, 0], [3] * 6)
    >>> round(interval.effective, 1), round(interval.low, 3), round(interval.high, 3)
    (4.0, 0.032, 0.885)
    """
    f, m = item_counts(events, trials)
    levels(confidence=confidence)
    if m.size < 2:
        raise ValueError(f"trials has {m.size} items with a trial; at least 2 are needed for an interval.")
    n, k = int(m.sum()), m.size
    p = float(f.sum() / n)
    miss = (1 - confidence) / 2
    effective = float(k)
    if 0 < p < 1:
        variance = k / (k - 1) * float(((f - p * m) ** 2).sum()) / n**2
        shrink = float((stdtrit(n - 1, 1 - miss) / stdtrit(k - 1, 1 - miss)) ** 2)
        effective = min(float(n), p * (1 - p) / variance * shrink) if variance > 1e-15 else float(n)
    hits = p * effective
    return KornGraubard(
        estimate=p,
        low=float(betaincinv(hits, effective - hits + 1, miss)) if hits > 0 else 0.0,
        high=float(1 - betaincinv(effective - hits, hits + 1, miss)) if hits < effective else 1.0,
        confidence=confidence,
        effective=effective,
        events=int(f.sum()),
        trials=n,
        items=k,
    )


def item_counts(events: ArrayLike, trials: ArrayLike) -> tuple[IntArray, IntArray]:
    """Read events and trials by item, leaving out items without a trial.

    Raises
    ------
    ValueError
        For counts that are not counts, events above trials, and where there is no trial at all.
    """
    f, m = rows(events=events, trials=trials)
    within("events", f, "trials", m)
    if not m.any():
        raise ValueError(f"trials={m.tolist()} must hold at least one trial.")
    return f[m > 0], m[m > 0]
