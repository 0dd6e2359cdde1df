"""What every backend must do, as tests that any backend can run.

In a test module of a plugin that brings a backend, with ``pytest_plugins = ["pytester"]`` in its conftest::

    from pytest_poisson.testing import BackendContract

    class TestMine(BackendContract):
        options = ("--poisson-backend=mine",)

Each test sweeps a small suite with these options; what the backend needs beside them, an autouse fixture may provide.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from poisson_store import Store, StoreError

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from poisson_store.records import Accounting, Episode

AGREEING = """
import enum
import pytest

class Size(enum.Enum):
    SMALL = 1
    LARGE = 2

@pytest.fixture(scope="module")
def shared():
    return []

@pytest.fixture
def own(rollout):
    return {"drawn": rollout.random.random()}

@pytest.mark.parametrize("size", list(Size))
@pytest.mark.rollout(outcomes=["won", "lost"], failures=["lost"], t_unit="step", replicates=12)
def test_agreeing(size, shared, own, rollout):
    shared.append((size, rollout.replicate))
    assert len(set(shared)) == len(shared)
    meta = {"seed": rollout.seed, "drawn": own["drawn"], "rng": float(rollout.rng.random())}
    rollout.end("won" if own["drawn"] < 0.5 else "lost", t=rollout.replicate, horizon=20, meta=meta)

@pytest.mark.rollout(replicates=4)
def test_variant(rollout):
    rollout.end("passed" if rollout.variant["agent"] == "patched" else "failed")
"""

MISBEHAVING = """
import os, signal, time
import pytest

@pytest.mark.rollout(replicates=14)
def test_misbehaving(rollout):
    what = rollout.replicate
    if what == 2:
        os._exit(0)
    if what == 4:
        os.kill(os.getpid(), signal.SIGKILL)
    if what == 6:
        time.sleep(600)
    if what == 8:
        raise OSError("no")
    if what == 10:
        pytest.skip("no")
    if what == 12:
        rollout.end("passed", meta={"text": "x" * 5_000_000})
"""

EXITING = """
import pytest

@pytest.mark.rollout(replicates=60)
def test_exiting(rollout):
    if rollout.replicate == 7:
        pytest.exit("the budget is spent")
"""

NOT_THERE = """
import sys
import pytest
if "pytest_poisson.worker" in sys.modules:
    raise ImportError("only_here is missing")

@pytest.mark.rollout(replicates=5)
def test_not_there(): pass
"""

LASTING = """
import time
import pytest

@pytest.mark.rollout(replicates=2000)
def test_lasting():
    time.sleep(0.05)
"""


class BackendContract:
    """The tests; a subclass says how its backend is asked for.

    Attributes
    ----------
    options
        Options that choose the backend and let it run.
    patience_s
        How long the first row of a sweep may take.
    """

    options: tuple[str, ...] = ()
    patience_s = 60.0

    def test_rows_are_those_of_every_backend(self, pytester: pytest.Pytester) -> None:
        """On the same salt a backend stores, but for times, byte for byte what this process would store."""
        pytester.makepyfile(AGREEING)
        here = ("--poisson-workers=0", "--poisson-backend=local")
        for name, options in (("here", here), ("there", self.options)):
            salt = ("--poisson-salt=one salt for both", "--poisson-variant=agent=patched")
            assert self._sweep(pytester, *salt, f"--poisson-name={name}", *options).ret == 0
        assert rows_without_times(pytester, "there") == rows_without_times(pytester, "here")
        assert len(_episodes(pytester, "there")) == 28

    def test_what_a_replicate_does_costs_that_replicate_alone(self, pytester: pytest.Pytester) -> None:
        """Exits, kills, hangs, errors and skips are recorded as such; 5 MB arrive whole; the account adds up."""
        pytester.makepyfile(MISBEHAVING)
        self._sweep(pytester, *self.options, "--poisson-timeout=3")
        endings = {each.replicate: each.outcome or each.cause for each in _episodes(pytester)}
        expected: dict[int, str | None] = dict.fromkeys(range(14), "passed")
        expected |= {2: "crashed", 4: "crashed", 6: "timed_out", 8: "errored", 10: "skipped"}
        assert endings == expected
        (large,) = [each for each in _episodes(pytester) if each.replicate == 12]
        assert large.meta == {"text": "x" * 5_000_000}
        account = _accounting(pytester)
        assert (account.planned, account.with_outcome, account.not_run) == (14, 9, 0)

    def test_pytest_exit_ends_the_sweep(self, pytester: pytest.Pytester) -> None:
        """`pytest.exit` in a replicate ends the sweep with its message; what was done is stored."""
        pytester.makepyfile(EXITING)
        result = self._sweep(pytester, *self.options)
        assert result.ret == 2
        result.stdout.fnmatch_lines(["*the budget is spent*"])
        assert _accounting(pytester).cancelled == 1

    def test_a_suite_that_workers_cannot_import_is_one_sentence(self, pytester: pytest.Pytester) -> None:
        """Where the suite cannot be collected there, the sweep ends with a sentence that says what is missing."""
        pytester.makepyfile(NOT_THERE)
        result = self._sweep(pytester, *self.options)
        assert result.ret == 4
        (sentence,) = [line for line in result.errlines if line.startswith("ERROR: ")]
        assert "only_here is missing" in sentence
        assert sentence.endswith(".")

    def test_ctrl_c_keeps_what_was_done(self, pytester: pytest.Pytester) -> None:
        """Ctrl-C ends the sweep; the run is interrupted, what had come is stored, the rest is not run."""
        pytester.makepyfile(LASTING)
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", "--poisson-sweep", *self.options],
            cwd=pytester.path,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self._wait_for_rows(pytester)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=self.patience_s)
        assert process.returncode == 2, out
        assert "Traceback" not in out
        with _open(pytester) as run:
            assert run.run.status == "interrupted"
            account = run.accounting()
        assert 0 < account.with_outcome == 2000 - account.not_run

    def _sweep(self, pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
        return pytester.runpytest_inprocess("--poisson-sweep", "-p", "no:cacheprovider", *options)

    def _wait_for_rows(self, pytester: pytest.Pytester) -> None:
        deadline = time.monotonic() + self.patience_s
        while time.monotonic() < deadline:
            time.sleep(0.2)
            try:
                if _accounting(pytester).stored:
                    return
            except StoreError:  # no run yet
                continue
        raise AssertionError(f"No row came within {self.patience_s:g} s.")


def _open(pytester: pytest.Pytester, name: str | None = None) -> Any:
    store = Store(pytester.path / ".poisson")
    if name is not None:
        return store.open(name)
    runs = store.runs()
    if not runs:
        raise StoreError("There is no run.")
    return store.open(runs[0].run_id)


def _episodes(pytester: pytest.Pytester, name: str | None = None) -> list[Episode]:
    with _open(pytester, name) as run:
        return list(run.episodes())


def _accounting(pytester: pytest.Pytester) -> Accounting:
    with _open(pytester) as run:
        account: Accounting = run.accounting()
        return account


def rows_without_times(pytester: pytest.Pytester, name: str) -> bytes:
    """Return everything a run's episodes hold, but for when they ran, as bytes that are equal for equal rows."""
    return b"\n".join(_lines(pytester, name))


def _lines(pytester: pytest.Pytester, name: str) -> Iterator[bytes]:
    for episode in _episodes(pytester, name):
        values = {key: value for key, value in asdict(episode).items() if key not in ("started_ns", "wall_s")}
        yield json.dumps(values, sort_keys=True).encode()
