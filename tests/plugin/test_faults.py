"""Faults injected for real: each costs one replicate, and the account adds up."""

import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from pytest_poisson.backends.process import WorkerProcess
from tests.plugin.support import (
    SLEEPY,
    SWEEP,
    assert_accounted,
    endings,
    episodes,
    newest,
    open_run,
    start,
    sweep,
    wait_for_rows,
)

FAULTY = """
import ctypes, os, signal, time
import pytest

@pytest.mark.rollout(replicates=24)
def test_faulty(rollout):
    fault = {
        3: lambda: os._exit(0),
        6: lambda: os._exit(1),
        9: lambda: os.kill(os.getpid(), signal.SIGKILL),
        12: lambda: time.sleep(600),
        15: lambda: ctypes.string_at(0),
        18: lambda: os.kill(os.getpid(), signal.SIGSTOP),
    }.get(rollout.replicate)
    if rollout.replicate == 4:
        raise OSError("no")
    if rollout.replicate == 5:
        pytest.skip("no")
    if fault:
        fault()
"""


@pytest.mark.parametrize("workers", [1, 3])
def test_every_fault_costs_one_replicate(pytester, workers):
    """`os._exit`, kill -9, a segfault, a hang and a stopped process cost their replicate; the rest is intact."""
    pytester.makepyfile(FAULTY)
    result = sweep(pytester, "--poisson-timeout=2", workers=workers, subprocess=True)
    expected = ["passed"] * 24
    for number in (3, 6, 9, 15):
        expected[number] = "crashed"
    expected[12] = expected[18] = "timed_out"
    expected[4], expected[5] = "errored", "skipped"
    assert endings(pytester) == expected
    account = assert_accounted(pytester, planned=24)
    assert (account.crashed, account.timed_out, account.errored, account.skipped) == (4, 2, 1, 1)
    rows = episodes(pytester)
    assert "exit status 0" in rows[3].error
    assert "signal 9 (SIGKILL)" in rows[9].error
    assert "no end within 2 s" in rows[12].error
    line = "24 replicates planned = 16 with outcome + 2 timed out + 1 errored + 4 crashed + 1 skipped"
    assert line in " ".join(result.stdout.str().split())


def test_a_replicate_may_misbehave_with_its_process(pytester, monkeypatch):
    """Closing its output, printing a lot or what the terminal cannot, forking, leaving its directory or environment changes nobody's row."""
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    pytester.makepyfile("""
        import os, sys
        import pytest

        @pytest.mark.rollout(replicates=24)
        def test_it(rollout):
            if rollout.replicate == 1:
                os.close(1)
                sys.stdout.close()
            if rollout.replicate == 2:
                os.write(2, b"x" * 200000)
            if rollout.replicate == 3:
                os.fork()
            if rollout.replicate == 4:
                os.chdir("/")
                os.environ.clear()
            if rollout.replicate == 5:
                sys.stdin.read()
            if rollout.replicate == 6:
                print("\\N{GRINNING FACE} \\udcff")
    """)
    sweep(pytester, "--poisson-timeout=20", "-W", "ignore", workers=1, subprocess=True)
    assert endings(pytester) == ["passed"] * 24
    assert_accounted(pytester, planned=24)


def test_a_replicate_that_reaches_into_the_worker_costs_itself_alone(pytester):
    """Closing standard error, or every file, or writing into every one costs that replicate at most, and says why."""
    pytester.makepyfile("""
        import contextlib, os, sys
        import pytest

        @pytest.mark.rollout(replicates=24)
        def test_it(rollout):
            if rollout.replicate == 8:
                sys.stdout.close(), sys.stderr.close()
                os.close(1), os.close(2)
            if rollout.replicate == 2:
                os.closerange(3, 64)
            if rollout.replicate == 5:
                for each in range(3, 64):
                    with contextlib.suppress(OSError):
                        os.write(each, b"no row\\n7\\n")
    """)
    sweep(pytester, "--poisson-timeout=20", workers=1, subprocess=True)
    expected = ["passed"] * 24
    expected[2] = expected[5] = "crashed"
    assert endings(pytester) == expected
    rows = episodes(pytester)
    assert "Bad file descriptor" in rows[2].error
    assert "something else was written where it sends its results" in rows[5].error
    assert_accounted(pytester, planned=24)


@pytest.fixture
def one_process(monkeypatch):
    """Let the system start one worker and refuse any more; return the list of those that were started."""
    started, start_worker = [], WorkerProcess._start

    def start_one(worker, job):
        if started:
            raise OSError(24, "Too many open files")
        started.append(start_worker(worker, job))
        return started[0]

    monkeypatch.setattr(WorkerProcess, "_start", start_one)
    return started


def test_workers_that_cannot_be_started_are_one_sentence(pytester, one_process):
    """Where the system refuses a process the sweep ends with a sentence, and the workers that were started end, too."""
    pytester.makepyfile(SLEEPY)
    result = sweep(pytester, workers=3)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: A worker process cannot be started: too many open files; *"])
    assert one_process[0].poll() is not None
    assert assert_accounted(pytester, newest(pytester), planned=400).not_run == 400


@pytest.mark.usefixtures("one_process")
def test_a_worker_that_cannot_be_replaced_takes_no_row_along(pytester):
    """What had ended when a worker died is stored, that replicate is crashed, and the rest is not run."""
    pytester.makepyfile("""
        import os
        import pytest

        @pytest.mark.rollout(replicates=12)
        def test_it(rollout):
            if rollout.replicate == 5:
                os._exit(1)
    """)
    assert sweep(pytester, workers=1).ret == 4
    assert endings(pytester, newest(pytester)) == ["passed"] * 5 + ["crashed"]
    assert_accounted(pytester, newest(pytester), planned=12)


