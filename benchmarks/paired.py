"""A paired replay of 847 items, 3 sweeps and 5 arms with 10,000 resamples, beside the obvious bootstrap loop.

Run: python benchmarks/paired.py
"""

from __future__ import annotations

import json
import random
import tempfile
import time

import numpy as np

from poisson_store import Store
from poisson_store.records import ConditionRecord, Episode, RolloutRecord, RunRecord, Span, Tokens
from pytest_poisson.analyses.paired import paired
from pytest_poisson.replay.declaration import parse_declaration

ITEMS, SWEEPS, ARMS, RESAMPLES = 847, 3, 5, 10_000
BODY = json.dumps({"model": "m-1", "messages": [{"role": "user", "content": "x" * 400}]})


def write_arm(store: Store, name: str, salt: str) -> None:
    """Store one arm: a request and a score for every item."""
    generator = random.Random(name)
    rollout = RolloutRecord("r", ("ok",), (), ("ok",))
    conditions = tuple(
        ConditionRecord(f"{i:016x}", "r", {"item": f"i{i}", "cut": "pass"}, "", 1) for i in range(ITEMS)
    )
    with store.create(RunRecord(salt=salt, name=name, rollouts=(rollout,), conditions=conditions)) as writer:
        writer.add(
            Episode(
                condition=each.key,
                replicate=0,
                seed=1,
                outcome="ok",
                cause=None,
                started_ns=1,
                wall_s=1.0,
                meta={"score": round(min(1, max(0, generator.gauss(0.6, 0.1))), 3)},
                spans=(Span("s", None, "llm", "request", 1, 2, input=BODY, tokens=Tokens(100, 1)),),
            )
            for each in conditions
        )


def main() -> None:
    """Print the time of the analysis, of a bootstrap by loop over the same items, and their ratio."""
    names = [[f"s{sweep}a{arm}" for arm in range(ARMS)] for sweep in range(SWEEPS)]
    declaration = parse_declaration(
        {
            "value_key": "score",
            "cluster_key": "item",
            "stratum_key": "cut",
            "request_span": "request",
            "model_key": "model",
            "model_pin": "m-1",
            "exemptions": [],
            "headers": "not_recorded",
            "retries": "asserted",
            "bootstrap_b": RESAMPLES,
            "bootstrap_seed": 0,
            "cuts": [{"name": "pass", "threshold": "0.6", "comparison": "ge"}],
            "sweeps": [
                {"name": f"s{i}", "a": arms[0], "b": arms[1], "more": arms[2:]}
                for i, arms in enumerate(names)
            ],
        },
        where="benchmark",
    )
    with tempfile.TemporaryDirectory() as directory:
        store = Store(directory)
        for arms in names:
            for arm in arms:
                write_arm(store, arm, "0" * 32)
        started, cpu = time.perf_counter(), time.process_time()
        result = paired(declaration, store.open)
        wall_s, ours_s = time.perf_counter() - started, time.process_time() - cpu
    points = result.judged[0].points
    flips, pairs = (np.array([point[column] for point in points]) for column in (2, 3))
    generator, cpu = np.random.default_rng(0), time.process_time()
    for _ in range(RESAMPLES):
        chosen = generator.integers(0, len(flips), len(flips))
        flips[chosen].sum() / pairs[chosen].sum()
    loop_s = time.process_time() - cpu
    intervals = 1 + len(result.repeats[0].agreement) + len(result.repeats[0].majority)
    print(
        f"analysis: {ours_s:.1f} s of processor time ({wall_s:.1f} s), {intervals} intervals by item and all reading in it"
    )
    print(
        f"bootstrap loop for one interval: {loop_s:.2f} s; for all {intervals}: {loop_s * intervals / ours_s:.1f} times ours"
    )


if __name__ == "__main__":
    main()
