"""Where episodes land: each kind of row, the order of the rules, and what a death is put down to."""

import sqlite3

import pytest

from poisson_store import Store
from poisson_store.records import Span
from pytest_poisson.analyses.event_set import choose_events
from pytest_poisson.analyses.placement import FATES, NO_STEP, Landed, place
from tests.traced_runs import Trail, died, ended, task, write_traced

CIRCLE = (Span("a", "b", "llm", "a", 0, 1), Span("b", "a", "llm", "b", 0, 1))


def placed(tmp_path, trails, *, events=("timeout",), by="kind", spoil=None):
    """Place the episodes of one condition of a stored run."""
    store = Store(tmp_path)
    write_traced(store, "run", [(task(1), [died(1), *trails])])
    if spoil:
        with sqlite3.connect(store.resolve("run")) as connection:
            connection.execute(spoil)
        connection.close()
    with store.open("run") as reader:
        return place(reader, reader.conditions, choose_events([reader], events), by=by)


@pytest.mark.parametrize(
    ("trail", "fate", "steps", "is_death"),
    [
        (died(3), "died", 3, True),
        (Trail("violated", 3), "ended", 3, False),
        (ended(4), "ended", 4, False),
        (Trail("timed_out", 5), "timed out", 5, False),
        (died(6, left_out=2), "capped", 6, False),
        (Trail("timed_out", 5, left_out=2), "timed out", 5, False),
    ],
)
def test_where_a_row_with_leaves_lands(tmp_path, trail, fate, steps, is_death):
    """Timed out comes before capped, capped before died; each lands at its own number of leaves."""
    found = placed(tmp_path, [trail])
    assert FATES[found.fate[1]] == fate
    assert found.steps[1] == steps
    assert (found.cause[1] > 0) == is_death


@pytest.mark.parametrize(
    ("trail", "reason"),
    [
        (died(0), "no_trace"),
        (Trail("errored", 0), "no_trace"),
        (Trail("timed_out", 0), "no_trace"),
        (Trail("timeout", 0, spans=CIRCLE), "no_leaves"),
        (Trail("errored", 2), "no_outcome"),
        (Trail("crashed", 2), "no_outcome"),
        (Trail("skipped", 2), "no_outcome"),
        (Trail("cancelled", 2, left_out=1), "no_outcome"),
    ],
)
def test_a_row_without_a_place_is_counted_under_its_first_reason(tmp_path, trail, reason):
    """No trace comes before no leaves, and that before no outcome; none of them is on the curve."""
    found = placed(tmp_path, [trail])
    assert found.steps.tolist() == [1]
    assert found.landed == Landed(**{"died": 1, reason: 1})


def test_a_trace_whose_last_leaf_is_lost_is_unreadable(tmp_path):
    """A damaged file may count leaves whose last is not there: the row is excluded, before it could be a death."""
    found = placed(tmp_path, [died(3)], spoil="DELETE FROM spans WHERE replicate = 1")
    assert found.landed == Landed(unreadable_trace=1, died=1)


def test_counts_add_up(tmp_path):
    """Rows are what is excluded and what is placed, every row once."""
    trails = [died(2), ended(3), Trail("timed_out", 4), died(5, left_out=1), died(0), Trail("errored", 1)]
    landed = placed(tmp_path, trails).landed
    assert (landed.rows, landed.placed, landed.excluded) == (7, 5, 2)
    assert (landed.died, landed.ended, landed.timed_out, landed.capped) == (2, 1, 1, 1)


def test_several_events_are_one(tmp_path):
    """Where two outcomes are the event, an episode with either died."""
    found = placed(tmp_path, [Trail("violated", 3), ended(2)], events=("timeout", "violated"))
    assert found.cause.tolist() == [1, 1, 0]


def test_only_leaves_are_steps(tmp_path):
    """A span that is parent of another is no step; a chain of four spans is one step."""
    chain = [Span(str(i), str(i - 1) if i else None, "agent", "a", i, 9) for i in range(3)]
    found = placed(tmp_path, [Trail("timeout", 0, spans=(*chain, Span("3", "2", "tool", "t", 3, 4)))])
    assert found.steps.tolist() == [1, 1]
    assert [found.causes[code - 1] for code in found.cause] == ["llm", "tool"]


def test_the_last_leaf_is_the_one_that_began_last(tmp_path):
    """Leaves are ordered by beginning and then by id, however they were stored; a late end does not count."""
    spans = (
        Span("b", None, "tool", "second", 5, 6),
        Span("c", None, "db", "last by id", 5, 6),
        Span("a", None, "http", "first, and long", 1, 99),
    )
    found = placed(tmp_path, [Trail("timeout", 0, spans=spans)])
    assert found.causes[found.cause[1] - 1] == "db"


def test_causes_by_step(tmp_path):
    """By step, a death is put down to the named step of its last leaf; without one, to no step."""
    found = placed(tmp_path, [died(2, step="plan"), died(3, "tool"), ended(2, step="act")], by="step")
    causes = ["alive" if not code else found.causes[code - 1] for code in found.cause]
    assert causes == [NO_STEP, "plan", NO_STEP, "alive"]
