"""How often each interval holds the truth: by enumeration where that is possible, else by simulation."""

from __future__ import annotations

import numpy as np
from scipy import stats

from poisson_stats.competing_risks import cumulative_incidence
from poisson_stats.difference_intervals import miettinen_nurminen, tango
from poisson_stats.item_interval import cluster_bootstrap, item_interval
from poisson_stats.korn_graubard import korn_graubard
from poisson_stats.pass_at_k import pass_all_of_k
from poisson_stats.rate_intervals import clopper_pearson, wilson
from poisson_stats.risk_difference import risk_difference
from poisson_stats.survival import survival_at, survival_curve, survival_difference
from tests.quality.simulated import Rate

TRUE_RATES = (0.02, 0.1, 0.3, 0.5)


def single_rates(sizes=(10, 50, 194)) -> list[Rate]:
    """Return the exact coverage of the intervals for one rate, at 95 %."""
    found = []
    for name, interval, promise in (
        ("Clopper-Pearson", clopper_pearson, "at least 0.95"),
        ("Wilson", wilson, "0.95 on average"),
    ):
        for n in sizes:
            k = np.arange(n + 1)
            got = interval(k, np.full(n + 1, n))
            for p in TRUE_RATES:
                value = stats.binom.pmf(k, n, p)[(got.low <= p) & (p <= got.high)].sum()
                found.append(Rate(name, f"n = {n}, rate {p}", "coverage", float(value), 0, promise))
    return found


def unpaired_differences(sizes=(20, 60)) -> list[Rate]:
    """Return the exact coverage of Miettinen and Nurminen's interval, at 95 %."""
    found = []
    for n in sizes:
        k0, k1 = (grid.ravel() for grid in np.meshgrid(np.arange(n + 1), np.arange(n + 1), indexing="ij"))
        got = miettinen_nurminen(k1, np.full(k1.size, n), k0, np.full(k0.size, n))
        for p, change in ((0.02, 0.1), (0.1, 0.0), (0.3, 0.2), (0.5, 0.4)):
            chance = stats.binom.pmf(k0, n, p) * stats.binom.pmf(k1, n, p + change)
            value = chance[(got.low <= change) & (change <= got.high)].sum()
            setting = f"n = {n}, {p} to {round(p + change, 2)}"
            found.append(Rate("Miettinen-Nurminen", setting, "coverage", float(value), 0, "near 0.95"))
    return found


def paired_differences(*, runs: int, sizes=(20, 60, 194), seed: int = 3) -> list[Rate]:
    """Return the coverage of Tango's interval, at 95 %, for independent and for correlated arms."""
    rng = np.random.default_rng(seed)
    found = []
    for n in sizes:
        for p, q, shared in ((0.1, 0.1, 0.0), (0.3, 0.5, 0.0), (0.3, 0.5, 0.1), (0.02, 0.1, 0.0)):
            cells = [p * q + shared, p * (1 - q) - shared, (1 - p) * q - shared, (1 - p) * (1 - q) + shared]
            both, first, second, neither = rng.multinomial(n, cells, runs).T
            got = tango(both, first, second, neither)
            value = np.mean((got.low <= p - q) & (p - q <= got.high))
            setting = f"n = {n}, {p} and {q}, {'correlated' if shared else 'independent'}"
            found.append(Rate("Tango", setting, "coverage", float(value), runs, "near 0.95"))
    return found


def stratified_differences(*, runs: int, seed: int = 4) -> list[Rate]:
    """Return the coverage of the Mantel-Haenszel difference with Sato's variance, at 95 %."""
    rng = np.random.default_rng(seed)
    found = []
    for strata, n0, n1 in ((6, 4, 4), (30, 4, 1), (100, 2, 2), (10, 30, 30)):
        before = rng.uniform(0.3, 0.8, strata)
        after = before - 0.15
        hits = 0
        for _ in range(runs):
            k0, k1 = rng.binomial(n0, before), rng.binomial(n1, after)
            got = risk_difference(k0, [n0] * strata, k1, [n1] * strata)
            hits += got.low <= -0.15 <= got.high
        setting = f"{strata} inputs, {n0} v {n1} runs"
        found.append(Rate("Sato", setting, "coverage", hits / runs, runs, "near 0.95"))
    return found


