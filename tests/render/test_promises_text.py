"""Promises and pass rates as terminal text."""

from dataclasses import replace

import pytest

from poisson_store import Store
from pytest_poisson.analyses.diff_result import Count
from pytest_poisson.analyses.promises import Promise, PromisesResult, judge_run
from pytest_poisson.analyses.show import show
from pytest_poisson.render.promises_text import explain_promise, promises_lines
from pytest_poisson.render.show_text import render_show
from tests.stored_runs import SUPPORT, cell, endings, write_run

ROLLOUT = replace(SUPPORT, settings={"at_most": {"timeout": 0.05}, "at_least": {"resolved": 0.5}})
CELLS = [
    (cell(task="refund"), endings(resolved=100)),
    (cell(task="checkout"), endings(resolved=70, timeout=30)),
    (cell(task="search"), endings(resolved=97, timeout=3, errored=2)),
]


@pytest.fixture
def run(tmp_path):
    """Return a run of which one promise is missed, one is too small to tell and the others are met."""
    write_run(Store(tmp_path), "run", CELLS, rollouts=(ROLLOUT,))
    with Store(tmp_path).open("run") as reader:
        yield reader


def test_what_was_missed_comes_first(run):
    """The headline counts every word; missed promises stand first, met ones only where all are asked for."""
    result = judge_run(run)
    short, full = promises_lines(result, width=80), promises_lines(result, width=80, verbose=True)
    assert short[0].startswith("Promises: 1 missed, 1 too small to tell, 4 met")
    rows = [line for line in short if "at most" in line or "at least" in line]
    assert [line.split()[0] for line in rows] == ["checkout", "search"]
    assert len([line for line in full if " at most " in line or " at least " in line]) == 6
    assert "more promise" not in "".join(short + full)


def test_an_open_promise_says_what_would_settle_it(run):
    """The row of a promise that is too small to tell ends in the replicates that would settle it, with a legend."""
    result = judge_run(run)
    lines = promises_lines(result, width=80)
    (open_one,) = result.with_word("too small to tell")
    assert next(line for line in lines if line.startswith("search")).split()[-1] == f"{open_one.settle:,}"
    assert any(line.startswith("settled by: replicates of the condition") for line in lines)


@pytest.mark.parametrize("width", [60, 80])
def test_no_line_is_wider_than_the_terminal(run, width):
    """Promises and pass rates keep within the terminal."""
    text = promises_lines(judge_run(run), width=width, verbose=True) + render_show(
        show(run), width=width
    ).split("\n")
    assert all(len(line) <= width for line in text)


def test_the_failure_text_has_every_figure(run):
    """Promise, counts, one-sided bound with its level, adjusted p and the command stand in the text."""
    result = judge_run(run)
    (missed,) = result.with_word("missed")
    lines = explain_promise(result, missed, store="elsewhere").splitlines()
    assert lines[0] == "missed: timeout at most 0.05 was promised, 30/100 = 0.300 came"
    assert f"one-sided {100 * missed.level:.3f} % bound: a rate of at least {missed.low:.3f}" in lines[1]
    assert lines[-1].split()[:3] == ["pytest", "--poisson-replicate=70", "--poisson-run=run"]
    assert "--poisson-store=elsewhere" in lines[-1]


@pytest.mark.parametrize(
    ("kind", "events", "rate", "proof"),
    [("at most", 5003, "0.5003", "at least 0.5002"), ("at least", 4997, "0.4997", "at most 0.4998")],
)
def test_a_promise_that_is_just_missed_reads_as_missed(kind, events, rate, proof):
    """Rate and proof of a promise that is missed by less than their last digit stand beyond the bound."""
    count = Count(events, 10_000)
    promise = Promise(
        CELLS[0][0],
        "late",
        kind,
        0.5,
        count,
        0,
        "missed",
        withdrawn=False,
        p=0.02,
        low=0.5002,
        high=0.4998,
        level=0.95,
        settle=None,
    )
    lines = explain_promise(PromisesResult("run", 0.05, (promise,), (0,)), promise).splitlines()
    assert lines[0] == f"missed: late {kind} 0.5 was promised, {events}/10000 = {rate} came"
    assert proof in " ".join(" ".join(lines).split())


def test_withdrawn_promises_say_why(tmp_path):
    """Where missing outcomes alone keep a promise from being met, the text says how many there are."""
    write_run(
        Store(tmp_path), "run", [(cell(task="a"), endings(resolved=150, errored=10))], rollouts=(ROLLOUT,)
    )
    with Store(tmp_path).open("run") as reader:
        text = " ".join(promises_lines(judge_run(reader), width=80))
    assert "1 promise would be met but for 10 replicates without an outcome" in text


def test_show_says_what_counts_as_an_attempt(run):
    """The pass rates stand with their convention: what is a success, what doing nothing is, what is no attempt."""
    text = " ".join(render_show(show(run)).split())
    assert "pass^k: all of k attempts succeed" in text
    assert (
        "A success ended as resolved; any other ending is an attempt that failed, doing nothing included"
        in text
    )
    assert "replicates without an outcome (2) are no attempts" in text


def test_a_condition_without_an_outcome_is_missed_in_the_mean(tmp_path):
    """A mean that rises as conditions crash says how many it is not over."""
    cells = [(cell(task="a"), endings(resolved=9)), (cell(task="b"), endings(crashed=9))]
    write_run(Store(tmp_path), "run", cells, rollouts=(ROLLOUT,))
    with Store(tmp_path).open("run") as reader:
        text = " ".join(render_show(show(reader)).split())
    assert "means over 1 condition (1 more without an outcome), 95 % intervals" in text
