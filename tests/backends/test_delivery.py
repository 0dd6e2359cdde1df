"""Every replicate leaves exactly one row, whatever becomes of the containers that run it."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_poisson.backends import BatchEnded, Rows
from pytest_poisson.backends.modal.delivery import Delivery, LostError
from pytest_poisson.backends.modal.wire import Reply
from pytest_poisson.batches import Batch
from pytest_poisson.errors import UserError
from pytest_poisson.job import Job

JOB = Job((), "", (), "run", "0" * 32, {}, ("passed",), ("k0", "k1"))
CRASHED = 2


def row(condition, replicate):
    return [condition, replicate, 7, 0, *[None] * 13]


class Containers:
    """Stand-ins that run batches, die of some replicates every time, and are lost on some calls."""

    def __init__(self, deadly=(), lost_calls=(), interrupted_calls=(), slow_from=10**9):
        self.deadly, self.lost_calls, self.slow_from = set(deadly), set(lost_calls), slow_from
        self.interrupted_calls = set(interrupted_calls)
        self.calls = []
        self.runs = {}

    async def __call__(self, batch):
        number = len(self.calls)
        self.calls.append(batch)
        await asyncio.sleep(0)
        replicates = list(batch.replicates())
        for replicate in replicates:
            self.runs[replicate] = self.runs.get(replicate, 0) + 1
        if number in self.lost_calls or self.deadly & set(replicates):
            raise LostError("gone")
        done = [each for each in replicates if each < self.slow_from] or replicates[:1]
        if number in self.interrupted_calls:
            done = replicates[: len(replicates) // 2]
        left = batch.without(set(done))
        return Reply(
            left, [row(batch.condition, each) for each in done], interrupted=number in self.interrupted_calls
        )


def deliver(batch, containers):
    events = []
    asyncio.run(Delivery(JOB, containers, events.append).deliver(batch))
    rows = [each for event in events if isinstance(event, Rows) for each in event.rows]
    (ended,) = [event for event in events if isinstance(event, BatchEnded)]
    assert events[-1] is ended
    return rows, ended


@given(
    n=st.integers(1, 12),
    deadly=st.sets(st.integers(0, 11), max_size=3),
    lost=st.sets(st.integers(0, 3)),
    interrupted=st.sets(st.integers(0, 3)),
    slow_from=st.integers(0, 14),
)
def test_one_row_or_left(n, deadly, lost, interrupted, slow_from):
    """Of every replicate comes one row, or it is left of its batch; never both, never neither."""
    batch = Batch(1, ((0, n),))
    rows, ended = deliver(batch, Containers(deadly, lost, interrupted, slow_from))
    accounted = [each[1] for each in rows] + list(ended.left.replicates())
    assert sorted(accounted) == list(range(n))
    assert ended.replicates == len(rows)


def test_a_lost_container_costs_a_second_call_and_nothing_else():
    """A batch whose container was lost once runs again as it was; its times are those of the call that replied."""
    containers = Containers(lost_calls={0})
    rows, ended = deliver(Batch(1, ((0, 5),)), containers)
    assert len(containers.calls) == 2
    assert [each[4] for each in rows] == [None] * 5
    assert ended.seconds == 0.0


def test_a_deadly_replicate_is_tried_three_times_and_takes_no_neighbour():
    """The third try of each is alone: the deadly one is recorded as crashed, its neighbours have their outcome."""
    containers = Containers(deadly={3})
    rows, _ = deliver(Batch(1, ((0, 6),)), containers)
    causes = {each[1]: each[4] for each in rows}
    assert causes == {0: None, 1: None, 2: None, 3: CRASHED, 4: None, 5: None}
    assert containers.runs == dict.fromkeys(range(6), 3)
    (error,) = [each[9] for each in rows if each[1] == 3]
    assert error == "its container was lost 3 times, the last time alone in it: gone"


def test_rows_of_an_interrupted_container_are_kept():
    """What a container had finished when it was asked to end is not run again."""
    containers = Containers(interrupted_calls={0})
    rows, ended = deliver(Batch(1, ((0, 6),)), containers)
    assert len(rows) == 6
    assert containers.calls[1] == Batch(1, ((3, 6),))
    assert not len(ended.left)


def test_a_refusal_ends_the_sweep():
    """A container that can run nothing is no lost one: its sentence reaches the user at once."""

    async def refuse(batch):
        return Reply(None, refused="The container runs Python 3.9.")

    with pytest.raises(UserError, match=r"The container runs Python 3\.9\."):
        asyncio.run(Delivery(JOB, refuse, [].append).deliver(Batch(0, ((0, 2),))))
