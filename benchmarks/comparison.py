"""A comparison's exact tests, intervals, detection limits and plans.

    python benchmarks/comparison.py

The alternatives are the obvious loops over SciPy: `scipy.stats.fisher_exact` a table for p-values and for the
power behind a limit, `scipy.optimize.brentq` a bound for score intervals. Remembered rejection regions are
forgotten before every call, so that nothing is timed twice for the price of once.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats
from scipy.optimize import brentq
from stopwatch import compare

from poisson_stats import boschloo, fisher_region, mcnemar, planning
from poisson_stats.boschloo import boschloo_test
from poisson_stats.comparison import compare_paired, compare_unpaired
from poisson_stats.difference_intervals import tango
from poisson_stats.fisher import fisher_test
from poisson_stats.limits import limits_paired, limits_unpaired
from poisson_stats.planning import plan_replicates

if TYPE_CHECKING:
    from collections.abc import Callable

ALPHA = 0.05 / 18
REMEMBERED = (
    fisher_region.fisher_region,
    mcnemar._table_of_critical_counts,  # noqa: SLF001
    planning._smallest_that_holds,  # noqa: SLF001
    boschloo.boschloo_level,
)


def afresh(call: Callable[[], object]) -> Callable[[], object]:
    """Return the call, preceded by forgetting what earlier calls left behind."""

    def run() -> object:
        for function in REMEMBERED:
            function.cache_clear()
        return call()

    return run


def fisher_loop(k0: np.ndarray, n0: np.ndarray, k1: np.ndarray, n1: np.ndarray) -> list[float]:
    """Return one p-value a row."""
    rows = zip(k0.tolist(), n0.tolist(), k1.tolist(), n1.tolist(), strict=True)
    return [stats.fisher_exact([[a, n - a], [b, m - b]])[1] for a, n, b, m in rows]


def limit_loop(k: int, n: int) -> float:
    """Return a limit upward from the definition: bisection over powers, each the sum over all pairs of counts."""

    @cache
    def rejects(x: int, y: int) -> bool:
        return bool(stats.fisher_exact([[x, n - x], [y, n - y]])[1] <= ALPHA)

    counts = np.arange(n + 1)
    region = np.array([[rejects(x, y) for y in range(n + 1)] for x in range(n + 1)])
    before = stats.binom.pmf(counts, n, k / n)

    def excess(p1: float) -> float:
        return float(before @ region @ stats.binom.pmf(counts, n, p1)) - 0.8

    return float(brentq(excess, k / n, 1.0)) - k / n


def tango_loop(cells: np.ndarray) -> list[float]:
    """Return lower bounds, each by root finding on the score statistic."""

    def excess(t: float, b: float, c: float, n: float) -> float:
        linear = -b - c + (2 * n - b + c) * t
        q = (np.sqrt(max(linear * linear + 8 * n * c * t * (1 - t), 0.0)) - linear) / (4 * n)
        variance = max(n * (2 * q + t * (1 - t)), 1e-300)
        return float((b - c - n * t) / np.sqrt(variance) - 1.959964)

    return [
        brentq(excess, -1 + 1e-9, (b - c) / (a + b + c + d), args=(b, c, a + b + c + d))
        for a, b, c, d in cells.T.tolist()
    ]


def main() -> None:
    """Print each comparison."""
    rng = np.random.default_rng(0)
    loop = "loop over scipy.stats.fisher_exact"

    n = np.full(10_000, 32)
    small = rng.binomial(n, 0.4), n, rng.binomial(n, 0.5), n
    compare(
        "Fisher, 10,000 rows of 32 v 32",
        afresh(lambda: fisher_test(*small)),
        loop,
        lambda: fisher_loop(*small),
    )

    compare(
        "Fisher limit, n = 30 (region, both directions)",
        afresh(lambda: limits_unpaired([12], [30], [30], alpha=ALPHA)),
        loop,
        lambda: limit_loop(12, 30),
    )
    for size in (194, 5_000):
        call = afresh(lambda size=size: limits_unpaired([size // 3], [size], [size], alpha=ALPHA))
        compare(f"Fisher limit, n = {size:,} (region, both directions)", call, loop, None)
    compare(
        "McNemar limit, n = 5,000 (both directions)",
        afresh(lambda: limits_paired([1_500], [5_000], alpha=ALPHA)),
        "loop over scipy.stats.binomtest",
        None,
    )

    many, pairs = rng.integers(0, 195, 10_000), np.full(10_000, 194)
    compare(
        "row limits of 10,000 conditions at n = 194, paired",
        afresh(lambda: limits_paired(many, pairs, alpha=0.05 / 10_000)),
        loop,
        None,
    )
    compare(
        "row limits of 10,000 conditions at n = 194, unpaired",
        afresh(lambda: limits_unpaired(many, pairs, pairs, alpha=0.05 / 10_000)),
        loop,
        None,
    )
    compare("plan for 0.20 over 18 tests", afresh(lambda: plan_replicates(0.20, 18)), loop, None)
    compare("plan for 0.05 over 18 tests", afresh(lambda: plan_replicates(0.05, 18)), loop, None)

    cells = rng.multinomial(200, [0.4, 0.1, 0.1, 0.4], size=10_000).T
    compare(
        "Tango, 10,000 rows, both bounds",
        afresh(lambda: tango(*cells)),
        "loop over scipy.optimize.brentq, lower bounds only",
        lambda: tango_loop(cells),
    )

    n = np.full(2_000, 200)
    rate = rng.random(2_000)
    counts = rng.binomial(n, rate), n, rng.binomial(n, rate), n
    n0, n1 = rng.integers(195, 201, (2, 2_000))
    uneven = rng.binomial(n0, rate), n0, rng.binomial(n1, rate), n1
    name = f"{loop}, p-values only"
    compare(
        "compare_unpaired, 2,000 rows of 200 v 200, everything",
        afresh(lambda: compare_unpaired(*counts, direction=1)),
        name,
        lambda: fisher_loop(*counts),
    )
    compare(
        "the same with arms of 195 to 200",
        afresh(lambda: compare_unpaired(*uneven, direction=1)),
        name,
        lambda: fisher_loop(*uneven),
    )
    compare(
        "compare_paired, 2,000 rows of 200 pairs, everything",
        afresh(lambda: compare_paired(*cells[:, :2_000], direction=1)),
        "loop over scipy.stats.binomtest, p-values only",
        lambda: [stats.binomtest(b, b + c).pvalue for b, c in cells[1:3, :2_000].T.tolist()],
    )

    before, after = rng.binomial(50, 0.3, 200), rng.binomial(50, 0.5, 200)
    compare(
        "Boschloo, 200 rows of 50 v 50",
        afresh(lambda: boschloo_test(before, 50, after, 50)),
        "loop over scipy.stats.boschloo_exact",
        lambda: [
            stats.boschloo_exact([[a, 50 - a], [b, 50 - b]]).pvalue
            for a, b in zip(before, after, strict=True)
        ],
    )


if __name__ == "__main__":
    main()
