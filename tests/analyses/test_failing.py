"""Failing replicates to look at: bounded, dealt fairly, the telling ones first."""

from poisson_store import Store
from pytest_poisson.analyses.episode_trace import trace_episode
from pytest_poisson.analyses.failing import MOST_OF_ONE, failing_replicates
from pytest_poisson.analyses.shares import shares
from pytest_poisson.analyses.show import show
from tests.stored_runs import SALT, cell, endings, write_run

CELLS = [cell(task=task) for task in "abc"]


def chosen(folder, before, after, *, most=50, paired=True):
    """Return what is chosen of two runs with these endings of each cell, and what is written of each."""
    store = Store(folder)
    write_run(store, "base", list(zip(CELLS, before, strict=False)))
    write_run(store, "next", list(zip(CELLS, after, strict=False)))
    keys = [each.key for each, _ in zip(CELLS, before, strict=False)]
    with store.open("base") as first, store.open("next") as second:
        return failing_replicates((first, second), keys, paired=paired, most=most)


def summary(found):
    """Return (condition, arm, number, ending, partner) of each chosen one."""
    names = {each.key: each.axes["task"] for each in CELLS}
    return [
        (
            names[one.trace.condition.key],
            one.arm,
            one.trace.episode.replicate,
            one.trace.episode.outcome or one.trace.episode.cause,
            one.partner,
        )
        for one in found.shown
    ]


def test_failures_and_lost_replicates_count_and_skipped_ones_do_not(tmp_path):
    """The totals are of declared failures and of all causes but `skipped`, an arm each."""
    ended = ["timeout", "resolved", "crashed", "skipped", "errored", "violated", "timed_out"]
    found = chosen(tmp_path, [endings(resolved=7)], [ended])
    assert found.total == {CELLS[0].key: (0, 5)}
    assert [each[3] for each in summary(found)] == ["timeout", "crashed", "errored", "violated", "timed_out"]


def test_what_failed_undeclared_is_shown(tmp_path):
    """Replicates that ended by an AssertionError are among those to look at, and their share is described."""
    found = chosen(tmp_path, [endings(resolved=2)], [endings(resolved=1, failed=2)])
    assert found.total == {CELLS[0].key: (0, 2)}
    with Store(tmp_path).open("next") as run, Store(tmp_path).open("base") as base:
        described = [(each.event, each.count.events) for each in shares(show(run))]
        assert described == [("timeout", 0), ("violated", 0), ("failed", 2)]
        assert [each.event for each in shares(show(base))] == ["timeout", "violated"]
        assert trace_episode(run, failures=True).alike == ((CELLS[0].key, 1), (CELLS[0].key, 2))


def test_those_that_failed_after_alone_come_first(tmp_path):
    """Of pairs, a replicate that failed in the last arm alone is more telling; then both, then the first arm's."""
    found = chosen(
        tmp_path,
        [["timeout", "resolved", "resolved", "violated"]],
        [["timeout", "resolved", "timeout", "resolved"]],
    )
    assert summary(found) == [
        ("a", 1, 2, "timeout", "resolved"),
        ("a", 1, 0, "timeout", "timeout"),
        ("a", 0, 0, "timeout", "timeout"),
        ("a", 0, 3, "violated", "resolved"),
    ]


def test_they_are_dealt_round_over_the_conditions(tmp_path):
    """No condition has more than 5, and a small number is shared out one a condition before anyone gets two."""
    many = [["timeout"] * 9] * 3
    whole = chosen(tmp_path / "whole", many, many)
    assert len(whole.shown) == 3 * MOST_OF_ONE
    few = chosen(tmp_path / "few", many, many, most=4)
    assert [each[0] for each in summary(few)] == ["a", "a", "b", "c"]
    assert set(few.total.values()) == {(9, 9)}


def test_unpaired_runs_have_no_partners(tmp_path):
    """Where the draws are not shared, replicate numbers mean nothing to each other."""
    found = chosen(tmp_path, [["timeout"]], [["timeout"]], paired=False)
    assert {each[4] for each in summary(found)} == {None}


def test_an_outcome_compared_as_a_failure_counts_too(tmp_path):
    """An outcome that the rollout does not declare a failure counts where it is asked for."""
    store = Store(tmp_path)
    write_run(store, "one", [(CELLS[0], endings(passed=2, resolved=3))], salt=SALT)
    with store.open("one") as run:
        assert failing_replicates((run,), [CELLS[0].key]).total == {CELLS[0].key: (0,)}
        found = failing_replicates((run,), [CELLS[0].key], failures=["passed"])
    assert found.total == {CELLS[0].key: (2,)}
