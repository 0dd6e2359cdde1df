"""pass^k and pass@k of a stored run."""

from dataclasses import replace
from itertools import combinations

import pytest

from poisson_store import Store
from pytest_poisson.analyses.pass_rates import pass_rates
from tests.stored_runs import SUPPORT, cell, endings, write_run

A, B = cell(task="a"), cell(task="b")


def rates_of(tmp_path, cells, rollout=SUPPORT):
    store = Store(tmp_path)
    write_run(store, "run", cells, rollouts=(rollout,))
    with store.open("run") as run:
        return pass_rates(run)


def spelled_out(attempts, k, word):
    """Return the share of all sets of k attempts in which `word` (all, any) of them succeeded."""
    sets = list(combinations(attempts, k))
    return sum(word(each) for each in sets) / len(sets)


def test_the_rates_are_those_of_all_sets_of_k(tmp_path):
    """pass^k and pass@k are the shares of sets of k attempts, averaged over the conditions."""
    cells = [(A, endings(resolved=5, timeout=3)), (B, endings(resolved=7, violated=1))]
    (rates,) = rates_of(tmp_path, cells)
    successes = [[word == "resolved" for word in ended] for _, ended in cells]
    assert rates.k == (1, 2, 4, 8)
    for position, k in enumerate(rates.k):
        for found, word in ((rates.all_succeed, all), (rates.any_succeeds, any)):
            expected = sum(spelled_out(each, k, word) for each in successes) / 2
            assert found[position].rate == pytest.approx(expected)


def test_doing_nothing_is_an_attempt_that_failed(tmp_path):
    """A replicate that returned without an ending is `passed`: no success, unless the rollout declares it one."""
    cells = [(A, endings(resolved=3, passed=5))]
    (strict,) = rates_of(tmp_path / "strict", cells)
    lenient = replace(SUPPORT, successes=("resolved", "passed"))
    (counted,) = rates_of(tmp_path / "lenient", cells, lenient)
    assert strict.all_succeed[0].rate == pytest.approx(3 / 8)
    assert counted.all_succeed[0].rate == 1.0


def test_a_replicate_without_an_outcome_is_no_attempt(tmp_path):
    """Missing outcomes are neither success nor failure: they leave the rates as they are, and are counted."""
    without = rates_of(tmp_path / "without", [(A, endings(resolved=3, timeout=1))])
    (found,) = rates_of(tmp_path / "with", [(A, endings(resolved=3, timeout=1, errored=4))])
    assert found.missing == 4
    assert found == replace(without[0], missing=4)


def test_k_goes_as_far_as_every_condition_does(tmp_path):
    """The largest k is one that every condition with an outcome has attempts for: no average over some of them."""
    cells = [(A, endings(resolved=5)), (B, endings(resolved=40)), (cell(task="c"), endings(errored=9))]
    (rates,) = rates_of(tmp_path, cells)
    assert (rates.k, rates.conditions, rates.missing) == ((1, 2, 4), 2, 9)


def test_one_condition_has_no_interval(tmp_path):
    """Resampling one condition says nothing of others: there is no interval, and never one of no width."""
    (rates,) = rates_of(tmp_path, [(A, endings(resolved=5, timeout=3))])
    assert all((each.low, each.high) == (None, None) for each in rates.all_succeed)


def test_without_successes_there_is_no_rate(tmp_path):
    """A rollout that declares no success, and a run without an outcome, have no pass rates; never 0."""
    neutral = replace(SUPPORT, successes=())
    assert rates_of(tmp_path / "neutral", [(A, endings(resolved=5))], neutral) == ()
    assert rates_of(tmp_path / "empty", [(A, endings(errored=5))]) == ()
