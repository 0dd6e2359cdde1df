"""Flips of paired decisions: the definition's numbers, SciPy, and the letters."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from poisson_stats.replay import arm_order, flip_outcome, flip_rate, pooled_flips

cell = st.integers(0, 60)


@pytest.mark.parametrize(
    ("cells", "figures"),
    [
        ((91, 20, 26, 149), (0.160839, 0.120225, 0.208646, 0.461391)),
        ((155, 10, 5, 130), (0.05, 0.028251, 0.081127, 0.301758)),
    ],
)
def test_numbers_of_the_definition(cells, figures):
    """Rate, exact interval and arm-order p of two sweeps, as the statistics' definition prints them."""
    got = flip_rate(*cells)
    assert tuple(round(v, 6) for v in (got.rate, got.low, got.high, got.order.p)) == figures


@given(cell, cell, cell, cell)
def test_scipy_gives_the_same_interval_and_test(n11, n10, n01, n00):
    """Binomtest's exact interval of the flips, and its two-sided p of the direction."""
    if n11 + n10 + n01 + n00 == 0:
        return
    got = flip_rate(n11, n10, n01, n00)
    assert (got.n11, got.n10, got.n01, got.n00) == (n11, n10, n01, n00)
    exact = stats.binomtest(n10 + n01, n11 + n10 + n01 + n00).proportion_ci(method="exact")
    assert (got.low, got.high) == pytest.approx((exact.low, exact.high), abs=1e-9)
    order = stats.binomtest(n10, n10 + n01).pvalue if n10 + n01 else 1
    assert got.order.p == pytest.approx(order, rel=1e-9)
    assert got.net_swing == pytest.approx(((n11 + n01) - (n11 + n10)) / got.pairs)


@pytest.mark.parametrize(("flips", "could"), [(0, False), (5, False), (6, True), (40, True)])
def test_whether_the_arm_order_could_be_rejected(flips, could):
    """Five flips, all one way, have p = 1/16; six have 1/32."""
    assert arm_order(flips, 0).could_reject is could
    assert arm_order(flips // 2, flips - flips // 2).could_reject is could


def test_lopsidedness_is_not_flipping():
    """Flips that balance have p = 1 however many they are."""
    got = flip_rate(10, 40, 40, 10)
    assert (got.order.p, got.rate, got.net_swing) == (1, 0.8, 0)


@pytest.mark.parametrize(
    ("low", "high", "floor", "letter", "below"),
    [
        (0.01, 0.2, 0.05, "B", False),
        (0.01, 0.04, 0.05, "B", True),
        (0.0, 0.04, 0.05, "A", True),
        (0.0, 0.05, 0.05, "C", False),
        (0.0, 0.2, 0.05, "C", False),
        (0.0, 0.0, 0.05, "C", False),
        (math.nan, math.nan, 0.05, "C", False),
    ],
)
def test_the_letters(low, high, floor, letter, below):
    """B above nought, else A below the floor, else C; never A from a point, nor from no interval."""
    got = flip_outcome(low, high, floor=floor)
    assert (got.letter, got.below_floor) == (letter, below)


def test_pooled_flips_have_a_basis_and_a_design_effect():
    """Three sweeps of copies: the interval knows that items are the unit, and says what clustering cost."""
    got = pooled_flips([3, 0] * 20, [3] * 40)
    assert got.interval.basis == "bootstrap over items"
    assert got.clustering.design_effect == pytest.approx(3)
    naive = flip_rate(0, 60, 0, 60)
    assert got.interval.high - got.interval.low > 1.4 * (naive.high - naive.low)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: flip_rate(0, 0, 0, 0),
            "n11=0, n10=0, n01=0 and n00=0 make no pair; at least one is needed.",
        ),
        (lambda: flip_rate(1, -1, 0, 0), "n10=-1 must not be negative."),
        (lambda: flip_rate(1, 0, 0, 0, confidence=0), "confidence=0 must lie strictly between 0 and 1."),
        (lambda: flip_outcome(0.2, 0.1, floor=0.05), "low=0.2 must not exceed high=0.1."),
        (lambda: flip_outcome(0.1, 0.2, floor=5), "floor=5 must lie in 0 to 1."),
    ],
)
def test_bad_input_is_refused_by_name_and_value(call, message):
    """Each refusal names the argument and the value."""
    with pytest.raises(ValueError) as refusal:
        call()
    assert str(refusal.value) == message
