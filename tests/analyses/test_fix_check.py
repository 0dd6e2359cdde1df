"""Did the fix work: which inputs are asked about, what is counted, and the word."""

import pytest

from poisson_store import Store
from pytest_poisson.analyses.fix_check import fix_check
from pytest_poisson.analyses.input_shares import LeftOutInputs
from pytest_poisson.errors import UserError
from tests.fix_runs import PILOT_NEW, PILOT_OLD, cells, share, task
from tests.stored_runs import cell, write_run


def analyse(tmp_path, old, new, *, selecting=None, **options):
    """Store the runs and ask whether the fix worked."""
    store = Store(tmp_path)
    write_run(store, "old", old, salt="a" * 32)
    write_run(store, "new", new, salt="b" * 32)
    readers = [store.open("old"), store.open("new")]
    if selecting is not None:
        write_run(store, "nightly", selecting, salt="c" * 32)
        readers.append(store.open("nightly"))
    try:
        return fix_check(
            *readers[:2],
            **({"events": ["timeout"], "max_mde": 0.2, "failing_from": [*readers, None][2]} | options),
        )
    finally:
        for reader in readers:
            reader.close()


def test_the_pilot(tmp_path):
    """The published pilot, from stored rows: every figure of the report."""
    found = analyse(tmp_path, cells(PILOT_OLD), cells(PILOT_NEW))
    test, difference, alike = found.comparison.test, found.comparison.difference, found.comparison.consistency
    assert (test.observed, round(test.expected, 3), round(test.variance, 3), round(test.p, 3)) == (
        3,
        4.2,
        0.8,
        0.269,
    )
    assert [round(100 * each, 1) for each in (difference.difference, difference.low, difference.high)] == [
        -25,
        -60.1,
        10.1,
    ]
    assert (round(found.comparison.by_input.p, 6), found.comparison.by_input.moved) == (0.375, 4)
    figures = (alike.share, alike.again, alike.kappa, alike.within, alike.pooled, alike.inflation)
    assert [round(each, 3) for each in figures] == [0.7, 0.762, 0.206, 0.167, 0.21, 1.26]
    assert (round(found.approximate_drop.limit, 6), found.approximate_drop.ceiling) == (0.642939, 0.643)
    assert (found.comparison.drop.basis, round(found.comparison.drop.limit, 3)) == ("exact", 0.566)
    assert (found.comparison.rise.status, round(found.comparison.rise.room, 3)) == ("none detectable", 0.3)
    assert found.comparison.word == "too small to tell"
    assert (found.guidance.repeats, found.guidance.inputs) == (16, 55)


@pytest.mark.parametrize("ceiling", ["comparison", "guidance"])
def test_the_ceiling_handed_back_is_accepted(tmp_path, ceiling):
    """With --max-mde at the printed ceiling the design is no longer too small."""
    first = analyse(tmp_path / "a", cells(PILOT_OLD), cells(PILOT_NEW))
    value = first.comparison.drop.ceiling if ceiling == "comparison" else first.guidance.ceiling
    again = analyse(tmp_path / "b", cells(PILOT_OLD), cells(PILOT_NEW), max_mde=value)
    assert again.comparison.word == "no significant difference"


def test_a_fix_that_worked(tmp_path):
    """Where the new version fails less, the word says so; where it fails more, that."""
    bad, good = cells([(6, 8)] * 10), cells([(1, 8)] * 10)
    less, more = analyse(tmp_path / "a", bad, good).comparison, analyse(tmp_path / "b", good, bad).comparison
    assert (less.word, less.failed) == ("different", "less")
    assert (more.word, more.failed) == ("different", "more")


def test_inputs_that_failed_elsewhere(tmp_path):
    """Only inputs that failed often enough in the third run are asked about, whatever they did in the two."""
    found = analyse(
        tmp_path,
        cells([(2, 4)] * 4),
        cells([(1, 4)] * 4),
        selecting=cells([(0, 4), (1, 4), (2, 4), (3, 4)]),
        min_failures=2,
    )
    assert [each.condition.axes["task"] for each in found.inputs] == [2, 3]
    assert (found.selection.run.name, found.selection.min_failures, found.selection.inputs) == (
        "nightly",
        2,
        2,
    )


def test_inputs_left_out_are_counted_under_their_first_reason(tmp_path):
    """Not run on the old version, on the new, no outcome on one of them: each input once, in this order."""
    found = analyse(
        tmp_path,
        [
            (task(1), share(1, 2)),
            (task(2), share(1, 2)),
            (task(3), share(0, 0, errored=2)),
            (task(5), share(1, 1)),
        ],
        [
            (task(1), share(1, 2)),
            (task(3), share(1, 2)),
            (task(4), share(1, 2)),
            (task(5), share(0, 0, crashed=1)),
        ],
        selecting=[(task(i), share(1, 1)) for i in range(1, 8)],
    )
    assert found.left_out == LeftOutInputs(not_run_old=3, not_run_new=1, no_outcome=2)
    assert found.selection.inputs == len(found.inputs) + found.left_out.total == 7


