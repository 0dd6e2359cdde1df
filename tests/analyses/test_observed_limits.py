"""What the pairs of a comparison had in common, and what that was worth."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from poisson_stats.limits import limits_paired
from poisson_stats.significance import alpha_per_test
from pytest_poisson.analyses.diff import diff
from tests.stored_runs import cell, drawn, endings, followed, pair_of_runs

A, B = cell(task="a"), cell(task="b")
EVENTS = ["timeout"]


def compare(tmp_path, before, after, *, events=EVENTS, **record):
    readers = pair_of_runs(tmp_path, before, after, **record)
    with readers[0], readers[1]:
        return diff(*readers, events=events)


def test_the_correlation_is_that_of_the_pairs(tmp_path):
    """A row's correlation is Pearson's over its pairs, 1 for the event and 0 without."""
    rng = np.random.default_rng(1)
    before = drawn(rng, 120, 0.4)
    after = followed(rng, before, 0.5)
    (row,) = compare(tmp_path, [(A, before)], [(A, after)]).rows
    indicators = [[word == "timeout" for word in arm] for arm in (before, after)]
    assert row.observed.correlation == pytest.approx(np.corrcoef(indicators)[0, 1])


def test_observed_limits_hold_the_correlation_fixed(tmp_path):
    """The observed limits are McNemar's at the row's own correlation, beside those of independent arms."""
    rng = np.random.default_rng(2)
    before = drawn(rng, 150, 0.4)
    result = compare(tmp_path, [(A, before)], [(A, followed(rng, before, 0.7))])
    (row,) = result.rows
    alpha = alpha_per_test(0.05, 1)
    k, n = [row.before.events], [row.before.outcomes]
    expected = limits_paired(k, n, alpha=alpha, correlation=[row.observed.correlation])
    assert (row.observed.rise.size, row.observed.fall.size) == (expected.rise[0], expected.fall[0])
    assert row.rise.size == limits_paired(k, n, alpha=alpha).rise[0]
    assert row.observed.rise.size < row.rise.size


def test_seeds_that_are_followed_pay(tmp_path):
    """Arms that mostly repeat each other are found alike, and the worst-case limit falls below the design's."""
    rng = np.random.default_rng(3)
    before = drawn(rng, 150, 0.4)
    result = compare(tmp_path, [(A, before)], [(A, followed(rng, before, 0.7))])
    assert result.pairing.helped
    assert result.pairing.limit < result.design.limit


def test_seeds_that_are_ignored_buy_nothing(tmp_path):
    """Arms drawn apart are not found alike: sharing seeds did not pay, and the result says so."""
    rng = np.random.default_rng(4)
    result = compare(tmp_path, [(A, drawn(rng, 150, 0.4))], [(A, drawn(rng, 150, 0.4))])
    assert not result.pairing.helped
    assert abs(result.pairing.correlation) < 0.2


def test_arms_that_contradict_each_other_did_not_pay(tmp_path):
    """A negative correlation is significant and no help: the observed limit is above the design's."""
    before = endings(timeout=40, resolved=60)
    after = endings(resolved=40, timeout=60)
    result = compare(tmp_path, [(A, before)], [(A, after)])
    assert (result.pairing.p < 0.001, result.pairing.correlation, result.pairing.helped) == (
        True,
        -1.0,
        False,
    )
    assert result.pairing.limit > result.design.limit


def test_the_test_of_independence_is_fishers_for_one_condition(tmp_path):
    """With one condition and event, p is that of Fisher's test of the four kinds of pair."""
    rng = np.random.default_rng(5)
    before = drawn(rng, 60, 0.4)
    result = compare(tmp_path, [(A, before)], [(A, followed(rng, before, 0.3))])
    pairs = result.rows[0].pairs
    table = [[pairs.both, pairs.only_before], [pairs.only_after, pairs.neither]]
    assert result.pairing.p == pytest.approx(fisher_exact(table).pvalue)


def test_rates_that_differ_between_conditions_are_no_correlation(tmp_path):
    """Conditions at 10 % and 90 %, each drawn apart, are not alike: what conditions share is not what seeds share."""
    rng = np.random.default_rng(6)
    arms = [[(A, drawn(rng, 200, 0.1)), (B, drawn(rng, 200, 0.9))] for _ in range(2)]
    assert not compare(tmp_path, *arms).pairing.helped


def test_arms_without_variation_have_no_correlation(tmp_path):
    """Where the event never happened there is no correlation, no verdict on pairing, and no observed limit but the design's."""
    result = compare(tmp_path, [(A, endings(resolved=50))], [(A, endings(resolved=50))])
    (row,) = result.rows
    assert (result.pairing.correlation, result.pairing.helped, result.pairing.p) == (None, False, 1.0)
    assert row.observed.correlation is None
    assert row.observed.rise == row.rise


def test_independent_runs_have_nothing_observed(tmp_path):
    """An unpaired comparison has no pairs, and says nothing of them."""
    arms = [(A, endings(resolved=50, timeout=50))]
    result = compare(tmp_path, arms, arms, paired=False)
    assert result.pairing is None
    assert result.rows[0].observed is None
