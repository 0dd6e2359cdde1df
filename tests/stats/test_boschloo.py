"""Boschloo's test against a brute-force supremum, and what it gains over Fisher's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_stats.boschloo import boschloo_level, boschloo_test
from poisson_stats.comparison import compare_unpaired
from poisson_stats.fisher import fisher_test
from poisson_stats.limits import limits_unpaired
from tests.oracles.exact_tables import binomial, fisher_p

table = st.tuples(st.integers(1, 9), st.integers(1, 9)).flatmap(
    lambda n: st.tuples(st.integers(0, n[0]), st.just(n[0]), st.integers(0, n[1]), st.just(n[1]))
)


def supremum(k0, n0, k1, n1, points=2000):
    """Return the largest probability, over a grid of common rates, of the tables with no larger Fisher p."""
    seen = fisher_p(k0, n0, k1, n1)
    region = np.array([[fisher_p(x, n0, y, n1) <= seen for y in range(n1 + 1)] for x in range(n0 + 1)])
    rates = np.linspace(0, 1, points + 1)
    chances = [np.array(binomial(n0, p)) @ region @ np.array(binomial(n1, p)) for p in rates]
    return max(chances)


@given(table)
@settings(max_examples=40, deadline=None)
def test_equals_brute_force(counts):
    """The p-value is the supremum over a common rate; a finer maximum than the grid's is allowed."""
    brute, ours = supremum(*counts), float(boschloo_test(*counts).p)
    assert brute * (1 - 1e-6) <= ours <= brute * (1 + 1e-4)


@given(st.lists(table, min_size=1, max_size=20))
@settings(max_examples=40, deadline=None)
def test_never_exceeds_fisher(tables):
    """Row by row, and whatever else is in the call, p is at most Fisher's."""
    columns = np.array(tables).T
    ours, fisher = boschloo_test(*columns), fisher_test(*columns)
    assert (ours.log_p <= fisher.log_p + 1e-12).all()
    alone = [float(boschloo_test(*counts).log_p) for counts in tables]
    np.testing.assert_allclose(ours.log_p, alone, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(("n0", "n1"), [(5, 5), (8, 6), (12, 12), (3, 15), (0, 5), (5, 0)])
@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.05 / 18])
def test_raised_level_gives_the_same_decisions(n0, n1, alpha):
    """Fisher's test at the raised level rejects exactly the tables that Boschloo's rejects at the level."""
    x, y = (grid.ravel() for grid in np.meshgrid(np.arange(n0 + 1), np.arange(n1 + 1)))
    fisher = fisher_test(x, np.full(x.size, n0), y, np.full(x.size, n1)).p
    boschloo = boschloo_test(x, np.full(x.size, n0), y, np.full(x.size, n1)).p
    raised = boschloo_level(n0, n1, alpha)
    assert raised >= alpha
    np.testing.assert_array_equal(fisher <= raised * (1 + 1e-12), boschloo <= alpha * (1 + 1e-12))


@pytest.mark.parametrize("alpha", [0.05, 0.05 / 18])
def test_size_is_within_the_level(alpha):
    """Enumerated at 400 common rates, the probability of a rejection never exceeds the level."""
    n0, n1 = 11, 9
    x, y = np.meshgrid(np.arange(n0 + 1), np.arange(n1 + 1), indexing="ij")
    p = boschloo_test(x, n0, y, n1).p
    for rate in np.linspace(0, 1, 401):
        assert np.array(binomial(n0, rate)) @ (p <= alpha) @ np.array(binomial(n1, rate)) <= alpha * (
            1 + 1e-6
        )


def test_limits_are_smaller():
    """What Boschloo's test can detect is never more than what Fisher's can; from 12 of 194 it sees the fall."""
    k, n = np.arange(0, 195, 6), np.full(33, 194)
    fisher = limits_unpaired(k, n, n, alpha=0.05 / 18)
    boschloo = limits_unpaired(k, n, n, alpha=0.05 / 18, test="boschloo")
    assert (np.nan_to_num(boschloo.rise, nan=9) <= np.nan_to_num(fisher.rise, nan=9)).all()
    assert (fisher.status_fall[2], boschloo.status_fall[2]) == ("none detectable", "limit")


def test_comparison_takes_it_where_declared():
    """The comparison names the test, and its p-values and limits are Boschloo's."""
    ours = compare_unpaired([2, 5], [20, 20], [9, 6], [20, 20], direction=1, test="boschloo")
    test = boschloo_test([2, 5], 20, [9, 6], 20)
    assert ours.method == "boschloo"
    np.testing.assert_array_equal(ours.p, test.p)
    np.testing.assert_array_equal(
        ours.limit_rise, limits_unpaired([2, 5], [20] * 2, [20] * 2, alpha=0.025, test="boschloo").rise
    )


def test_edges():
    """Equal rates and empty arms have p = 1; far tables keep Fisher's p, which no double can hold."""
    assert boschloo_test([3, 0, 0], [6, 0, 4], [3, 2, 0], [6, 5, 4]).p.tolist() == [1.0, 1.0, 1.0]
    far = boschloo_test(2000, 2000, 0, 2000)
    assert float(far.log_p) == float(fisher_test(2000, 2000, 0, 2000).log_p) < -2000
    with pytest.raises(ValueError, match=r"^k_after=5 must not exceed n_after=4\.$"):
        boschloo_test(1, 2, 5, 4)
    with pytest.raises(ValueError, match=r"^test='barnard' must be one of 'fisher', 'boschloo'\.$"):
        limits_unpaired([1], [2], [2], alpha=0.1, test="barnard")
