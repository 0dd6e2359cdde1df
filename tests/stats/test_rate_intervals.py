"""Clopper-Pearson and Wilson intervals against SciPy, statsmodels and their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from poisson_stats.rate_intervals import clopper_pearson, wilson

k_and_n = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
confidences = st.sampled_from([0.5, 0.9, 0.95, 0.99, 1 - 0.05 / 18])


@given(k_and_n, confidences)
@settings(deadline=None)
def test_clopper_pearson_bounds_make_the_tails_exact(data, confidence):
    """The definition plugged back in: at each bound the observed tail has exactly the missing half."""
    k, n = data
    interval = clopper_pearson(k, n, confidence=confidence)
    miss = (1 - confidence) / 2
    assert k == 0 or stats.binom.sf(k - 1, n, interval.low) == pytest.approx(miss, rel=1e-7)
    assert k == n or stats.binom.cdf(k, n, interval.high) == pytest.approx(miss, rel=1e-7)
    assert interval.low <= k / n <= interval.high


@given(k_and_n, confidences, st.sampled_from(["both", "lower", "upper"]))
@settings(deadline=None)
def test_equals_scipy(data, confidence, sides):
    """Both intervals, two-sided and one-sided, equal scipy.stats.binomtest's."""
    k, n = data
    alternative = {"both": "two-sided", "lower": "greater", "upper": "less"}[sides]
    test = stats.binomtest(k, n, alternative=alternative)
    for ours, method in ((clopper_pearson, "exact"), (wilson, "wilson")):
        interval = ours(k, n, confidence=confidence, sides=sides)
        theirs = test.proportion_ci(confidence, method=method)
        assert (interval.low, interval.high) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


def test_equals_statsmodels():
    """Every k of 37, against statsmodels' beta and wilson methods."""
    k = np.arange(38)
    for ours, method in ((clopper_pearson, "beta"), (wilson, "wilson")):
        interval = ours(k, np.full(38, 37))
        low, high = proportion_confint(k, 37, method=method)
        np.testing.assert_allclose(interval.low, np.nan_to_num(low, nan=0.0), atol=1e-12)
        np.testing.assert_allclose(interval.high, np.nan_to_num(high, nan=1.0), atol=1e-12)


@given(k_and_n, confidences)
def test_wilson_bounds_solve_the_score_equation(data, confidence):
    """At each bound p, |k/n - p| is z sqrt(p (1 - p) / n)."""
    k, n = data
    interval = wilson(k, n, confidence=confidence)
    z = stats.norm.isf((1 - confidence) / 2)
    for bound in (interval.low, interval.high):
        p = float(bound)
        assert abs(k / n - p) == pytest.approx(z * np.sqrt(p * (1 - p) / n), abs=1e-7)


def test_published_values():
    """Newcombe (1998), table I: 81 of 263 and 15 of 148, Clopper-Pearson and Wilson; 0 of 300, one-sided."""
    k, n = [81, 15], [263, 148]
    exact, score = clopper_pearson(k, n), wilson(k, n)
    assert [f"{x:.4f}" for x in (*exact.low, *exact.high)] == ["0.2527", "0.0578", "0.3676", "0.1617"]
    assert [f"{x:.4f}" for x in (*score.low, *score.high)] == ["0.2553", "0.0624", "0.3662", "0.1605"]
    assert f"{clopper_pearson(0, 300, sides='upper').high:.4f}" == "0.0099"


@pytest.mark.parametrize(("n", "rate"), [(5, 0.1), (20, 0.03), (50, 0.5), (194, 0.4)])
def test_clopper_pearson_covers_at_least_as_often_as_it_says(n, rate):
    """Exact coverage, summed over all counts, is at least the confidence; Wilson's is near it."""
    k = np.arange(n + 1)
    chance = stats.binom.pmf(k, n, rate)
    for interval, least in (
        (clopper_pearson(k, np.full(n + 1, n)), 0.95),
        (wilson(k, np.full(n + 1, n)), 0.90),
    ):
        covers = (interval.low <= rate) & (rate <= interval.high)
        assert chance[covers].sum() >= least


def test_no_trials_say_nothing():
    """Without trials the interval is 0 to 1 and the estimate is NaN, not 0."""
    for method in (clopper_pearson, wilson):
        interval = method([0, 1, 1, 0], [0, 2, 1, 1])
        assert (interval.low[0], interval.high[0]) == (0.0, 1.0)
        assert np.isnan(interval.estimate[0])
        assert interval.estimate[1:].tolist() == [0.5, 1.0, 0.0]


@pytest.mark.parametrize("method", [clopper_pearson, wilson])
@pytest.mark.parametrize(
    ("arguments", "choices", "message"),
    [
        ((11, 10), {}, "successes=11 must not exceed trials=10."),
        ((1, 2), {"confidence": 1.0}, "confidence=1.0 must lie strictly between 0 and 1."),
        ((1, 2), {"sides": "left"}, "sides='left' must be one of 'both', 'lower', 'upper'."),
        ((-1, 2), {}, "successes=-1 must not be negative."),
    ],
)
def test_bad_input_is_named(method, arguments, choices, message):
    """Every refusal names the argument and the value."""
    with pytest.raises(ValueError, match=r"\S") as refusal:
        method(*arguments, **choices)
    assert str(refusal.value) == message
