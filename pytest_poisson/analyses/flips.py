"""Counting flips at one cut, with the interval that the pairs allow."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.replay import arm_order, flip_outcome, flip_rate, pooled_flips
from pytest_poisson.analyses.paired_result import Flips

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pytest_poisson.replay.declaration import Cut, ReplayDeclaration
    from pytest_poisson.replay.eligibility import Pair


def count_flips(
    declaration: ReplayDeclaration, cut: Cut, pairs: Sequence[Pair], item_of: Mapping[str, str]
) -> Flips:
    """Count the decisions of eligible pairs at one cut, and estimate how often they flip.

    Parameters
    ----------
    declaration
        The replay's, for the bootstrap and the floor.
    cut
        The threshold and its side.
    pairs
        The eligible pairs of the items under the cut.
    item_of
        The item of each condition, by key.
    """
    table: Counter[tuple[bool, bool]] = Counter()
    by_item: dict[str, list[Pair]] = defaultdict(list)
    ties = 0
    for pair in pairs:
        if pair.scores is not None:
            first, second = pair.scores
            table[cut.decides(first), cut.decides(second)] += 1
            ties += (first == cut.threshold) + (second == cut.threshold)
            by_item[item_of[pair.condition]].append(pair)
    points = tuple(_point(item, by_item[item], cut) for item in sorted(by_item))
    n11, n10, n01, n00 = table[True, True], table[True, False], table[False, True], table[False, False]
    flips, counts = [each[2] for each in points], [each[3] for each in points]
    estimate = _estimate((n11, n10, n01, n00), flips, counts, declaration)
    total, order = n11 + n10 + n01 + n00, arm_order(n10, n01)
    outcome = None
    if declaration.floor is not None and estimate.low is not None and estimate.high is not None:
        outcome = flip_outcome(estimate.low, estimate.high, floor=float(declaration.floor))
    return Flips(
        cut.name,
        n11,
        n10,
        n01,
        n00,
        len(points),
        (n10 + n01) / total,
        estimate.low,
        estimate.high,
        estimate.confidence,
        estimate.basis,
        estimate.korn_graubard,
        estimate.icc,
        estimate.design_effect,
        (n01 - n10) / total,
        order.p,
        order.could_reject,
        None if outcome is None else outcome.letter,
        None if outcome is None else outcome.below_floor,
        ties,
        points,
    )


def _point(item: str, pairs: Sequence[Pair], cut: Cut) -> tuple[str, float, int, int]:
    scores = [score for pair in pairs if pair.scores is not None for score in pair.scores]
    flips = sum(
        cut.decides(first) != cut.decides(second)
        for first, second in (pair.scores for pair in pairs if pair.scores)
    )
    return item, float(sum(scores) / len(scores)), flips, len(pairs)


@dataclass(frozen=True, slots=True)
class _Estimate:
    low: float | None
    high: float | None
    confidence: float
    basis: str
    korn_graubard: tuple[float, float] | None = None
    icc: float | None = None
    design_effect: float | None = None


def _estimate(
    table: tuple[int, int, int, int],
    flips: Sequence[int],
    counts: Sequence[int],
    declaration: ReplayDeclaration,
) -> _Estimate:
    """Return the interval of a flip rate: exact for one pair an item, else with the item as the unit."""
    if max(counts) == 1 and len(counts) > 1:
        exact = flip_rate(*table)
        return _Estimate(exact.low, exact.high, exact.confidence, "exact binomial")
    pooled = pooled_flips(
        np.array(flips), np.array(counts), resamples=declaration.bootstrap_b, seed=declaration.bootstrap_seed
    )
    interval, kg = pooled.interval, pooled.interval.korn_graubard
    return _Estimate(
        _or_none(interval.low),
        _or_none(interval.high),
        interval.confidence,
        interval.basis,
        None if kg is None else (kg.low, kg.high),
        _or_none(pooled.clustering.icc),
        _or_none(pooled.clustering.design_effect),
    )


def _or_none(value: float) -> float | None:
    """Return a number, or None for NaN: undefined is never 0."""
    return None if np.isnan(value) else float(value)
