"""Rates by the horizon, where some replicates were cut off before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from poisson_stats.rates_over_time import CENSORED, EVENT, OTHER, rates_at_horizon
from pytest_poisson.analyses.episodes import translate
from pytest_poisson.analyses.figures import finite

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poisson_stats.validation import BoolArray, FloatArray, IntArray
    from poisson_store.records import EpisodeColumns
    from pytest_poisson.analyses.tally import Grid


@dataclass(frozen=True, slots=True)
class OverTime:
    """A row's rates by the horizon, as Aalen and Johansen estimate them; the test still uses the counts.

    Attributes
    ----------
    horizon
        The largest one of the condition in either arm, in the rollout's `t_unit`.
    before, after
        The share that has had the event by then, the other outcomes being competing risks; None of an arm that
        cannot be placed in time.
    cut_off_before, cut_off_after
        Replicates that were cut off before it: without an outcome but with `t`, or at a shorter horizon of their own,
        which they reached without the event.
    """

    horizon: float
    before: float | None
    after: float | None
    cut_off_before: int
    cut_off_after: int


class _Timed(NamedTuple):
    """Episodes of one arm that can be placed in time, of the compared conditions."""

    condition: IntArray
    word: IntArray
    t: FloatArray
    horizon: FloatArray
    unplaced: BoolArray  # per condition: whether an outcome has no t


def rates_over_time(
    grid: Grid, before: EpisodeColumns, after: EpisodeColumns, words: Sequence[str]
) -> Mapping[int, OverTime]:
    """Return the rates of the rows in which a replicate was cut off; of the others the plain share is the estimate.

    Parameters
    ----------
    grid
        The rows.
    before, after
        The arms' episodes with their times.
    words
        The words that both arms share, as the grid numbers them.
    """
    arms = [_timed(columns, grid, words) for columns in (before, after)]
    horizon = _horizons(arms, len(grid.conditions))
    found: dict[int, OverTime] = {}
    for slot in range(grid.counts_for.shape[1]):
        estimates = [_estimate(grid, arm, horizon, slot) for arm in arms]
        for row in np.flatnonzero(grid.slot == slot).tolist():
            condition = int(grid.condition[row])
            (rate_before, cut_before), (rate_after, cut_after) = (
                (rates[condition], int(cut[condition])) for rates, cut in estimates
            )
            if cut_before or cut_after:
                found[row] = OverTime(
                    float(horizon[condition]),
                    finite(rate_before),
                    finite(rate_after),
                    cut_before,
                    cut_after,
                )
    return found


def _timed(columns: EpisodeColumns, grid: Grid, words: Sequence[str]) -> _Timed:
    position = {condition.key: index for index, condition in enumerate(grid.conditions)}
    condition = translate(columns.conditions, position)[columns.condition]
    word = translate(columns.outcomes, {word: index for index, word in enumerate(words)})[columns.outcome]
    known, placed = condition >= 0, np.isfinite(columns.t)
    unplaced = np.zeros(len(grid.conditions), dtype=bool)
    unplaced[condition[known & ~placed & (word >= 0)]] = True
    kept = known & placed
    return _Timed(condition[kept], word[kept], columns.t[kept], columns.horizon[kept], unplaced)


def _horizons(arms: Sequence[_Timed], conditions: int) -> FloatArray:
    """Return each condition's largest horizon, or time where that is larger; NaN without any."""
    largest = np.full(conditions, np.nan)
    for arm in arms:
        np.fmax.at(largest, arm.condition, np.fmax(arm.horizon, arm.t))
    return largest


def _estimate(grid: Grid, arm: _Timed, horizon: FloatArray, slot: int) -> tuple[FloatArray, IntArray]:
    """Return, per condition, the rate of the event in a slot by the horizon, and how many were cut off."""
    rollout = grid.rollout[arm.condition]
    local = grid.local[rollout, arm.word]
    is_event = (arm.word >= 0) & grid.counts_for[rollout, slot, local]
    at_own_end = (arm.t >= arm.horizon) & (arm.horizon < horizon[arm.condition])
    cut_off = (arm.word < 0) | (at_own_end & ~is_event)
    ended = np.where(is_event, EVENT, np.where(cut_off, CENSORED, OTHER))
    conditions = len(grid.conditions)
    if not arm.t.size:
        return np.full(conditions, np.nan), np.zeros(conditions, dtype=np.int64)
    # No time of a condition lies beyond its own horizon, so that one time after all of them asks for each.
    last = float(np.nanmax(horizon))
    rates = rates_at_horizon(arm.t, ended, arm.condition, rows=conditions, horizon=last)
    return np.where(arm.unplaced, np.nan, rates), np.bincount(arm.condition[cut_off], minlength=conditions)
