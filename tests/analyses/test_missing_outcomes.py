"""Replicates without an outcome must not make a change look better than it is."""

import numpy as np
import pytest
from scipy import stats

from pytest_poisson.analyses.diff import diff
from pytest_poisson.analyses.episodes import Episodes
from pytest_poisson.analyses.missing import compare_shares, uneven_conditions
from tests.stored_runs import cell, endings, pair_of_runs

A = cell(task="a")


def compare(tmp_path, before, after, *, paired):
    readers = pair_of_runs(tmp_path, [(A, before)], [(A, after)], paired=paired)
    with readers[0], readers[1]:
        return diff(*readers)


@pytest.mark.parametrize("paired", [True, False])
def test_failures_that_turn_into_time_outs_are_not_safer(tmp_path, paired):
    """Where the old version failed and the new one times out, `safer` is withheld and the cause named."""
    result = compare(
        tmp_path,
        endings(resolved=120, timeout=80),
        endings(resolved=120, timeout=20, timed_out=60),
        paired=paired,
    )
    assert result.verdict == "not comparable"
    assert result.missing.problem == "too many after"
    assert result.missing.cause == "timed_out"


def test_safer_is_withheld_by_differing_shares_alone(tmp_path):
    """A share below a fifth that differs between the arms is enough to withhold the word."""
    result = compare(
        tmp_path,
        endings(resolved=100, timeout=100),
        endings(resolved=160, timeout=20, crashed=20),
        paired=False,
    )
    assert (result.verdict_by_test, result.verdict) == ("safer", "not comparable")
    assert (result.missing.problem, result.missing.cause) == ("shares differ", "crashed")


@pytest.mark.parametrize("paired", [True, False])
def test_equal_large_shares_are_too_many(tmp_path, paired):
    """Above a fifth without an outcome in both arms nothing reassuring is said, equal though they are."""
    ended = endings(resolved=140, timeout=10, errored=50)
    result = compare(tmp_path, ended, ended, paired=paired)
    assert (result.verdict, result.missing.problem) == ("not comparable", "too many in both")


def test_worse_stands(tmp_path):
    """Missing outcomes do not soften `worse`."""
    result = compare(
        tmp_path, endings(resolved=190, timeout=10), endings(resolved=60, timeout=80, errored=60), paired=True
    )
    assert (result.verdict, result.missing.problem) == ("worse", "too many after")


def test_a_few_missing_outcomes_change_nothing(tmp_path):
    """One missing outcome of two hundred is counted, printed and harmless."""
    result = compare(tmp_path, endings(resolved=200), endings(resolved=199, errored=1), paired=False)
    assert (result.verdict, result.missing.problem) == ("no significant change", None)
    assert (result.missing.after_missing, result.missing.after_ran) == (1, 200)


def test_the_turn_of_the_word_is_told(tmp_path):
    """With the missing outcomes counted as failures after, the verdict would be worse: the result says so."""
    result = compare(
        tmp_path,
        endings(resolved=188, timeout=12),
        endings(resolved=173, timeout=12, errored=15),
        paired=False,
    )
    assert result.missing.verdict_as_failures == "worse"
    assert result.verdict_by_test == "no significant change"


@pytest.mark.parametrize("rate", [0.01, 0.08])
@pytest.mark.parametrize("joined", [True, False])
def test_chance_withdraws_a_word_as_rarely_as_the_levels_say(rate, joined):
    """Arms that lack outcomes equally often differ, by the whole or in a condition, in at most 5 of 100 comparisons each."""
    rng, tries, conditions, n = np.random.default_rng(20261129), 400, 18, 194
    condition, numbers = np.repeat(np.arange(conditions), n), np.tile(np.arange(n), conditions)
    by_condition = by_whole = 0
    for _ in range(tries):
        arms = [
            Episodes(condition, numbers, numbers, -(rng.random(numbers.size) < rate).astype(int))
            for _ in "ab"
        ]
        by_condition += bool(uneven_conditions(*arms, conditions, joined=joined).size)
        by_whole += compare_shares(*arms, joined=joined).problem is not None
    allowed = stats.binom.ppf(0.9999, tries, 0.05)
    assert by_condition <= allowed
    assert by_whole <= allowed
