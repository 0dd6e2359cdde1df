"""How often the gate would fail if nothing had changed: one run, split at random and compared with itself."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.fisher import fisher_test
from poisson_stats.limits import limits_unpaired
from poisson_stats.multiplicity import benjamini_hochberg, holm
from poisson_stats.rate_intervals import clopper_pearson
from poisson_stats.significance import alpha_per_test
from poisson_stats.verdict import verdict
from pytest_poisson.analyses.levels import events_of, levels_of
from pytest_poisson.analyses.material import gather
from pytest_poisson.analyses.missing import (
    compare_shares,
    emptied_conditions,
    uneven_conditions,
    word_with_missing,
)
from pytest_poisson.analyses.tally import count_arm
from pytest_poisson.decision import Facts, reasons_to_fail
from pytest_poisson.errors import UserError
from pytest_poisson.fail_on import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from poisson_stats.validation import BoolArray, FloatArray, IntArray
    from poisson_stats.verdict import Verdict
    from poisson_store.reader import RunReader
    from pytest_poisson.analyses.episodes import Episodes
    from pytest_poisson.analyses.material import Material
    from pytest_poisson.fail_on import FailWord

CONFIDENCE = 0.95


@dataclass(frozen=True, slots=True)
class NullResult:
    """What comparing a run's halves with each other gave.

    Attributes
    ----------
    run
        The run's name.
    splits, seed
        How many random splits were compared, and the seed they were drawn with.
    conditions, tests
        Conditions compared, and rows: conditions times events.
    half
        The fewest outcomes of a condition in a half; the comparison that a gate makes has more.
    q, max_mde, fail_on
        How the gate was set.
    failed
        Splits that would have failed the gate.
    rate, low, high, confidence
        Their share, and its exact interval: how often a split of this run fails.
    flagged
        Splits with a flagged row, whether it counted or not.
    words
        How often each verdict came.
    """

    run: str
    splits: int
    seed: int
    conditions: int
    tests: int
    half: int
    q: float
    max_mde: float
    fail_on: tuple[FailWord, ...]
    failed: int
    rate: float
    low: float
    high: float
    confidence: float
    flagged: int
    words: Mapping[Verdict, int]


def null(
    reader: RunReader,
    *,
    events: Sequence[str] | None = None,
    splits: int = 200,
    seed: int = 0,
    q: float | None = None,
    max_mde: float | None = None,
    fail_on: tuple[FailWord, ...] = DEFAULT,
) -> NullResult:
    """Split every condition's replicates at random into halves, compare these as two runs, and count what fails.

    Nothing differs between the halves but chance, so every failure is a false alarm. The comparison is the unpaired
    one, as `diff` makes it of independent runs, missing outcomes included.

    Parameters
    ----------
    reader
        The run.
    events, q, max_mde, fail_on
        As for `check`.
    splits
        How many splits to compare.
    seed
        Seed of `numpy.random.default_rng`; a run and a seed give the same splits.

    Raises
    ------
    UserError
        If an event is unknown or mixed, or no condition has two outcomes to split.
    """
    q, max_mde = levels_of(reader.run, q, max_mde)
    material = gather(reader, reader, events or events_of(reader.run), joined=False)
    outcomes = _outcomes(material)
    if not material.grid.condition.size or outcomes.max() < 2:
        raise UserError(
            f"Run '{reader.run.name}' cannot be split: no condition has 2 replicates with an outcome of an event's "
            "rollout."
        )
    facts, flagged = _compare_halves(material, list(_halves(material.before, splits, seed)), q, max_mde)
    failed = sum(bool(reasons_to_fail(fail_on, each)) for each in facts)
    words = Counter(each.verdict for each in facts)
    interval = clopper_pearson(failed, splits, confidence=CONFIDENCE)
    return NullResult(
        run=reader.run.name,
        splits=splits,
        seed=seed,
        conditions=len(material.grid.conditions),
        tests=material.grid.condition.size,
        half=int(outcomes.min()) // 2,
        q=q,
        max_mde=max_mde,
        fail_on=fail_on,
        failed=failed,
        rate=failed / splits,
        low=float(interval.low),
        high=float(interval.high),
        confidence=CONFIDENCE,
        flagged=flagged,
        words=dict(sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))),
    )


def _outcomes(material: Material) -> IntArray:
    """Return how many outcomes each row's condition has."""
    arm = material.before
    return np.bincount(arm.condition[arm.word >= 0], minlength=len(material.grid.conditions))[
        material.grid.condition
    ]


