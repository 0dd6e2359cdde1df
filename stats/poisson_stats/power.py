"""The exact probability that a test rejects, for many designs at once.

Both tests reject by counts that never leave two runs (see `fisher_region`), so that the power is a sum of
binomial probabilities times binomial tails, over the counts within 9 standard deviations of the mean.
Nothing is approximated: what is left out is below 1e-16.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import bdtr

from poisson_stats.binomial import log_likelihood, probabilities_at, window, window_width
from poisson_stats.correlation import discordance
from poisson_stats.mcnemar import critical_counts

if TYPE_CHECKING:
    from collections.abc import Callable

    from poisson_stats.fisher_region import FisherRegion
    from poisson_stats.validation import FloatArray, IntArray


@dataclass(frozen=True, slots=True, eq=False)
class FisherRows:
    """Rows of one rate before and two arm sizes each, ready to be asked for the power at a rate after.

    Attributes
    ----------
    n_after
        Size of the arm after, shape (r,).
    weight
        Probability of each count of the arm before in its window, shape (r, w).
    low, high
        The region's edges at those counts: a count after is rejected at or below low, at or above high.
    extra_row, extra_weight, extra_after
        The region's exceptions: their row, the probability of the count before, and the count after.
    """

    n_after: IntArray
    weight: FloatArray
    low: IntArray
    high: IntArray
    extra_row: IntArray
    extra_weight: FloatArray
    extra_after: IntArray

    @classmethod
    def prepare(
        cls,
        rate_before: FloatArray,
        n_before: IntArray,
        n_after: IntArray,
        region_of: Callable[[int, int], FisherRegion],
    ) -> FisherRows:
        """Look up the rejection region of every row.

        Parameters
        ----------
        rate_before, n_before, n_after
            Shape (r,).
        region_of
            The rejection region for arms of given sizes, such as `fisher_region` at a level.
        """
        x = window(n_before, rate_before, window_width(n_before))
        low, high = np.empty_like(x), np.empty_like(x)
        extra = []
        for row, (n0, n1) in enumerate(zip(n_before.tolist(), n_after.tolist(), strict=True)):
            region = region_of(n0, n1)
            inside = np.minimum(x[row], n0)
            low[row], high[row] = region.edges(inside)
            extra += [(row, *pair) for pair in zip(region.extra_before, region.extra_after, strict=True)]
        row_of, before, after = np.array(extra, dtype=np.int64).reshape(-1, 3).T
        return cls(
            n_after=n_after,
            weight=probabilities_at(x, n_before[:, None], rate_before[:, None]),
            low=low,
            high=high,
            extra_row=row_of,
            extra_weight=probabilities_at(before, n_before[row_of], rate_before[row_of]),
            extra_after=after,
        )

    def power(self, rate_after: FloatArray) -> FloatArray:
        """Return the probability that Fisher's test rejects, at one rate after per row.

        The sum over x of P(x before) times [F(low(x)) + S(high(x))], F and S the tails of the count after.
        """
        y = window(self.n_after, rate_after, window_width(self.n_after))
        chance = probabilities_at(y, self.n_after[:, None], rate_after[:, None])
        start, width = y[:, :1], y.shape[1]
        sums = np.zeros((y.shape[0], width + 1))
        np.cumsum(chance, axis=1, out=sums[:, 1:])
        row = np.arange(y.shape[0])[:, None]
        at_most_low = sums[row, np.minimum(np.maximum(self.low - start + 1, 0), width)]
        below_high = sums[row, np.minimum(np.maximum(self.high - start, 0), width)]
        power = (self.weight * (at_most_low + sums[:, -1:] - below_high)).sum(axis=1)
        if self.extra_row.size:
            where = self.extra_row
            chance_after = probabilities_at(self.extra_after, self.n_after[where], rate_after[where])
            power += np.bincount(where, self.extra_weight * chance_after, minlength=power.size)
        return np.asarray(power)


def mcnemar_power(only_before: FloatArray, only_after: FloatArray, n: IntArray, alpha: float) -> FloatArray:
    """Return the probability that McNemar's exact test rejects.

    The number of discordant pairs d is Binomial(n, P1 + P2), and given d the test rejects when at most
    c(d) of them fall on one side:

        power = sum over d of P(d) [F(c(d); d, P1/(P1+P2)) + F(c(d); d, P2/(P1+P2))].

    Parameters
    ----------
    only_before, only_after
        P1 and P2, the probabilities of the two kinds of discordant pair, shape (r,).
    n
        Pairs, shape (r,).
    alpha
        Level of the single test.
    """
    discordant = np.minimum(only_before + only_after, 1.0)
    d = window(n, discordant, window_width(n))
    chance = probabilities_at(d, n[:, None], discordant[:, None])
    critical, log_ways = critical_counts(d, alpha)
    share = np.divide(only_before, discordant, out=np.full(n.size, 0.5), where=discordant > 0)
    tails = _tails_along(d, critical, log_ways, share) + _tails_along(d, critical, log_ways, 1 - share)
    return np.asarray((chance * tails).sum(axis=1))


def _tails_along(d: IntArray, c: IntArray, log_ways: FloatArray, share: FloatArray) -> FloatArray:
    """Return F(c(d); d, share) for d = d0, d0 + 1, …, one row each, from one tail and a running sum.

    One more pair moves the tail by -share P(c(d); d), and by + P(c(d+1); d+1) where c grows with it (it
    grows by at most 1). So a row costs one incomplete beta function, not one for every d.
    """
    point = np.exp(log_ways + log_likelihood(c, d, share[:, None]))
    grows = np.diff(c, axis=1) > 0
    steps = np.where(grows, point[:, 1:], 0.0) - share[:, None] * point[:, :-1]
    first = np.where(c[:, 0] >= 0, bdtr(np.maximum(c[:, 0], 0).astype(np.float64), d[:, 0], share), 0.0)
    tails = np.cumsum(np.column_stack((first, steps)), axis=1)
    return np.asarray(np.clip(tails, 0.0, 1.0))


@dataclass(frozen=True, slots=True, eq=False)
class PairedRows:
    """Rows of one rate before and a number of pairs each, ready to be asked for the power at a rate after.

    Attributes
    ----------
    rate_before, pairs, correlation
        Shape (r,); the correlation of the arms is held fixed while the rate after moves, 0 for independent arms.
    alpha
        Level of the single test.
    """

    rate_before: FloatArray
    pairs: IntArray
    correlation: FloatArray
    alpha: float

    def power(self, rate_after: FloatArray) -> FloatArray:
        """Return the probability that McNemar's test rejects, at one rate after per row."""
        only_before, only_after = discordance(self.rate_before, rate_after, self.correlation)
        return mcnemar_power(only_before, only_after, self.pairs, self.alpha)
