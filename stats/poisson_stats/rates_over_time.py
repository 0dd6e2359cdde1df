"""An event's rate by a horizon, where some episodes were cut off before it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.competing_risks import cumulative_incidence, incidence_at
from poisson_stats.risk_table import times_of, whole_codes
from poisson_stats.validation import positive, refuse_where

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from poisson_stats.validation import FloatArray

CENSORED, EVENT, OTHER = 0, 1, 2
"""How an episode ended: cut off, with the event, with another outcome (which rules the event out)."""


def rates_at_horizon(
    t: ArrayLike, ended: ArrayLike, row: ArrayLike, *, rows: int, horizon: float
) -> FloatArray:
    """Return each row's Aalen-Johansen cumulative incidence of the event at the horizon.

    Other outcomes are competing risks: an episode that was resolved will not time out any more, so censoring
    it instead would overstate the rate. Without censoring the incidence is k / n, the plain share; with it,
    episodes that were cut off count for as long as they were seen (see `competing_risks`). The *test* of a
    row uses the counts of episodes with an outcome either way.

    Parameters
    ----------
    t
        When each episode ended or was cut off, shape (n,), not negative.
    ended
        0 cut off, 1 with the event, 2 with another outcome.
    row
        The row of each episode, 0 to ``rows`` - 1.
    rows
        How many rows there are.
    horizon
        The time asked about. Episodes that ended later count as neither event nor other outcome.

    Returns
    -------
    ndarray of shape (rows,)
        NaN for a row without episodes.

    Raises
    ------
    ValueError
        For times that are negative or NaN, codes out of range, or shapes that differ.

    Examples
    --------
    Of 4 episodes one was cut off at 2; of the other row's none.

    >>> t, ended, row = [1, 2, 3, 5, 1, 2], [1, 0, 1, 2, 1, 2], [0, 0, 0, 0, 1, 1]
    >>> rates_at_horizon(t, ended, row, rows=2, horizon=6).round(3).tolist()
    [0.625, 0.5]
    """
    time = times_of("t", t)
    positive(rows=rows)
    refuse_where(np.asarray(not horizon >= 0), "horizon", horizon, "must be a time of at least 0")
    code = whole_codes("ended", ended, length=time.size, largest=OTHER)
    index = whole_codes("row", row, length=time.size, largest=rows - 1)
    seen = time <= horizon
    episodes = np.bincount(index, minlength=rows)
    events = np.bincount(index[seen & (code == EVENT)], minlength=rows)
    rate = np.divide(events, episodes, out=np.full(rows, np.nan), where=episodes > 0)
    for number in np.unique(index[seen & (code == CENSORED)]).tolist():
        here = index == number
        curve = cumulative_incidence(time[here], code[here], kinds=2, resamples=0)
        rate[number] = incidence_at(curve, horizon)[0][0]
    return np.asarray(rate)
