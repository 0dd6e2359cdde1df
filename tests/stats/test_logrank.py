"""The stratified log-rank test against exact fractions, R, statsmodels, lifelines and the numbers it promises."""

import math

import lifelines.statistics
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.duration.survfunc import survdiff

from poisson_stats.logrank import (
    cause_specific_log_rank,
    detectable_hazard_ratio,
    hazard_ratio_guidance,
    log_rank,
)
from tests.oracles import r_reference, survival_by_fractions

row = st.tuples(st.integers(0, 5), st.booleans(), st.booleans(), st.integers(0, 3))
episodes = st.lists(row, min_size=1, max_size=30)


def drawn(size, seed):
    rng = np.random.default_rng(seed)
    return (
        rng.integers(1, 9, size),
        rng.random(size) < 0.7,
        rng.integers(0, 2, size),
        rng.integers(0, 4, size),
    )


@given(episodes)
def test_the_test_is_the_definition_in_fractions(rows):
    """Observed, expected and variance equal the exact sums of hypergeometric moments, ties and strata included."""
    times, died, second, strata = zip(*rows, strict=True)
    result = log_rank(times, died, second, strata=strata)
    observed, expected, variance = survival_by_fractions.log_rank(times, died, second, strata)
    assert result.observed == observed
    assert result.expected == pytest.approx(float(expected), abs=1e-12)
    assert result.variance == pytest.approx(float(variance), abs=1e-12)
    chi_square = (observed - expected) ** 2 / variance if variance else 0
    assert result.chi_square == pytest.approx(float(chi_square), rel=1e-9, abs=1e-9)
    assert result.strata == len(set(strata))
    assert result.informative == sum(
        survival_by_fractions.log_rank(*zip(*(row for row in rows if row[3] == one), strict=True))[2] > 0
        for one in set(strata)
    )
    assert result.placed == (len(rows) - sum(second), sum(second))
    assert result.deaths == (sum(died) - observed, observed)


@given(episodes)
def test_exchanging_the_arms_changes_only_the_direction(rows):
    """P stays; sooner becomes later."""
    times, died, second, strata = zip(*rows, strict=True)
    one = log_rank(times, died, second, strata=strata)
    two = log_rank(times, died, [not s for s in second], strata=strata)
    assert one.p == pytest.approx(two.p, rel=1e-9)
    if one.variance > 1e-9 and abs(one.observed - one.expected) > 1e-9:
        assert {one.second_dies, two.second_dies} == {"sooner", "later"}


@given(episodes)
def test_times_matter_only_by_their_order(rows):
    """Any increasing change of the time scale leaves the test as it was, fractions and large numbers included."""
    times, died, second, strata = zip(*rows, strict=True)
    one = log_rank(times, died, second, strata=strata)
    two = log_rank([1e12 * (t + 0.5) ** 3 for t in times], died, second, strata=[f"s{s}" for s in strata])
    assert (one.observed, one.expected, one.p) == (two.observed, two.expected, two.p)


def test_r_gives_the_same_tests():
    """R 4.2, survival 3.5: survdiff with and without strata, and for each kind of death."""
    r, data = r_reference.reference(), r_reference.columns("episodes.csv")
    times, causes, second, strata = (
        np.array(data[name], dtype=int) for name in ("time", "cause", "arm", "stratum")
    )
    plain = log_rank(times, causes > 0, second)
    stratified = log_rank(times, causes > 0, second, strata=strata)
    kinds = cause_specific_log_rank(times, causes, second, kinds=3, strata=strata)
    names = ["logrank", "logrank_strata", "logrank_kind1", "logrank_kind2", "logrank_kind3"]
    for name, test in zip(names, (plain, stratified, *kinds), strict=True):
        got = [test.observed, test.expected, test.variance, test.chi_square]
        assert got == pytest.approx(r[name], rel=1e-10), name


@pytest.mark.parametrize("seed", range(5))
def test_statsmodels_gives_the_same_stratified_test(seed):
    """The survdiff of statsmodels with strata agrees on 300 tied episodes."""
    times, died, second, strata = drawn(300, seed)
    chi_square, p = survdiff(times, died, second, strata=strata)
    result = log_rank(times, died, second, strata=strata)
    assert (result.chi_square, result.p) == pytest.approx((chi_square, p), rel=1e-8)


@pytest.mark.parametrize("seed", range(5))
def test_lifelines_gives_the_same_unstratified_test(seed):
    """The logrank_test of lifelines agrees on 300 tied episodes."""
    times, died, second, _ = drawn(300, seed)
    arm = second == 1
    theirs = lifelines.statistics.logrank_test(times[~arm], times[arm], died[~arm], died[arm])
    assert log_rank(times, died, second).p == pytest.approx(theirs.p_value, rel=1e-8)


def test_freireich_leukaemia_remission():
    """Freireich et al. 1963: 6-MP against placebo, log-rank chi-square 16.8 (Cox and Oakes 1984, section 7.7)."""
    drug = [6, 6, 6, 6, 7, 9, 10, 10, 11, 13, 16, 17, 19, 20, 22, 23, 25, 32, 32, 34, 35]
    remission = [1, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0]
    placebo = [1, 1, 2, 2, 3, 4, 4, 5, 5, 8, 8, 8, 8, 11, 11, 12, 12, 15, 17, 22, 23]
    result = log_rank(drug + placebo, remission + [1] * 21, [0] * 21 + [1] * 21)
    assert round(result.chi_square, 1) == 16.8
    assert round(result.expected, 2) == 10.75
    assert result.second_dies == "sooner"


