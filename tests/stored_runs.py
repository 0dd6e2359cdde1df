"""Stored runs for tests: a few words make a run, through the store's own writer."""

import zlib

from poisson_store import Store
from poisson_store.records import CAUSES, ConditionRecord, Episode, RolloutRecord, RunRecord
from pytest_poisson.conditions import condition_key

SALT = "0123456789abcdef" * 2
OTHER_SALT = "fedcba9876543210" * 2

SUPPORT = RolloutRecord(
    "support",
    outcomes=("resolved", "timeout", "violated", "passed", "failed"),
    failures=("timeout", "violated"),
    successes=("resolved",),
    t_unit="calls",
    nodeid="test_support.py::test_support",
)


def cell(rollout="support", planned=0, **axes):
    """Return a condition."""
    shown = "-".join(str(value) for value in axes.values())
    return ConditionRecord(
        key=condition_key(rollout, axes),
        rollout=rollout,
        axes=axes,
        nodeid=f"test_{rollout}.py::test_{rollout}[{shown}]",
        planned=planned,
    )


def seed_of(salt, key, replicate):
    """Return a seed that depends on what a seed may depend on."""
    return zlib.crc32(f"{salt}:{key}:{replicate}".encode())


def endings(**counts):
    """Return a list of endings: `endings(timeout=2, resolved=1)` is timeout, timeout, resolved."""
    return [word for word, count in counts.items() for _ in range(count)]


def drawn(rng, n, rate=0.4):
    """Return endings of which a share is a timeout."""
    return ["timeout" if hit else "resolved" for hit in rng.random(n) < rate]


def followed(rng, before, share):
    """Return endings that repeat those before with a probability, and are drawn afresh else."""
    afresh = drawn(rng, len(before))
    return [same if rng.random() < share else new for same, new in zip(before, afresh, strict=True)]


def write_run(
    store, name, cells, *, salt=SALT, status="complete", rollouts=(SUPPORT,), seed=seed_of, **record
):
    """Store a run and return its id.

    `cells` is a list of (condition, endings): the ending of replicate i is an outcome, a cause of having none, or
    None where it did not run.
    """
    conditions = tuple(
        ConditionRecord(each.key, each.rollout, each.axes, each.nodeid, each.planned or len(ended))
        for each, ended in cells
    )
    writer = store.create(RunRecord(salt=salt, name=name, rollouts=rollouts, conditions=conditions, **record))
    writer.add(
        _episode(condition.key, replicate, seed(salt, condition.key, replicate), ending)
        for condition, ended in cells
        for replicate, ending in enumerate(ended)
        if ending is not None
    )
    writer.finish(status)
    return writer.run.run_id


def _episode(key, replicate, seed, ending):
    is_cause = ending in CAUSES
    return Episode(
        condition=key,
        replicate=replicate,
        seed=seed,
        outcome=None if is_cause else ending,
        cause=ending if is_cause else None,
        started_ns=1_700_000_000_000_000_000 + replicate,
        wall_s=0.01,
    )


def pair_of_runs(tmp_path, before, after, *, paired=True, **record):
    """Store two runs of the same conditions and return (before, after) readers."""
    store = Store(tmp_path)
    first = write_run(store, "before", before, **record)
    write_run(
        store,
        "after",
        after,
        salt=SALT if paired else OTHER_SALT,
        paired_with=first if paired else None,
        **record,
    )
    return store.open("before"), store.open("after")
