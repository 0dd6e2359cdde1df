"""Whether a writer is alive."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from poisson_store import Store, StoreError
from poisson_store.liveness import SILENCE_NS, is_alive, process_started, this_session
from tests.store.support import make_run, numbers, sql


def test_this_process_is_alive():
    """The present process is alive, whatever the time of its last sign of life."""
    assert is_alive(this_session())
    assert is_alive(replace(this_session(), beat_ns=0))


def test_a_process_id_used_again_is_not_the_writer():
    """A living process that began at another time than the writer is somebody else."""
    assert not is_alive(replace(this_session(), process_started="another time"))


def test_a_process_is_known_by_when_it_began():
    """The same process is told the same time twice, a later one another."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, text=True) as child:
        began = process_started(child.pid)
        assert began
        assert began == process_started(child.pid)
        assert began != process_started(os.getpid())
        child.communicate("\n")
    assert process_started(child.pid) is None


@pytest.mark.skipif(sys.platform != "linux", reason="a dead child stays until its parent asks, on Linux")
def test_a_dead_child_nobody_asked_for_is_dead():
    """A killed writer that is still in the process table, as its parent has not waited for it, is dead."""
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        child.kill()
        for _ in range(100):
            if process_started(child.pid) is None:
                break
            time.sleep(0.05)
        assert process_started(child.pid) is None
        assert Path(f"/proc/{child.pid}").exists()


@pytest.mark.parametrize(("silence_ns", "alive"), [(0, True), (SILENCE_NS - 1, True), (SILENCE_NS, False)])
def test_another_machine_is_believed_for_ten_minutes(silence_ns, alive):
    """Of a writer elsewhere only its last sign of life is known; its pid here means nothing."""
    session = replace(this_session(), host="elsewhere", beat_ns=5)
    assert is_alive(session, now_ns=5 + silence_ns) is alive


def test_a_run_of_another_machine_is_resumed_when_it_has_long_been_silent(tmp_path):
    """A run of a machine that is gone cannot be resumed while it may live, and can be afterwards."""
    store = Store(tmp_path)
    writer = store.create(make_run(name="x"))
    writer.add([numbers()])
    sql(writer.path, "UPDATE sessions SET host = 'elsewhere', beat_ns = ?", time.time_ns())
    assert store.runs()[0].status == "running"
    with pytest.raises(StoreError, match=r"on elsewhere; .* dead after 10 minutes of silence"):
        store.reopen("x")
    sql(writer.path, "UPDATE sessions SET beat_ns = ?", time.time_ns() - SILENCE_NS)
    assert store.runs()[0].status == "interrupted"
    writer.beat()
    assert store.runs()[0].status == "running"
    sql(writer.path, "UPDATE sessions SET beat_ns = 0")
    with store.reopen("x") as second:
        assert second.add([numbers(0, 1)]) == 1
    writer._connection.close()


def test_a_busy_writer_shows_that_it_lives(tmp_path, monkeypatch):
    """Adding rows is a sign of life too, though not at every call."""
    with Store(tmp_path).create(make_run()) as writer:
        sql(writer.path, "UPDATE sessions SET beat_ns = 0")
        writer.add([numbers(0, 0)])
        assert sql(writer.path, "SELECT beat_ns FROM sessions") == [(0,)]
        monkeypatch.setattr("poisson_store.writer.BEAT_S", 0)
        writer.add([numbers(0, 1)])
        ((beat,),) = sql(writer.path, "SELECT beat_ns FROM sessions")
    assert abs(beat - time.time_ns()) < 60e9
