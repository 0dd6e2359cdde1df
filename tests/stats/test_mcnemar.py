"""McNemar's exact conditional test against fractions and SciPy."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import bdtr

from poisson_stats.mcnemar import critical_counts, mcnemar_test
from poisson_stats.significance import is_significant
from tests.oracles.exact_tables import mcnemar_p

pair = st.integers(0, 300)


@given(pair, pair)
@settings(max_examples=400, deadline=None)
def test_equals_enumeration(b, c):
    """The p-value is the enumerated fraction, no discordant pair included."""
    assert float(mcnemar_test(b, c).p) == pytest.approx(float(mcnemar_p(b, c)), rel=1e-11)


def test_equals_scipy():
    """Random splits of up to 5,000 pairs, against scipy.stats.binomtest."""
    rng = np.random.default_rng(3)
    d = rng.integers(1, 5000, 200)
    b = rng.binomial(d, rng.uniform(0.4, 0.6, 200))
    theirs = [stats.binomtest(int(x), int(n)).pvalue for x, n in zip(b, d, strict=True)]
    np.testing.assert_allclose(mcnemar_test(b, d - b).p, theirs, rtol=1e-9)


def test_published_example():
    """Agresti's approval ratings (Categorical Data Analysis, table 10.1): 150 against 86 changed."""
    assert f"{float(mcnemar_test(150, 86).p):.3e}" == "3.716e-05"


def test_flip_example():
    """(20, 26) has p = 0.461391, and (10, 5) has 0.301758."""
    assert [round(p, 6) for p in mcnemar_test([20, 10], [26, 5]).p.tolist()] == [0.461391, 0.301758]


def test_no_and_balanced_discordance_have_p_exactly_one():
    """Counts at most one apart leave nothing outside the two tails."""
    assert mcnemar_test([0, 1, 40, 7], [0, 0, 40, 8]).log_p.tolist() == [0.0] * 4


@pytest.mark.parametrize(("b", "c"), [(3000, 0), (2000, 30), (1500, 100)])
def test_nothing_underflows(b, c):
    """Far beyond the smallest double, log p equals the logarithm of the exact integer sum."""
    tail = sum(math.comb(b + c, k) for k in range(c + 1))
    exact = math.log(2) + math.log(tail) - (b + c) * math.log(2)
    assert float(mcnemar_test(b, c).log_p) == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("alpha", [0.5, 0.0625, 0.05, 0.05 / 18, 0.05 / 2000, 1e-9])
def test_critical_counts_are_the_last_that_reject(alpha):
    """c(d) rejects and c(d) + 1 does not, by exact fractions, for every d up to 150."""
    critical, log_ways = critical_counts(np.arange(151), alpha)
    level = Fraction(alpha) * (1 + Fraction(1, 10**12))
    for d in range(151):
        c = int(critical[d])
        assert c < 0 or mcnemar_p(c, d - c) <= level
        assert 2 * (c + 1) > d or mcnemar_p(c + 1, d - c - 1) > level
        expected = math.log(math.comb(d, c)) if c >= 0 else -math.inf
        assert log_ways[d] == pytest.approx(expected, abs=1e-10)


def test_a_p_equal_to_the_level_is_rejected():
    """6 of 6 has p = 2/64: the critical count at that very level is 0."""
    assert is_significant(mcnemar_test(6, 0).p, 2 / 64)
    assert critical_counts(np.array([6]), 2 / 64)[0] == [0]
    assert critical_counts(np.array([6]), 2 / 64 * (1 - 1e-9))[0] == [-1]


def test_critical_counts_beyond_the_table_are_those_within_it():
    """Numbers of pairs asked for one by one, in any shape, give what the table of all of them gives."""
    few = np.array([[5, 70_000, 65_536], [200, 5, 70_001]])
    for found, known in zip(
        critical_counts(few, 0.01), critical_counts(few[few <= 65_536], 0.01), strict=True
    ):
        np.testing.assert_array_equal(found[few <= 65_536], known)
    c = critical_counts(few, 0.01)[0][0, 1]
    assert bdtr(c, 70_000, 0.5) <= 0.005 < bdtr(c + 1, 70_000, 0.5)


def test_bad_input_is_named():
    """A negative count and shapes that differ are refused by name."""
    with pytest.raises(ValueError, match=r"^only_after\[1\]=-2 must not be negative\.$"):
        mcnemar_test([1, 1], [1, -2])
    with pytest.raises(ValueError, match=r"^only_after has shape \(3,\) where only_before has \(2,\)\.$"):
        mcnemar_test([1, 1], [1, 1, 1])
