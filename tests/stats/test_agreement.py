"""agree@j and MS@j against plain counting."""

import math
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from poisson_stats.agreement import agreement, majority_stability

blocks = st.tuples(st.integers(1, 4), st.integers(1, 3), st.integers(1, 5)).flatmap(
    lambda shape: st.lists(
        st.sampled_from([0, 1, 1, 0, -1]), min_size=math.prod(shape), max_size=math.prod(shape)
    ).map(lambda values: np.array(values).reshape(shape))
)


@settings(max_examples=60)
@given(blocks)
def test_agree_at_j_counts_item_sweeps_whose_first_calls_agree(calls):
    """The rate, what was compared and what was left out equal those of two plain loops."""
    for got in agreement(calls, resamples=5):
        sweeps = [tuple(s[: got.j]) for item in calls for s in item]
        complete = [s for s in sweeps if -1 not in s]
        assert (got.compared, got.left_out) == (len(complete), len(sweeps) - len(complete))
        assert got.items == sum(any(-1 not in sweep[: got.j] for sweep in item) for item in calls)
        if complete:
            assert got.rate == pytest.approx(sum(len(set(s)) == 1 for s in complete) / len(complete))
        else:
            assert math.isnan(got.rate)
            assert got.basis is None


@settings(max_examples=60)
@given(blocks)
@example(np.array([[[1, 1, 0, 0, 0], [0, 0, 0, 0, 0]]]))  # two of five are no majority
def test_majority_stability_counts_pairs_of_sweeps_with_the_same_majority(calls):
    """MS@j compares all pairs of an item's complete sweeps."""
    results = majority_stability(calls, resamples=5)
    assert [r.j for r in results] == ([] if calls.shape[1] < 2 else list(range(1, calls.shape[2] + 1, 2)))
    for got in results:
        same, compared = 0, 0
        for item in calls:
            votes = [Counter(s[: got.j].tolist()).most_common(1)[0][0] for s in item if -1 not in s[: got.j]]
            for a in range(len(votes)):
                for b in range(a + 1, len(votes)):
                    compared += 1
                    same += votes[a] == votes[b]
        assert got.compared == compared
        if compared:
            assert got.rate == pytest.approx(same / compared)


@settings(max_examples=40)
@given(blocks, st.data())
def test_requests_of_one_item_share_its_interval(calls, data):
    """What an item's requests say is added up: agree@j is that of the requests laid out as sweeps of the item."""
    half = calls[: len(calls) // 2 * 2]
    if not half.size:
        return
    merged = half.reshape(len(half) // 2, 2 * half.shape[1], half.shape[2])
    order = data.draw(st.permutations(range(len(half))))
    items = np.repeat(np.arange(len(merged)), 2)[order]
    for split, whole in zip(
        agreement(half[order], items=items, resamples=5), agreement(merged, resamples=5), strict=True
    ):
        assert replace(split, low=0, high=0, rate=0) == replace(whole, low=0, high=0, rate=0)
        assert (split.rate, split.low, split.high) == pytest.approx(
            (whole.rate, whole.low, whole.high), nan_ok=True
        )


@pytest.mark.parametrize("disagree", [5, 36])
def test_limits_are_those_of_the_disagreements_the_other_way_round(disagree):
    """One sweep an item is a plain sample of items: one minus the exact interval of the disagreements."""
    calls = np.ones((40, 1, 2), dtype=int)
    calls[:disagree, 0, 1] = 0
    (got,) = agreement(calls, confidence=0.9)
    exact = stats.binomtest(disagree, 40).proportion_ci(confidence_level=0.9)
    assert (got.low, got.high) == pytest.approx((1 - exact.high, 1 - exact.low))
    assert got.confidence == 0.9


def test_without_a_disagreement_the_limit_is_one_sided():
    """None among 40 items leaves a disagreement rate p possible as long as (1 - p)^40 is at least 1 - confidence."""
    (got,) = agreement(np.ones((40, 1, 2), dtype=int), confidence=0.9)
    assert (got.low, got.high) == (pytest.approx(0.1 ** (1 / 40)), 1.0)


def test_cost_is_the_calls_a_decision_takes():
    """J calls cost j times one call; an unknown cost stays unknown."""
    calls = np.zeros((2, 2, 3), dtype=int)
    assert [a.cost for a in agreement(calls, cost_per_call=0.25)] == [0.5, 0.75]
    assert [a.cost for a in agreement(calls, cost_per_call=0)] == [0, 0]
    assert [a.cost for a in majority_stability(calls)] == [None, None]


def test_majorities_are_steadier_than_single_calls():
    """Calls that say yes with 0.8 agree by majority of 5 more often than one by one."""
    rng = np.random.default_rng(6)
    calls = (rng.random((400, 2, 5)) < 0.8).astype(int)
    single, of_three, of_five = majority_stability(calls)
    assert single.rate < of_three.rate < of_five.rate
    assert single.low < 0.68 < single.high


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: agreement([[1, 0]]),
            "decisions has shape (1, 2); (requests, sweeps, calls), none of them 0, is accepted.",
        ),
        (lambda: agreement([[[1, 2]]]), "decisions[0, 0, 1]=2 must be 1, 0 or -1 (no decision)."),
        (lambda: agreement([[[1, 1]]], cost_per_call=-1), "cost_per_call=-1 must not be negative."),
        (lambda: majority_stability([[[1]]] * 2, confidence=9), None),
        (lambda: agreement([[[1, 1]]], confidence=9), "confidence=9 must lie strictly between 0 and 1."),
    ],
)
def test_bad_input_is_refused_by_name_and_value(call, message):
    """Each refusal names the argument and the value; a single sweep leaves nothing to refuse."""
    if message is None:
        assert call() == ()
        return
    with pytest.raises(ValueError) as refusal:
        call()
    assert str(refusal.value) == message
