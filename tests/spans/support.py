"""A replicate without a pytest session around it."""

from contextlib import contextmanager

from poisson_store.records import KINDS, SpanRow
from pytest_poisson.capture.session import CaptureSession
from pytest_poisson.conditions import Condition
from pytest_poisson.content import ContentRules
from pytest_poisson.declaration import Declaration
from pytest_poisson.recording import Recording
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
def capturing(*clients):
    """Capture clients, and whatever uses the OpenTelemetry SDK, while the block lasts; give replicates to run in."""
    session = CaptureSession()
    session.start(clients)
    recording = Recording(clients, 1000, ContentRules(), session.recorder.outside)
    try:
        yield lambda number=0: replicate(number, recording)
    finally:
        session.stop()


@contextmanager
def replicate(number=0, recording=None):
    """Run what is inside as a replicate."""
    rollout = new_rollout(number)
    rollout.recording = recording
    enter_replicate(rollout)
    try:
        yield rollout
    finally:
        leave_replicate()


def recorded(rollout):
    """Return the spans of a replicate as rows with names."""
    *_, rows = trace_row(rollout.trace) or [[]]
    return [SpanRow(*row) for row in rows or ()]


def tree(rollout):
    """Return the spans of a replicate as (kind, name, name of the parent)."""
    rows = recorded(rollout)
    names = {row.span_id: row.name for row in rows}
    return [(KINDS[row.kind], row.name, names.get(row.parent_id)) for row in rows]
