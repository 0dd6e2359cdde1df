"""Stored runs with spans, for tests: a few words make an episode of so many steps."""

from dataclasses import dataclass, replace

from poisson_store.records import CAUSES, ConditionRecord, Episode, RolloutRecord, RunRecord, Span
from tests.stored_runs import SALT, cell

AGENT = RolloutRecord(
    "agent",
    ("resolved", "timeout", "violated"),
    ("timeout", "violated"),
    ("resolved",),
    nodeid="test_agent.py::test",
)
STEPPED = replace(AGENT, settings={"steps": ["plan", "act"], "gates": ["approve", "act"]})
BEGAN_NS = 1_700_000_000_000_000_000
SECOND_NS = 1_000_000_000


@dataclass(frozen=True)
class Trail:
    """One episode: how it ended, after how many leaves, the last one's kind and step, and spans left out."""

    ending: str
    leaves: int
    kind: str = "llm"
    step: str | None = None
    left_out: int = 0
    spans: tuple[Span, ...] | None = None


def died(leaves, kind="llm", **more):
    """Return an episode that ended as `timeout`."""
    return Trail("timeout", leaves, kind, **more)


def ended(leaves, kind="llm", **more):
    """Return an episode that ended as `resolved`."""
    return Trail("resolved", leaves, kind, **more)


def leaves_of(trail):
    """Return a root span with so many leaves in it, an llm call each but the last; no spans for none."""
    if trail.spans is not None:
        return trail.spans
    if not trail.leaves:
        return ()
    root = Span("root", None, "agent", "agent", BEGAN_NS, BEGAN_NS + 10**6)
    kinds = ["llm"] * (trail.leaves - 1) + [trail.kind]
    leaves = [
        Span(f"s{i:05}", "root", kind, "call", BEGAN_NS + i, BEGAN_NS + i + 1) for i, kind in enumerate(kinds)
    ]
    leaves[-1] = replace(leaves[-1], step=trail.step)
    return (root, *leaves)


def write_traced(store, name, cells, *, rollouts=(AGENT,), began_s=0, salt=SALT, status="complete", **record):
    """Store a run; `cells` is a list of (condition, trails), and replicate i is the i-th trail. Return its id."""
    conditions = tuple(
        ConditionRecord(each.key, each.rollout, each.axes, each.nodeid, len(trails)) for each, trails in cells
    )
    writer = store.create(RunRecord(salt=salt, name=name, rollouts=rollouts, conditions=conditions, **record))
    began_ns = BEGAN_NS + began_s * SECOND_NS
    writer.add(
        Episode(
            condition=each.key,
            replicate=replicate,
            seed=replicate,
            outcome=None if trail.ending in CAUSES else trail.ending,
            cause=trail.ending if trail.ending in CAUSES else None,
            started_ns=began_ns + replicate,
            wall_s=0.01,
            spans_left_out=trail.left_out,
            spans=leaves_of(trail),
        )
        for each, trails in cells
        for replicate, trail in enumerate(trails)
    )
    writer.finish(status)
    return writer.run.run_id


def task(number):
    """Return a condition of the agent."""
    return cell("agent", task=number)


def through(ending, *steps, left_out=0):
    """Return an episode with a leaf in each of the named steps."""
    spans = tuple(Span(str(i), None, "llm", "call", i, i + 1, step=step) for i, step in enumerate(steps))
    return Trail(ending, 0, spans=spans, left_out=left_out)
