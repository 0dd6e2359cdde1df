"""A comparison as a whole: one test an event, and the walk to where it changed."""

import numpy as np
import pytest

from poisson_stats.omnibus import omnibus_unpaired
from pytest_poisson.analyses.diff import diff
from tests.stored_runs import cell, endings, pair_of_runs

TASKS, RATES = ("a", "b", "c"), (0.1, 0.2)
CELLS = [cell(task=task, rate=rate) for task in TASKS for rate in RATES]
GOOD, BAD = endings(resolved=80, timeout=20), endings(resolved=40, timeout=60)


def compare(tmp_path, before, after, *, events=("timeout",), full=True, **record):
    readers = pair_of_runs(tmp_path, before, after, **record)
    with readers[0], readers[1]:
        return diff(*readers, events=list(events), full=full)


def changed(task=None):
    """Return arms in which the conditions of one task became worse."""
    return [(each, GOOD) for each in CELLS], [
        (each, BAD if each.axes["task"] == task else GOOD) for each in CELLS
    ]


def test_it_is_made_where_it_is_asked_for(tmp_path):
    """Without `full` nothing is tested as a whole; the rest of the result is the same."""
    plain = compare(tmp_path / "plain", *changed("b"), full=False)
    full = compare(tmp_path / "full", *changed("b"))
    assert plain.whole is None
    assert plain.rows == full.rows


@pytest.mark.parametrize("paired", [True, False])
def test_the_walk_ends_where_the_change_is(tmp_path, paired):
    """The task that became worse is found among the axis values, and below it both of its conditions."""
    (event,) = compare(tmp_path, *changed("b"), paired=paired).whole.events
    assert event.changed
    assert event.root.changed
    found = {(group.node.axis, group.node.value): group for group in event.groups}
    assert list(found) == [("task", "a"), ("task", "b"), ("task", "c"), ("rate", 0.1), ("rate", 0.2)]
    assert [key for key, group in found.items() if key[0] == "task" and group.node.changed] == [("task", "b")]
    below = found["task", "b"].below
    assert {node.conditions[0].axes["rate"] for node in below if node.changed} == set(RATES)
    assert found["task", "a"].below == ()


def test_no_change_no_walk(tmp_path):
    """Where the root does not reject no group is tested, and the omnibus test rejects nothing."""
    (event,) = compare(tmp_path, *changed()).whole.events
    assert (event.changed, event.root.changed, event.groups) == (False, False, ())
    assert event.root.resolvable is not None


def test_the_omnibus_test_gets_the_counts_of_the_rows(tmp_path):
    """The test of the whole is the one of the rows' counts."""
    result = compare(tmp_path, *changed("c"), paired=False)
    counts = np.array(
        [
            [row.before.events, row.before.outcomes, row.after.events, row.after.outcomes]
            for row in result.rows
        ]
    )
    assert result.whole.events[0].omnibus == omnibus_unpaired(*counts.T)


def test_changes_that_cancel_are_found_by_dispersion(tmp_path):
    """One task better and one worse by as much leave the mean as it was; the omnibus test sees it."""
    before = [(each, BAD if each.axes["task"] == "a" else GOOD) for each in CELLS]
    after = [(each, BAD if each.axes["task"] == "b" else GOOD) for each in CELLS]
    (event,) = compare(tmp_path, before, after, paired=False).whole.events
    assert event.changed
    assert event.omnibus.p_location > 0.5


def test_each_event_has_a_walk_of_its_own(tmp_path):
    """With two events there are two entries, each with the bound that the procedure was built for."""
    whole = compare(tmp_path, *changed("b"), events=("timeout", "violated")).whole
    assert [each.event.name for each in whole.events] == ["timeout", "violated"]
    assert [each.changed for each in whole.events] == [True, False]
    assert whole.events[0].bound == pytest.approx(2 * 3 * 0.05 * 1.44)


def test_coverage_counts_what_each_run_planned(tmp_path):
    """Conditions planned, compared, absent from one run and skipped in both add up."""
    before = [(CELLS[0], GOOD), (CELLS[1], GOOD), (CELLS[2], endings(skipped=5))]
    after = [(CELLS[0], GOOD), (CELLS[3], GOOD), (CELLS[4], GOOD), (CELLS[2], endings(skipped=5))]
    whole = compare(tmp_path, before, after).whole
    assert (whole.planned_before, whole.planned_after) == (3, 4)
    assert (whole.common, whole.absent_before, whole.absent_after, whole.skipped) == (1, 2, 1, 1)


def test_one_axis_value_makes_no_group(tmp_path):
    """An axis with one value would test the whole again; it is no group."""
    cells = [cell(task=task, rate=0.1) for task in TASKS]
    (event,) = compare(tmp_path, [(c, GOOD) for c in cells], [(c, BAD) for c in cells]).whole.events
    assert {group.node.axis for group in event.groups} == {"task"}
