"""The Mantel-Haenszel difference with Sato's variance: published data, an independent form, and edges."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poisson_stats.risk_difference import risk_difference


@st.composite
def one_stratum(draw, least=1):
    n0, n1 = draw(st.integers(least, 12)), draw(st.integers(least, 12))
    return draw(st.integers(0, n0)), n0, draw(st.integers(0, n1)), n1


def in_fractions(strata):
    """Return difference and variance from the article's own layout: a, b, n1, n0 a stratum, in fractions."""
    numerator = denominator = p = q = Fraction(0)
    for b, n0, a, n1 in strata:
        if not (n0 and n1):
            continue
        n = n0 + n1
        numerator += Fraction(a * n0 - b * n1, n)
        denominator += Fraction(n1 * n0, n)
        p += (
            (Fraction(n1, n) ** 2) * b - (Fraction(n0, n) ** 2) * a + Fraction(n1 * n0 * (n0 - n1), 2 * n * n)
        )
        q += Fraction(a * (n0 - b) + b * (n1 - a), 2 * n)
    difference = numerator / denominator
    return difference, (difference * p + q) / denominator**2


@given(st.lists(one_stratum(), min_size=1, max_size=8))
def test_difference_and_variance_are_the_articles_in_fractions(strata):
    """Both agree with Sato, Greenland and Robins (1989) computed in exact fractions."""
    got = risk_difference(*zip(*strata, strict=True))
    difference, variance = in_fractions(strata)
    assert got.difference == pytest.approx(float(difference), abs=1e-14)
    assert got.variance == pytest.approx(float(variance), rel=1e-9, abs=1e-12)
    if variance == 0:
        assert math.isnan(got.low)
        assert math.isnan(got.high)


@given(st.lists(one_stratum(), min_size=1, max_size=8))
def test_exchanging_the_arms_mirrors_the_interval(strata):
    """Before for after negates the difference and exchanges the negated ends."""
    forth = risk_difference(*zip(*strata, strict=True))
    back = risk_difference(*zip(*[(k1, n1, k0, n0) for k0, n0, k1, n1 in strata], strict=True))
    assert back.difference == pytest.approx(-forth.difference, abs=1e-14)
    assert back.low == pytest.approx(-forth.high, abs=1e-9, nan_ok=True)


def test_tolbutamide():
    """University Group Diabetes Program (1970), 90 %: 0.0349 (-0.0176 to 0.0874), the definition's numbers."""
    got = risk_difference([5, 16], [120, 85], [8, 22], [106, 98], confidence=0.9)
    assert [round(v, 4) for v in (got.difference, got.low, got.high)] == [0.0349, -0.0176, 0.0874]


def test_six_inputs_of_four_runs_before_and_one_after():
    """The definition's example: -25.0 points (-60.1 to +10.1)."""
    got = risk_difference([3, 3, 4, 4, 3, 1], [4] * 6, [0, 0, 1, 1, 1, 0], [1] * 6)
    assert [round(100 * v, 1) for v in (got.difference, got.low, got.high)] == [-25.0, -60.1, 10.1]


def test_one_stratum_is_the_plain_difference():
    """With one stratum the estimate is the difference of the two shares."""
    assert risk_difference([3], [10], [6], [8]).difference == pytest.approx(6 / 8 - 3 / 10)


def test_a_variance_of_nought_is_no_interval():
    """Every run ended alike: the difference is 0, or 1, and there is no interval around it."""
    for counts, difference in ((([0, 0], [5, 9], [0, 0], [3, 2]), 0), (([0], [7], [7], [7]), 1)):
        got = risk_difference(*counts)
        assert (got.difference, got.variance) == (difference, 0)
        assert np.isnan([got.low, got.high]).all()


def test_strata_without_both_arms_weigh_nothing():
    """An arm without runs leaves the stratum out; with none left there is no estimate."""
    kept = risk_difference([3, 1], [10, 2], [6, 0], [8, 0])
    assert (kept.difference, kept.strata) == (pytest.approx(0.45), 1)
    other = risk_difference([3, 0], [10, 0], [6, 1], [8, 2])
    assert (other.difference, other.strata) == (pytest.approx(0.45), 1)
    none = risk_difference([1], [2], [0], [0])
    assert math.isnan(none.difference)
    assert none.strata == 0


def test_bad_input_is_refused_by_name_and_value():
    """K > n and a level outside (0, 1) are named."""
    with pytest.raises(ValueError, match=r"k_before\[0\]=3 must not exceed n_before\[0\]=2\."):
        risk_difference([3], [2], [1], [2])
    with pytest.raises(ValueError, match=r"confidence=95 must lie strictly between 0 and 1\."):
        risk_difference([1], [2], [1], [2], confidence=95)
