"""How few outcomes hold up a verdict."""

import pytest

from pytest_poisson.analyses.diff import diff
from tests.stored_runs import cell, endings, pair_of_runs

A, B = cell(task="a"), cell(task="b")


def compare(tmp_path, before, after, *, events=("timeout",), method=None, **record):
    readers = pair_of_runs(tmp_path, before, after, **record)
    with readers[0], readers[1]:
        return diff(*readers, events=list(events), method=method)


def flipped(ended, flip):
    """Return endings in which as many as the flip says ended the other way."""
    old, new = ("resolved", "timeout") if flip.to_event else ("timeout", "resolved")
    left, changed = flip.count, list(ended)
    for index, word in enumerate(changed):
        if word == old and left:
            changed[index], left = new, left - 1
    assert left == 0
    return changed


SCENES = {
    "worse": ([(A, endings(resolved=190, timeout=10))], [(A, endings(resolved=170, timeout=30))]),
    "no significant change": (
        [(A, endings(resolved=380, timeout=20)), (B, endings(resolved=300, timeout=100))],
        [(A, endings(resolved=370, timeout=30)), (B, endings(resolved=305, timeout=95))],
    ),
    "trade": (
        [(A, endings(resolved=190, timeout=10)), (B, endings(resolved=150, timeout=50))],
        [(A, endings(resolved=150, timeout=50)), (B, endings(resolved=190, timeout=10))],
    ),
}


@pytest.mark.parametrize("word", SCENES)
def test_the_flips_change_the_word_as_stated(tmp_path, word):
    """Runs in which just the stated outcomes end otherwise are compared with the stated word."""
    arms = dict(zip(("before", "after"), (list(arm) for arm in SCENES[word]), strict=True))
    result = compare(tmp_path / "as it was", *arms.values(), paired=False)
    fragility = result.fragility
    assert (result.verdict, fragility.word) == (word, word)
    for flip in fragility.flips:
        key = result.rows[flip.row].condition.key
        arms[flip.arm] = [
            (each, flipped(ended, flip) if each.key == key else ended) for each, ended in arms[flip.arm]
        ]
    assert sum(flip.count for flip in fragility.flips) == fragility.outcomes
    assert compare(tmp_path / "flipped", *arms.values(), paired=False).verdict == fragility.becomes


def test_one_outcome_fewer_leaves_the_word(tmp_path):
    """Of one certified row, no way to flip one outcome fewer changes the word: all of them are tried."""
    before, after = (arm[0][1] for arm in SCENES["worse"])
    fragility = compare(tmp_path / "as it was", [(A, before)], [(A, after)], paired=False).fragility
    assert fragility.certified
    fewer = fragility.outcomes - 1
    for of_before in range(fewer + 1):
        arms = [
            (A, endings(timeout=10 + of_before, resolved=190 - of_before)),
            (A, endings(timeout=30 - fewer + of_before, resolved=170 + fewer - of_before)),
        ]
        again = compare(tmp_path / str(of_before), [arms[0]], [arms[1]], paired=False)
        assert again.verdict == "worse"


def test_a_pair_turns_round(tmp_path):
    """Six pairs that turned for the worse are undone by one more on the other side: one outcome, after."""
    before = endings(timeout=20, resolved=36)
    after = endings(timeout=26, resolved=30)
    result = compare(tmp_path, [(A, before)], [(A, after)])
    (flip,) = result.fragility.flips
    assert (result.verdict, result.fragility.outcomes) == ("worse", 1)
    assert (flip.arm, flip.to_event, flip.count) == ("after", False, 1)


def test_the_word_is_the_tests_own(tmp_path):
    """Missing outcomes that withdraw a word do not enter: fragility is about the word the tests gave."""
    before = [(A, endings(resolved=150, timeout=50))]
    after = [(A, endings(resolved=145, timeout=5, timed_out=50))]
    result = compare(tmp_path, before, after, paired=False)
    assert result.verdict == "not comparable"
    assert result.fragility.word == result.verdict_by_test == "safer"
