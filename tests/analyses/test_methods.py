"""The tests that can be declared, and the margin."""

import pytest

from poisson_stats.boschloo import boschloo_test
from poisson_stats.fisher import fisher_test
from pytest_poisson.analyses.check import check
from pytest_poisson.analyses.diff import diff
from pytest_poisson.errors import UserError
from pytest_poisson.methods import METHODS
from tests.stored_runs import cell, endings, pair_of_runs

A, B = cell(task="a"), cell(task="b")
LARGE = endings(resolved=900, timeout=100)
FEW_CHANGED = (
    [(cell(n=n), endings(timeout=0 if n < 5 else 1, resolved=4 if n < 5 else 3)) for n in range(50)],
    [(cell(n=n), endings(timeout=4 if n < 5 else 0, resolved=0 if n < 5 else 4)) for n in range(50)],
)


def compare(tmp_path, before, after, *, events=("timeout",), paired=False, settings=None, **choices):
    readers = pair_of_runs(tmp_path, before, after, paired=paired, settings=settings or {})
    with readers[0], readers[1]:
        return diff(*readers, events=list(events), **choices)


def test_boschloo_is_the_test_that_was_asked_for(tmp_path):
    """The row's p is Boschloo's, below Fisher's, and the result names it."""
    arms = [(A, endings(timeout=7, resolved=5))], [(A, endings(timeout=1, resolved=7))]
    (row,) = compare(tmp_path / "b", *arms, method="boschloo_bh").rows
    (other,) = compare(tmp_path / "f", *arms, method="fisher_bh").rows
    assert row.p == pytest.approx(float(boschloo_test(7, 12, 1, 8).p))
    assert other.p == pytest.approx(float(fisher_test(7, 12, 1, 8).p))
    assert row.p < other.p


def test_boschloos_limits_are_no_larger(tmp_path):
    """Boschloo's test is never less powerful, so that no limit of a row is larger than Fisher's."""
    arms = [(A, endings(timeout=30, resolved=70))], [(A, endings(timeout=30, resolved=70))]
    (row,) = compare(tmp_path / "b", *arms, method="boschloo_bh").rows
    (other,) = compare(tmp_path / "f", *arms, method="fisher_bh").rows
    assert row.rise.size <= other.rise.size
    assert row.fall.size <= other.fall.size


@pytest.mark.parametrize(("method", "flagged"), [("fisher_bh", 0), ("fisher_dbh", 5)])
def test_the_discrete_rate_flags_where_many_small_tests_cannot(tmp_path, method, flagged):
    """Five of 50 conditions turned round at 4 replicates: Benjamini-Hochberg flags none, the discrete rate all five."""
    result = compare(tmp_path, *FEW_CHANGED, method=method)
    assert sum(row.word in ("worse", "safer") for row in result.rows) == flagged
    assert [row.condition.axes["n"] for row in result.rows if row.word == "worse"] == list(range(flagged))


def test_the_verdict_is_holms_whatever_flags(tmp_path):
    """The discrete rate changes flags and not the verdict: the same Holm values, the same word."""
    plain = compare(tmp_path / "bh", *FEW_CHANGED, method="fisher_bh")
    discrete = compare(tmp_path / "dbh", *FEW_CHANGED, method="fisher_dbh")
    assert [row.p_holm for row in plain.rows] == [row.p_holm for row in discrete.rows]
    assert plain.verdict == discrete.verdict == "too small to tell"


@pytest.mark.parametrize("method", METHODS)
def test_each_method_takes_the_runs_it_is_for(tmp_path, method):
    """Every method compares paired runs; those that need pairs are refused of independent ones, by name."""
    arm = [(A, endings(resolved=20, timeout=20))]
    assert compare(tmp_path / "pairs", arm, arm, paired=True, method=method).method == method
    if METHODS[method].paired:
        with pytest.raises(UserError, match=f"method={method} needs pairs"):
            compare(tmp_path / "apart", arm, arm, method=method)
    else:
        assert compare(tmp_path / "apart", arm, arm, method=method).method == method


