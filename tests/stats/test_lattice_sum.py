"""Sums by tilted Fourier transform against plain convolution."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poisson_stats.lattice_sum import LatticeSum

weights = st.lists(st.floats(0.01, 1), min_size=1, max_size=6)
kinds = st.lists(st.tuples(weights, st.integers(1, 5)), min_size=1, max_size=5)


def built(parts):
    """Build a sum of the given (weights, copies), and its distribution by convolution."""
    full = np.ones(1)
    for weight, copies in parts:
        for _ in range(copies):
            full = np.convolve(full, np.array(weight) / sum(weight))
    lengths = [len(weight) for weight, _ in parts]
    total = LatticeSum(
        values=np.concatenate([np.arange(n) for n in lengths]),
        log_p=np.concatenate([np.log(np.array(weight) / sum(weight)) for weight, _ in parts]),
        starts=np.concatenate(([0], np.cumsum(lengths)[:-1])).astype(np.int64),
        copies=np.array([copies for _, copies in parts]),
        jump=max(max(lengths) - 1, 1),
    )
    return total, full


@given(kinds, st.data())
def test_the_probability_of_any_value_is_the_convolution(parts, data):
    """The window around a value holds its probability to nine digits, wherever it lies."""
    total, full = built(parts)
    value = data.draw(st.integers(0, full.size - 1))
    assert total.largest == full.size - 1
    if full.size > 1:
        assert total.window(value).at(value) == pytest.approx(math.log(full[value]), abs=1e-9)


@given(kinds, st.data())
def test_the_tails_beyond_a_value_are_sums_of_the_convolution(parts, data):
    """Both tails from a value agree with plain sums."""
    total, full = built(parts)
    if full.size == 1:
        return
    value = data.draw(st.integers(0, full.size - 1))
    window = total.window(value)
    mean = full @ np.arange(full.size)
    if value >= mean:
        assert window.log_tail(value, upper=True) == pytest.approx(math.log(full[value:].sum()), abs=1e-9)
    else:
        assert window.log_tail(value, upper=False) == pytest.approx(
            math.log(full[: value + 1].sum()), abs=1e-9
        )


@given(kinds)
def test_cumulants_are_those_of_the_tilted_convolution(parts):
    """Log moment, mean and variance under a tilt agree with the tilted plain distribution."""
    total, full = built(parts)
    values = np.arange(full.size)
    for tilt in (-0.7, 0.0, 1.3):
        weight = full * np.exp(tilt * values)
        mean = weight @ values / weight.sum()
        variance = weight @ (values - mean) ** 2 / weight.sum()
        got = total.cumulants(tilt)
        assert got == pytest.approx((math.log(weight.sum()), mean, variance), rel=1e-9, abs=1e-9)


def test_a_tail_of_1e_minus_300_has_twelve_digits():
    """P(a thousand fair coins all show heads) = 2^-1000, and the tail above 990 is the exact binomial sum."""
    coins = LatticeSum(np.array([0, 1]), np.log([0.5, 0.5]), np.array([0]), np.array([1000]), jump=1)
    assert coins.window(1000).at(1000) == pytest.approx(-1000 * math.log(2), rel=1e-13)
    exact = math.log(sum(math.comb(1000, k) for k in range(990, 1001))) - 1000 * math.log(2)
    assert coins.window(990).log_tail(990, upper=True) == pytest.approx(exact, rel=1e-13)


def test_values_outside_the_window_have_no_probability():
    """A window says -inf for what it does not hold, and so do empty tails."""
    coins = LatticeSum(np.array([0, 1]), np.log([0.5, 0.5]), np.array([0]), np.array([3]), jump=1)
    window = coins.window(1)
    assert window.at(-1) == window.at(4) == -math.inf
    assert window.log_tail(4, upper=True) == window.log_tail(-1, upper=False) == -math.inf
