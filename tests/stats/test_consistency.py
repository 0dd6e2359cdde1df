"""Consistency of an input's runs: by counting pairs of runs, and at the edges."""

import math
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poisson_stats.consistency import consistency

counts = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=8
)


@given(counts)
def test_again_and_within_are_shares_of_pairs_of_runs(inputs):
    """`again` counts ordered pairs whose first run failed; `within` is half the share of pairs that disagree."""
    got = consistency(*zip(*inputs, strict=True))
    runs = [[1] * k + [0] * (n - k) for k, n in inputs]
    first = [(a, b) for one in runs for i, a in enumerate(one) for j, b in enumerate(one) if i != j and a]
    if first:
        assert got.again == pytest.approx(sum(b for _, b in first) / len(first))
    else:
        assert math.isnan(got.again)
    pairs = [list(combinations(one, 2)) for one in runs if len(one) > 1]
    if pairs:
        halves = [sum(a != b for a, b in p) / len(p) / 2 for p in pairs]
        assert got.within == pytest.approx(sum(halves) / len(halves))
    else:
        assert math.isnan(got.within)
    assert (got.runs, got.events) == (sum(n for _, n in inputs), sum(k for k, _ in inputs))


def test_six_inputs_of_five_runs():
    """The definition's example: 0.700, again 0.762, kappa 0.206, within 0.167 of 0.210, inflation 1.26."""
    got = consistency([3, 3, 5, 5, 4, 1], [5] * 6)
    figures = (got.share, got.again, got.kappa, got.within, got.pooled, got.inflation)
    assert [round(v, 3) for v in figures] == [0.7, 0.762, 0.206, 0.167, 0.21, 1.26]


def test_inputs_that_decide_have_kappa_one_and_infinite_inflation():
    """Every input always or never fails: repeats add nothing."""
    got = consistency([4, 0], [4, 4])
    assert (got.kappa, got.inflation, got.again) == (1, math.inf, 1)


def test_runs_that_all_end_alike_have_no_kappa():
    """Without any variance there is nothing for inputs to explain: NaN, not 0."""
    got = consistency([0, 0], [4, 4])
    assert got.share == 0
    assert math.isnan(got.kappa)
    assert math.isnan(got.inflation)


def test_single_runs_say_nothing_about_repeats():
    """With one run an input there are no pairs: again, within and kappa are unknown."""
    got = consistency([1, 0, 0], [1, 1, 0])
    assert (got.inputs, got.repeated) == (2, 0)
    assert all(math.isnan(v) for v in (got.again, got.within, got.kappa))


@pytest.mark.parametrize(
    ("k", "n", "message"),
    [
        ([3], [2], "k[0]=3 must not exceed n[0]=2."),
        ([0], [0], "n=[0] must hold at least one run."),
        ([], [], "k is empty."),
    ],
)
def test_bad_counts_are_refused_by_name_and_value(k, n, message):
    """Each refusal names the argument and the value."""
    with pytest.raises(ValueError) as refusal:
        consistency(k, n)
    assert str(refusal.value) == message
