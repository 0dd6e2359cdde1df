"""The rules that choose an interval over items, and the cluster bootstrap itself."""

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poisson_stats.bootstrap import drawn_weights, percentile_interval, resampled_sums, unit_kinds
from poisson_stats.item_interval import cluster_bootstrap, item_interval
from poisson_stats.korn_graubard import korn_graubard
from poisson_stats.rate_intervals import clopper_pearson


@pytest.mark.parametrize(
    ("events", "trials", "basis"),
    [
        ([2], [5], "none: one item"),
        ([1], [1], "none: one item"),
        ([1] * 4 + [0] * 50, [1] * 54, "one-sided exact bound over items"),
        ([1] * 5 + [0] * 50, [1] * 55, "exact binomial"),
        ([3] * 4 + [0] * 50, [3] * 54, "Korn-Graubard"),
        ([1] * 4 + [0] * 50, [1] * 53 + [2], "Korn-Graubard"),
        ([3] * 5 + [0] * 50, [3] * 55, "bootstrap over items"),
    ],
)
def test_the_rule_is_fixed_by_counts_alone(events, trials, basis):
    """The basis follows from items, trials an item and items with an event, and is named."""
    assert item_interval(events, trials, resamples=50).basis == basis


def test_each_basis_gives_its_interval():
    """The numbers are those of the named method."""
    one_sided = item_interval([1] * 4 + [0] * 50, [1] * 54)
    assert (one_sided.low, one_sided.high) == (0, float(clopper_pearson(4, 54, sides="upper").high))
    exact = item_interval([1] * 5 + [0] * 50, [1] * 55)
    assert (exact.low, exact.high) == (float(clopper_pearson(5, 55).low), float(clopper_pearson(5, 55).high))
    few = item_interval([3] * 4 + [0] * 50, [3] * 54)
    beside = korn_graubard([3] * 4 + [0] * 50, [3] * 54)
    assert (few.low, few.high) == (beside.low, beside.high)
    many = item_interval([3] * 5 + [0] * 50, [3] * 55)
    assert many.korn_graubard == korn_graubard([3] * 5 + [0] * 50, [3] * 55)
    assert (many.resamples, one_sided.resamples) == (2000, 0)


def test_no_flip_in_300_items():
    """The definition's number: the one-sided upper bound is 0.0099."""
    assert round(item_interval([0] * 300, [1] * 300).high, 4) == 0.0099


def test_one_item_has_no_interval():
    """However many trials it had, it cannot show how items differ."""
    got = item_interval([2], [50])
    assert math.isnan(got.low)
    assert math.isnan(got.high)
    assert got.estimate == 0.04
    assert got.korn_graubard is None
    assert item_interval([1, 2], [9, 9]).korn_graubard == korn_graubard([1, 2], [9, 9])


@given(st.permutations([(0, 2), (1, 2), (2, 2), (1, 3), (0, 1), (3, 3), (1, 1), (2, 4)]))
def test_the_order_of_the_items_is_of_no_consequence(rows):
    """Permuted items give the same bootstrap interval, bit for bit."""
    reference = item_interval(*zip(*sorted(rows), strict=True), resamples=200)
    assert item_interval(*zip(*rows, strict=True), resamples=200) == reference


def test_resampling_three_items_has_the_distribution_of_all_27_draws():
    """The multinomial over kinds of item has the mean and quantiles of drawing three indices with replacement."""
    units = np.array([[0, 2], [1, 2], [3, 4]])
    sums = resampled_sums(units, resamples=40_000, seed=1)
    ratios = sums[:, 0] / sums[:, 1]
    every = np.array([sum(units[i] for i in draw) for draw in product(range(3), repeat=3)])
    exact = every[:, 0] / every[:, 1]
    for value in np.unique(exact):
        assert np.mean(np.isclose(ratios, value)) == pytest.approx(np.mean(exact == value), abs=0.01)


def test_the_bootstrap_of_many_items_is_the_normal_interval():
    """For 2,000 items the percentile interval is the ratio's Wald interval, within a few per cent of its width."""
    rng = np.random.default_rng(9)
    trials = rng.integers(1, 6, 2000)
    events = rng.binomial(trials, rng.beta(1, 4, 2000))
    low, high = cluster_bootstrap(events, trials, confidence=0.95, resamples=4000, seed=0)
    p = events.sum() / trials.sum()
    half = 1.96 * math.sqrt(((events - p * trials) ** 2).sum()) / trials.sum()
    assert low == pytest.approx(p - half, abs=0.08 * half)
    assert high == pytest.approx(p + half, abs=0.08 * half)


def test_the_seed_fixes_the_interval_and_another_moves_it():
    """Equal seeds, equal numbers; different seeds, different draws."""
    rows = ([0, 1, 2, 3, 1, 2, 0], [3, 3, 4, 4, 2, 2, 5])
    assert item_interval(*rows, seed=3) == item_interval(*rows, seed=3)
    assert item_interval(*rows, seed=3).low != item_interval(*rows, seed=4).low


def test_chunks_continue_one_stream():
    """Drawing in small chunks gives the numbers of drawing at once."""
    how_many = np.array([3, 1, 2])
    at_once = np.concatenate(list(drawn_weights(how_many, resamples=50, seed=2)))
    in_chunks = np.concatenate(list(drawn_weights(how_many, resamples=50, seed=2, width=1_000_000)))
    assert at_once.shape == (50, how_many.size)
    np.testing.assert_array_equal(at_once, in_chunks)
    assert (at_once.sum(axis=1) == 6).all()


def test_kinds_are_distinct_sorted_and_counted():
    """Equal units are one kind."""
    kinds, how_many = unit_kinds(np.array([[2, 1], [0, 5], [2, 1]]))
    assert kinds.tolist() == [[0, 5], [2, 1]]
    assert how_many.tolist() == [1, 2]


def test_the_quantile_rule_is_linear_interpolation():
    """Type 7: the 5 % quantile of 0, 1, ..., 10 is 0.5."""
    low, high = percentile_interval(np.arange(11.0), confidence=0.9)
    assert (low, high) == pytest.approx((0.5, 9.5))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"trials": [1]}, "trials has shape (1,) where events has (2,)."),
        ({"events": [2, 0]}, "events[0]=2 must not exceed trials[0]=1."),
        ({"confidence": 1.5}, "confidence=1.5 must lie strictly between 0 and 1."),
        ({"events": [0, 0], "trials": [0, 0]}, "trials=[0, 0] must hold at least one trial."),
        (
            {"events": [1] * 6, "trials": [2] * 6, "resamples": 0},
            "resamples=0 must be a whole number of at least 1.",
        ),
    ],
)
def test_bad_input_is_refused_by_name_and_value(change, message):
    """Each refusal names the argument and the value."""
    with pytest.raises(ValueError) as refusal:
        item_interval(**({"events": [1, 0], "trials": [1, 1]} | change))
    assert str(refusal.value) == message