def test_p_is_carried_where_it_underflows():
    """A p-value below the smallest double still has its logarithm."""
    times = np.repeat([1, 2], 20_000)
    result = log_rank(times, np.ones(40_000), times == 2)
    assert result.p == 0
    assert -math.inf < result.log_p < -745


def test_log_p_is_the_chi_square_tail():
    """The log of p agrees with scipy's chi2.logsf over many orders of magnitude."""
    for size in (1, 10, 100, 300):
        times = np.repeat([1, 2], size)
        result = log_rank(times, np.ones(2 * size), times == 2)
        assert result.log_p == pytest.approx(stats.chi2.logsf(result.chi_square, 1), rel=1e-9)


def test_a_death_that_only_one_arm_could_have_died_says_nothing():
    """Strata in which one arm is absent have no variance, whatever died in them."""
    result = log_rank([1, 2, 3], [1, 1, 1], [0, 0, 1], strata=["a", "a", "b"])
    assert (result.variance, result.chi_square, result.p, result.informative) == (0, 0, 1, 0)


def test_all_die_together():
    """All ties: one death time for all gives no information at all."""
    result = log_rank([1] * 6, [1] * 6, [0, 0, 0, 1, 1, 1])
    assert (result.observed, result.expected, result.variance, result.p) == (3, 3.0, 0.0, 1.0)
    assert result.second_dies == "alike"


def test_the_detectable_ratio_of_222_deaths():
    """222 deaths in equal arms detect a ratio of 1.457 (the statistics' definition)."""
    assert detectable_hazard_ratio(222, 0.5) == 1.457


def test_the_guidance_for_a_ratio_of_1_3():
    """For 1.3: 457 deaths, 824 runs of 400 now, 103 inputs at 8 a piece, 9 repeats an arm on 50."""
    got = hazard_ratio_guidance(1.3, deaths=222, placed=(200, 200), inputs=50)
    assert (got.deaths, got.runs, got.inputs, got.repeats) == (457, 824, 103, 9)


@given(st.integers(1, 5000), st.floats(0.05, 0.95))
def test_the_guidance_undoes_the_limit(deaths, share):
    """The deaths asked for bring the detectable ratio to at most what was asked, and one death fewer does not."""
    got = hazard_ratio_guidance(
        1.5, deaths=deaths, placed=(round(share * 1000), 1000 - round(share * 1000)), inputs=10
    )
    a = round(share * 1000) / 1000
    z = 1.959963984540054 + 0.8416212335729143
    assert math.exp(z / math.sqrt(got.deaths * a * (1 - a))) <= 1.5 * (1 + 1e-9)
    if got.deaths > 1:
        assert math.exp(z / math.sqrt((got.deaths - 1) * a * (1 - a))) > 1.5


def test_without_deaths_no_ratio_is_detectable_and_nothing_can_be_scaled():
    """Zero deaths: an infinite ratio and no guidance, never 0."""
    assert detectable_hazard_ratio(0, 0.5) == math.inf
    assert hazard_ratio_guidance(1.3, deaths=0, placed=(10, 10), inputs=5) is None
    assert hazard_ratio_guidance(1.3, deaths=3, placed=(10, 0), inputs=5) is None


def test_one_death_detects_only_an_absurd_ratio():
    """The ratio stays finite where the exponential is, and is infinite beyond."""
    assert detectable_hazard_ratio(1, 0.5) == pytest.approx(math.exp(5.6032), rel=1e-3)
    assert detectable_hazard_ratio(1, 1e-7) == math.inf


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: log_rank([], [], []),
            "times has shape (0,); one dimension with at least one time is accepted.",
        ),
        (lambda: log_rank([1], [2], [1]), "died[0]=2 must be a whole number from 0 to 1."),
        (lambda: log_rank([1], [1], [2]), "second[0]=2 must be a whole number from 0 to 1."),
        (
            lambda: log_rank([1, 2], [1, 0], [0, 1], strata=[1]),
            "strata has shape (1,); one label an episode, (2,), is accepted.",
        ),
        (lambda: detectable_hazard_ratio(5, 0.0), "share=0.0 must lie strictly between 0 and 1."),
        (lambda: detectable_hazard_ratio(-1, 0.5), "deaths=-1 must not be negative."),
        (
            lambda: hazard_ratio_guidance(1.0, deaths=1, placed=(1, 1), inputs=1),
            "hazard_ratio=1.0 must be a finite number above 1.",
        ),
        (
            lambda: hazard_ratio_guidance(1.3, deaths=1, placed=(-1, 1), inputs=1),
            "first=-1 must not be negative.",
        ),
        (
            lambda: hazard_ratio_guidance(1.3, deaths=1, placed=(1, 1), inputs=0),
            "inputs=0 must be a whole number of at least 1.",
        ),
        (
            lambda: cause_specific_log_rank([1], [2], [0], kinds=1),
            "causes[0]=2 must be a whole number from 0 to 1.",
        ),
    ],
)
def test_bad_input_is_refused_by_name_and_value(call, message):
    """Each refusal names the argument, its value and what would be accepted."""
    with pytest.raises(ValueError) as refusal:
        call()
    assert str(refusal.value) == message
