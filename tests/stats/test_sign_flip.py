"""The sign-flip test against all sign patterns, listed in fractions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_stats import sign_flip
from poisson_stats.sign_flip import sign_flip_test
from tests.oracles import stratified_by_fractions
from tests.stats.strategies import two_arms


def compared(inputs):
    return sign_flip_test(*zip(*inputs, strict=True))


@given(st.lists(two_arms(largest=9), min_size=1, max_size=9))
def test_p_counts_every_sign_pattern(inputs):
    """The p-value is the share of all 2^moved patterns, ragged run counts included."""
    result = compared(inputs)
    assert result.exact
    assert result.p == pytest.approx(float(stratified_by_fractions.sign_flip_p(inputs)), rel=1e-9)


@settings(max_examples=15)
@given(st.lists(two_arms(largest=100), min_size=8, max_size=11))
def test_where_no_lattice_fits_p_is_a_close_upper_bound(inputs):
    """Run counts without a common multiple give a bound at or above the exact p, and near it."""
    result = compared(inputs)
    exact = float(stratified_by_fractions.sign_flip_p(inputs))
    assert result.p >= exact * (1 - 1e-9)
    assert result.p <= exact * 1.02 + 3 / 2**result.moved
    if result.exact:
        assert result.p == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("size", [32, 33, 48])
def test_the_bound_makes_up_for_what_was_rounded(monkeypatch, size):
    """Twenty equal differences that a coarse lattice rounds all alike: p is at least the 2 / 2^20 it is."""
    monkeypatch.setattr(sign_flip, "_FINEST", 1)
    monkeypatch.setattr(sign_flip, "_COARSE", size)
    result = sign_flip_test([4] * 20, [4] * 20, [1] * 20, [4] * 20)
    assert not result.exact
    assert 2 / 2**20 <= result.p < 1


def test_a_bound_is_said_to_be_one():
    """Sixty different prime-ish run counts have no lattice: the result says so, and p is near the normal tail."""
    rng = np.random.default_rng(7)
    n0, n1 = rng.integers(40, 100, 400), rng.integers(40, 100, 400)
    k0, k1 = rng.binomial(n0, 0.5), rng.binomial(n1, 0.5)
    result = sign_flip_test(k0, n0, k1, n1)
    z = abs(result.statistic) / math.sqrt(((k1 / n1 - k0 / n0) ** 2).sum())
    assert not result.exact
    assert math.erfc(z / math.sqrt(2)) <= result.p * 1.02
    assert result.p <= math.erfc(z / math.sqrt(2)) * 1.1


def test_six_inputs_of_four_runs_before_and_one_after():
    """The definition's example: 0.375 over the 4 inputs that moved."""
    result = sign_flip_test([3, 3, 4, 4, 3, 1], [4] * 6, [0, 0, 1, 1, 1, 0], [1] * 6)
    assert (result.p, result.moved, result.inputs) == (pytest.approx(0.375), 4, 6)
    assert result.statistic == -1.5


def test_all_move_alike():
    """With every input one step the same way the only patterns as far out are the two extremes."""
    result = sign_flip_test([0] * 30, [8] * 30, [1] * 30, [8] * 30)
    assert result.p == pytest.approx(2 / 2**30)


def test_a_thousand_inputs_that_all_move_underflow_gracefully():
    """P = 2 / 2^2000 is below the smallest double; its logarithm is not."""
    result = sign_flip_test([0] * 2000, [8] * 2000, [1] * 2000, [8] * 2000)
    assert result.p == 0
    assert result.log_p == pytest.approx(-1999 * math.log(2), rel=1e-12)


def test_nothing_moved():
    """No difference, or none in sum: p = 1."""
    assert sign_flip_test([2], [4], [1], [2]).p == 1
    assert sign_flip_test([1, 3], [4, 4], [3, 1], [4, 4]).p == 1
    assert sign_flip_test([1], [4], [0], [0]).inputs == 0


def test_bad_counts_are_refused_by_name_and_value():
    """K > n names both."""
    with pytest.raises(ValueError, match=r"k_after\[0\]=3 must not exceed n_after\[0\]=2\."):
        sign_flip_test([1], [2], [3], [2])
