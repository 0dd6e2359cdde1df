"""`pytest-poisson where` on 100,000 episodes with 20 leaves each, bootstrap of 1,000 resamples included.

    python benchmarks/where.py

The alternative is the obvious one: read the spans of the same run as objects, find each episode's leaves, then
lifelines' KaplanMeierFitter and, for each kind of death, its AalenJohansenFitter. It gives curves alone: no bootstrap,
no consistency, no inputs. It is timed on a tenth of the episodes and scaled up.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

import numpy as np

from poisson_store import Store
from poisson_store.records import ConditionRecord, RolloutRecord, RunRecord, SpanRow
from pytest_poisson.conditions import condition_key

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

INPUTS, LEAVES = 1_000, 20
REPEATS, SMALL = 100, 10
ROLLOUT = RolloutRecord(
    "agent",
    ("resolved", "timeout", "violated"),
    ("timeout", "violated"),
    ("resolved",),
    settings={"steps": ["plan", "act"]},
)
COMMAND = "import sys; from pytest_poisson.cli import main; sys.exit(main(sys.argv[1:]))"
ALTERNATIVE = """
import sys, warnings
warnings.simplefilter("ignore")
from lifelines import AalenJohansenFitter, KaplanMeierFitter
from poisson_store import open_run
steps, causes = [], []
kinds = {"llm": 1, "tool": 2, "db": 3, "retrieval": 4}
with open_run(sys.argv[1]) as run:
    for episode in run.episodes(spans=True):
        parents = {span.parent_id for span in episode.spans}
        leaves = [span for span in episode.spans if span.span_id not in parents]
        last = max(leaves, key=lambda span: (span.start_ns, span.span_id))
        steps.append(len(leaves))
        causes.append(0 if episode.outcome == "resolved" else kinds[last.kind])
KaplanMeierFitter().fit(steps, [cause > 0 for cause in causes])
for kind in kinds.values():
    AalenJohansenFitter(calculate_variance=False, seed=0).fit(steps, causes, event_of_interest=kind)
"""


def rows(repeats: int) -> Iterator[list[tuple[object, ...]]]:
    """Yield the episodes of each replicate: a root span with about 20 leaves in it."""
    draws = np.random.default_rng(1)
    kinds = [0, 1, 3, 2]
    bare = (None,) * 10
    root = SpanRow("root", None, 5, "agent", 0, 10**9)
    for replicate in range(repeats):
        lengths = draws.integers(LEAVES - 8, LEAVES + 9, INPUTS).tolist()
        outcomes = draws.integers(0, 3, INPUTS).tolist()
        yield [
            (
                *(case, replicate, 1, outcomes[case], None, None, None, None, 0.1),
                *(None,) * 6,
                [
                    root,
                    *(
                        (
                            f"s{j}",
                            "root",
                            kinds[(j * 7 + case) % 4],
                            "call",
                            j,
                            j + 1,
                            *bare,
                            "plan" if j < 9 else "act",
                        )
                        for j in range(lengths[case])
                    ),
                ],
                None,
            )
            for case in range(INPUTS)
        ]


def write(store: Store, name: str, repeats: int) -> Path:
    """Store a run of so many repeats of every input."""
    conditions = tuple(
        ConditionRecord(condition_key("agent", {"case": case}), "agent", {"case": case}, "", repeats)
        for case in range(INPUTS)
    )
    with store.create(RunRecord("0" * 32, (ROLLOUT,), conditions, name=name)) as writer:
        for batch in rows(repeats):
            writer.add(batch)
    return writer.path


def seconds(*command: str, repeats: int = 3) -> float:
    """Return the fastest of some runs of a fresh process."""
    taken = []
    for _ in range(repeats):
        begun = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        taken.append(time.perf_counter() - begun)
    return min(taken)


def main() -> None:
    """Print both times and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        write(store, "large", REPEATS)
        small = write(store, "small", SMALL)
        events = ["--event=timeout", "--event=violated", f"--store={folder}"]
        ours = seconds(sys.executable, "-c", COMMAND, "where", "large", *events)
        print(f"{INPUTS * REPEATS:,} episodes x {LEAVES} leaves, B = 1,000, declared steps, fresh process")
        print(f"pytest-poisson where: {ours:.2f} s (to reach: under 5 s)")
        alternative = seconds(sys.executable, "-c", ALTERNATIVE, str(small), repeats=1) * REPEATS / SMALL
        print(
            f"spans as objects, lifelines, no band of the causes: {alternative:.1f} s (scaled from a tenth)"
        )
        print(f"ratio: {alternative / ours:.1f}")


if __name__ == "__main__":
    main()
