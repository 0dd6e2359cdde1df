"""Outcomes that are spelled like a cause of having none: whoever counts them counts them alone."""

from dataclasses import replace

import pytest

from poisson_store import Store
from poisson_store.records import Episode, RunRecord
from pytest_poisson.analyses.diff_result import Count
from pytest_poisson.analyses.show import show
from pytest_poisson.render.properties import condition_properties
from tests.stored_runs import SALT, SUPPORT, cell

A = cell(task="a", planned=40)
ENDS = replace(
    SUPPORT,
    outcomes=("resolved", "errored"),
    failures=("errored",),
    settings={"at_most": {"errored": 0.2}},
)


@pytest.fixture
def run(tmp_path):
    """Yield a run of which 10 replicates errored, 20 ended as `errored` and 10 as `resolved`."""
    store = Store(tmp_path)
    writer = store.create(RunRecord(name="run", salt=SALT, rollouts=(ENDS,), conditions=(A,)))
    writer.add(Episode(A.key, number, number, None, "errored") for number in range(10))
    writer.add(
        Episode(A.key, number, number, "errored" if number < 30 else "resolved", None)
        for number in range(10, 40)
    )
    writer.finish("complete")
    with store.open("run") as reader:
        yield reader


def test_a_promise_about_them_counts_them_alone(run):
    """The rate is 20 of 30 with 10 missing, and the replicate to look at is one that ended so."""
    (promise,) = show(run).promises.promises
    assert (promise.count, promise.missing) == (Count(20, 30), 10)
    assert (promise.word, promise.replay) == ("missed", 10)


def test_what_is_shown_of_them_is_theirs(run):
    """Neither the description of the run nor the item's properties add the cause to the outcome, or drop it."""
    (shown,) = show(run).conditions
    assert shown.outcomes == {"resolved": 10, "errored": 20}
    properties = dict(condition_properties(run, None)[A.key])
    assert properties["poisson.outcomes"] == '{"errored": 20, "resolved": 10}'
    assert properties["poisson.without_outcome"] == '{"errored": 10}'


def test_attempts_are_those_with_an_outcome(run):
    """pass^1 is 10 of 30: what errored is no attempt."""
    (rates,) = show(run).pass_rates
    assert rates.all_succeed[0].rate == pytest.approx(1 / 3)
    assert rates.missing == 10
