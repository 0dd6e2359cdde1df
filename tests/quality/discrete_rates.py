"""What taking attainable p-values into account does: discrete false discovery rate, and Boschloo's test."""

from __future__ import annotations

import numpy as np
from scipy import stats

from poisson_stats.attainable import attainable_fisher
from poisson_stats.boschloo import boschloo_test
from poisson_stats.discrete_fdr import discrete_benjamini_hochberg
from poisson_stats.fisher import fisher_test
from poisson_stats.multiplicity import benjamini_hochberg
from tests.quality.simulated import Rate

INPUTS, Q = 50, 0.05

SCENARIOS = (
    # name, repeats an arm, rate of the unchanged inputs, inputs that go from 0.1 to 1.0
    ("4 v 4, nothing changed from 0.5", 4, 0.5, 0),
    ("12 v 12, nothing changed from 0.5", 12, 0.5, 0),
    ("4 v 4, 5 inputs from 0.1 to 1.0, the others at 0.2", 4, 0.2, 5),
    ("4 v 4, 20 inputs from 0.1 to 1.0, the others at 0.2", 4, 0.2, 20),
    ("6 v 6, 5 inputs from 0.1 to 1.0, the others at 0.5", 6, 0.5, 5),
)


def discrete_flags(*, runs: int, seed: int = 13) -> list[Rate]:
    """Return realised false discovery rates and flags of both procedures on 50 inputs."""
    rng = np.random.default_rng(seed)
    found = []
    for name, repeats, rate, changed in SCENARIOS:
        moves = np.arange(INPUTS) < changed
        before, after = np.where(moves, 0.1, rate), np.where(moves, 1.0, rate)
        false, hits = {"BH": [], "discrete": []}, {"BH": [], "discrete": []}
        for _ in range(runs):
            k0, k1 = rng.binomial(repeats, before), rng.binomial(repeats, after)
            log_p = fisher_test(k0, repeats, k1, repeats).log_p
            attainable = attainable_fisher(k0, repeats, k1, repeats)
            flags = {
                "BH": benjamini_hochberg(log_p, q=Q).rejected,
                "discrete": discrete_benjamini_hochberg(log_p, attainable, q=Q).adjusted.rejected,
            }
            for method, flag in flags.items():
                false[method].append(flag[~moves].sum() / max(flag.sum(), 1))
                hits[method].append(flag[moves].mean() if changed else 0.0)
        for method in flags:
            value = float(np.mean(false[method]))
            found.append(
                Rate("50 inputs", name, f"false discovery rate, {method}", value, runs, "at most 0.05")
            )
            if changed:
                found.append(
                    Rate(
                        "50 inputs",
                        name,
                        f"changed inputs flagged, {method}",
                        float(np.mean(hits[method])),
                        runs,
                        "",
                    )
                )
    return found


def boschloo_sizes(sizes=((8, 8), (20, 20), (30, 15)), alpha: float = 0.05) -> list[Rate]:
    """Return the exact size of Fisher's and Boschloo's tests at several common rates, and one power."""
    found = []
    for n0, n1 in sizes:
        k0, k1 = (grid.ravel() for grid in np.meshgrid(np.arange(n0 + 1), np.arange(n1 + 1), indexing="ij"))
        tests = {
            "Fisher": fisher_test(k0, np.full(k0.size, n0), k1, np.full(k1.size, n1)),
            "Boschloo": boschloo_test(k0, np.full(k0.size, n0), k1, np.full(k1.size, n1)),
        }
        for p, q in ((0.1, 0.1), (0.3, 0.3), (0.5, 0.5), (0.1, 0.5)):
            chance = stats.binom.pmf(k0, n0, p) * stats.binom.pmf(k1, n1, q)
            for name, test in tests.items():
                value = float(chance[test.p <= alpha * (1 + 1e-12)].sum())
                promise = "at most 0.05" if p == q else "Boschloo at least Fisher"
                found.append(Rate(f"{n0} v {n1}", f"rates {p} and {q}", f"{name} rejects", value, 0, promise))
    return found
