"""How alike an item's trials are (intraclass correlation), and what that costs (design effect)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.korn_graubard import item_counts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

__all__ = ["Clustering", "clustering"]


@dataclass(frozen=True, slots=True)
class Clustering:
    """The correlation of trials within items.

    Attributes
    ----------
    icc : float
        Intraclass correlation: 1 where an item's trials are copies, 0 where items do not matter; can be slightly
        negative. NaN where it cannot be estimated: one item, one trial an item, or all trials alike.
    design_effect : float
        1 + (mean trials - 1) icc: by how much clustering multiplies the variance of the rate; 1 with one trial an
        item, NaN where `icc` is unknown otherwise.
    mean_trials : float
        Trials an item.
    items, trials : int
        What it was computed from.
    """

    icc: float
    design_effect: float
    mean_trials: float
    items: int
    trials: int


def clustering(events: ArrayLike, trials: ArrayLike) -> Clustering:
    """Estimate the intraclass correlation of a yes-or-no outcome, and the design effect.

    Parameters
    ----------
    events, trials : array_like of int, shape (items,)
        Events and trials of each item. Items without a trial are left out.

    Returns
    -------
    Clustering

    Raises
    ------
    ValueError
        For counts that are not counts, events above trials, and where there is no trial at all.

    Notes
    -----
    One-way analysis of variance with unequal groups [1]_: with f_i events in m_i trials of item i, k items, n
    trials and F events in all,

        MSB = (sum f_i^2 / m_i - F^2 / n) / (k - 1),     MSW = (F - sum f_i^2 / m_i) / (n - k),
        k0  = (n - sum m_i^2 / n) / (k - 1),             icc = (MSB - MSW) / (MSB + (k0 - 1) MSW),

    and the design effect is that of Kish (1965, Survey Sampling, section 5.4).

    References
    ----------
    .. [1] Ridout, M. S., Demetrio, C. G. B. and Firth, D. (1999). Estimating intraclass correlation for binary
       data. Biometrics 55, 137-148, section 2.1.

    Examples
    --------
    >>> got = clustering([0, 3, 0, 3], [3, 3, 3, 3])
    >>> got.icc, got.design_effect
    (1.0, 3.0)
    """
    f, m = item_counts(events, trials)
    n, k, total = int(m.sum()), m.size, int(f.sum())
    mean = n / k
    if n == k:
        return Clustering(np.nan, 1.0, mean, k, n)
    if k == 1 or total in {0, n}:
        return Clustering(np.nan, np.nan, mean, k, n)
    squares = float((f**2 / m).sum())
    between = (squares - total**2 / n) / (k - 1)
    inside = max(0.0, total - squares) / (n - k)
    size = (n - float((m**2).sum()) / n) / (k - 1)
    icc = (between - inside) / (between + (size - 1) * inside)
    return Clustering(icc, 1 + (mean - 1) * icc, mean, k, n)
