"""Throughput of a no-op rollout with several workers, beside pytest-xdist running what two neighbours repeat.

Run: python benchmarks/workers.py [--replicates N]

Efficiency is the throughput of N workers over N times that of one. More workers than cores share them.
"""

from __future__ import annotations

import argparse
import os
import tempfile

from throughput import probability, repeat, sweep, write_suites

WORKERS = (1, 2, 4)


def main() -> None:
    """Print replicates a second and efficiency for each number of workers, ours and theirs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=60_000)
    replicates = parser.parse_args().replicates
    print(f"{os.cpu_count()} cores")
    with tempfile.TemporaryDirectory() as directory:
        write_suites(directory)
        alone: dict[str, float] = {}
        for workers in WORKERS:
            rates = {
                "sweep": 1 / sweep(directory, "nothing", workers, replicates),
                "pytest-xdist with pytest-repeat": 1 / repeat(directory, "nothing", f"-n{workers}"),
                "pytest-xdist with pytest-probability": 1 / probability(directory, f"-n{workers}"),
            }
            for name, rate in rates.items():
                efficiency = rate / alone.setdefault(name, rate) / workers
                print(
                    f"{workers} workers, {name}: {rate:,.0f}/s, efficiency {efficiency:.2f}, "
                    f"the sweep {rates['sweep'] / rate:.1f} times as fast"
                )


if __name__ == "__main__":
    main()
