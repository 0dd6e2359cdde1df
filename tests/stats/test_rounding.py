"""Rounding upward, which forgives rounding errors and nothing else."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poisson_stats.rounding import ceil_count, round_up


@given(st.integers(-(10**6), 10**6), st.integers(0, 6))
def test_a_value_with_so_many_decimals_stays(units, decimals):
    """It is the nearest double of units / 10**decimals, which may lie above."""
    assert round_up(units / 10**decimals, decimals) == units / 10**decimals


@given(st.fractions(0, 10, max_denominator=10**5), st.integers(1, 5))
def test_no_limit_is_rounded_down(value, decimals):
    """The least multiple of the last place that is not below, in exact arithmetic."""
    step = Fraction(1, 10**decimals)
    assert round_up(float(value), decimals) == pytest.approx(float(math.ceil(value / step) * step), rel=1e-12)


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_what_is_no_figure_passes_through(value):
    """A limit that does not exist is no error."""
    assert repr(round_up(value, 4)) == repr(value)


@given(st.integers(0, 10**9))
def test_a_whole_number_with_a_rounding_error_is_that_number(count):
    """What exceeds it by more is one more."""
    assert ceil_count(count * (1 + 1e-15)) == count
    assert ceil_count(count + 0.01) == count + 1
