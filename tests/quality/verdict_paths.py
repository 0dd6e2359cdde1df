"""How often a comparison of two runs says each of its words, when nothing changed and when something did."""

from __future__ import annotations

from collections import Counter

import numpy as np

from poisson_stats.fisher import fisher_test
from poisson_stats.limits import limits_paired, limits_unpaired
from poisson_stats.mcnemar import mcnemar_test
from poisson_stats.multiplicity import benjamini_hochberg, holm
from poisson_stats.significance import alpha_per_test
from poisson_stats.verdict import verdict
from tests.quality.simulated import Rate

ROWS, Q, MAX_MDE = 18, 0.05, 0.20
WORDS = ("worse", "safer", "trade", "no significant change", "too small to tell")


def rates_before(n: int) -> np.ndarray:
    """Return rates from 0.1 to 0.6 that n replicates can show exactly, so that limits are from the very rate."""
    return np.round(np.linspace(0.10, 0.60, ROWS) * n) / n


def scenarios(n: int, paired: bool) -> dict[str, np.ndarray]:
    """Return the rates after under the null and three alternatives: changes as large as the row's own limit."""
    base = rates_before(n)
    k = np.round(base * n).astype(int)
    alpha = alpha_per_test(Q, ROWS)
    limits = (
        limits_paired(k, [n] * ROWS, alpha=alpha)
        if paired
        else limits_unpaired(k, [n] * ROWS, [n] * ROWS, alpha=alpha)
    )
    rise, fall = np.zeros(ROWS), np.zeros(ROWS)
    rise[6] = limits.rise[6]
    fall[14] = limits.fall[14]
    return {
        "nothing changed": base,
        "one row rose by its limit": base + rise,
        "one row fell by its limit": base - fall,
        "one rose, another fell": base + rise - fall,
    }


def drawn(rng: np.random.Generator, n: int, after: np.ndarray, runs: int, paired: bool):
    """Return log p-values, changes and counts before of `runs` experiments, each of shape (runs, rows)."""
    base = rates_before(n)
    if not paired:
        k0 = rng.binomial(n, base, (runs, ROWS))
        k1 = rng.binomial(n, after, (runs, ROWS))
        return fisher_test(k0, n, k1, n).log_p, k1 - k0, k0
    cells = np.stack(
        (base * after, base * (1 - after), (1 - base) * after, (1 - base) * (1 - after)), axis=-1
    )
    both, before, then, _ = np.moveaxis(rng.multinomial(n, cells, (runs, ROWS)), -1, 0)
    return mcnemar_test(before, then).log_p, then - before, both + before


def too_small(k0: np.ndarray, n: int, paired: bool) -> np.ndarray:
    """Return where a row's ceiling is above the accepted change, each distinct count once."""
    counts, place = np.unique(k0, return_inverse=True)
    alpha, size = alpha_per_test(Q, ROWS), np.full(counts.size, n)
    limits = (
        limits_paired(counts, size, alpha=alpha)
        if paired
        else limits_unpaired(counts, size, size, alpha=alpha)
    )
    return (limits.ceiling > MAX_MDE)[place].reshape(k0.shape)


def words(log_p: np.ndarray, change: np.ndarray, small: np.ndarray) -> Counter:
    """Return how often each verdict falls, a rise being worse in every row."""
    direction = np.ones(ROWS, dtype=np.int64)
    return Counter(
        verdict(change[i], direction, holm(log_p[i], q=Q).rejected, small[i]) for i in range(log_p.shape[0])
    )


def verdict_rates(n: int, *, paired: bool, runs: int, seed: int = 1) -> list[Rate]:
    """Return the rate of every word in every scenario."""
    rng = np.random.default_rng(seed)
    method = "paired (McNemar)" if paired else "unpaired (Fisher)"
    rates = []
    for name, after in scenarios(n, paired).items():
        log_p, change, k0 = drawn(rng, n, after, runs, paired)
        said = words(log_p, change, too_small(k0, n, paired))
        for word in WORDS:
            promise = ""
            if name == "nothing changed":
                promise = "the first three together at most 0.05" if word == "worse" else ""
            rates.append(Rate(method, f"n = {n}: {name}", word, said[word] / runs, runs, promise))
    return rates


def flag_rates(n: int, *, paired: bool, runs: int, seed: int = 2) -> list[Rate]:
    """Return how often a changed row is flagged at its own limit, and the false discovery rate with half changed."""
    rng = np.random.default_rng(seed)
    method = "paired (McNemar)" if paired else "unpaired (Fisher)"
    scene = scenarios(n, paired)
    alone = drawn(rng, n, scene["one row rose by its limit"], runs, paired)[0]
    hits = np.mean([benjamini_hochberg(row, q=Q).rejected[6] for row in alone])
    after = rates_before(n)
    after[::2] += 0.2
    log_p = drawn(rng, n, after, runs, paired)[0]
    flagged = np.array([benjamini_hochberg(row, q=Q).rejected for row in log_p])
    false = flagged[:, 1::2].sum(axis=1) / np.maximum(flagged.sum(axis=1), 1)
    half = f"n = {n}: half the rows rose by 0.2"
    return [
        Rate(method, f"n = {n}: one row rose by its limit", "flagged", float(hits), runs, "at least 0.8"),
        Rate(method, half, "false discovery rate", float(false.mean()), runs, "at most 0.025"),
        Rate(method, half, "flagged of those", float(flagged[:, ::2].mean()), runs, ""),
    ]
