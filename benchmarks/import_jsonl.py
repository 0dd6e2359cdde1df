"""`pytest-poisson import jsonl` of 1,000,000 episodes: seconds and peak memory.

    python benchmarks/import_jsonl.py

The alternative is the obvious one: read the same lines with `json.loads` and insert them into one SQLite table with
`executemany`. It checks nothing, numbers no conditions, refuses no duplicate and is not atomic.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from pathlib import Path
from subprocess import run
from typing import NamedTuple

CONDITIONS = 1_000
COMMAND = "import sys; from pytest_poisson.cli import main; main(sys.argv[1:])"
LOOP = """
import json, sqlite3, sys
connection = sqlite3.connect(sys.argv[2])
connection.execute("CREATE TABLE episodes (condition TEXT, replicate INTEGER, outcome TEXT, seed INTEGER, t INTEGER)")
with open(sys.argv[1], encoding="utf-8") as lines:
    rows = map(json.loads, lines)
    connection.executemany(
        "INSERT INTO episodes VALUES (?, ?, ?, ?, ?)",
        ((json.dumps(row["condition"]), row["replicate"], row["outcome"], row["seed"], row["t"]) for row in rows),
    )
connection.commit()
"""
USAGE = """; import resource, sys
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024, file=sys.stderr)
"""


def write(file: Path, lines: int) -> None:
    """Write episodes of 1,000 conditions."""
    draws = random.Random(1)
    with file.open("w", encoding="utf-8") as out:
        for number in range(lines):
            case = number % CONDITIONS
            episode = {
                "condition": {"task": f"case-{case}", "rate": 0.1},
                "replicate": number // CONDITIONS,
                "outcome": "timeout" if draws.random() < 0.2 else "resolved",
                "seed": draws.getrandbits(32),
                "t": draws.randrange(1, 40),
            }
            out.write(json.dumps(episode) + "\n")


class Measure(NamedTuple):
    """What a fresh process took."""

    wall_s: float
    cpu_s: float
    peak_mb: float

    def __str__(self) -> str:
        return f"{self.wall_s:.1f} s ({self.cpu_s:.1f} s of CPU), peak {self.peak_mb:.0f} MB"


def measure(script: str, *words: str) -> Measure:
    """Run a script in a fresh process."""
    begun = time.perf_counter()
    command = [sys.executable, "-c", script.strip() + USAGE, *words]
    done = run(command, check=True, capture_output=True, text=True)
    cpu_s, peak_mb = map(float, done.stderr.split()[-2:])
    return Measure(time.perf_counter() - begun, cpu_s, peak_mb)


def bring(file: Path, store: Path) -> Measure:
    """Import a file by the command line."""
    words = ["import", "jsonl", str(file), "--name=bench", "--failures", "timeout", "--paired-by=none"]
    return measure(COMMAND, *words, f"--store={store}")


def main() -> None:
    """Print times, peaks and the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        small, large = place / "small.jsonl", place / "large.jsonl"
        write(small, 100_000)
        write(large, 1_000_000)
        few, many = bring(small, place / "small"), bring(large, place / "large")
        loop = measure(LOOP, str(large), str(place / "loop"))
        size_mb = sum(path.stat().st_size for path in (place / "large").glob("2*.sqlite")) / 1e6
    print(f"import jsonl, {CONDITIONS:,} conditions, a fresh process each")
    print(f"  100,000 lines: {few}")
    print(f"1,000,000 lines: {many}, {size_mb:.0f} MB stored (to reach: under 60 s, flat memory)")
    print(f"json.loads + executemany, nothing checked: {loop}")
    print(f"ratio: {loop.wall_s / many.wall_s:.2f} ({loop.cpu_s / many.cpu_s:.2f} of CPU)")


if __name__ == "__main__":
    main()
