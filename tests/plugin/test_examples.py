"""The examples hold what their README says, and what the design promises of the mock agent."""

import json
import shutil
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from poisson_stats.comparison import compare_unpaired
from pytest_poisson.conditions import condition_key
from pytest_poisson.seeds import derive_seeds
from tests.plugin.support import assert_accounted, open_run

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def example(pytester):
    """Copy an example into the test's directory."""

    def copy(name):
        shutil.copytree(EXAMPLES / name, pytester.path, dirs_exist_ok=True)

    return copy


BASE = ("--poisson-name=base", "--poisson-salt=1")


def sweep(pytester, *options):
    result = pytester.runpytest_inprocess("--poisson-sweep", "--poisson-workers=0", *options)
    assert result.ret in (0, 1), result.stdout.str() + result.stderr.str()
    return result


def test_the_mock_agent_gets_the_verdict_of_the_readme(pytester, example):
    """The plan names both limits; the patched agent is safer, or trades, with `violated` falling in 6 conditions."""
    example("mock_agent")
    first = sweep(pytester, "--poisson-name=first")
    first.stdout.fnmatch_lines(
        [
            "replicates  194 each (mark), 1,746 in all",
            "events      timeout, violated: 18 tests at q = 0.05",
            "limit       on fresh seeds: a change of 0.199 at base rate 0.400",
            "            on the same seeds: a change of 0.200 at base rate 0.400",
        ]
    )
    assert_accounted(pytester, "first", planned=1746)
    sweep(
        pytester, "--poisson-pair-with=latest", "--poisson-variant=agent=patched", "--poisson-json=out.json"
    )
    document = json.loads((pytester.path / "out.json").read_text())["diff"]
    assert document["verdict"] in ("safer", "trade")
    fell = [row for row in document["rows"] if row["event"] == "violated" and row["word"] == "safer"]
    assert len(fell) == 6


def test_the_classifier_is_worse_without_its_scaler(pytester, example):
    """Taking the scaler away fails the item of every condition."""
    example("classifier")
    sweep(pytester, "--poisson-replicates=16", *BASE)
    result = sweep(pytester, "--poisson-pair-with=base", "--poisson-variant=scaling=off")
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["worse: *"])


def test_the_pole_falls_less_and_drifts_more(pytester, example):
    """The anticipating policy trades falls for drifts."""
    example("cartpole")
    sweep(pytester, "--poisson-replicates=60", *BASE)
    sweep(pytester, "--poisson-pair-with=base", "--poisson-variant=policy=anticipating", "--poisson-name=new")
    with open_run(pytester, "base") as before, open_run(pytester, "new") as after:
        counts = [sum(run.outcome_counts().values(), start=Counter()) for run in (before, after)]
        assert {each.t_unit for each in before.run.rollouts} == {"steps"}
    assert counts[1]["fell"] < counts[0]["fell"]
    assert counts[1]["drifted"] > counts[0]["drifted"]


@pytest.mark.parametrize("tries", [20, pytest.param(100, marks=pytest.mark.slow)])
def test_the_same_agent_on_fresh_seeds_is_not_flagged(tries):
    """An unpaired A/A comparison of the mock agent ends without a change in at least 95 of 100 tries.

    Two sweeps of it are 2 x 9 x 194 draws that depend on their salts alone, so the agent is called as the sweep
    would call it, and the counts go through the comparison that the session uses.
    """
    sys.path.insert(0, str(EXAMPLES / "mock_agent"))
    try:
        from agent import CALLS_NEEDED, Agent
    finally:
        sys.path.remove(str(EXAMPLES / "mock_agent"))
    conditions = [(task, rate) for task in CALLS_NEEDED for rate in (0.0, 0.1, 0.3)]

    def counts(salt):
        rows = []
        for task, rate in conditions:
            key = condition_key("support", {"task": task, "tool_fail_rate": rate})
            seeds = (derive_seeds(salt, key, replicate).seed for replicate in range(194))
            endings = [Agent(task, rate, seed=seed).run().outcome for seed in seeds]
            rows += [endings.count("timeout"), endings.count("violated")]
        return np.array(rows)

    n = np.full(18, 194)
    direction = np.ones(18, dtype=int)
    words = [
        compare_unpaired(counts(f"a{t}"), n, counts(f"b{t}"), n, direction=direction).verdict
        for t in range(tries)
    ]
    quiet = sum(word in ("no significant change", "too small to tell") for word in words)
    assert quiet >= 0.95 * tries