def test_what_a_suite_leaves_running_is_said(pytester, monkeypatch):
    """A thread that goes on holds the session up no longer than a tear-down may take; the report says so."""
    monkeypatch.setattr("pytest_poisson.backends.local.TEAR_DOWN_S", 1.0)
    pytester.makepyfile("""
        import threading, time
        import pytest

        @pytest.mark.rollout(replicates=2)
        def test_it():
            threading.Thread(target=time.sleep, args=(60,)).start()
    """)
    result = sweep(pytester, workers=1)
    result.stdout.fnmatch_lines(["note: a worker had not ended *"])
    assert endings(pytester) == ["passed"] * 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="nothing forks on this platform")
def test_what_a_replicate_forks_in_this_process_ends_by_signals_as_ever(pytester):
    """SIGTERM ends a forked process, however early it comes, as multiprocessing's pools expect: no exception, no wait."""
    pytester.makepyfile("""
        import os, signal, time
        import pytest

        @pytest.mark.rollout(replicates=40)
        def test_it(rollout):
            child = os.fork()
            if not child:
                time.sleep(20)
            os.kill(child, signal.SIGTERM)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGTERM
    """)
    sweep(pytester)
    assert endings(pytester) == ["passed"] * 40


def test_ctrl_c_ends_the_run_as_interrupted_with_what_was_done(pytester):
    """Ctrl-C stops the sweep at once; finished replicates are stored, the run says that it was interrupted."""
    pytester.makepyfile(SLEEPY)
    process = start(pytester, *SWEEP, stdout=subprocess.PIPE)
    wait_for_rows(pytester, 10)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 2
    with open_run(pytester, newest(pytester)) as run:
        assert run.run.status == "interrupted"
    account = assert_accounted(pytester, newest(pytester), planned=400)
    assert 10 <= account.with_outcome < 400
    assert f"{account.with_outcome} with outcome + {account.not_run} not run" in " ".join(out.split())


def test_ctrl_c_twice_tears_nothing_apart(pytester):
    """A second Ctrl-C right after the first ends the session at once; the account still adds up."""
    pytester.makepyfile(SLEEPY)
    process = start(pytester, *SWEEP)
    wait_for_rows(pytester, 5)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.wait(timeout=30)
    with open_run(pytester, newest(pytester)) as run:
        assert run.run.status == "interrupted"
    assert_accounted(pytester, newest(pytester), planned=400)


def test_a_clock_that_jumps_costs_nothing(pytester, monkeypatch):
    """Times are taken from a clock that never goes back; a jump of the wall clock loses no row and no order."""
    jumps = iter([10**18, 5 * 10**17, 2 * 10**18] * 1000)
    monkeypatch.setattr("pytest_poisson.replicate.time.time_ns", lambda: next(jumps))
    pytester.makepyfile("import pytest\n@pytest.mark.rollout(replicates=9)\ndef test_it(): pass\n")
    sweep(pytester)
    rows = episodes(pytester)
    assert [each.replicate for each in rows] == list(range(9))
    assert all(0 <= each.wall_s < 60 for each in rows)


def test_a_killed_controller_leaves_what_was_stored_and_no_worker(pytester):
    """Kill -9 of the controlling process loses only what was in flight, and its workers end."""
    pytester.makepyfile("""
        import os, time
        import pytest

        @pytest.mark.rollout(replicates=400)
        def test_it(rollout):
            time.sleep(0.05)
            rollout.end("passed", meta={"pid": os.getpid()})
    """)
    process = start(pytester, *SWEEP)
    wait_for_rows(pytester, 10)
    process.kill()
    process.wait()
    run = newest(pytester)
    assert assert_accounted(pytester, run, planned=400).with_outcome >= 10
    with open_run(pytester, run) as reader:
        assert reader.run.status == "interrupted"
    workers = {each.meta["pid"] for each in episodes(pytester, run)}
    deadline = time.monotonic() + 10
    while any(map(alive, workers)):
        assert time.monotonic() < deadline, "a worker outlived its controller"
        time.sleep(0.1)


def test_pytest_exit_in_a_replicate_ends_the_sweep(pytester):
    """`pytest.exit` stops the sweep in the controlling process with its message; what was done is stored."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.rollout(replicates=50)
        def test_it(rollout):
            if rollout.replicate == 7:
                pytest.exit("the budget is spent")
    """)
    for workers, apart in ((0, False), (1, True)):
        result = sweep(pytester, workers=workers, subprocess=apart)
        assert result.ret == 2
        result.stdout.fnmatch_lines(["*the budget is spent*"])
        account = assert_accounted(pytester, newest(pytester), planned=50)
        assert account.cancelled == 1
        assert account.with_outcome >= 7
        with open_run(pytester, newest(pytester)) as run:
            assert run.run.status == "interrupted"


def test_a_suite_that_workers_cannot_collect_is_one_sentence(pytester):
    """Workers that die before they have collected end the sweep with a sentence, not with an endless loop."""
    pytester.makepyfile("""
        import os, sys
        import pytest
        if "pytest_poisson.worker" in sys.modules:
            print("cannot be imported here", file=sys.stderr, flush=True)
            os._exit(7)

        @pytest.mark.rollout(replicates=5)
        def test_it(): pass
    """)
    result = sweep(pytester, workers=2, subprocess=True)
    assert result.ret == 4
    result.stderr.fnmatch_lines(
        ["ERROR: Worker processes end before they have collected*exit status 7*cannot be*"]
    )


def alive(pid):
    """Tell whether a process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split(")")[-1].split()[0] != "Z"
    except FileNotFoundError:
        return False
