"""pass^k and pass@k by listing all sets of k trials, and their interval."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poisson_stats.pass_at_k import pass_all_of_k, pass_any_of_k

conditions = st.lists(
    st.integers(0, 7).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=6
)


@given(conditions, st.integers(1, 5))
def test_both_are_shares_of_the_sets_of_k_trials(rows, k):
    """Each condition's estimate is the share of all k-subsets of its trials that all, or partly, succeeded."""
    successes, trials = zip(*rows, strict=True)
    every = pass_all_of_k(successes, trials, k=k, resamples=10)
    some = pass_any_of_k(successes, trials, k=k, resamples=10)
    for i, (s, n) in enumerate(rows):
        sets = list(combinations([1] * s + [0] * (n - s), k))
        if not sets:
            assert math.isnan(every.by_condition[i])
            continue
        assert every.by_condition[i] == pytest.approx(sum(map(all, sets)) / len(sets))
        assert some.by_condition[i] == pytest.approx(sum(map(any, sets)) / len(sets), abs=1e-12)
    assert every.conditions + every.too_few == len(rows)


@given(st.integers(1, 8), st.integers(1, 5), st.floats(0, 1))
def test_both_are_unbiased(n, k, rate):
    """Averaged over the binomial distribution of successes they are p^k and 1 - (1 - p)^k."""
    if k > n:
        return
    s = np.arange(n + 1)
    chance = np.array([math.comb(n, i) * rate**i * (1 - rate) ** (n - i) for i in s])
    every = pass_all_of_k(s, [n] * (n + 1), k=k, resamples=1).by_condition
    some = pass_any_of_k(s, [n] * (n + 1), k=k, resamples=1).by_condition
    assert chance @ every == pytest.approx(rate**k, abs=1e-12)
    assert chance @ some == pytest.approx(1 - (1 - rate) ** k, abs=1e-12)


def test_k_of_one_is_the_mean_success_rate():
    """Both measures are then the conditions' mean rate."""
    for rate in (pass_all_of_k([1, 3], [2, 4], k=1), pass_any_of_k([1, 3], [2, 4], k=1)):
        assert rate.estimate == pytest.approx(0.625)


def test_conditions_with_too_few_trials_are_counted_out():
    """They are named by their number, not averaged as failures; with none left the rate is unknown."""
    got = pass_all_of_k([4, 2, 0], [4, 2, 0], k=3)
    assert (got.conditions, got.too_few, got.estimate) == (1, 2, 1)
    assert math.isnan(pass_all_of_k([1], [2], k=3).estimate)


def test_one_condition_has_no_interval():
    """A single condition cannot show how conditions differ."""
    got = pass_all_of_k([2], [4], k=2)
    assert math.isnan(got.low)
    assert math.isnan(got.high)
    two = pass_all_of_k([1, 4], [4, 4], k=1)
    assert (two.low, two.high) == pytest.approx((0.25, 1))


def test_the_interval_resamples_conditions():
    """For 400 conditions it is the mean's Wald interval; the order of conditions does not move it."""
    rng = np.random.default_rng(11)
    s = rng.binomial(8, rng.beta(2, 2, 400))
    got = pass_all_of_k(s, [8] * 400, k=2, resamples=5000)
    half = 1.96 * got.by_condition.std(ddof=1) / 20
    assert got.low == pytest.approx(got.estimate - half, abs=0.1 * half)
    assert got.high == pytest.approx(got.estimate + half, abs=0.1 * half)
    backwards = pass_all_of_k(s[::-1], [8] * 400, k=2, resamples=5000)
    assert (backwards.low, backwards.high) == (got.low, got.high)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([3], [2]), {"k": 1}, "successes[0]=3 must not exceed trials[0]=2."),
        (([1], [2]), {"k": 0}, "k=0 must be a whole number of at least 1."),
        (([1], [2]), {"k": 1, "resamples": 0}, "resamples=0 must be a whole number of at least 1."),
        (([1], [2]), {"k": 1, "confidence": 1}, "confidence=1 must lie strictly between 0 and 1."),
    ],
)
def test_bad_input_is_refused_by_name_and_value(arguments, options, message):
    """Each refusal names the argument and the value."""
    with pytest.raises(ValueError) as refusal:
        pass_all_of_k(*arguments, **options)
    assert str(refusal.value) == message
