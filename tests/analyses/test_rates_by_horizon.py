"""Rates by the horizon, where replicates were cut off before it."""

import pytest

from poisson_store import Store
from poisson_store.records import CAUSES, Episode, RunRecord
from pytest_poisson.analyses.diff import diff
from tests.stored_runs import SALT, SUPPORT, cell, seed_of

A, B = cell(task="a", planned=6), cell(task="b", planned=6)


def write(store, name, cells, **record):
    """Store a run from (condition, [(ending, t, horizon)])."""
    conditions = tuple(condition for condition, _ in cells)
    with store.create(
        RunRecord(salt=SALT, name=name, rollouts=(SUPPORT,), conditions=conditions, **record)
    ) as writer:
        for condition, ended in cells:
            writer.add(
                Episode(
                    condition.key,
                    replicate,
                    seed_of(SALT, condition.key, replicate),
                    None if word in CAUSES else word,
                    word if word in CAUSES else None,
                    t,
                    horizon,
                )
                for replicate, (word, t, horizon) in enumerate(ended)
            )
        writer.finish("complete")


def compare(tmp_path, before, after, events=("timeout",)):
    store = Store(tmp_path)
    write(store, "before", before)
    write(store, "after", after)
    with store.open("before") as first, store.open("after") as second:
        return diff(first, second, events=list(events))


FULL = [("timeout", 2, 10), ("resolved", 3, 10), ("resolved", 5, 10), ("timeout", 10, 10)]
CUT = [("timeout", 1, 10), ("timed_out", 2, None), ("resolved", 3, 10), ("timeout", 5, 10)]


def test_the_rate_is_aalen_and_johansens(tmp_path):
    """A replicate cut off at 2 counts for as long as it was seen: 1/4 + (3/4)(1/2) by hand, not 2/3."""
    (row,) = compare(tmp_path, [(A, FULL)], [(A, CUT)]).rows
    assert row.over_time.after == pytest.approx(1 / 4 + 3 / 4 * 1 / 2)
    assert (row.over_time.cut_off_before, row.over_time.cut_off_after) == (0, 1)
    assert (row.after.events, row.after.outcomes) == (2, 3)


def test_without_censoring_it_is_the_plain_share(tmp_path):
    """The arm in which nobody was cut off has the share of all its replicates, also of those whose pair is incomplete."""
    (row,) = compare(tmp_path, [(A, FULL)], [(A, CUT)]).rows
    assert row.over_time.before == pytest.approx(2 / 4)


def test_rows_in_which_nobody_was_cut_off_have_none(tmp_path):
    """Where every replicate was seen to the horizon there is nothing to estimate: the counts are the rates."""
    result = compare(tmp_path, [(A, FULL), (B, FULL)], [(A, CUT), (B, FULL)])
    assert [row.over_time is None for row in result.rows] == [False, True]


def test_a_shorter_horizon_cuts_off(tmp_path):
    """A replicate that survived to its own, shorter horizon says nothing of what comes after; one that failed there does."""
    short = [("timeout", 1, 10), ("resolved", 4, 4), ("timeout", 4, 4), ("timeout", 6, 10)]
    (row,) = compare(tmp_path, [(A, FULL)], [(A, short)]).rows
    assert (row.over_time.horizon, row.over_time.cut_off_after) == (10, 1)
    assert row.over_time.after == pytest.approx(1 / 4 + 3 / 4 * 1 / 3 + 3 / 4 * 2 / 3)


def test_runs_without_horizons_are_left_alone(tmp_path):
    """Without horizons nobody can have been cut off before one."""
    bare = [(word, t, None) for word, t, _ in CUT]
    (row,) = compare(tmp_path, [(A, bare)], [(A, bare)]).rows
    assert row.over_time is None


def test_an_outcome_without_a_time_cannot_be_placed(tmp_path):
    """An arm in which an outcome has no `t` has no rate by the horizon; it is none, never a guess."""
    odd = [*CUT[:3], ("timeout", None, None)]
    (row,) = compare(tmp_path, [(A, FULL)], [(A, odd)]).rows
    assert (row.over_time.after, row.over_time.before) == (None, pytest.approx(0.5))


def test_each_event_has_its_own_rate(tmp_path):
    """Of two events each is estimated with the other as a competing risk, and together they do not pass 1."""
    mixed = [("timeout", 1, 10), ("violated", 2, 10), ("timed_out", 3, None), ("violated", 5, 10)]
    rows = compare(tmp_path, [(A, mixed)], [(A, mixed)], events=("timeout", "violated")).rows
    rates = [row.over_time.after for row in rows]
    assert rates == [pytest.approx(1 / 4), pytest.approx(3 / 4)]
