"""Kaplan-Meier against exact fractions, R, lifelines and published numbers."""

import math

import lifelines
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poisson_stats.survival import survival_at, survival_curve, survival_difference
from tests.oracles import r_reference, survival_by_fractions

episodes = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=25)


def curve_of(rows, **options):
    times, died = zip(*rows, strict=True)
    return survival_curve(times, died, **options)


def from_risk_table(table):
    """Build episodes with the asked (at risk, died) at times 1, 2, ..., everybody else censored in between."""
    rows = []
    for step, (at_risk, died) in enumerate(table, start=1):
        after = table[step][0] if step < len(table) else 0
        rows += [(step, True)] * died + [(step + 0.5, False)] * (at_risk - died - after)
    return rows


@given(episodes)
def test_the_curve_is_the_definition_in_fractions(rows):
    """S, its variance and the risk table equal the exact ones at every time of a death, ties included."""
    curve = curve_of(rows)
    exact = survival_by_fractions.kaplan_meier(*zip(*rows, strict=True))
    assert curve.times.tolist() == [t for t, *_ in exact]
    assert curve.at_risk.tolist() == [n for _, n, *_ in exact]
    assert curve.died.tolist() == [d for _, _, d, *_ in exact]
    assert curve.survival.tolist() == pytest.approx([float(s) for *_, s, _ in exact], abs=1e-14)
    for got, (*_, want) in zip(curve.variance, exact, strict=True):
        assert math.isnan(got) if want is None else got == pytest.approx(float(want), rel=1e-12)


@given(episodes)
def test_the_median_is_the_first_time_the_exact_curve_reaches_a_half(rows):
    """A product that is one half in fractions counts as one half in floating point."""
    exact = survival_by_fractions.kaplan_meier(*zip(*rows, strict=True))
    halved = [t for t, *_, s, _ in exact if 2 * s <= 1]
    assert curve_of(rows).median == (halved[0] if halved else None)


@given(st.permutations([(1, True), (1, False), (2, True), (2, True), (5, False), (4, True)]))
def test_the_order_of_the_rows_is_of_no_consequence(rows):
    """Any permutation of the episodes gives the same curve, bit for bit."""
    assert curve_of(rows).survival.tolist() == curve_of(sorted(rows)).survival.tolist()


def test_r_gives_the_same_curve_and_plain_band():
    """R 4.2, survival 3.5: survfit(Surv(time, cause > 0) ~ 1, conf.type = "plain") on tied data."""
    r, data = r_reference.reference(), r_reference.columns("episodes.csv")
    curve = survival_curve(np.array(data["time"], dtype=int), [c != "0" for c in data["cause"]])
    assert curve.times.tolist() == r["km_time"]
    assert curve.at_risk.tolist() == r["km_at_risk"]
    assert curve.survival == pytest.approx(r["km_survival"], rel=1e-12)
    assert curve.low == pytest.approx(r["km_low"], rel=1e-12)
    assert curve.high == pytest.approx(r["km_high"], rel=1e-12)
    assert [curve.median] == r["km_median"]


@given(episodes)
def test_lifelines_gives_the_same_survival(rows):
    """The KaplanMeierFitter of lifelines agrees at every time of a death."""
    curve = curve_of(rows)
    fitter = lifelines.KaplanMeierFitter().fit(*zip(*rows, strict=True))
    theirs = np.ravel(fitter.predict(curve.times)) if curve.deaths else []
    assert curve.survival == pytest.approx(theirs, abs=1e-12)


def test_numbers_of_the_worked_table():
    """(at risk, died) 18/1, 15/1, 11/1, 10/1: the S and plain Greenwood bands of the statistics' definition."""
    curve = curve_of(from_risk_table([(18, 1), (15, 1), (11, 1), (10, 1)]))
    assert curve.survival.round(3).tolist() == [0.944, 0.881, 0.801, 0.721]
    assert curve.low.round(3).tolist() == [0.839, 0.727, 0.596, 0.484]
    assert curve.high.round(3).tolist() == [1.0, 1.0, 1.0, 0.959]


def test_freireich_leukaemia_remission():
    """Freireich et al. 1963, the 6-MP arm as printed by Cox and Oakes (1984): S(10) = 0.753, S(22) = 0.538."""
    times = [6, 6, 6, 6, 7, 9, 10, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 32, 34, 35]
    died = [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]
    at = survival_at(survival_curve(times, died), [6, 10, 13, 22, 23])
    assert at.survival.round(3).tolist() == [0.857, 0.753, 0.69, 0.538, 0.448]


def test_before_the_first_death_survival_is_whole_and_has_no_band():
    """S is 1 where nobody has died yet; a variance of 0 would claim certainty, so there is none."""
    at = survival_at(survival_curve([3, 5], [True, False]), [0, 2])
    assert at.survival.tolist() == [1, 1]
    assert np.isnan([at.variance, at.low, at.high]).all()


