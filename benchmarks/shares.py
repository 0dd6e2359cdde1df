"""Exact tests over many inputs: the stratified test, the sign-flip test, and the limit of a small design.

    python benchmarks/shares.py

The alternative to the stratified test is the obvious loop, one `scipy.stats.hypergeom.pmf` and one
`numpy.convolve` a stratum; it is exact where nothing underflows, and loses p-values below 1e-300. The alternative
to the exact sign-flip test is `scipy.stats.permutation_test` with 9,999 sampled sign patterns, which cannot give a
p-value below 1e-4.
"""

from __future__ import annotations

import numpy as np
from scipy import stats
from stopwatch import compare

from poisson_stats.share_limit import share_limit
from poisson_stats.sign_flip import sign_flip_test
from poisson_stats.stratified import stratified_test


def drawn(inputs: int, *, ragged: bool) -> tuple[np.ndarray, ...]:
    """Return counts of two arms on so many inputs, 64 v 64 runs or between 1 and 128."""
    rng = np.random.default_rng(0)
    n0, n1 = (rng.integers(1, 129, inputs) if ragged else np.full(inputs, 64) for _ in range(2))
    rate = rng.uniform(0.1, 0.9, inputs)
    return rng.binomial(n0, rate), n0, rng.binomial(n1, rate * 0.99), n1


def by_convolution(k0: np.ndarray, n0: np.ndarray, k1: np.ndarray, n1: np.ndarray) -> float:
    """Return the exact stratified p-value by convolving stratum after stratum."""
    total, observed = np.ones(1), 0
    for a, m, b, n in zip(k0.tolist(), n0.tolist(), k1.tolist(), n1.tolist(), strict=True):
        low, high = max(0, a + b - m), min(n, a + b)
        total = np.convolve(total, stats.hypergeom.pmf(np.arange(low, high + 1), m + n, a + b, n))
        observed += b - low
    return float(total[total <= total[observed] * (1 + 1e-7)].sum())


def by_permutation(k0: np.ndarray, n0: np.ndarray, k1: np.ndarray, n1: np.ndarray) -> float:
    """Return the sign-flip p-value from 9,999 sampled patterns."""
    difference = k1 / n1 - k0 / n0
    return float(
        stats.permutation_test(
            (difference,),
            lambda x, axis: np.sum(x, axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=9999,
            batch=500,
        ).pvalue
    )


def main() -> None:
    """Print each comparison."""
    alike, mixed, few = drawn(10_000, ragged=False), drawn(10_000, ragged=True), drawn(1_000, ragged=True)
    loop = "loop over hypergeom.pmf and convolve"
    compare(
        "stratified test, 10,000 strata of 64 v 64",
        lambda: stratified_test(*alike),
        loop,
        lambda: by_convolution(*alike),
    )
    compare("stratified test, 10,000 ragged strata", lambda: stratified_test(*mixed), loop, None)
    compare(
        "stratified test, 1,000 ragged strata",
        lambda: stratified_test(*few),
        loop,
        lambda: by_convolution(*few),
    )
    inputs = drawn(2_000, ragged=False)
    compare(
        "sign-flip test, 2,000 inputs of 64 v 64",
        lambda: sign_flip_test(*inputs),
        "permutation_test, sampled",
        lambda: by_permutation(*inputs),
    )
    small = tuple(
        column[:8] for column in (np.array([3] * 8), np.array([4] * 8), np.array([2] * 8), np.array([4] * 8))
    )
    compare("exact limit, 8 inputs of 4 v 4", lambda: share_limit(*small), "listing 25^8 tables", None)


if __name__ == "__main__":
    main()
