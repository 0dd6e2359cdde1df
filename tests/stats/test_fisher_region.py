"""The rejection region of Fisher's test, pair by pair."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.optimize import brentq

from poisson_stats.fisher import fisher_test
from poisson_stats.fisher_region import NEGLIGIBLE, central_fisher_region, fisher_region, reach_of_level
from poisson_stats.significance import is_significant
from tests.oracles.exact_tables import fisher_p


def rejected(region):
    """Spell the region out as a matrix over (count before, count after)."""
    y = np.arange(region.n_after + 1)
    inside = (y <= region.low[:, None]) | (y >= region.high[:, None])
    inside[region.extra_before, region.extra_after] = True
    return inside


def enumerated(n0, n1, alpha):
    level = Fraction(alpha) * (1 + Fraction(1, 10**12))
    return np.array([[fisher_p(x, n0, y, n1) <= level for y in range(n1 + 1)] for x in range(n0 + 1)])


@given(st.integers(0, 14), st.integers(0, 14), st.floats(1e-6, 0.999))
@example(4, 9, 0.9)
@settings(max_examples=150, deadline=None)
def test_equals_enumeration(n0, n1, alpha):
    """A pair is in the region exactly when its enumerated p is at most the level."""
    np.testing.assert_array_equal(rejected(fisher_region(n0, n1, alpha)), enumerated(n0, n1, alpha))


@given(st.integers(1, 12), st.integers(1, 12), st.data())
@settings(max_examples=60, deadline=None)
def test_attained_levels_are_rejected(n0, n1, data):
    """With the level set to an attained p-value, the pairs that attain it are in the region."""
    x, y = data.draw(st.integers(0, n0)), data.draw(st.integers(0, n1))
    alpha = float(fisher_p(x, n0, y, n1))
    if alpha < 1:
        assert rejected(fisher_region(n0, n1, alpha))[x, y]


@pytest.mark.parametrize(
    ("n0", "n1", "alpha"),
    [(4, 33, 0.2758), (5, 48, 0.1439), (20, 190, 0.0005625), (20, 190, 0.0001035)],
)
def test_counts_that_leave_the_two_runs(n0, n1, alpha):
    """Where rejection is not monotone in the other arm's count, the exceptions are listed and exact."""
    region = fisher_region(n0, n1, alpha)
    assert region.extra_before.size > 0
    low, high = region.edges(region.extra_before)
    assert ((low < region.extra_after) & (region.extra_after < high)).all()  # none is counted twice
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(n0 + 1), np.arange(n1 + 1), indexing="ij"))
    p = fisher_test(x, np.full(x.size, n0), y, np.full(x.size, n1)).p.reshape(n0 + 1, n1 + 1)
    np.testing.assert_array_equal(rejected(region), is_significant(p, alpha))


@given(st.integers(0, 14), st.integers(0, 14), st.floats(1e-6, 0.999))
@settings(max_examples=60, deadline=None)
def test_the_size_within_a_margin_is_the_chance_of_rejection_there(n0, n1, alpha):
    """Of every total, however many events there are."""
    region, inside = fisher_region(n0, n1, alpha), enumerated(n0, n1, alpha)
    assert region.totals.tolist() == list(range(n0 + n1 + 1))
    for total, size in zip(region.totals, region.size, strict=True):
        margin = stats.hypergeom(n0 + n1, n0, total)
        chance = sum(margin.pmf(x) for x in range(n0 + 1) if 0 <= total - x <= n1 and inside[x, total - x])
        assert size == pytest.approx(chance, abs=1e-12)


@pytest.mark.parametrize(("n0", "n1"), [(1, 1), (3, 9), (40, 40), (100, 3000), (5000, 5000)])
@pytest.mark.parametrize("alpha", [0.3, 0.05 / 2000])
def test_what_lies_beyond_the_reach_of_a_level_is_negligible(n0, n1, alpha):
    """It is Bernstein's distance: w with w^2 / 2 = t (v + w / 3), at which 2 exp(-t) is that part of the level."""
    total = np.unique(np.linspace(0, n0 + n1, 9).astype(np.int64))
    reach = reach_of_level(np.full_like(total, n0), np.full_like(total, n1), total, alpha)
    t = -math.log(alpha * NEGLIGIBLE / 2)
    share = n0 / (n0 + n1)
    variance = total * share * (1 - share) * (n0 + n1 - total) / (n0 + n1 - 1)
    expected = [
        math.ceil(brentq(lambda w, v: w * w / 2 - t * (v + w / 3), 1e-3, 1e6, v)) + 1 for v in variance
    ]
    assert reach.tolist() == expected


@pytest.mark.parametrize(("n0", "n1"), [(200, 200), (150, 200), (100, 3000), (1200, 1200)])
def test_large_regions_agree_with_the_test(n0, n1):
    """Cut off to what matters in each margin, the region still is that of the test itself."""
    alpha = 0.05 / 2000
    region = fisher_region(n0, n1, alpha)
    rng = np.random.default_rng(4)
    x = rng.integers(0, n0 + 1, 3000)
    edges = np.concatenate([region.low[x], region.low[x] + 1, region.high[x] - 1, region.high[x]])
    x, y = np.tile(x, 4), edges
    inside = (y >= 0) & (y <= n1)
    x, y = x[inside], y[inside]
    p = fisher_test(x, np.full(x.size, n0), y, np.full(x.size, n1)).p
    np.testing.assert_array_equal(rejected(region)[x, y], is_significant(p, alpha))


@pytest.mark.parametrize("n", [1, 2, 3, 7, 12, 30, 61, 150, 400])
@pytest.mark.parametrize("alpha", [0.3, 0.05, 0.05 / 18, 0.05 / 2000, 1e-7])
@pytest.mark.parametrize("reach", [0, 1, 5, 40, 1000])
def test_the_central_region_is_that_part_of_the_whole(n, alpha, reach):
    """Pairs whose total is within reach of n are rejected alike, though few totals are looked at."""
    whole, part = (
        rejected(fisher_region(n, n, alpha)),
        rejected(central_fisher_region(n, alpha, reach, np.arange(n + 1))),
    )
    total = np.add.outer(np.arange(n + 1), np.arange(n + 1))
    near = np.abs(total - n) <= reach
    np.testing.assert_array_equal(whole[near], part[near])


def test_the_central_region_of_large_arms():
    """At 3,000 and 5,000 an arm, too, the differences found by halving are those of every total."""
    for n in (3000, 5000):
        x = np.arange(n // 2 - 200, n // 2 + 200)
        whole, part = fisher_region(n, n, 0.05 / 18), central_fisher_region(n, 0.05 / 18, 600, x)
        np.testing.assert_array_equal(whole.edges(x), part.edges(x))