def _halves(arm: Episodes, splits: int, seed: int) -> Iterator[tuple[Episodes, Episodes]]:
    """Yield random halves of every condition's episodes; of an odd number the second half has one more."""
    rng = np.random.default_rng(seed)
    size = np.bincount(arm.condition)
    rank = np.arange(arm.condition.size) - (np.cumsum(size) - size)[arm.condition]
    is_first = rank < size[arm.condition] // 2
    for _ in range(splits):
        order = np.lexsort((rng.random(arm.condition.size), arm.condition))
        yield arm.take(np.sort(order[is_first])), arm.take(np.sort(order[~is_first]))


def _compare_halves(
    material: Material, halves: Sequence[tuple[Episodes, Episodes]], q: float, max_mde: float
) -> tuple[list[Facts], int]:
    """Compare all pairs of halves; return what a gate looks at of each, and how many have a flagged row."""
    grid = material.grid
    counts = [[count_arm(grid, arm) for arm in pair] for pair in halves]
    k0, n0, m0, k1, n1, m1 = (
        np.array([getattr(pair[side], name) for pair in counts])
        for side in (0, 1)
        for name in ("event", "outcomes", "missing")
    )
    tested = _Splits.test((k0, n0, k1, n1), grid.direction, q, max_mde)
    if not (m0.any() or m1.any()):
        return [
            Facts(word, word, *change) for word, change in zip(*tested.said(), strict=True)
        ], tested.flagged
    # The rule of `poisson_stats.missing`: every missing outcome a failure after and none before.
    fails = grid.direction > 0
    worst_counts = (k0 + np.where(fails, 0, m0), n0 + m0, k1 + np.where(fails, m1, 0), n1 + m1)
    worst = _Splits.test(worst_counts, grid.direction, q, max_mde).said()[0]
    facts = [
        _with_missing(word, change, pair, len(grid.conditions), turned)
        for word, change, pair, turned in zip(*tested.said(), halves, worst, strict=True)
    ]
    return facts, tested.flagged


def _with_missing(
    word: Verdict,
    change: tuple[bool, bool],
    halves: tuple[Episodes, Episodes],
    conditions: int,
    as_failures: Verdict,
) -> Facts:
    shares = compare_shares(*halves, joined=False)
    emptied = emptied_conditions(*halves, conditions).size
    uneven = uneven_conditions(*halves, conditions, joined=False).size
    return Facts(
        word_with_missing(word, shares, emptied, uneven),
        word,
        *change,
        incomplete=shares.problem is not None,
        emptied=bool(emptied or uneven),
        as_failures=as_failures,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Splits:
    """Many comparisons of the same rows, [split, row]: tested in one call, corrected one by one."""

    change: FloatArray
    direction: IntArray
    counted: BoolArray
    too_small: BoolArray
    flagged: int

    @classmethod
    def test(cls, counts: Sequence[IntArray], direction: IntArray, q: float, max_mde: float) -> _Splits:
        k0, n0, k1, n1 = counts
        log_p = fisher_test(k0.ravel(), n0.ravel(), k1.ravel(), n1.ravel()).log_p.reshape(k0.shape)
        alpha = alpha_per_test(q, direction.size)
        ceiling = limits_unpaired(k0.ravel(), n0.ravel(), n1.ravel(), alpha=alpha).ceiling
        return cls(
            change=k1 / np.maximum(n1, 1) - k0 / np.maximum(n0, 1),
            direction=direction,
            counted=np.array([holm(row, q=q).rejected for row in log_p]),
            too_small=(ceiling > max_mde).reshape(k0.shape),
            flagged=sum(bool(benjamini_hochberg(row, q=q).rejected.any()) for row in log_p),
        )

    def said(self) -> tuple[list[Verdict], list[tuple[bool, bool]]]:
        """Return each split's verdict, and whether it counts a change for the worse and any change."""
        words = [
            verdict(change, self.direction, counted, small)
            for change, counted, small in zip(self.change, self.counted, self.too_small, strict=True)
        ]
        worse = self.counted & (self.change * self.direction > 0)
        changes = [(bool(bad.any()), bool(all_.any())) for bad, all_ in zip(worse, self.counted, strict=True)]
        return words, changes
