"""Sweeps on Modal whose containers are many, slow, lost or answer in any order."""

import shutil
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from poisson_store import Store
from pytest_poisson.testing import rows_without_times
from tests.plugin.support import assert_accounted, episodes, sweep

EXAMPLE = Path(__file__).parents[2] / "examples" / "mock_agent"
SALT = "--poisson-salt=the same on both"

LASTING = """
import os, signal, time
import pytest

@pytest.mark.rollout(replicates=24)
def test_lasting(rollout):
    with open(rollout.variant["log"], "a") as log:
        log.write(f"{rollout.replicate}\\n")
    if rollout.replicate == 20:
        os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(0.15)
"""


def on_modal(pytester, *options, containers=2):
    return pytester.runpytest_inprocess(
        "--poisson-sweep",
        "--poisson-backend=modal",
        f"--poisson-modal-containers={containers}",
        *("-p", "no:cacheprovider"),
        *options,
    )


def test_four_containers_store_what_one_process_stores(pytester, plane):
    """The mock agent in 4 containers, results out of order and one of each call lost on its way: the same rows."""
    plane.input_plane = plane.out_of_order = True
    plane.results_to_throw_away = 1
    for file in EXAMPLE.glob("*.py"):
        shutil.copy(file, pytester.path)
    sweep(pytester, SALT, "--poisson-name=here", "--poisson-replicates=40")
    result = on_modal(pytester, SALT, "--poisson-name=there", "--poisson-replicates=40", containers=4)
    assert result.ret == 0
    assert rows_without_times(pytester, "there") == rows_without_times(pytester, "here")
    assert plane.count("container-started") == 4
    assert_accounted(pytester, "there", planned=360)


def test_containers_that_are_lost_cost_no_replicate(pytester, plane):
    """A preempted container's batch runs again, an interrupted one's rows are kept; only a deadly replicate is lost."""
    pytester.makepyfile(LASTING)
    log = pytester.path / "runs.log"
    log.touch()

    def disturb():
        for rows, act in ((2, plane.preempt_a_container), (8, plane.interrupt_a_container)):
            while len(log.read_text().split()) < rows or not act():
                time.sleep(0.05)

    disturber = threading.Thread(target=disturb)
    disturber.start()
    on_modal(pytester, f"--poisson-variant=log={log}")
    disturber.join()
    endings = {each.replicate: each.outcome or each.cause for each in episodes(pytester)}
    assert endings == {**dict.fromkeys(range(24), "passed"), 20: "crashed"}
    assert_accounted(pytester, planned=24)
    (crashed,) = [each for each in episodes(pytester) if each.cause]
    assert crashed.error.startswith(
        "its container was lost 3 times, the last time alone in it: the container ended"
    )
    runs = Counter(map(int, log.read_text().split()))
    assert runs[20] == max(runs.values()) == 3
    assert ("container-ended", "preempted") in [(each[0], each[-1]) for each in plane.events]


@pytest.mark.slow
def test_a_lost_connection_keeps_what_has_come(pytester, plane):
    """When Modal is gone in mid-sweep, the client's patience over, one sentence says so; rows are kept for a resume."""
    pytester.makepyfile(LASTING.replace("replicates=24", "replicates=400").replace("== 20", "== -1"))
    log = pytester.path / "runs.log"
    log.touch()

    def cut():
        while plane.count("output") < 2:
            time.sleep(0.05)
        plane.vanish()

    cutter = threading.Thread(target=cut)
    cutter.start()
    result = pytester.runpytest_subprocess(
        *("--poisson-sweep", "--poisson-backend=modal", "--poisson-modal-containers=2"),
        f"--poisson-variant=log={log}",
    )
    cutter.join()
    assert result.ret == 4
    assert "Traceback" not in result.stderr.str()
    result.stderr.fnmatch_lines(["ERROR: Modal cannot be reached: *."])
    result.stdout.fnmatch_lines(["Run what is missing:", "*--poisson-resume=*"])
    (run,) = Store(pytester.path / ".poisson").runs()
    assert 0 < assert_accounted(pytester, run.run_id, planned=400).with_outcome < 400
