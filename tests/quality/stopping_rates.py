"""False alarms of tests that are looked at again and again: p-values peeked at, and e-processes."""

from __future__ import annotations

import numpy as np

from poisson_stats.e_values import BLOCK_PRIOR, sign_log_e
from poisson_stats.mcnemar import mcnemar_test
from poisson_stats.sequential import StoppingRule
from tests.quality.simulated import Rate


def _pairs(rng, runs, length, before, after):
    """Return cumulated counts of pairs with the event only before, and only after."""
    first, second = rng.random((runs, length)) < before, rng.random((runs, length)) < after
    return (first & ~second).cumsum(axis=1), (~first & second).cumsum(axis=1), first, second


def block_paths(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return log E of the block test after every block, written anew with one pass over arrays."""
    blocks = np.arange(first.shape[1])
    s0, s1 = (np.cumsum(y, axis=1) - y for y in (first.astype(float), second.astype(float)))
    a, b = ((s + BLOCK_PRIOR) / (blocks + 2 * BLOCK_PRIOR) for s in (s0, s1))
    m = (a + b) / 2
    factors = np.where(first, a / m, (1 - a) / (1 - m)) * np.where(second, b / m, (1 - b) / (1 - m))
    return np.log(factors).cumsum(axis=1)


def false_alarms(*, runs: int, length: int = 400, seed: int = 8) -> list[Rate]:
    """Return how often each method ever claims a change when there is none, at 0.05."""
    rng = np.random.default_rng(seed)
    found = []
    for rate in (0.1, 0.4):
        b, c, first, second = _pairs(rng, runs, length, rate, rate)
        looks = np.arange(9, length, 10)
        peeked = (mcnemar_test(b[:, looks], c[:, looks]).p <= 0.05).any(axis=1).mean()
        once = (mcnemar_test(b[:, -1], c[:, -1]).p <= 0.05).mean()
        sign = (sign_log_e(b, c) >= np.log(20)).any(axis=1).mean()
        block = (block_paths(first, second) >= np.log(20)).any(axis=1).mean()
        setting = f"rate {rate}, {length} pairs"
        found += [
            Rate(
                "Peeking",
                setting,
                "McNemar's p looked at every 10 pairs",
                float(peeked),
                runs,
                "no promise is kept",
            ),
            Rate(
                "Peeking",
                setting,
                "McNemar's p looked at once, at the end",
                float(once),
                runs,
                "at most 0.05",
            ),
            Rate(
                "Peeking",
                setting,
                "sign e-process looked at after every pair",
                float(sign),
                runs,
                "at most 0.05",
            ),
            Rate(
                "Peeking",
                setting,
                "block e-process looked at after every block",
                float(block),
                runs,
                "at most 0.05",
            ),
        ]
    return found


def family(*, runs: int, paired: bool, planned: int = 120, seed: int = 9) -> list[Rate]:
    """Return the false discovery rate and power of the whole rule on 10 rows, 4 of them changed from 0.3 to 0.7."""
    rng = np.random.default_rng(seed)
    changed = np.arange(10) < 4
    rule = StoppingRule(conditions=10, events=1, planned=planned, paired=paired)
    false, hit, saved = [], [], []
    for _ in range(runs):
        state = rule.start()
        while state.running.any():
            where = np.flatnonzero(state.running)
            before = rng.random((where.size, 10)) < 0.3
            after = rng.random((where.size, 10)) < np.where(changed[where], 0.7, 0.3)[:, np.newaxis]
            c = np.repeat(where, 10)
            r = (state.taken[where, np.newaxis] + np.arange(10)).ravel()
            state = rule.advance(state, c, r, before=before.reshape(-1, 1), after=after.reshape(-1, 1))
        flags = state.flagged[:, 0]
        false.append(flags[~changed].sum() / max(flags.sum(), 1))
        hit.append(flags[changed].mean())
        saved.append(rule.saved(state) / (10 * planned))
    method = "paired" if paired else "unpaired"
    setting = f"{method}, 4 of 10 rows changed from 0.3 to 0.7, at most {planned} pairs"
    return [
        Rate("Stopping early", setting, "false discovery rate", float(np.mean(false)), runs, "at most 0.05"),
        Rate("Stopping early", setting, "changed rows flagged", float(np.mean(hit)), runs, ""),
        Rate("Stopping early", setting, "planned replicates saved", float(np.mean(saved)), runs, ""),
    ]
