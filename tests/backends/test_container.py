"""What a container does with one call, run here without one."""

import sys
import time

import pytest

from pytest_poisson.backends.modal.container import Supervisor, refuse_other_python, run_batch
from pytest_poisson.backends.modal.image import this_python
from pytest_poisson.backends.modal.wire import Call, Reply
from pytest_poisson.batches import Batch
from pytest_poisson.conditions import condition_key
from pytest_poisson.errors import UserError
from pytest_poisson.job import Job

SUITE = """
import time
import pytest

@pytest.mark.rollout(id="it")
def test_it(rollout):
    time.sleep(0.02)
    rollout.end("passed", meta={"text": "x" * 20_000 if rollout.replicate == 1 else ""})
"""
ERRORED = 1


@pytest.fixture(scope="module")
def supervisor(tmp_path_factory):
    directory = tmp_path_factory.mktemp("project")
    (directory / "test_suite.py").write_text(SUITE)
    job = Job(
        arguments=(
            "-p",
            "no:cacheprovider",
            "-c",
            str(directory / "pytest.ini"),
            "--rootdir",
            str(directory),
        ),
        directory=str(directory),
        import_path=tuple(sys.path),
        run_id="run",
        salt="0" * 32,
        variant={},
        outcomes=("passed", "failed"),
        keys=(condition_key("it", {}),),
    )
    (directory / "pytest.ini").write_text("[pytest]")
    supervisor = Supervisor(job)
    yield supervisor
    supervisor.close()


def run(supervisor, replicates, **limits):
    batch = Batch(0, ((0, replicates),))
    call = Call("", "", this_python(), batch, **{"budget_s": 60.0, **limits})
    reply = Reply.from_bytes(supervisor.run(call))
    done = [row[1] for row in reply.rows]
    assert sorted([*done, *reply.left.replicates()]) == list(range(replicates))
    return reply


def test_a_batch_within_its_limits_is_run_whole(supervisor):
    """Every replicate has its row, nothing is left, and the times say what running took."""
    reply = run(supervisor, 6)
    assert len(reply.rows) == 6
    assert reply.seconds > 0
    assert (reply.refused, reply.exit_request, reply.interrupted) == (None, None, False)


def test_a_batch_whose_time_is_used_up_hands_back_the_rest(supervisor):
    """After its budget a container starts nothing more; but at least one replicate is run, so that calls get on."""
    assert len(run(supervisor, 500, budget_s=0.3).rows) < 500
    assert len(run(supervisor, 500, budget_s=0.0).rows) == 1


def test_a_batch_whose_room_is_used_up_hands_back_the_rest(supervisor):
    """Rows beyond what one reply should carry go by another: here by the one after the 20 kB row."""
    reply = run(supervisor, 300, room_bytes=15_000)
    assert 2 <= len(reply.rows) < 300


def test_a_row_that_cannot_be_sent_is_errored(supervisor):
    """A row above the limit is replaced by one without an outcome that names both sizes; its neighbours are whole."""
    reply = run(supervisor, 4, row_bytes=10_000)
    causes = {row[1]: row[4] for row in reply.rows}
    assert causes == {0: None, 1: ERRORED, 2: None, 3: None}
    (error,) = [row[9] for row in reply.rows if row[1] == 1]
    assert error.startswith("its row of 20,")
    assert "exceeds the 10,000 that a container sends back" in error


def test_another_python_is_refused_before_anything_else():
    """A container with another minor version of Python refuses its call with both versions, whatever the job."""
    with pytest.raises(UserError, match=rf"runs Python {this_python()} where this session runs 2\.7"):
        refuse_other_python("2.7")
    reply = Reply.from_bytes(run_batch(Call("no job", "/", "2.7", Batch(0, ((0, 1),)), 1.0).to_bytes()))
    assert "this session runs 2.7" in reply.refused
    assert reply.left is None


def test_an_interrupted_container_keeps_its_rows_and_starts_anew(supervisor, monkeypatch):
    """On Ctrl-C, which is how a container hears of its end, finished rows are sent; the next call is served again."""
    backend, polls = supervisor.backend, []
    until = time.monotonic() + 0.4
    poll = backend.poll

    def interrupted_poll(seconds):
        polls.append(seconds)
        if time.monotonic() > until:
            raise KeyboardInterrupt
        return poll(min(seconds, 0.1))

    monkeypatch.setattr(backend, "poll", interrupted_poll)
    reply = run(supervisor, 500)
    assert reply.interrupted
    assert 0 < len(reply.rows) < 500
    assert len(run(supervisor, 3).rows) == 3
