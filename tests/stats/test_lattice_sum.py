"""Sums by tilted Fourier transform against plain convolution."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

from poisson_stats import lattice_sum
from poisson_stats.lattice_sum import LatticeSum, _fast_length

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


def test_a_tail_from_the_first_place_is_everything():
    """What a window holds from its first place up, or from its last one down, is all of it."""
    coins = LatticeSum(np.array([0, 1]), np.log([0.5, 0.5]), np.array([0]), np.array([3]), jump=1)
    window = coins.window(1)
    assert window.log_tail(0, upper=True) == pytest.approx(0, abs=1e-12)
    assert window.log_tail(3, upper=False) == pytest.approx(0, abs=1e-12)


@pytest.mark.parametrize("jump", [1, 3, 20])
@pytest.mark.parametrize("place", [0.5, 0.7])
def test_a_window_reaches_as_far_as_bernstein_says(jump, place):
    """Beyond t with t^2 / 2 = 45 (variance + jump t / 3) a tilted sum has a mass of exp(-45) at most, on each side."""
    faces = np.arange(jump + 1)
    dice = LatticeSum(faces, np.full(jump + 1, -np.log(jump + 1)), np.array([0]), np.array([3000]), jump)
    point = int(place * dice.largest)
    _, mean, variance = dice.cumulants(dice.tilt_to(point))
    reach = brentq(lambda t: t * t / 2 - 45 * (variance + jump * t / 3), 1, 1e6)
    window = dice.window(point)
    assert window.start == int(mean - reach)
    assert window.start + window.log_p.size - 1 == int(mean + reach) + 1


@given(kinds, st.floats(0.1, 0.9))
def test_a_tilt_gives_the_mean_that_is_asked_for(parts, place):
    """It is found to a millionth of the spread."""
    total, full = built(parts)
    if full.size > 1:
        wanted = place * total.largest
        _, mean, variance = total.cumulants(total.tilt_to(wanted))
        assert abs(mean - wanted) <= 1e-6 * (1 + variance**0.5)


@pytest.mark.parametrize("share", [1e-9, 1 - 1e-9])
def test_a_tilt_is_found_where_the_mean_jumps(share):
    """Newton's steps leave the bracket between the two values of a large summand, at either end, and are halved."""
    large = LatticeSum(
        np.array([0, 1000]), np.log([1 - share, share]), np.array([0]), np.array([3]), jump=1000
    )
    tilt = large.tilt_to(1200)
    assert tilt == pytest.approx((math.log(0.4 / 0.6) - math.log(share / (1 - share))) / 1000, rel=1e-4)


def test_a_sum_in_many_blocks_is_that_in_one(monkeypatch):
    """However many kinds of summand are taken at a time."""
    rng = np.random.default_rng(5)
    total, full = built([(rng.random(1 + i % 6) + 0.01, 1 + i % 3) for i in range(30)])
    monkeypatch.setattr(lattice_sum, "_CHUNK", 2000)
    window = total.window(40)
    near = slice(30, 50)
    assert window.log_p[near] == pytest.approx(np.log(full[near]), abs=1e-9)


def test_what_rounding_hides_has_no_probability():
    """Far from where the sum was tilted to, the transform leaves noise around 0, of either sign."""
    coins = LatticeSum(np.array([0, 1]), np.log([0.5, 0.5]), np.array([0]), np.array([1000]), jump=1)
    log_p = coins.window(500).log_p
    assert log_p.max() < 0
    assert np.isneginf(log_p).any()


@given(st.integers(1, 10**5))
def test_a_fast_length_is_the_next_even_one_with_few_small_factors(size):
    """Twice or more a power of two, times an odd number that a transform takes at little cost."""
    fast = {odd << power for odd in (1, 3, 5, 9, 15) for power in range(1, 19)}
    assert _fast_length(size) == min(length for length in fast if length >= size)
