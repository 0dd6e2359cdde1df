"""`pytest-poisson diff` of two stored runs of 1,000 conditions x 200 replicates x 2 events, all limits included.

    python benchmarks/diff.py

The alternative is the obvious one: read the same episodes with sqlite3 into a Counter, then one
`scipy.stats.fisher_exact` a row. It gives p-values alone: no pairing, intervals, limits or verdict.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING

from poisson_store import Store
from poisson_store.records import ConditionRecord, EpisodeRow, RolloutRecord, RunRecord
from pytest_poisson.conditions import condition_key

if TYPE_CHECKING:
    from pathlib import Path

CONDITIONS, REPLICATES = 1_000, 200
ROLLOUT = RolloutRecord(
    "support", ("resolved", "timeout", "violated"), ("timeout", "violated"), ("resolved",)
)

COMMAND = "import sys; from pytest_poisson.cli import main; sys.exit(main(sys.argv[1:]))"
LOOP = """
import sys
from collections import Counter
from poisson_store import open_run
from scipy.stats import fisher_exact
counts = []
for file in sys.argv[1:]:
    with open_run(file) as run:
        counts.append(Counter((each.condition, each.outcome) for each in run.episodes()))
        keys = [each.key for each in run.conditions]
for key in keys:
    sizes = [sum(arm[key, word] for word in ("resolved", "timeout", "violated")) for arm in counts]
    for event in ("timeout", "violated"):
        k1, k2 = (arm[key, event] for arm in counts)
        fisher_exact([[k1, sizes[0] - k1], [k2, sizes[1] - k2]])
"""


def write(store: Store, name: str, shift: float, paired_with: str | None) -> Path:
    """Store a run whose failure rates lie between 0 and 0.5, raised by `shift`."""
    draws = random.Random(name)
    conditions = tuple(
        ConditionRecord(condition_key("support", {"case": case}), "support", {"case": case}, "", REPLICATES)
        for case in range(CONDITIONS)
    )
    rates = [random.Random(case).random() * 0.5 + shift for case in range(CONDITIONS)]
    record = RunRecord("0" * 32, (ROLLOUT,), conditions, name=name, paired_with=paired_with)
    with store.create(record) as writer:
        for case, rate in enumerate(rates):
            writer.add(
                EpisodeRow(
                    case, i, case * REPLICATES + i, draws.choice((1, 2)) if draws.random() < rate else 0, None
                )
                for i in range(REPLICATES)
            )
    return writer.path


def seconds(*command: str, repeats: int = 5) -> float:
    """Return the processor time of the fastest of some fresh processes: other programs' work does not count."""
    taken = []
    for _ in range(repeats):
        begun = sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        taken.append(sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2]) - begun)
    return min(taken)


def main() -> None:
    """Print both times and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        before = write(store, "base", 0.0, None)
        after = write(store, "patched", 0.02, before.stem)
        print(f"{CONDITIONS} conditions x {REPLICATES} replicates x 2 events, two runs, fresh process each")
        for method in ("mcnemar_bh", "fisher_bh"):
            ours = seconds(
                sys.executable,
                "-c",
                COMMAND,
                "diff",
                "base",
                "patched",
                f"--store={folder}",
                f"--method={method}",
            )
            print(
                f"pytest-poisson diff --method={method}: {ours:.2f} s of processor time (to reach: under 3 s)"
            )
        loop = seconds(sys.executable, "-c", LOOP, str(before), str(after), repeats=2)
        print(f"loop over scipy.stats.fisher_exact, p-values alone: {loop:.2f} s")
        print(f"ratio: {loop / ours:.1f}, with intervals, limits and verdict on our side")


if __name__ == "__main__":
    main()
