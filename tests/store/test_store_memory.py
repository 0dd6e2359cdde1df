"""A store holds little in memory, however much a run holds."""

from __future__ import annotations

import sys

import pytest

from tests.store.machine import start

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs the resource module")

# Peak memory of a program grows only: each step is measured in a process of its own.
PROGRAM = """
import resource, sys
from poisson_store import Store
from tests.store.support import full_row, make_run, numbers
folder, amount, what = sys.argv[1], int(sys.argv[2]), sys.argv[3]
store = Store(folder)
make = full_row if what == "full" else numbers
with store.create(make_run(1, amount)) as writer:
    for start in range(0, amount, 500):
        writer.add([make(0, replicate) for replicate in range(start, start + 500)])
with store.open("latest") as reader:
    assert sum(1 for _ in reader.episodes(spans=True)) == amount
    reader.outcome_counts()
store.export_run("latest", folder + "/run.zip")
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_kb(folder, amount: int, what: str) -> int:
    folder.mkdir()
    process = start(PROGRAM, folder, amount, what)
    told = int(process.communicate(timeout=300)[0])
    return told // 1024 if sys.platform == "darwin" else told  # there in bytes


@pytest.mark.parametrize(("what", "amount"), [("bare", 100_000), ("full", 10_000)])
def test_memory_does_not_grow_with_the_run(tmp_path, what, amount):
    """Writing, iterating and exporting a run of many episodes takes little more memory than one of few.

    100,000 rows as Python objects take over 50 MB, and 10,000 with spans over 20 MB; the caches of SQLite,
    8 MB for writing and 2 MB for reading, may fill.
    """
    few = peak_kb(tmp_path / "few", 1_000, what)
    many = peak_kb(tmp_path / "many", amount, what)
    assert many - few < 14_000
