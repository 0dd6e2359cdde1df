"""Declared steps that runs never reached."""

from poisson_store import Store
from pytest_poisson.analyses.compare import compare
from pytest_poisson.analyses.reach import Reach
from pytest_poisson.analyses.where import where
from tests.traced_runs import STEPPED, died, task, through, write_traced

TRAILS = [
    through("resolved", "plan", "act", "approve"),
    through("resolved", "plan", "act"),
    through("timeout", "plan"),
    through("timed_out", "plan"),
    through("resolved", "plan", left_out=3),
    through("timeout", "elsewhere", None),
    died(0),
]


def test_counts_by_step(tmp_path):
    """Of the placed episodes, those without a span of the step, by how they landed; gates follow the steps."""
    store = Store(tmp_path)
    write_traced(store, "run", [(task(1), TRAILS)], rollouts=(STEPPED,))
    with store.open("run") as reader:
        found = where(reader, events=["timeout"]).reach
    assert [(each.step, each.gate) for each in found] == [("plan", False), ("act", True), ("approve", True)]
    assert [each.arms for each in found] == [
        (Reach(placed=6, reached=5, died=1, ended=0, cut_off=0),),
        (Reach(placed=6, reached=2, died=2, ended=0, cut_off=2),),
        (Reach(placed=6, reached=1, died=2, ended=1, cut_off=2),),
    ]


def test_an_arm_each(tmp_path):
    """In a comparison each run is counted over the common inputs alone."""
    store = Store(tmp_path)
    write_traced(store, "A", [(task(2), TRAILS), (task(1), TRAILS[:2])], rollouts=(STEPPED,))
    write_traced(store, "B", [(task(1), TRAILS[2:3])], rollouts=(STEPPED,))
    with store.open("A") as first, store.open("B") as second:
        found = compare(first, second, events=["timeout"], max_hazard_ratio=2).reach
    assert [[arm.never_reached for arm in each.arms] for each in found] == [[0, 0], [0, 1], [1, 1]]
    assert [[arm.placed for arm in each.arms] for each in found] == [[2, 1]] * 3


def test_without_declared_steps(tmp_path):
    """A rollout that declares no steps has nothing to say of them, whatever its spans name."""
    store = Store(tmp_path)
    write_traced(store, "run", [(task(1), TRAILS)])
    with store.open("run") as reader:
        assert where(reader, events=["timeout"]).reach == ()
