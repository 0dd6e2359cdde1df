"""Missing outcomes: their shares, the words they withdraw, and the worst case they could hide."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_stats.comparison import compare_paired, compare_unpaired
from poisson_stats.missing import (
    IncompletePairs,
    apply_missing_rule,
    compare_paired_worst_case,
    compare_unpaired_worst_case,
    missing_shares_paired,
    missing_shares_unpaired,
)
from tests.oracles.exact_tables import fisher_p, mcnemar_p

OUTCOMES = ("event", "none", None)


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 30), st.integers(0, 30))
@settings(deadline=None)
def test_shares_are_compared_exactly(a, b, c, d):
    """Unpaired shares by Fisher's test, paired ones by McNemar's, at 0.05."""
    unpaired = missing_shares_unpaired(a, a + b, c, c + d)
    assert unpaired.p == pytest.approx(float(fisher_p(a, a + b, c, c + d)))
    assert unpaired.differs == (fisher_p(a, a + b, c, c + d) <= 0.05)
    paired = missing_shares_paired(a, b, c, d)
    assert paired.p == pytest.approx(float(mcnemar_p(b, c)))
    assert (paired.missing_before, paired.missing_after) == (a + b, a + c)
    pairs = a + b + c + d
    assert (paired.planned_before, paired.planned_after) == (pairs, pairs)
    if pairs:
        assert (paired.share_before, paired.share_after) == ((a + b) / pairs, (a + c) / pairs)


@pytest.mark.parametrize(
    ("counts", "problem"),
    [
        ((0, 100, 0, 100), None),
        ((5, 100, 6, 100), None),
        ((0, 100, 8, 100), "shares differ"),
        ((20, 100, 20, 100), None),
        ((21, 100, 20, 100), "too many before"),
        ((0, 100, 21, 100), "too many after"),
        ((50, 100, 50, 100), "too many in both"),
        ((0, 0, 0, 10), "too many before"),
    ],
)
def test_problems(counts, problem):
    """A share above 20 % is named by arm, else shares that differ; exactly 20 % is accepted.

    Of nothing planned everything is missing.
    """
    shares = missing_shares_unpaired(*counts)
    assert shares.problem == problem
    assert max(shares.share_before, shares.share_after) <= 1


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("safer", "not comparable"),
        ("no significant change", "not comparable"),
        ("worse", "worse"),
        ("trade", "trade"),
        ("too small to tell", "too small to tell"),
        ("not comparable", "not comparable"),
    ],
)
def test_only_reassuring_words_are_withdrawn(word, expected):
    """A problem turns the two reassuring words into `not comparable`; without one every word stands."""
    assert apply_missing_rule(word, missing_shares_unpaired(0, 100, 50, 100)) == expected
    assert apply_missing_rule(word, missing_shares_unpaired(1, 100, 1, 100)) == word


def counted_against_the_change(outcome, arm, direction):
    """Say whether an episode has the event once a missing outcome is a failure after and none before."""
    if outcome is not None:
        return outcome == "event"
    failed = arm == "after"
    return failed if direction > 0 else not failed


episodes = st.lists(st.tuples(st.sampled_from(OUTCOMES), st.sampled_from(OUTCOMES)), min_size=1, max_size=40)


@given(episodes, st.sampled_from([-1, 1]))
@settings(deadline=None)
def test_paired_worst_case_is_the_rule_applied_pair_by_pair(pairs, direction):
    """The worst case equals a comparison after replacing every missing outcome in every single pair."""
    kinds = {kind: pairs.count(kind) for kind in {(b, a) for b in OUTCOMES for a in OUTCOMES}}
    worst = compare_paired_worst_case(
        [kinds["event", "event"]],
        [kinds["event", "none"]],
        [kinds["none", "event"]],
        [kinds["none", "none"]],
        IncompletePairs(
            event_then_missing=[kinds["event", None]],
            none_then_missing=[kinds["none", None]],
            missing_then_event=[kinds[None, "event"]],
            missing_then_none=[kinds[None, "none"]],
            missing_both=[kinds[None, None]],
        ),
        direction=direction,
    )
    filled = [
        (
            counted_against_the_change(b, "before", direction),
            counted_against_the_change(a, "after", direction),
        )
        for b, a in pairs
    ]
    cells = [[filled.count(kind)] for kind in ((True, True), (True, False), (False, True), (False, False))]
    expected = compare_paired(*cells, direction=direction)
    assert (worst.k_before, worst.k_after, worst.n_before) == (
        expected.k_before,
        expected.k_after,
        expected.n_before,
    )
    assert (worst.only_before, worst.only_after) == (expected.only_before, expected.only_after)


@given(episodes, episodes, st.sampled_from([-1, 1]))
@settings(deadline=None)
def test_unpaired_worst_case_is_the_rule_applied_episode_by_episode(before, after, direction):
    """The worst case equals a comparison after replacing every missing outcome in every single episode."""
    first, second = [b for b, _ in before], [a for a, _ in after]
    worst = compare_unpaired_worst_case(
        [first.count("event")],
        [len(first) - first.count(None)],
        [second.count("event")],
        [len(second) - second.count(None)],
        missing_before=[first.count(None)],
        missing_after=[second.count(None)],
        direction=direction,
    )
    k0 = sum(counted_against_the_change(o, "before", direction) for o in first)
    k1 = sum(counted_against_the_change(o, "after", direction) for o in second)
    expected = compare_unpaired([k0], [len(first)], [k1], [len(second)], direction=direction)
    np.testing.assert_array_equal(worst.p, expected.p)
    np.testing.assert_array_equal(worst.change, expected.change)


def test_a_timeout_that_replaces_a_failure_is_found():
    """Failures that became timeouts look safer, and the worst case does not say so."""
    counts = ([60], [100], [10], [50])
    assert compare_unpaired(*counts, direction=1).verdict == "safer"
    worst = compare_unpaired_worst_case(*counts, missing_before=[0], missing_after=[50], direction=1)
    assert worst.verdict == "too small to tell"
    assert worst.change[0] == 0


def test_bad_input_is_named():
    """More missing than planned, and a negative count, are refused by name."""
    with pytest.raises(ValueError, match=r"^missing_before\[0\]=-1 must not be negative\.$"):
        compare_unpaired_worst_case([1], [2], [1], [2], missing_before=[-1], missing_after=[0], direction=1)
    with pytest.raises(ValueError, match=r"^only_before=-3 must not be negative\.$"):
        missing_shares_paired(1, -3, 0, 0)
