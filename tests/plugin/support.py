"""Small suites that the plugin's tests sweep, and what they ask of a finished sweep."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from subprocess import DEVNULL, Popen

from poisson_store import Store

COIN = """
import pytest

@pytest.fixture(params=["heads", "tails"])
def side(request):
    return request.param

@pytest.mark.rollout(id="coin", outcomes=["won", "lost"], failures=["lost"], successes=["won"], replicates=12)
def test_coin(side, rollout):
    rollout.end("won" if rollout.random.random() < 0.5 else "lost", t=rollout.replicate, horizon=100)
"""

DRIFTING = """
import pytest

@pytest.fixture(params=["a", "b", "c"])
def task(request):
    return request.param

@pytest.mark.rollout(id="drift", outcomes=["ok", "bad"], failures=["bad"], successes=["ok"], replicates=60)
def test_drift(task, rollout):
    limit = {"a": 0.1, "b": 0.5, "c": 0.5}[task]
    if task == "b":
        limit = float(rollout.variant.get("b", 0.5))
    rollout.end("bad" if rollout.random.random() < limit else "ok")
"""

SLEEPY = """
import time
import pytest

@pytest.mark.rollout(replicates=400)
def test_it():
    time.sleep(0.05)
"""


SWEEP = ("--poisson-sweep", "--poisson-workers=2")


def sweep(pytester, *options, workers=0, subprocess=False):
    """Run a sweep; in this process unless workers or a fault ask for another."""
    run = pytester.runpytest_subprocess if subprocess else pytester.runpytest_inprocess
    return run("--poisson-sweep", f"--poisson-workers={workers}", "-p", "no:cacheprovider", *options)


def start(pytester, *options, stdout=DEVNULL):
    """Start a session in a process of its own, to be disturbed or waited for."""
    return Popen(
        [sys.executable, "-m", "pytest", *options],
        cwd=pytester.path,
        stdout=stdout,
        stderr=DEVNULL,
        text=True,
    )


def newest(pytester):
    """Return the id of the newest run, whatever its status."""
    runs = Store(Path(pytester.path) / ".poisson").runs()
    return runs[0].run_id if runs else None


def wait_for_rows(pytester, count):
    """Wait until a run in the store has this many rows."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        time.sleep(0.1)
        if (name := newest(pytester)) is not None and len(episodes(pytester, name)) >= count:
            return
    raise AssertionError("the sweep stored nothing")


def episodes(pytester, name="latest"):
    """Return every episode of a stored run."""
    with open_run(pytester, name) as run:
        return list(run.episodes())


def open_run(pytester, name="latest"):
    """Open a stored run."""
    return Store(Path(pytester.path) / ".poisson").open(name)


def endings(pytester, name="latest"):
    """Return how each replicate of a single condition ended: its outcome, or the cause of having none."""
    return [each.outcome or each.cause for each in episodes(pytester, name)]


def assert_accounted(pytester, name="latest", *, planned):
    """Assert that every planned replicate has exactly one row or is counted as not run."""
    with open_run(pytester, name) as run:
        account = run.accounting()
        rows = [(each.condition, each.replicate) for each in run.episodes()]
    assert account.planned == planned
    assert account.stored == len(rows) == len(set(rows))
    assert account.with_outcome + account.without_outcome + account.not_run == planned
    return account


def episodes_with_spans(pytester, name="latest"):
    """Return every episode of a stored run with its spans."""
    with open_run(pytester, name) as run:
        return list(run.episodes(spans=True))
