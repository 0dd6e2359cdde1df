"""Size and power of the tests over inputs: stratified, sign-flip, log-rank, promises."""

from __future__ import annotations

import numpy as np

from poisson_stats.logrank import detectable_hazard_ratio, log_rank
from poisson_stats.promises import judge_promises
from poisson_stats.share_limit import share_limit
from poisson_stats.share_power import power_table
from poisson_stats.sign_flip import sign_flip_test
from poisson_stats.stratified import stratified_test
from tests.quality.simulated import Rate

DESIGNS = ((30, 4, 1), (40, 6, 6))


def exact_sizes() -> list[Rate]:
    """Return the exact size of the stratified test, and its exact power at the stated limit, for small designs."""
    found = []
    for inputs, n0, n1, k in ((6, 4, 1, 3), (8, 4, 4, 5), (4, 8, 8, 11), (12, 3, 3, 4), (1, 20, 20, 28)):
        before = min(k, n0)
        limit = share_limit([before] * inputs, [n0] * inputs, [k - before] * inputs, [n1] * inputs)
        rate = np.full(inputs, k / (n0 + n1))
        table = power_table(np.full(inputs, n0), np.full(inputs, n1), alpha=0.05)
        setting = f"inputs: {inputs}, {n0} v {n1} runs, rate {k / (n0 + n1):.2f}"
        found.append(
            Rate(
                "Shares",
                setting,
                "stratified test rejects, nothing changed",
                table.power(rate, rate),
                0,
                "at most 0.05",
            )
        )
        value = table.power(rate, (1 - limit.theta) * rate)
        found.append(Rate("Shares", setting, "stratified test rejects, the limit", value, 0, "0.8"))
    return found


def shares(*, runs: int, seed: int = 10) -> list[Rate]:
    """Return how often the tests over inputs reject: nothing changed, the limit, half and twice of it."""
    rng = np.random.default_rng(seed)
    found = []
    for inputs, n0, n1 in DESIGNS:
        rate = rng.uniform(0.3, 0.9, inputs)
        seen = np.round(rate * (n0 + n1)).astype(int)
        split = np.minimum(seen, n0)
        limit = share_limit(split, [n0] * inputs, seen - split, [n1] * inputs)
        rate = seen / (n0 + n1)
        for name, theta in (
            ("nothing changed", 0.0),
            ("half the limit", limit.theta / 2),
            ("the limit", limit.theta),
        ):
            hits = np.zeros(2)
            for _ in range(runs):
                k0, k1 = rng.binomial(n0, rate), rng.binomial(n1, (1 - theta) * rate)
                data = (k0, [n0] * inputs, k1, [n1] * inputs)
                hits += (stratified_test(*data).p <= 0.05, sign_flip_test(*data).p <= 0.05)
            setting = f"inputs: {inputs}, {n0} v {n1} runs: {name} ({limit.basis})"
            promise = {"nothing changed": "at most 0.05", "the limit": "at least 0.8"}.get(name, "")
            found.append(Rate("Shares", setting, "stratified test rejects", hits[0] / runs, runs, promise))
            found.append(
                Rate(
                    "Shares",
                    setting,
                    "sign-flip test rejects",
                    hits[1] / runs,
                    runs,
                    promise if not theta else "",
                )
            )
    return found


def log_ranks(*, runs: int, seed: int = 11) -> list[Rate]:
    """Return how often the stratified log-rank test rejects: equal hazards, and the ratio it says it detects."""
    rng = np.random.default_rng(seed)
    found = []
    for strata, repeats in ((10, 8), (50, 4)):
        size = strata * repeats
        arm, stratum = np.repeat([0, 1], size), np.tile(np.repeat(np.arange(strata), repeats), 2)
        base = np.tile(np.repeat(rng.uniform(0.02, 0.08, strata), repeats), 2)
        ratio = 1.0
        for name in ("equal hazards", "the detectable ratio"):
            hits, deaths = 0, 0
            for _ in range(runs):
                # Exponential times in small steps: hazards are proportional and ties few, as the formula assumes.
                steps = np.ceil(20 * rng.exponential(1 / (base * np.where(arm == 1, ratio, 1.0)))).astype(int)
                censored = np.minimum(steps, 400)
                result = log_rank(censored, steps <= 400, arm, strata=stratum)
                hits += result.p <= 0.05
                deaths += sum(result.deaths)
            promise = "near 0.05" if ratio == 1 else "near 0.8"
            setting = f"{strata} strata, {repeats} v {repeats}: {name} ({ratio:.3f})"
            found.append(Rate("Log-rank", setting, "rejects", hits / runs, runs, promise))
            ratio = detectable_hazard_ratio(deaths // runs, 0.5)
    return found


def promises(*, runs: int, seed: int = 12) -> list[Rate]:
    """Return how often any of 10 promises is wrongly called met, or wrongly called missed."""
    rng = np.random.default_rng(seed)
    found = []
    for n in (60, 300):
        for name, rates, wrong in (
            ("all just broken", np.full(10, 0.0501), "met"),
            ("all just kept", np.full(10, 0.05), "missed"),
            ("half far, half just broken", np.repeat([0.0, 0.0501], 5), "met"),
        ):
            hits = 0
            for _ in range(runs):
                got = judge_promises(rng.binomial(n, rates), [n] * 10, [0.05] * 10, ["at most"] * 10)
                broken = [w for w, r in zip(got.words, rates, strict=True) if (r > 0.05) == (wrong == "met")]
                hits += wrong in broken
            found.append(
                Rate(
                    "Promises",
                    f"10 at most 0.05, n = {n}, {name}",
                    f"any wrongly {wrong}",
                    hits / runs,
                    runs,
                    "at most 0.05",
                )
            )
    return found
