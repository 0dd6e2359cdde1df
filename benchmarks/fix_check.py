"""`pytest-poisson fix-check` and `changes` over 10,000 inputs x 2 versions x 32 runs.

    python benchmarks/fix_check.py

The alternative is the obvious one: count the same rows with sqlite3, then `statsmodels`' StratifiedTable for the
stratified test, which is asymptotic, and one `scipy.stats.fisher_exact` an input. It gives p-values and one
interval: no limit, no guidance, no adjustment, no input that the word rests on.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from typing import TYPE_CHECKING

import numpy as np

from poisson_store import Store
from poisson_store.records import ConditionRecord, EpisodeRow, RolloutRecord, RunRecord
from pytest_poisson.conditions import condition_key

if TYPE_CHECKING:
    from pathlib import Path

INPUTS, RUNS = 10_000, 32
ROLLOUT = RolloutRecord("support", ("resolved", "timeout"), ("timeout",), ("resolved",))
COMMAND = "import sys; from pytest_poisson.cli import main; sys.exit(main(sys.argv[1:]))"
ALTERNATIVE = """
import sqlite3, sys
import numpy as np
from scipy.stats import fisher_exact
from statsmodels.stats.contingency_tables import StratifiedTable
arms = []
for file in sys.argv[1:]:
    rows = sqlite3.connect(file).execute("SELECT condition, outcome FROM episodes").fetchall()
    condition, outcome = np.array(rows).T
    arms.append((np.bincount(condition, weights=outcome), np.bincount(condition)))
(k0, n0), (k1, n1) = arms
tables = np.array([[k1, n1 - k1], [k0, n0 - k0]])
table = StratifiedTable(tables)
table.test_null_odds(), table.riskratio_pooled
for i in range(tables.shape[2]):
    fisher_exact(tables[:, :, i])
"""


def write(store: Store, name: str, shift: float) -> Path:
    """Store a run whose failure rates lie between 0 and 0.6, raised by `shift`."""
    draws = np.random.default_rng(len(name))
    rates = np.random.default_rng(0).random(INPUTS) * 0.6 + shift
    conditions = tuple(
        ConditionRecord(condition_key("support", {"case": case}), "support", {"case": case}, "", RUNS)
        for case in range(INPUTS)
    )
    failed = draws.random((RUNS, INPUTS)) < rates
    with store.create(RunRecord("0" * 32, (ROLLOUT,), conditions, name=name)) as writer:
        for replicate, row in enumerate(failed.astype(int).tolist()):
            writer.add(EpisodeRow(case, replicate, 1, outcome, None) for case, outcome in enumerate(row))
    return writer.path


def seconds(*command: str, repeats: int = 3) -> float:
    """Return the fastest of some runs of a fresh process."""
    taken = []
    for _ in range(repeats):
        begun = time.perf_counter()
        subprocess.run(command, check=False, stdout=subprocess.DEVNULL)
        taken.append(time.perf_counter() - begun)
    return min(taken)


def main() -> None:
    """Print the times and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        files = [str(write(store, name, shift)) for name, shift in (("old", 0.0), ("newer", 0.002))]
        print(f"{INPUTS} inputs x 2 versions x {RUNS} runs, fresh process each")
        ours = [sys.executable, "-c", COMMAND]
        both = ["old", "newer", "--event=timeout", f"--store={folder}"]
        fix_check = seconds(*ours, "fix-check", *both, "--inputs=all", "--max-mde=0.01")
        changes = seconds(*ours, "changes", *both)
        print(f"pytest-poisson fix-check: {fix_check:.2f} s (to reach: under 5 s)")
        print(f"pytest-poisson changes: {changes:.2f} s (to reach: under 3 s)")
        alternative = seconds(sys.executable, "-c", ALTERNATIVE, *files, repeats=1)
        print(f"statsmodels StratifiedTable and a loop over scipy.stats.fisher_exact: {alternative:.2f} s")
        print(f"ratio: {alternative / (fix_check + changes):.1f}")


if __name__ == "__main__":
    main()
