"""Other plugins beside a sweep: the same run, rows and verdict."""

import pytest

from tests.plugin.support import COIN, assert_accounted, endings, episodes, sweep

pytestmark = pytest.mark.neighbours

DISTRIBUTIONS = ["load", "loadscope", "loadfile", "loadgroup", "worksteal", "no"]


def rows(pytester, name):
    return [(e.condition, e.replicate, e.seed, e.outcome) for e in episodes(pytester, name)]


@pytest.mark.parametrize(
    "options", [["-n0"], ["-n2"], ["-n2", "--dist=loadfile"], ["-n1", "--max-worker-restart=0"]]
)
def test_xdist_changes_nothing(pytester, options):
    """With any number of xdist workers and any distribution the run and its report are the same."""
    pytester.makepyfile(COIN)
    sweep(pytester, "-p", "no:randomly", "--poisson-name=alone", "--poisson-salt=s")
    result = pytester.runpytest_subprocess(
        "--poisson-sweep", "--poisson-name=beside", "--poisson-salt=s", "-W", "ignore", *options
    )
    result.assert_outcomes(passed=2)
    assert rows(pytester, "beside") == rows(pytester, "alone")
    result.stdout.fnmatch_lines(["*run beside is complete: 24 replicates planned = 24 with outcome*"])


def test_workers_do_without_what_the_session_does_without(pytester):
    """A session without pytest's capture plugin has workers without it; the run is the same."""
    pytester.makepyfile(COIN)
    sweep(pytester, "--poisson-name=with", "--poisson-salt=s")
    result = sweep(
        pytester, "--poisson-name=without", "--poisson-salt=s", "-p", "no:capture", workers=1, subprocess=True
    )
    assert result.ret == 0
    assert rows(pytester, "without") == rows(pytester, "with")


def test_a_death_under_xdist_costs_one_replicate(pytester):
    """A replicate that kills its worker is one crashed row, with -n as without."""
    pytester.makepyfile("""
        import os
        import pytest

        @pytest.mark.rollout(replicates=12)
        def test_it(rollout):
            if rollout.replicate == 5:
                os._exit(1)
    """)
    pytester.runpytest_subprocess("--poisson-sweep", "-n2", "-W", "ignore")
    assert endings(pytester) == ["passed"] * 5 + ["crashed"] + ["passed"] * 6
    assert_accounted(pytester, planned=12)


@pytest.mark.parametrize("workers", [0, 1])
def test_randomly_reseeds_nothing_and_reorders_nothing(pytester, workers):
    """pytest-randomly neither makes replicates alike nor changes what they draw."""
    pytester.makepyfile("""
        import random
        import pytest

        @pytest.mark.parametrize("task", list("abcdef"))
        @pytest.mark.rollout(replicates=4)
        def test_it(rollout, task, request):
            rollout.end("passed", meta={"drawn": random.random()})
    """)
    draws = []
    for seed in (1, 2):
        sweep(
            pytester,
            "-prandomly",
            f"--randomly-seed={seed}",
            "--poisson-salt=s",
            f"--poisson-name=r{workers}{seed}",
            "-W",
            "ignore",
            workers=workers,
            subprocess=True,
        )
        draws.append(
            [(e.condition, e.replicate, e.meta["drawn"]) for e in episodes(pytester, f"r{workers}{seed}")]
        )
    assert draws[0] == draws[1]
    assert len({drawn for _, _, drawn in draws[0]}) == 24


def test_randomly_reseeds_no_replicate_that_runs_again(pytester):
    """A stored replicate that draws from the global generators ends as it did, with pytest-randomly as without."""
    pytester.makepyfile("""
        import random
        import pytest

        @pytest.mark.parametrize("task", list("abcdef"))
        @pytest.mark.rollout(replicates=2)
        def test_it(rollout, task):
            assert random.random() < 0.5
    """)
    sweep(pytester)
    again = pytester.runpytest_inprocess(
        "--poisson-replicate=1", "-prandomly", "--randomly-seed=1", "-W", "ignore"
    )
    again.stdout.no_fnmatch_line("*DIFFERENT*")
    assert again.stdout.str().count(": the same") == 6