def test_planned_but_not_run_is_not_run(tmp_path):
    """An input of which no replicate left a row was not run, though it was planned."""
    found = analyse(tmp_path, [(task(1), share(1, 2)), (task(2), [None, None])], cells([(1, 2)] * 3)[1:])
    assert found.left_out == LeftOutInputs(not_run_old=1, not_run_new=0, no_outcome=0)


def test_rows_without_an_outcome(tmp_path):
    """They leave the counts, are accounted for by cause, and are tested for being unequal."""
    found = analyse(
        tmp_path,
        [(task(i), share(4, 8)) for i in range(5)],
        [(task(i), share(0, 4, timed_out=3, errored=1)) for i in range(5)],
    )
    assert (found.rows.old.without_outcome, found.rows.new.timed_out, found.rows.new.errored) == (0, 15, 5)
    assert found.rows.shares.differs
    assert found.comparison.failed == "less"
    assert found.rows.failed_as_failures(0.05) is None
    assert (found.inputs[0].old_runs, found.inputs[0].new_runs) == (8, 4)


def test_missing_rows_counted_against_the_new_version(tmp_path):
    """A fix that made everything time out fails more once those rows count as failures."""
    found = analyse(
        tmp_path,
        [(task(i), share(2, 8)) for i in range(5)],
        [(task(i), share(0, 1, timed_out=7)) for i in range(5)],
    )
    assert found.rows.failed_as_failures(0.05) == "more"


def test_outcomes_spelled_like_a_cause(tmp_path):
    """An outcome may be called as a cause is: rows without an outcome are not counted as having it."""
    from poisson_store.records import Episode, RolloutRecord, RunRecord

    rollout = RolloutRecord("support", ("ok", "errored"), ("errored",), ("ok",))
    store = Store(tmp_path)
    for name in ("old", "new"):
        with store.create(RunRecord("0" * 32, (rollout,), (cell(task=1, planned=3),), name=name)) as writer:
            outcomes = [("errored", None), ("ok", None), (None, "errored")]
            writer.add(Episode(cell(task=1).key, i, i, *each) for i, each in enumerate(outcomes))
    with store.open("old") as old, store.open("new") as new:
        found = fix_check(old, new, events=["errored"], failing_from=None, max_mde=0.2)
    assert (found.inputs[0].old_events, found.inputs[0].old_runs, found.rows.old.errored) == (1, 2, 1)


def test_rests_on_one_input(tmp_path):
    """Where one input carries the difference, it is named, with the word without it."""
    counts = [(20, 20), (3, 6), (3, 6)]
    found = analyse(tmp_path, cells(counts), cells([(0, 20), (3, 6), (3, 6)]), max_mde=0.9)
    assert found.comparison.word == "different"
    assert found.rests_on.inputs == (0,)
    assert found.rests_on.words == ("no significant difference",)


@pytest.mark.parametrize("arm", ["old", "new"])
def test_a_run_that_selects_is_neither_arm(tmp_path, arm):
    """The failures of a compared run are there by selection: refused."""
    store = Store(tmp_path)
    for name in ("old", "new"):
        write_run(store, name, cells(PILOT_OLD), salt=name[0] * 32)
    with (
        store.open("old") as old,
        store.open("new") as new,
        store.open(arm) as selecting,
        pytest.raises(
            UserError, match=f"'{arm}' is one of the two compared, and its failures are there by sel"
        ),
    ):
        fix_check(old, new, events=["timeout"], failing_from=selecting, max_mde=0.2)


@pytest.mark.parametrize("arm", ["old", "new"])
def test_a_run_that_selects_was_not_drawn_again_by_an_arm(tmp_path, arm):
    """A run on the seeds of the one that selects may repeat its failures: refused, whichever arm it is."""
    store = Store(tmp_path)
    for name in ("nightly", "old", "new"):
        write_run(store, name, cells(PILOT_OLD), salt="c" * 32 if name in ("nightly", arm) else name[0] * 32)
    with store.open("old") as old, store.open("new") as new, store.open("nightly") as selecting:
        with pytest.raises(UserError, match=f"Run '{arm}' has the seeds of 'nightly'"):
            fix_check(old, new, events=["timeout"], failing_from=selecting, max_mde=0.2)
        fix_check(old, new, events=["timeout"], failing_from=None, max_mde=0.2)


def test_refusals(tmp_path):
    """A success as the event, an input that never failed often enough, nothing to compare: one sentence each."""
    both = cells([(1, 2)]), cells([(1, 2)])
    with pytest.raises(UserError, match="'resolved' is declared a success"):
        analyse(tmp_path / "a", *both, events=["resolved"])
    with pytest.raises(
        UserError, match=r"'nightly' has no input that failed \(timeout\) at least 3 times; the most is 1"
    ):
        analyse(tmp_path / "b", *both, selecting=cells([(1, 2)]), min_failures=3)
    with pytest.raises(
        UserError, match=r"None of 1 inputs can be compared: 1 were not run in 'old', 0 not in 'new', and 0"
    ):
        analyse(tmp_path / "c", *both, selecting=[(task(9), share(1, 1))])
    with pytest.raises(
        UserError, match=r"'violated' is the outcome of no stored row; runs 'old' and 'new' carry resolved, t"
    ):
        analyse(tmp_path / "d", *both, events=["violated"])