def test_beyond_the_last_time_survival_is_unknown_unless_it_reached_nought():
    """Nobody was observed beyond the last time: NaN after a censoring, 0 after everybody died."""
    at = survival_at(survival_curve([3, 5], [True, False]), [5, 6])
    assert at.survival[0] == 0.5
    assert math.isnan(at.survival[1])
    assert survival_at(survival_curve([3, 5], [True, True]), [6]).survival[0] == 0


def test_where_everybody_died_there_is_no_band():
    """Greenwood's formula is nought times infinity at S = 0, as R's NA."""
    curve = survival_curve([1, 2], [True, True])
    assert curve.survival.tolist() == [0.5, 0]
    assert np.isnan([curve.variance[1], curve.low[1], curve.high[1]]).all()


def test_a_single_episode_and_a_curve_without_deaths():
    """N = 1: it died or it did not; without deaths the curve has no steps and no median."""
    assert survival_curve([4], [True]).survival.tolist() == [0]
    alive = survival_curve([4], [False])
    assert (alive.times.size, alive.median, alive.last, alive.placed, alive.deaths) == (0, None, 4, 1, 0)


@given(episodes, episodes)
def test_the_difference_of_two_curves_is_antisymmetric(one, two):
    """Exchanging the curves negates the difference and mirrors its band."""
    forth = survival_difference(curve_of(one), curve_of(two), [0, 1, 3, 6])
    back = survival_difference(curve_of(two), curve_of(one), [0, 1, 3, 6])
    np.testing.assert_allclose(forth.difference, -back.difference, equal_nan=True)
    np.testing.assert_allclose(forth.low, -back.high, equal_nan=True)


def test_the_wald_band_of_a_difference_adds_the_variances():
    """Two curves of 0.75 and 0.5 at one step: -0.25 -/+ 1.96 sqrt(0.75*0.25/4 + 0.5*0.5/4), by hand."""
    first = survival_curve([1, 2, 2, 2], [1, 0, 0, 0])
    second = survival_curve([1, 1, 2, 2], [1, 1, 0, 0])
    got = survival_difference(first, second, [1])
    half = 1.959963984540054 * math.sqrt(0.75 * 0.25 / 4 + 0.25 / 4)
    assert (got.difference[0], got.low[0]) == (-0.25, pytest.approx(-0.25 - half))
    assert got.high[0] == pytest.approx(-0.25 + half)


def test_a_curve_without_a_variance_leaves_the_band_to_the_other():
    """Nobody of one group has died yet: the band is that of the other's variance alone, whichever it is."""
    alive, half = survival_curve([5, 5], [0, 0]), survival_curve([1, 5], [1, 0])
    width = 1.959963984540054 * math.sqrt(0.5 * 0.5 / 2)
    down, up = survival_difference(alive, half, [3]), survival_difference(half, alive, [3])
    assert (down.low[0], down.high[0]) == (-1.0, pytest.approx(-0.5 + width))
    assert (up.low[0], up.high[0]) == (pytest.approx(0.5 - width), 1.0)


def test_two_curves_without_deaths_differ_by_nought_without_a_band():
    """Nothing died in either arm: the difference is 0 and its band unknown, not the point 0."""
    alive = survival_curve([5, 5], [0, 0])
    got = survival_difference(alive, alive, [3])
    assert got.difference[0] == 0
    assert np.isnan([got.low[0], got.high[0]]).all()


@pytest.mark.parametrize(
    ("times", "died", "confidence", "message"),
    [
        ([], [], 0.95, "times has shape (0,); one dimension with at least one time is accepted."),
        ([[1]], [1], 0.95, "times has shape (1, 1); one dimension with at least one time is accepted."),
        ([1, -2], [1, 1], 0.95, "times[1]=-2 must not be negative."),
        ([1, math.nan], [1, 1], 0.95, "times[1]=nan must be finite."),
        ([1, 2], [1], 0.95, "died has shape (1,); one value an episode, (2,), is accepted."),
        ([1, 2], [1, 2], 0.95, "died[1]=2 must be a whole number from 0 to 1."),
        ([1, 2], [1, 0.5], 0.95, "died[1]=0.5 must be a whole number from 0 to 1."),
        ([1, 2], [1, 0], 1.0, "confidence=1.0 must lie strictly between 0 and 1."),
    ],
)
def test_bad_input_is_refused_by_name_and_value(times, died, confidence, message):
    """Each refusal names the argument, its value and what would be accepted."""
    with pytest.raises(ValueError) as refusal:
        survival_curve(times, died, confidence=confidence)
    assert str(refusal.value) == message


def test_curves_of_different_levels_are_not_subtracted():
    """A band of two levels would have neither."""
    first, second = survival_curve([1], [1]), survival_curve([1], [1], confidence=0.9)
    with pytest.raises(ValueError, match=r"second\.confidence=0\.9 must equal first\.confidence=0\.95\."):
        survival_difference(first, second, [1])
