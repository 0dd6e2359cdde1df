"""Stopping early as stored runs show it: the same decisions in a sweep and in every later comparison of it."""

import random
from functools import partial

import numpy as np
import pytest

from poisson_store import Store
from poisson_store.records import ConditionRecord, RunRecord
from pytest_poisson.analyses.along import diff_along
from pytest_poisson.analyses.changes import changes
from pytest_poisson.analyses.diff import diff
from pytest_poisson.analyses.fix_check import fix_check
from pytest_poisson.early import watch
from pytest_poisson.render.diff_text import render_diff
from pytest_poisson.render.report_parts import run_line
from pytest_poisson.stopping_rule import SETTING, declare_rule
from tests.quality.simulated import Rate
from tests.stored_runs import OTHER_SALT, SALT, SUPPORT, cell, write_run

EVENTS = ["timeout", "violated"]
WORDS = ("resolved", "timeout", "violated", "errored")


def drawn(rng, rates, replicates, missing=0.02):
    """Draw endings: `rates` are those of timeout; a tenth of the rest is violated, and a few have no outcome."""
    shape = (len(rates), replicates)
    word = (rng.random(shape) < np.reshape(rates, (-1, 1))).astype(int)
    word[(word == 0) & (rng.random(shape) < 0.1)] = 2
    word[rng.random(shape) < missing] = 3
    return [[WORDS[position] for position in row] for row in word.tolist()]


def cells_of(endings):
    return [(cell(task=f"t{number}"), ended) for number, ended in enumerate(endings)]


class Swept:
    """A baseline in a store, and an after run of the same conditions that could stop early."""

    def __init__(self, path, before, after, *, paired=True, q=0.05, events=EVENTS):
        self.store = Store(path)
        self.paired, self.after = paired, after
        base = write_run(self.store, "base", cells_of(before))
        with self.store.open(base) as reader:
            self.rule = declare_rule(reader.run, paired=paired, q=q, events=events)
        conditions = tuple(
            ConditionRecord(each.key, each.rollout, each.axes, each.nodeid, len(ended))
            for each, ended in cells_of(after)
        )
        self.record = RunRecord(
            salt=SALT if paired else OTHER_SALT,
            name="after",
            rollouts=(SUPPORT,),
            conditions=conditions,
            paired_with=base if paired else None,
            settings={SETTING: self.rule},
        )

    def watch(self, batches):
        """Feed batches of (condition, replicate) and return which conditions were decided, as a sweep does."""
        decided = set()
        with self.store.open("base") as baseline:
            watching = watch(self.record, baseline, None)
            for batch in batches:
                rows = [self.row(*each) for each in batch if each[0] not in decided]
                decided |= set(watching.observe(rows))
        return decided

    def row(self, condition, replicate):
        word = self.after[condition][replicate]
        outcome = None if word == "errored" else self.record.outcomes.index(word)
        return (condition, replicate, 0, outcome, None if outcome is not None else 1)

    def diff(self, name, kept, **choices):
        """Store the first `kept` replicates of each condition, and compare."""
        ended = [
            words[:number] + [None] * (len(words) - number)
            for words, number in zip(self.after, kept, strict=True)
        ]
        shared = {
            "paired_with": self.record.paired_with,
            "settings": self.record.settings,
            "salt": self.record.salt,
        }
        write_run(self.store, name, cells_of(ended), **shared)
        with self.store.open("base") as before, self.store.open(name) as after:
            return diff(before, after, **choices)


def arrivals(rng, conditions, replicates, size):
    """Cut all replicates into batches that arrive in an order of their own, but not far from the planned one."""
    every = [(c, r) for r in range(replicates) for c in range(conditions)]
    every.sort(key=lambda each: each[1] + rng.uniform(0, 4 * size))
    return [every[start : start + size] for start in range(0, len(every), size)]


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("seed", range(4))
def test_what_is_decided_does_not_depend_on_the_order_of_arrival(tmp_path, paired, seed):
    """However replicates arrive, and in whatever batches, the same conditions are decided as one by one in order."""
    rng = np.random.default_rng(seed)
    swept = Swept(
        tmp_path, drawn(rng, [0.2] * 5, 90), drawn(rng, [0.2, 0.4, 0.6, 0.9, 0.8], 90), paired=paired
    )
    straight = swept.watch([[(c, r)] for r in range(90) for c in range(5)])
    assert {3, 4} <= straight
    for size in (1, 7, 450):
        assert swept.watch(arrivals(random.Random(seed), 5, 90, size)) == straight