def test_a_replicate_runs_again_in_this_process_whatever_xdist_was_asked_for(pytester):
    """With -n a stored replicate runs again where a debugger can follow it, and the section is printed."""
    pytester.makepyfile(COIN)
    sweep(pytester, "-p", "no:randomly")
    again = pytester.runpytest_inprocess("--poisson-replicate=1", "-n2", "-p", "no:randomly", "-W", "ignore")
    again.stdout.no_fnmatch_line("*2 workers*")
    assert again.stdout.str().count(": the same") == 2


def test_reruns_do_not_multiply_replicates(pytester):
    """pytest-rerunfailures' --reruns reruns no item of a sweep."""
    pytester.makepyfile(
        "import pytest\n@pytest.mark.rollout(replicates=3)\ndef test_it(): raise OSError('x')\n"
    )
    result = pytester.runpytest_subprocess(
        "--poisson-sweep", "--reruns=3", "--poisson-workers=1", "-W", "ignore"
    )
    assert result.ret == 10
    assert endings(pytester) == ["errored"] * 3


def test_the_limit_of_pytest_timeout_is_on_no_batch(pytester):
    """pytest-timeout ends no worker: its limit is meant for one test, and a batch holds many replicates."""
    pytester.makepyfile("""
        import time
        import pytest

        @pytest.mark.rollout(replicates=30)
        def test_it():
            time.sleep(0.1)
    """)
    result = pytester.runpytest_subprocess(
        "--poisson-sweep", "--timeout=1", "--poisson-workers=1", "-W", "ignore"
    )
    assert result.ret == 0
    assert endings(pytester) == ["passed"] * 30


def test_a_plugin_with_hooks_of_its_own_changes_no_tear_down(pytester):
    """Where another plugin has a hook around set-up, what pytest's own fixtures keep on the item is there all the same."""
    pytester.makeconftest("def pytest_runtest_setup(item): pass")
    pytester.makepyfile("""
        import pytest

        @pytest.mark.rollout(replicates=3)
        def test_it(tmp_path, caplog, rollout):
            rollout.end("passed")
    """)
    sweep(pytester, "-p", "no:randomly", "-W", "ignore")
    assert [(each.outcome, each.error) for each in episodes(pytester)] == [("passed", None)] * 3


def test_a_given_test_runs_beside_a_rollout(pytester):
    """Hypothesis runs its own tests in a session that sweeps, and tries as many examples as ever."""
    pytester.makepyfile("""
        import pytest
        from hypothesis import given, settings, strategies as st

        tried = []

        @settings(max_examples=20, database=None)
        @given(st.integers())
        def test_given(number):
            tried.append(number)

        def test_tried():
            assert len(tried) >= 20

        @pytest.mark.rollout(replicates=3)
        def test_rollout(rollout):
            pass
    """)
    sweep(pytester, "-p", "no:randomly", "-W", "ignore").assert_outcomes(passed=3)
    assert endings(pytester) == ["passed"] * 3


@pytest.mark.parametrize("workers", [0, 1])
def test_a_sweep_is_quiet_beside_any_plugin(pytester, workers):
    """With every installed plugin loaded and every warning an error, a sweep here or in a worker is as without."""
    pytester.makepyfile(COIN)
    strict = ["-W", "error", "-p", "no:cacheprovider"]
    result = pytester.runpytest_subprocess("--poisson-sweep", f"--poisson-workers={workers}", *strict)
    result.assert_outcomes(passed=2)
    result.stdout.no_fnmatch_line("*warning*")
    assert {each.error for each in episodes(pytester)} == {None}


def test_repeat_repeats_ordinary_tests_alone(pytester):
    """`--count` of pytest-repeat makes no axis; its mark on a rollout is refused, as it says another number."""
    pytest.importorskip("pytest_repeat")
    pytester.makepyfile(COIN + "\n\ndef test_ordinary():\n    pass\n")
    sweep(pytester, "--poisson-name=alone", "--poisson-salt=s")
    result = sweep(pytester, "--poisson-name=beside", "--poisson-salt=s", "--count=3")
    result.assert_outcomes(passed=2 + 3)
    assert rows(pytester, "beside") == rows(pytester, "alone")
    pytester.makepyfile(COIN.replace("@pytest.mark.rollout", "@pytest.mark.repeat(2)\n@pytest.mark.rollout"))
    refused = sweep(pytester)
    assert refused.ret == 4
    refused.stderr.fnmatch_lines(
        ["ERROR: * is marked to be repeated by pytest-repeat; --poisson-replicates,*"]
    )
