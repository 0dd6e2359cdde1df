"""The stratified log-rank test on 640,000 episodes in 10,000 strata, and competing risks with their band.

    python benchmarks/survival.py

The alternatives are `statsmodels.duration.survfunc.survdiff` with strata, and a loop of bootstrap resamples, each
through statsmodels' `CumIncidenceRight`.
"""

from __future__ import annotations

import numpy as np
from statsmodels.duration.survfunc import CumIncidenceRight, survdiff
from stopwatch import compare

from poisson_stats.competing_risks import cumulative_incidence
from poisson_stats.logrank import log_rank


def drawn(strata: int) -> tuple[np.ndarray, ...]:
    """Return steps, causes, arms and strata of 64 episodes a stratum."""
    rng = np.random.default_rng(0)
    size = 64 * strata
    steps = np.minimum(rng.geometric(0.06, size), 40)
    causes = np.where(steps < 40, rng.integers(1, 5, size), 0)
    return steps, causes, np.arange(size) % 2, np.repeat(np.arange(strata), 64)


def by_resampling(steps: np.ndarray, causes: np.ndarray, resamples: int) -> np.ndarray:
    """Return the band by fitting each resample on its own."""
    rng = np.random.default_rng(0)
    last = [
        CumIncidenceRight(steps[i], causes[i]).cinc[0][-1]
        for i in (rng.integers(0, steps.size, steps.size) for _ in range(resamples))
    ]
    return np.quantile(last, [0.025, 0.975])


def main() -> None:
    """Print each comparison."""
    steps, causes, arm, stratum = drawn(10_000)
    compare(
        "stratified log-rank, 640,000 episodes in 10,000 strata",
        lambda: log_rank(steps, causes > 0, arm, strata=stratum),
        "statsmodels survdiff",
        lambda: survdiff(steps, causes > 0, arm, strata=stratum),
    )
    compare(
        "cumulative incidence of 4 kinds, 6,400 episodes, B = 1,000",
        lambda: cumulative_incidence(steps[:6400], causes[:6400], kinds=4),
        "loop over CumIncidenceRight, B = 1,000",
        lambda: by_resampling(steps[:6400], causes[:6400], 1000),
    )


if __name__ == "__main__":
    main()