@pytest.mark.parametrize("paired", [True, False])
def test_a_comparison_decides_what_the_sweep_decided_whatever_ran_too_late(tmp_path, paired):
    """Rows, flags and verdict are the same with none and with all of the replicates after the decisions."""
    rng = np.random.default_rng(7)
    arms = [drawn(rng, rates, 90, missing=0) for rates in ([0.2] * 4, [0.2, 0.3, 0.9, 0.8])]
    swept = Swept(tmp_path, *arms, paired=paired)
    decided = swept.watch([[(c, r) for c in range(4)] for r in range(90)])
    everything = swept.diff("everything", [90] * 4)
    changed = {row.condition.axes["task"] for row in everything.rows if row.counted}
    assert changed == {f"t{number}" for number in decided} == {"t2", "t3"}
    turns = [_turns(everything, number) for number in range(4)]
    assert turns[:2] == [90, 90]
    assert everything.early.late == 360 - sum(turns) > 0
    exact = swept.diff("exact", turns)
    assert exact.rows == everything.rows
    assert exact.verdict == everything.verdict == "worse"
    assert (exact.early.late, exact.early.saved) == (0, everything.early.late)


def _turns(result, number):
    """Return how many replicates of a condition are compared: the same in the rows of all its events, in both arms."""
    rows = [row for row in result.rows if row.condition.axes["task"] == f"t{number}"]
    compared = {count.outcomes for row in rows for count in (row.before, row.after)}
    assert len(rows) == 2
    assert len(compared) == 1
    return compared.pop()


def test_failures_that_come_first_are_no_evidence(tmp_path):
    """Nothing changed, but failures arrive a batch sooner than the rest: no more than q of the sweeps decide anything."""
    rng = np.random.default_rng(11)
    runs, wrong = 60, 0
    for number in range(runs):
        before, after = (drawn(rng, [0.4] * 3, 48) for _ in range(2))
        swept = Swept(tmp_path / str(number), before, after, events=["timeout"])
        wrong += bool(swept.watch(_failures_first(after, 12)))
    assert Rate("stopping", "", "", wrong / runs, runs, "").at_most(0.05)


def _failures_first(after, size):
    batches, held = [], []
    for start in range(0, len(after[0]), size):
        fresh = [(c, r) for c in range(len(after)) for r in range(start, start + size)]
        quick = [(c, r) for c, r in fresh if after[c][r] == "timeout"]
        batches += [quick, held]
        held = [each for each in fresh if each not in quick]
    return [*batches, held]


def test_a_comparison_as_a_whole_makes_no_test_of_fixed_numbers(tmp_path):
    """`--full` of a run that could stop has its coverage, no omnibus test, no fault lines, and says why."""
    rng = np.random.default_rng(3)
    swept = Swept(tmp_path, drawn(rng, [0.2] * 2, 40), drawn(rng, [0.9] * 2, 40))
    result = swept.diff("after", [40, 40], full=True)
    assert (result.whole.events, result.whole.common) == ((), 2)
    text = " ".join(render_diff(result).split())
    assert "Its tests need numbers of replicates that were fixed beforehand" in text
    for figure in ("omnibus", "Holm", "McNemar", "Fisher", "interval 0", "4 times in 5"):
        assert figure not in text


def test_two_values_of_an_axis_of_such_a_run_rest_on_its_rule(tmp_path):
    """`--along` of a run that could stop early uses evidence that may be looked at any time, without being asked."""
    rng = np.random.default_rng(5)
    swept = Swept(tmp_path, drawn(rng, [0.2] * 2, 60), drawn(rng, [0.1, 0.9], 60))
    swept.diff("after", [60, 60])
    with swept.store.open("after") as run:
        result = diff_along(run, "task=t0:t1")
    assert (result.method, result.verdict) == ("block_ebh", "worse")
    assert "Stopped early: 1 of 1 condition decided." in render_diff(result)


@pytest.mark.parametrize("command", [changes, partial(fix_check, failing_from=None, max_mde=0.5)])
def test_tests_of_fixed_numbers_say_what_such_a_run_is(tmp_path, command):
    """Reports that test inputs as if their numbers had been fixed mark the run that could stop early, and no other."""
    rng = np.random.default_rng(5)
    swept = Swept(tmp_path, drawn(rng, [0.2] * 2, 30), drawn(rng, [0.1, 0.5], 30))
    swept.diff("after", [30, 30])
    with swept.store.open("base") as before, swept.store.open("after") as after:
        result = command(before, after, events=["timeout"])
    sides = (result.first, result.second) if command is changes else (result.old, result.new)
    assert [side.stoppable for side in sides] == [False, True]
    assert ["could stop early on its outcomes" in run_line("run", side) for side in sides] == [False, True]
