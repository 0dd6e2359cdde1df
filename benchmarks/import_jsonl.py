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

CONDITIONS = 1_000
COMMAND = "import sys; from pytest_poisson.cli import main; sys.exit(main(sys.argv[1:]))"
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
PEAK = "; import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)"


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


def measure(*command: str) -> tuple[float, float]:
    """Return the seconds a fresh process takes and its peak memory in MB."""
    begun = time.perf_counter()
    done = run(command, check=True, capture_output=True, text=True)
    return time.perf_counter() - begun, int(done.stderr.split()[-1]) / 1024


def bring(file: Path, store: Path) -> tuple[float, float]:
    """Import a file by the command line."""
    command = COMMAND.replace("sys.exit(main(sys.argv[1:]))", "main(sys.argv[1:])") + PEAK
    words = ["import", "jsonl", str(file), "--name=bench", "--failures", "timeout", "--paired-by=none"]
    return measure(sys.executable, "-c", command, *words, f"--store={store}")


def main() -> None:
    """Print times, peaks and the ratio."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        small, large = place / "small.jsonl", place / "large.jsonl"
        write(small, 100_000)
        write(large, 1_000_000)
        small_s, small_mb = bring(small, place / "small")
        large_s, large_mb = bring(large, place / "large")
        loop_s, loop_mb = measure(
            sys.executable, "-c", LOOP.strip() + "\n" + PEAK[2:], str(large), str(place / "loop")
        )
        size = sum(path.stat().st_size for path in (place / "large").glob("2*.sqlite")) / 1e6
    print(f"import jsonl, {CONDITIONS} conditions, a fresh process each")
    print(f"  100,000 lines: {small_s:.1f} s, peak {small_mb:.0f} MB")
    print(
        f"1,000,000 lines: {large_s:.1f} s, peak {large_mb:.0f} MB (to reach: under 60 s, flat), {size:.0f} MB stored"
    )
    print(f"json.loads + executemany, nothing checked: {loop_s:.1f} s, peak {loop_mb:.0f} MB")
    print(f"ratio: {loop_s / large_s:.2f}")


if __name__ == "__main__":
    main()
