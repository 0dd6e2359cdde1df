"""Fisher's exact test against fractions, SciPy, and its own symmetries."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from scipy import stats

from poisson_stats.fisher import fisher_test
from tests.oracles.exact_tables import fisher_p
from tests.stats.strategies import two_arms


def p(*table):
    return float(fisher_test(*table).p)


@given(two_arms(largest=40))
@settings(max_examples=500, deadline=None)
def test_equals_enumeration(table):
    """The p-value is the enumerated fraction, arms of 0 and 1 included, to 14 digits."""
    assert p(*table) == pytest.approx(float(fisher_p(*table)), rel=1e-13)


def test_every_small_table_equals_enumeration():
    """All tables with arms of up to 7, at once and in one call."""
    size = range(8)
    all_tables = [(a, n, b, m) for n in size for m in size for a in range(n + 1) for b in range(m + 1)]
    ours = fisher_test(*np.array(all_tables).T).p
    theirs = [float(fisher_p(*table)) for table in all_tables]
    np.testing.assert_allclose(ours, theirs, rtol=1e-13)


def test_equals_scipy_on_larger_tables():
    """Random unequal arms of up to 400, against scipy.stats.fisher_exact."""
    rng = np.random.default_rng(1)
    n0, n1 = rng.integers(1, 400, (2, 300))
    k0, k1 = rng.binomial(n0, rng.random(300)), rng.binomial(n1, rng.random(300))
    theirs = [
        stats.fisher_exact([[a, n - a], [b, m - b]]).pvalue for a, n, b, m in zip(k0, n0, k1, n1, strict=True)
    ]
    ours = fisher_test(k0, n0, k1, n1)
    np.testing.assert_allclose(ours.p, theirs, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(np.exp(ours.log_p), ours.p, rtol=1e-12)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        ((3, 4, 1, 4), "0.485714"),  # Fisher's tea-tasting lady, two-sided: 34/70
        ((10, 13, 2, 17), "0.000537"),  # Fisher's convicted twins
        ((1, 1, 0, 19), "0.050000"),  # exactly 1/20
    ],
)
def test_published_tables(table, expected):
    """Published worked examples; the lady tasting tea and the twins are Fisher's own."""
    assert f"{p(*table):.6f}" == expected


def test_fisher_12_of_32_against_all():
    """12 of 32 against 32 of 32: p = 2.30e-08, and 7.55e-06 after 328 tests."""
    assert f"{p(12, 32, 32, 32):.2e}" == "2.30e-08"
    assert f"{328 * p(12, 32, 32, 32):.2e}" == "7.55e-06"


@given(two_arms(largest=200))
@settings(deadline=None)
def test_swapping_arms_or_outcomes_changes_nothing(table):
    """The p-value is the same with the arms swapped, and with the event and its absence swapped."""
    k0, n0, k1, n1 = table
    same = [p(*table), p(k1, n1, k0, n0), p(n0 - k0, n0, n1 - k1, n1)]
    assert same == pytest.approx([same[0]] * 3, rel=1e-12)


def test_mirror_images_are_ties():
    """In every 64 v 64 table the mirror image of the observed table is in the sum.

    With equal arms (k, s - k) and (s - k, k) are equally probable, so p is at least twice the probability of
    the observed table unless that is its own mirror. Summing log-factorials without a tolerance loses it in a
    quarter of the tables.
    """
    k0, k1 = (grid.ravel() for grid in np.meshgrid(np.arange(65), np.arange(65)))
    own = stats.hypergeom.pmf(k0, 128, k0 + k1, 64)
    ours = fisher_test(k0, np.full(k0.size, 64), k1, np.full(k0.size, 64)).p
    twice = np.where(k0 == k1, 1, 2) * own
    assert (ours >= twice * (1 - 1e-9)).all()


@pytest.mark.parametrize("table", [(0, 5, 8, 21), (5, 7, 4, 14), (5, 9, 2, 12), (8, 8, 13, 18)])
def test_ties_by_accident_are_ties(table):
    """Tables of unequal arms that are equally probable without being mirror images count as equal too."""
    assert p(*table) == pytest.approx(float(fisher_p(*table)), rel=1e-13)


def test_nothing_underflows():
    """5,000 of 5,000 against none has p = 2 / C(10000, 5000): the logarithm is right though p is 0."""
    test = fisher_test(5000, 5000, 0, 5000)
    exact = math.log(2) - (math.lgamma(10001) - 2 * math.lgamma(5001))
    assert float(test.p) == 0.0
    assert float(test.log_p) == pytest.approx(exact, rel=1e-12)


def test_equal_rates_have_p_exactly_one():
    """At the mode, and in an arm of none, p is 1 without rounding, and log p is 0."""
    test = fisher_test([5, 0, 0, 7, 0], [10, 0, 0, 7, 9], [5, 0, 3, 9, 0], [10, 0, 8, 9, 4])
    assert test.p.tolist() == [1.0] * 5
    assert test.log_p.tolist() == [0.0] * 5


def test_order_and_repetition_do_not_matter():
    """Rows are computed once per distinct table and handed back in place."""
    rng = np.random.default_rng(2)
    n = rng.integers(0, 6, (2, 500))
    k = rng.binomial(n, 0.5)
    together = fisher_test(k[0], n[0], k[1], n[1]).p
    apart = [p(*row) for row in zip(k[0], n[0], k[1], n[1], strict=True)]
    np.testing.assert_array_equal(together, apart)


def test_shape_is_kept():
    """A scalar gives a scalar, a matrix a matrix."""
    assert fisher_test(1, 2, 1, 2).p.shape == ()
    assert fisher_test([[1, 2], [0, 1]], [[2, 2], [2, 2]], 1, 2).p.shape == (2, 2)


def test_a_long_row_beside_short_ones():
    """Tables of very different support in one call agree with the same tables alone."""
    rows = np.array([[1, 2, 1, 3], [700, 3000, 900, 3100], [0, 1, 1, 1], [5, 1000, 20, 1000]])
    together = fisher_test(*rows.T).log_p
    apart = [float(fisher_test(*row).log_p) for row in rows]
    np.testing.assert_allclose(together, apart, rtol=1e-12)


def test_large_table_equals_fractions():
    """An exact fraction at 200 v 150, where log-factorials have lost digits."""
    expected = fisher_p(90, 200, 40, 150)
    assert isinstance(expected, Fraction)
    assert p(90, 200, 40, 150) == pytest.approx(float(expected), rel=1e-13)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ((-1, 5, 1, 5), "k_before=-1 must not be negative."),
        ((6, 5, 1, 5), "k_before=6 must not exceed n_before=5."),
        (([1, 2], [5, 5], [0, 9], [5, 8]), r"k_after[1]=9 must not exceed n_after[1]=8."),
        ((math.nan, 5, 1, 5), "k_before=nan must be a whole number."),
        ((1.5, 5, 1, 5), "k_before=1.5 must be a whole number."),
        (([], [], [], []), "k_before is empty."),
        (([1, 1], [5, 5, 5], 1, 5), "n_before has shape (3,) where k_before has (2,)."),
        (("a", 5, 1, 5), "k_before='a' must hold whole numbers."),
    ],
)
def test_bad_input_is_named(table, message):
    """Every refusal names the argument and the value."""
    with pytest.raises(ValueError, match=r"\S") as refusal:
        fisher_test(*table)
    assert str(refusal.value) == message
