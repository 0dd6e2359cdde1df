"""A replicate without a pytest session around it."""

from contextlib import contextmanager

from poisson_store.records import SpanRow
from pytest_poisson.conditions import Condition
from pytest_poisson.declaration import Declaration
from pytest_poisson.rollout import Rollout
from pytest_poisson.seeds import derive_seeds
from pytest_poisson.span_rows import trace_row
from pytest_poisson.spans import enter_replicate, leave_replicate


def new_rollout(number=0):
    """Make the rollout of one replicate."""
    return Rollout(
        condition=Condition("0" * 16, "demo", {}, "test_demo.py::test_demo"),
        declaration=Declaration("demo"),
        replicate=number,
        seeds=derive_seeds("0" * 32, "0" * 16, number),
        run_id="run",
        variant={},
    )


@contextmanager
def replicate(number=0):
    """Run what is inside as a replicate."""
    rollout = new_rollout(number)
    enter_replicate(rollout)
    try:
        yield rollout
    finally:
        leave_replicate()


def recorded(rollout):
    """Return the spans of a replicate as rows with names."""
    *_, rows = trace_row(rollout.trace)
    return [SpanRow(*row) for row in rows]
