"""A rate that could only improve, because but one of the runs declares the outcome, reassures nobody."""

from dataclasses import replace

import pytest

from poisson_store import Store
from pytest_poisson.analyses.changes import changes
from pytest_poisson.analyses.check import check
from pytest_poisson.analyses.compare import compare
from pytest_poisson.analyses.fix_check import fix_check
from pytest_poisson.errors import UserError
from pytest_poisson.render.diff_documents import diff_document
from pytest_poisson.render.diff_text import headline
from pytest_poisson.result_files import read_diff
from tests.stored_runs import OTHER_SALT, SUPPORT, cell, endings, write_run
from tests.traced_runs import AGENT, Trail, died, ended, task, write_traced

A = cell(task="a")
RENAMED = replace(SUPPORT, outcomes=("resolved", "late"), failures=())
WORKS = replace(SUPPORT, outcomes=("resolved", "wrong"), failures=(), successes=("resolved",))
WORKS_TOO = replace(WORKS, outcomes=("resolved", "solved", "wrong"), successes=("resolved", "solved"))


@pytest.fixture
def runs(tmp_path):
    """Give what stores two runs of one condition and opens them."""
    store = Store(tmp_path)

    def opened(before, after, ended_before, ended_after, condition=A):
        write_run(store, "before", [(condition, ended_before)], rollouts=(before,))
        write_run(store, "after", [(condition, ended_after)], rollouts=(after,), salt=OTHER_SALT)
        return store.open("before"), store.open("after")

    return opened


@pytest.mark.parametrize("timeouts", [30, 3])
def test_a_failure_that_was_renamed_did_not_go_away(runs, timeouts):
    """Neither `safer` nor `no significant change` is said; the gate fails, and the sentence names the outcome."""
    pair = runs(
        SUPPORT, RENAMED, endings(timeout=timeouts, resolved=200 - timeouts), endings(late=90, resolved=110)
    )
    result = check(*pair, max_mde=0.3)
    assert result.diff.verdict_by_test == ("safer" if timeouts == 30 else "no significant change")
    assert (result.diff.verdict, result.decision.reasons) == ("not comparable", ("not-comparable",))
    assert headline(result.diff).endswith("but only one of the runs declares timeout.")
    assert headline(read_diff(diff_document(result.diff))) == headline(result.diff)


def test_the_two_words_can_be_compared_as_one(runs):
    """Joined, the failure is measured in both runs, and its change counts for what it is."""
    pair = runs(SUPPORT, RENAMED, endings(timeout=30, resolved=170), endings(late=90, resolved=110))
    assert check(*pair, events=["timeout+late"]).diff.verdict == "worse"


def test_a_success_that_is_declared_anew_is_no_improvement(runs):
    """Before, nothing could end as it, so that its rise says nothing of the program."""
    pair = runs(
        WORKS, WORKS_TOO, endings(resolved=100, wrong=100), endings(resolved=90, solved=100, wrong=10)
    )
    result = check(*pair, max_mde=0.5).diff
    assert (result.verdict_by_test, result.verdict) == ("safer", "not comparable")


def test_what_never_came_withdraws_nothing(runs):
    """A declared failure without a replicate is no loss where the after run does not declare it."""
    pair = runs(SUPPORT, RENAMED, endings(resolved=200), endings(resolved=200))
    assert check(*pair).diff.verdict == "no significant change"


def test_a_failure_that_is_declared_anew_counts(runs):
    """Its rise is worse, as it would be of any failure."""
    fails = replace(RENAMED, failures=("late",))
    pair = runs(SUPPORT, fails, endings(resolved=200), endings(late=90, resolved=110))
    assert check(*pair).diff.verdict == "worse"


def test_imported_runs_declare_what_they_hold(runs):
    """A failure of which an imported run holds none is one that did not come."""
    imported = replace(A, nodeid="")
    pair = runs(
        SUPPORT,
        replace(RENAMED, outcomes=("resolved",)),
        endings(timeout=60, resolved=140),
        endings(resolved=200),
        imported,
    )
    assert check(*pair).diff.verdict == "safer"


def test_a_fix_that_renames_the_failure_is_none(runs):
    """A fix-check is refused where the new version could not fail as the old one did."""
    pair = runs(SUPPORT, RENAMED, endings(timeout=30, resolved=170), endings(late=90, resolved=110))
    with pytest.raises(UserError, match="declares no outcome timeout of rollout 'support'"):
        fix_check(*pair, events=["timeout"], failing_from=None, max_mde=0.2)
    joined = fix_check(*pair, events=["timeout", "late"], failing_from=None, max_mde=0.2)
    assert joined.comparison.failed == "more"


def test_inputs_did_not_change_for_the_better_by_a_new_word(runs):
    """`changes` is refused where only one of the runs could have the event; a failure that is new is counted."""
    pair = runs(SUPPORT, RENAMED, endings(timeout=30, resolved=170), endings(late=90, resolved=110))
    with pytest.raises(UserError, match=r"Run 'after' declares no outcome timeout .* \(--event=OLD\+NEW\)"):
        changes(*pair, events=["timeout"])
    assert changes(*pair, events=["timeout+late"]).more == 1
    assert changes(*pair, events=["late"]).more == 1


def test_a_new_success_is_no_change_for_the_better(runs):
    """The run before could not succeed by it."""
    pair = runs(WORKS, WORKS_TOO, endings(resolved=100, wrong=100), endings(solved=190, wrong=10))
    with pytest.raises(UserError, match="Run 'before' declares no outcome solved"):
        changes(*pair, events=["solved"])
    assert changes(*pair, events=["resolved"]).less == 1


def test_nobody_dies_later_by_a_new_word(tmp_path):
    """`compare` is refused where the second run could not die as the first one did."""
    store = Store(tmp_path)
    write_traced(store, "before", [(task(1), [died(2)] * 9)])
    late = replace(AGENT, outcomes=("resolved", "late"), failures=("late",))
    write_traced(store, "after", [(task(1), [Trail("late", 2), *[ended(3)] * 8])], rollouts=(late,))
    pair = store.open("before"), store.open("after")
    with pytest.raises(UserError, match="Run 'after' declares no outcome timeout of rollout 'agent'"):
        compare(*pair, events=["timeout"], max_hazard_ratio=1.3)
    assert compare(*pair, events=["timeout+late"], max_hazard_ratio=1.3).comparison.test.deaths == (9, 1)