def test_what_the_run_declared_is_used(tmp_path):
    """Without a choice the after run's declared method and margin are used, and nothing is noted."""
    settings = {"method": "boschloo_bh", "margin": 0.05}
    result = compare(tmp_path, [(A, LARGE)], [(A, LARGE)], settings=settings)
    assert (result.method, result.margin.size) == ("boschloo_bh", 0.05)
    assert result.notes == ()


def test_a_declared_method_that_does_not_fit_is_left(tmp_path):
    """A run that declared a test of pairs and is compared with an independent one is compared by Fisher's."""
    result = compare(tmp_path, [(A, LARGE)], [(A, LARGE)], settings={"method": "mcnemar_dbh"})
    assert result.method == "fisher_bh"


def test_choosing_after_looking_is_noted(tmp_path):
    """An optional method or a margin that the run did not declare is noted by name; the plain tests are not."""
    arms = [(A, LARGE)], [(A, LARGE)]
    chosen = compare(tmp_path / "chosen", *arms, method="boschloo_bh", margin=0.05)
    assert [note.split(" was not declared")[0] for note in chosen.notes] == [
        "Method boschloo_bh",
        "Margin 0.05",
    ]
    assert compare(tmp_path / "plain", *arms, method="fisher_bh").notes == ()


@pytest.mark.parametrize("paired", [True, False])
def test_within_the_margin_is_said_where_every_row_is(tmp_path, paired):
    """Large equal runs are within a margin; with one small row they are not, and the row's interval says why."""
    large = compare(tmp_path / "large", [(A, LARGE)], [(A, LARGE)], paired=paired, margin=0.05)
    assert (large.verdict, large.margin.within) == ("within the margin", 1)
    few = endings(resolved=9, timeout=1)
    mixed = compare(
        tmp_path / "mixed", [(A, LARGE), (B, few)], [(A, LARGE), (B, few)], paired=paired, margin=0.05
    )
    assert mixed.verdict == "too small to tell"
    assert [band.within for band in mixed.margin.bands] == [True, False]
    assert mixed.margin.bands[1].high >= 0.05
    assert mixed.margin.confidence == pytest.approx(0.9)


def test_a_change_that_counts_is_not_within_the_margin(tmp_path):
    """However small it is: a counted change keeps its word."""
    before, after = [(A, endings(resolved=9900, timeout=100))], [(A, endings(resolved=9800, timeout=200))]
    result = compare(tmp_path, before, after, margin=0.05)
    assert (result.verdict, result.margin.within) == ("worse", 1)


def test_missing_outcomes_withdraw_the_margin_too(tmp_path):
    """`within the margin` reassures, and is withdrawn like every word that does."""
    after = [(A, endings(resolved=870, timeout=100, timed_out=30))]
    result = compare(tmp_path, [(A, LARGE)], after, margin=0.2)
    assert (result.verdict, result.verdict_by_test) == ("not comparable", "within the margin")


def test_the_margin_passes_a_gate(tmp_path):
    """`within the margin` passes every gate that fails on changes or on what is too small."""
    readers = pair_of_runs(tmp_path, [(A, LARGE)], [(A, LARGE)], paired=False)
    with readers[0], readers[1]:
        checked = check(*readers, margin=0.05, fail_on=("worse", "any", "too-small", "missing"))
    assert (checked.diff.verdict, checked.decision.failed) == ("within the margin", False)


@pytest.mark.parametrize(
    ("choices", "sentence"),
    [({"margin": 0.1, "q": 0.5}, "q=0.5 is too large"), ({"margin": 1.5}, "margin=1.5 must")],
)
def test_a_margin_that_has_no_meaning_is_refused(tmp_path, choices, sentence):
    """A margin beyond rates, or a level that leaves no interval, is refused with the value."""
    with pytest.raises(UserError, match=sentence):
        compare(tmp_path, [(A, LARGE)], [(A, LARGE)], **choices)
