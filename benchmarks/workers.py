"""Throughput of a no-op rollout with several workers, beside pytest-xdist running pytest-repeat's items.

Run: python benchmarks/workers.py [--replicates N]

Efficiency is the throughput of N workers over N times that of one. More workers than cores share them.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from throughput import SUITE, per_replicate

WORKERS = (1, 2, 4)


def main() -> None:
    """Print replicates a second and efficiency for each number of workers, ours and theirs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=60_000)
    replicates = parser.parse_args().replicates
    node = "test_suite.py::test_nothing"
    print(f"{os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "test_suite.py").write_text(SUITE, encoding="utf-8")
        alone: dict[str, float] = {}
        for workers in WORKERS:
            ours = per_replicate(
                directory,
                (2_000, replicates),
                node,
                "--poisson-sweep",
                f"--poisson-workers={workers}",
                "--poisson-replicates={}",
            )
            theirs = per_replicate(
                directory,
                (500, 3_500),
                node,
                "-p",
                "no:poisson",
                f"-n{workers}",
                "--count={}",
                "-m",
                "rollout",
            )
            for name, seconds in (("sweep", ours), ("xdist", theirs)):
                rate = 1 / seconds
                alone.setdefault(name, rate)
                print(
                    f"{workers} workers, {name}: {rate:,.0f}/s, efficiency {rate / alone[name] / workers:.2f}"
                )
            print(
                f"{workers} workers: {theirs / ours:.1f} times less time a replicate than pytest-xdist with pytest-repeat"
            )


if __name__ == "__main__":
    main()
