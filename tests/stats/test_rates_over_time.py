"""Event rates at a horizon against fractions and statsmodels."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.duration.survfunc import CumIncidenceRight

from poisson_stats.rates_over_time import rates_at_horizon

episodes = st.lists(
    st.tuples(st.integers(1, 6), st.sampled_from([0, 1, 2]), st.integers(0, 3)), min_size=1, max_size=40
)


def aalen_johansen(rows, horizon):
    """Return the incidence by its definition, in fractions."""
    alive, incidence = Fraction(1), Fraction(0)
    for time in sorted({t for t, _ in rows if t <= horizon}):
        at_risk = sum(t >= time for t, _ in rows)
        events = sum(t == time and code == 1 for t, code in rows)
        others = sum(t == time and code == 2 for t, code in rows)
        incidence += alive * Fraction(events, at_risk)
        alive *= 1 - Fraction(events + others, at_risk)
    return incidence


@given(episodes, st.integers(0, 7))
@settings(max_examples=150, deadline=None)
def test_equals_the_definition(rows, horizon):
    """Every row's rate is the Aalen-Johansen sum in fractions, ties, censoring and early horizons included."""
    t, ended, row = zip(*rows, strict=True)
    found = rates_at_horizon(t, ended, row, rows=4, horizon=horizon)
    for number in range(4):
        own = [(time, code) for time, code, index in rows if index == number]
        if own:
            assert found[number] == pytest.approx(float(aalen_johansen(own, horizon)), abs=1e-12)
        else:
            assert math.isnan(found[number])


@given(episodes)
@settings(deadline=None)
def test_without_censoring_it_is_the_share(rows):
    """With every episode seen to its end the rate is exactly k / n."""
    t, ended, row = zip(*[(time, code or 2, index) for time, code, index in rows], strict=True)
    found = rates_at_horizon(t, ended, row, rows=4, horizon=6)
    for number in range(4):
        own = [code for code, index in zip(ended, row, strict=True) if index == number]
        assert not own or found[number] == own.count(1) / len(own)


def test_equals_statsmodels():
    """A larger random sample equals statsmodels' cumulative incidence at the last time."""
    rng = np.random.default_rng(12)
    t, ended = rng.integers(1, 30, 500), rng.integers(0, 3, 500)
    theirs = CumIncidenceRight(t, ended)
    expected = theirs.cinc[0][np.searchsorted(theirs.times, 20, side="right") - 1]
    found = rates_at_horizon(t, ended, np.zeros(500, int), rows=1, horizon=20)
    assert found[0] == pytest.approx(expected, abs=1e-10)


def test_competing_outcomes_are_not_censored():
    """Episodes resolved early never time out: counting them as cut off would say 1, not 1/3."""
    assert rates_at_horizon([1, 2, 3], [2, 2, 1], [0, 0, 0], rows=1, horizon=3).tolist() == [1 / 3]
    assert rates_at_horizon([1, 2, 3], [0, 0, 1], [0, 0, 0], rows=1, horizon=3).tolist() == [1.0]


@pytest.mark.parametrize(
    ("arguments", "fragment"),
    [
        (([1, math.nan], [1, 1], [0, 0]), "t"),
        (([1, 2], [1, 3], [0, 0]), "ended"),
        (([1, 2], [1, 1], [0, 2]), "row"),
        (([1, 2], [1], [0, 0]), "ended"),
    ],
)
def test_bad_input_is_named(arguments, fragment):
    """Times that are no times, codes out of range and lengths that differ are refused by name."""
    with pytest.raises(ValueError, match=rf"^{fragment}\b"):
        rates_at_horizon(*arguments, rows=2, horizon=5)
