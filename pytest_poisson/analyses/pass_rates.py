"""pass^k and pass@k of a run: how often all of k attempts succeed, and how often at least one does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.pass_at_k import pass_all_of_k, pass_any_of_k
from pytest_poisson.analyses.outcomes import outcomes_alone

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from poisson_stats.pass_at_k import PassRate
    from poisson_stats.validation import IntArray
    from poisson_store.reader import RunReader
    from poisson_store.records import RolloutRecord

MOST_ATTEMPTS = 64


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean over conditions, with the interval from resampling them; None with fewer than two conditions."""

    rate: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class PassRates:
    """One rollout's chances that k attempts at a condition succeed, averaged over its conditions.

    A success is a replicate that ended with a declared success. One that ended in any other way is an attempt that
    failed, also where it did nothing: a replicate that returns without `rollout.end` ends as `passed`, which is a
    success only where the rollout declares it. One without an outcome is no attempt.

    Attributes
    ----------
    rollout
        Its id.
    successes
        Its declared successes.
    conditions
        Those averaged over: with an outcome at all.
    left_out
        Those without one, of which nothing is known.
    missing
        Replicates without an outcome, which are no attempts.
    k
        Numbers of attempts: 1, 2, 4 … up to the fewest attempts of a condition.
    all_succeed, any_succeeds
        pass^k and pass@k for each k.
    confidence
        Of the intervals.
    """

    rollout: str
    successes: tuple[str, ...]
    conditions: int
    left_out: int
    missing: int
    k: tuple[int, ...]
    all_succeed: tuple[Estimate, ...]
    any_succeeds: tuple[Estimate, ...]
    confidence: float


def pass_rates(reader: RunReader) -> tuple[PassRates, ...]:
    """Return the rates of every rollout that declares successes and has an outcome."""
    return tuple(_rates_of_run(reader))


def _rates_of_run(reader: RunReader) -> Iterator[PassRates]:
    accounts, counts = reader.accounting_by_condition(), outcomes_alone(reader)
    for rollout in reader.run.rollouts:
        conditions = [each for each in reader.conditions if each.rollout == rollout.id]
        n = np.array([accounts[each.key].with_outcome for each in conditions], dtype=np.int64)
        if not rollout.successes or not n.any():
            continue
        s = np.array([sum(counts[each.key][word] for word in rollout.successes) for each in conditions])
        missing = sum(accounts[each.key].without_outcome for each in conditions)
        yield _rates(rollout, s[n > 0], n[n > 0], left_out=int((n == 0).sum()), missing=missing)


def _rates(rollout: RolloutRecord, s: IntArray, n: IntArray, *, left_out: int, missing: int) -> PassRates:
    ks = tuple(_powers_of_two(min(int(n.min()), MOST_ATTEMPTS)))
    every, some = ([rate(s, n, k=k) for k in ks] for rate in (pass_all_of_k, pass_any_of_k))
    return PassRates(
        rollout=rollout.id,
        successes=rollout.successes,
        conditions=int(n.size),
        left_out=left_out,
        missing=missing,
        k=ks,
        all_succeed=_estimates(every),
        any_succeeds=_estimates(some),
        confidence=every[0].confidence,
    )


def _powers_of_two(most: int) -> Iterator[int]:
    k = 1
    while k <= most:
        yield k
        k *= 2


def _estimates(rates: Sequence[PassRate]) -> tuple[Estimate, ...]:
    return tuple(
        Estimate(rate.estimate, *(None if np.isnan(end) else end for end in (rate.low, rate.high)))
        for rate in rates
    )
