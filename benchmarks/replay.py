"""The cluster bootstrap of a flip rate: 10,000 items, B = 2,000.

    python benchmarks/replay.py

The alternative is `scipy.stats.bootstrap` on the paired columns of flips and pairs, vectorised.
"""

from __future__ import annotations

import numpy as np
from scipy import stats
from stopwatch import compare

from poisson_stats.item_interval import cluster_bootstrap


def main() -> None:
    """Print the comparison."""
    rng = np.random.default_rng(0)
    pairs = rng.integers(1, 9, 10_000)
    flips = rng.binomial(pairs, rng.beta(0.5, 4, 10_000))
    compare(
        "cluster bootstrap, 10,000 items, B = 2,000",
        lambda: cluster_bootstrap(flips, pairs, confidence=0.95, resamples=2000, seed=0),
        "scipy.stats.bootstrap",
        lambda: stats.bootstrap(
            (flips, pairs),
            lambda f, m, axis: f.sum(axis=axis) / m.sum(axis=axis),
            paired=True,
            vectorized=True,
            n_resamples=2000,
            batch=100,
            method="percentile",
            rng=np.random.default_rng(0),
        ),
    )


if __name__ == "__main__":
    main()
