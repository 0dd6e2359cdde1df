"""The word of a comparison of shares, and the inputs it rests on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_stats import share_comparison
from poisson_stats.share_comparison import RestsOn, compare_shares, rests_on
from poisson_stats.stratified import stratified_test


@st.composite
def counts(draw):
    inputs = draw(st.integers(1, 7))
    n = draw(st.integers(1, 4))
    k0 = draw(st.lists(st.integers(0, n), min_size=inputs, max_size=inputs))
    k1 = draw(st.lists(st.integers(0, n), min_size=inputs, max_size=inputs))
    return k0, [n] * inputs, k1, [n] * inputs


@settings(max_examples=60)
@given(counts())
def test_the_word_follows_test_and_limit(data):
    """`different` is p <= alpha; else `too small to tell` exactly where the drop's ceiling is above what is accepted."""
    result = compare_shares(*data)
    if result.test.p <= 0.05:
        assert result.word == "different"
        assert result.failed == ("less" if result.test.observed < result.test.expected else "more")
    else:
        assert result.word == (
            "too small to tell" if result.drop.ceiling > 0.2 else "no significant difference"
        )
        assert result.failed is None


def test_a_ceiling_handed_back_is_accepted():
    """With the stated ceiling as the accepted limit, the same data are no longer too small to tell."""
    data = ([3, 3, 4, 4, 3, 1], [4] * 6, [0, 0, 1, 1, 1, 0], [1] * 6)
    first = compare_shares(*data)
    assert first.word == "too small to tell"
    assert compare_shares(*data, max_mde=first.drop.ceiling).word == "no significant difference"


def test_every_part_is_of_the_same_counts():
    """The parts of the example are the numbers of the definition."""
    got = compare_shares([3, 3, 4, 4, 3, 1], [4] * 6, [0, 0, 1, 1, 1, 0], [1] * 6)
    assert round(got.test.p, 3) == 0.269
    assert round(got.difference.difference, 3) == -0.25
    assert got.by_input.p == pytest.approx(0.375)
    assert round(got.consistency.kappa, 3) == 0.206


@settings(max_examples=30)
@given(counts())
def test_the_word_rests_on_the_inputs_whose_removal_changes_it(data):
    """Leaving each input out by hand and comparing again, on the same basis, names the same inputs."""
    result = compare_shares(*data)
    got = rests_on(*data, result=result)
    if len(data[0]) == 1:
        assert got == RestsOn((), (), checked=0, given=1)
        return
    expected = {}
    for i in range(len(data[0])):
        rest = compare_shares(*(column[:i] + column[i + 1 :] for column in data))
        if rest.drop.basis == result.drop.basis and rest.word != result.word:
            expected[i] = rest.word
    assert expected.items() <= dict(zip(got.inputs, got.words, strict=True)).items()
    assert got.checked == got.given == len(data[0])


def test_one_input_can_carry_the_whole_verdict():
    """Nine inputs that did not move and one that flipped completely: the word rests on that one."""
    k0, k1 = [1] * 9 + [0], [1] * 9 + [20]
    result = compare_shares(k0, [20] * 10, k1, [20] * 10)
    assert (result.word, result.failed) == ("different", "more")
    got = rests_on(k0, [20] * 10, k1, [20] * 10, result=result)
    assert got.inputs == (9,)


def test_of_many_kinds_of_input_the_telling_ones_are_tried(monkeypatch):
    """With more kinds of input than are tried in turn, the one that carries the verdict is among those tried."""
    monkeypatch.setattr(share_comparison, "_MOST_KINDS", 5)
    rng = np.random.default_rng(4)
    n = rng.integers(10, 40, 60)
    k0 = rng.binomial(n, 0.03)
    k1 = k0.copy()
    k0[17], k1[17] = 0, n[17]
    result = compare_shares(k0, n, k1, n)
    got = rests_on(k0, n, k1, n, result=result)
    assert result.word == "different"
    assert got.inputs == (17,)
    assert 5 <= got.checked < got.given == 60


@pytest.mark.parametrize("after", [0.3, 0.6])
def test_those_tried_are_the_nearest_to_the_other_side(monkeypatch, after):
    """Of 40 kinds the 10 whose removal leaves the smallest |z| are tried where the word is `different`, else the largest."""
    monkeypatch.setattr(share_comparison, "_MOST_KINDS", 10)
    rng = np.random.default_rng(8)
    n0, n1 = rng.integers(5, 30, 40), rng.integers(5, 30, 40)
    data = rng.binomial(n0, 0.3), n0, rng.binomial(n1, after), n1
    result = compare_shares(*data)
    assert (result.word == "different") is (after > 0.5)
    left = []
    for i in range(40):
        test = stratified_test(*(np.delete(column, i) for column in data))
        left.append(abs(test.observed - test.expected) / test.variance**0.5)
    nearest = np.argsort(left) if result.word == "different" else np.argsort(left)[::-1]
    tried = []
    monkeypatch.setattr(
        share_comparison, "_word_again", lambda columns, _: tried.append(columns[1].sum()) or result.word
    )
    assert rests_on(*data, result=result).checked == 10
    assert sorted(tried) == sorted(n0.sum() - n0[nearest[:10]])


def test_bad_input_is_refused_by_name_and_value():
    """Levels, counts and an empty comparison are named."""
    with pytest.raises(ValueError, match=r"max_mde=20 must lie strictly between 0 and 1\."):
        compare_shares([1], [2], [1], [2], max_mde=20)
    with pytest.raises(ValueError, match=r"k_after\[0\]=3 must not exceed n_after\[0\]=2\."):
        compare_shares([1], [2], [3], [2])
    with pytest.raises(ValueError, match="must hold at least one run"):
        compare_shares([0], [0], [0], [0])
