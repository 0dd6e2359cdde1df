"""`shared_seed_axes`: conditions that differ in these axes alone draw the same numbers."""

from collections import defaultdict

from tests.plugin.support import episodes, open_run, sweep

MODELS = """
import os
import pytest

@pytest.fixture(params=["refund", "search"])
def task(request):
    return request.param

@pytest.fixture(params=["small", "large"])
def model(request):
    return request.param

@pytest.mark.rollout(
    id="models", outcomes=["ok", "bad"], failures=["bad"], successes=["ok"], replicates=60, SHARED
)
def test_models(task, model, rollout):
    if (model, rollout.replicate) == CRASHES:
        os._exit(1)
    rollout.end("bad" if rollout.random.random() < (0.3 if model == "small" else 0.6) else "ok")
"""
SHARED = 'shared_seed_axes=["model"]'


def suite(shared=SHARED, crashes=None):
    return MODELS.replace("SHARED", shared).replace("CRASHES", repr(crashes))


def seeds_by_task(pytester):
    """Return {task: {model: [seeds]}}."""
    with open_run(pytester) as run:
        axes = {each.key: each.axes for each in run.conditions}
    found = defaultdict(lambda: defaultdict(list))
    for each in episodes(pytester):
        found[axes[each.condition]["task"]][axes[each.condition]["model"]].append(each.seed)
    return found


def test_a_shared_axis_is_left_out_of_the_seed(pytester):
    """The models of a task have the same seeds, the tasks have not; keys stay different, so that nothing else changes."""
    pytester.makepyfile(suite())
    sweep(pytester)
    seeds = seeds_by_task(pytester)
    assert seeds["refund"]["small"] == seeds["refund"]["large"]
    assert seeds["refund"]["small"] != seeds["search"]["small"]
    with open_run(pytester) as run:
        assert len({each.key for each in run.conditions}) == 4
        assert run.run.rollouts[0].settings["shared_seed_axes"] == ["model"]


def test_without_it_every_condition_has_seeds_of_its_own(pytester):
    """Nothing is shared unless it is declared."""
    pytester.makepyfile(suite(""))
    sweep(pytester)
    seeds = seeds_by_task(pytester)
    assert seeds["refund"]["small"] != seeds["refund"]["large"]


def test_a_replicate_whose_worker_died_keeps_the_shared_seed(pytester):
    """The row that is written for a lost replicate has the seed its partner has."""
    pytester.makepyfile(suite(crashes=("small", 7)))
    sweep(pytester, workers=1, subprocess=True)
    seeds = seeds_by_task(pytester)
    assert seeds["refund"]["small"] == seeds["refund"]["large"]
    assert sum(each.cause == "crashed" for each in episodes(pytester)) == 2


def test_a_replicate_runs_again_on_the_shared_seed(pytester):
    """`--poisson-replicate` draws what the stored replicate drew: it ends the same."""
    pytester.makepyfile(suite())
    sweep(pytester)
    result = pytester.runpytest_inprocess("--poisson-replicate=5", "-p", "no:cacheprovider")
    assert "DIFFERENT" not in result.stdout.str()
    assert result.stdout.str().count(": the same") == 4


def test_an_axis_that_is_none_is_a_usage_error(pytester):
    """A name that is no axis of the rollout would pair nothing, unseen; it is refused with the axes there are."""
    pytester.makepyfile(suite('shared_seed_axes=["modle"]'))
    result = sweep(pytester)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*holds 'modle', which is none of its axes: task, model*"])


def test_a_run_is_not_continued_on_other_seeds(pytester):
    """Resuming after the declaration changed would mix two kinds of draws in one condition; it is refused."""
    pytester.makepyfile(suite())
    sweep(pytester, "--poisson-name=run")
    pytester.makepyfile(suite(""))
    result = sweep(pytester, "--poisson-resume=run", "--poisson-replicates=70")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*was swept with shared_seed_axes=*'model'* and declares *now*"])


def test_the_values_are_compared_as_pairs(pytester, capsys):
    """`pytest-poisson diff --along` of such a run uses the paired test and finds the worse model."""
    from pytest_poisson.cli import main

    pytester.makepyfile(suite())
    sweep(pytester)
    status = main(["diff", "latest", "--along", "model=small:large", f"--store={pytester.path / '.poisson'}"])
    text = capsys.readouterr().out
    assert status == 0
    assert "McNemar's exact test on pairs that share a seed" in text
    assert "worse: of 2 tests, 2 changed for the worse." in text
