"""Which comparisons fail a gate."""

import pytest

from pytest_poisson.analyses.check import check
from pytest_poisson.decision import decide
from pytest_poisson.fail_on import FAIL_WORDS
from tests.stored_runs import cell, endings, pair_of_runs

A, B = cell(task="a"), cell(task="b")
GOOD, BAD = endings(resolved=190, timeout=10), endings(resolved=100, timeout=100)
TIMED_OUT = endings(resolved=100, timeout=10, timed_out=90)
FEW = endings(resolved=5, timeout=2)

CHANGES = {
    "worse": ([(A, GOOD), (B, GOOD)], [(A, BAD), (B, GOOD)]),
    "safer": ([(A, BAD), (B, GOOD)], [(A, GOOD), (B, GOOD)]),
    "trade": ([(A, GOOD), (B, BAD)], [(A, BAD), (B, GOOD)]),
    "no significant change": ([(A, GOOD)], [(A, GOOD)]),
    "too small to tell": ([(A, FEW)], [(A, FEW)]),
    "not comparable": ([(A, BAD)], [(A, TIMED_OUT)]),
}
REASONS = {
    ("worse", "worse"): ("worse",),
    ("worse", "trade"): ("worse",),
    ("any", "worse"): ("any",),
    ("any", "trade"): ("any",),
    ("any", "safer"): ("any",),
    ("too-small", "too small to tell"): ("too-small",),
    ("missing", "not comparable"): ("missing", "not-comparable"),
    ("worse", "not comparable"): ("not-comparable",),
    ("too-small", "not comparable"): ("not-comparable",),
    ("flips", "not comparable"): ("not-comparable",),
}


@pytest.fixture(params=CHANGES)
def verdict(request):
    return request.param


@pytest.fixture
def result(verdict, tmp_path):
    readers = pair_of_runs(tmp_path, *CHANGES[verdict], paired=False)
    with readers[0], readers[1]:
        checked = check(*readers)
    assert checked.diff.verdict == verdict
    return checked.diff


@pytest.mark.parametrize("word", FAIL_WORDS)
def test_each_word_fails_on_its_verdicts(verdict, result, word):
    """One word fails exactly the verdicts it stands for, and `not comparable` with any word."""
    decision = decide(result, (word,))
    if (word, verdict) == ("any", "not comparable"):
        assert decision.reasons[-1] == "not-comparable"
        return
    assert decision.reasons == REASONS.get((word, verdict), ())
    assert decision.failed == bool(decision.reasons)


def test_never_fails_nothing(result):
    """Without a word no verdict fails."""
    assert not decide(result, ()).failed


@pytest.mark.parametrize("words", [("worse",), ("any",), ("too-small",)])
def test_the_failing_rows_are_the_worse_ones(result, words):
    """The rows of a decision are those that got worse, where a word that fails on them was given; never a safer one."""
    rows = [result.rows[index] for index in decide(result, words).rows]
    expected = [row for row in result.rows if row.is_worse] if words != ("too-small",) else []
    assert rows == expected


def test_few_replicates_do_not_pass_where_a_condition_lost_its_outcomes(tmp_path):
    """What one condition lost is not made up for by what another regained, also where the comparison is too small to tell."""
    whole, lost = endings(resolved=48), endings(resolved=40, errored=8)
    readers = pair_of_runs(tmp_path, [(A, lost), (B, whole)], [(A, whole), (B, lost)], paired=False)
    with readers[0], readers[1]:
        result = check(*readers, max_mde=0.05).diff
    assert (result.verdict, result.missing.problem) == ("too small to tell", None)
    assert decide(result).reasons == ("not-comparable",)


def test_missing_fails_where_the_word_would_turn(tmp_path):
    """Few outcomes missing, but enough to turn the verdict if they were failures: `missing` fails, `worse` does not."""
    before, after = endings(resolved=188, timeout=12), endings(resolved=173, timeout=12, errored=15)
    readers = pair_of_runs(tmp_path, [(A, before)], [(A, after)], paired=False)
    with readers[0], readers[1]:
        result = check(*readers).diff
    assert decide(result, ("missing",)).reasons[:1] == ("missing",)