def survival_bands(*, runs: int, seed: int = 5) -> list[Rate]:
    """Return the coverage of Greenwood's band, of the Wald band of a difference, and of the bootstrap of incidence."""
    rng = np.random.default_rng(seed)
    found = []
    for n in (20, 50, 200):
        hits = np.zeros(3)
        truth, other, incidence = 0.85**4, 0.75**4, 0.5 * (1 - 0.85**4)
        for _ in range(runs):
            one, two = _episodes(rng, n, 0.15), _episodes(rng, n, 0.25)
            curves = [survival_curve(t, c > 0) for t, c in (one, two)]
            at = survival_at(curves[0], [4])
            hits[0] += at.low[0] <= truth <= at.high[0]
            change = survival_difference(curves[0], curves[1], [4])
            hits[1] += change.low[0] <= other - truth <= change.high[0]
            result = cumulative_incidence(*one, kinds=2, resamples=200, seed=int(rng.integers(2**31)))
            last = np.searchsorted(result.times, 4, side="right") - 1
            hits[2] += last >= 0 and result.low[0, last] <= incidence <= result.high[0, last]
        names = ("Greenwood, S(4)", "Wald, difference of S(4)", "bootstrap, F(4) of one kind")
        for name, hit in zip(names, hits, strict=True):
            found.append(Rate(f"{n} episodes", name, "coverage", hit / runs, runs, "near 0.95"))
    return found


def _episodes(rng, n, hazard):
    """Draw steps and causes of n episodes: two kinds of death alike, and independent censoring."""
    died, censored = rng.geometric(hazard, n), rng.integers(1, 15, n)
    causes = np.where(died <= censored, rng.integers(1, 3, n), 0)
    return np.minimum(died, censored), causes


def few_items(*, runs: int, items=(3, 6, 10, 20), seed: int = 6) -> list[Rate]:
    """Return the coverage of the percentile bootstrap against Korn-Graubard on few items of 3 trials, at 95 %."""
    rng = np.random.default_rng(seed)
    found = []
    for k in items:
        hits = np.zeros(2)
        trials = np.full(k, 3)
        for _ in range(runs):
            events = rng.binomial(3, rng.beta(1.5, 3.5, k))
            low, high = cluster_bootstrap(
                events, trials, confidence=0.95, resamples=400, seed=int(rng.integers(2**31))
            )
            beside = korn_graubard(events, trials)
            hits += (low <= 0.3 <= high, beside.low <= 0.3 <= beside.high)
        for name, hit, promise in (
            ("percentile bootstrap", hits[0], "undercovers"),
            ("Korn-Graubard", hits[1], "at least 0.95"),
        ):
            found.append(
                Rate("Few items", f"{k} items of 3 trials", f"coverage, {name}", hit / runs, runs, promise)
            )
    return found


def chosen_intervals(*, runs: int, seed: int = 14) -> list[Rate]:
    """Return the coverage of the interval that the rules choose, by what they choose from, at 95 %."""
    rng = np.random.default_rng(seed)
    found = []
    for items, each in ((6, 1), (40, 1), (6, 3), (20, 3), (60, 3)):
        for rate in (0.02, 0.1, 0.3):
            hits = 0
            for _ in range(runs):
                events = rng.binomial(each, rng.beta(4 * rate, 4 * (1 - rate), items))
                got = item_interval(events, [each] * items, resamples=400, seed=int(rng.integers(2**31)))
                hits += got.low <= rate <= got.high
            setting = f"{items} items of {each}, rate {rate}"
            found.append(Rate("Rules", setting, "coverage", hits / runs, runs, "at least 0.95, or nearly"))
    return found


def passes(*, runs: int, seed: int = 7) -> list[Rate]:
    """Return the coverage of pass^3 by resampling conditions, at 95 %."""
    rng = np.random.default_rng(seed)
    truth = float(stats.beta(2, 2).moment(3))
    found = []
    for conditions in (10, 30, 100):
        hits = 0
        for _ in range(runs):
            s = rng.binomial(8, rng.beta(2, 2, conditions))
            got = pass_all_of_k(s, [8] * conditions, k=3, resamples=400, seed=int(rng.integers(2**31)))
            hits += got.low <= truth <= got.high
        found.append(
            Rate(
                "pass^k",
                f"{conditions} conditions of 8",
                "coverage",
                hits / runs,
                runs,
                "undercovers with few conditions",
            )
        )
    return found
