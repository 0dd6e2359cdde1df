"""Time per replicate of a sweep beside pytest-repeat and pytest-probability, storing included, one worker.

Run: python benchmarks/throughput.py [--replicates N]

Each side is measured at two sizes, and the difference divided by the difference in size, so that start-up and
collection, which both have once, do not count.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SUITE = """
import pytest

@pytest.fixture
def own():
    yield 1

@pytest.mark.rollout
def test_nothing(): pass

@pytest.mark.rollout
def test_fixture(own): pass
"""
BENCH = "def bench_nothing(): pass"
"""The same work as pytest-probability wants it written; its functions take no fixtures (0.3.0)."""

PLUGINS = (
    "asyncio",
    "anyio",
    "randomly",
    "rerunfailures",
    "timeout",
    "xdist",
    "cacheprovider",
    "hypothesispytest",
)


def seconds(directory: str, *options: str) -> float:
    """Return how long one pytest session takes."""
    distributed = any(option.startswith("-n") for option in options)
    absent = [plugin for plugin in PLUGINS if plugin != "xdist" or not distributed]
    without = [word for plugin in absent for word in ("-p", f"no:{plugin}")]
    command = [sys.executable, "-m", "pytest", "-q", "-q", "--no-header", *without, *options]
    started = time.perf_counter()
    subprocess.run(command, cwd=directory, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - started


def per_replicate(directory: str, sizes: tuple[int, int], *options: str) -> float:
    """Return the seconds that one more replicate costs; `{}` in the options is the number of replicates."""
    small, large = (seconds(directory, *(option.format(size) for option in options)) for size in sizes)
    return (large - small) / (sizes[1] - sizes[0])


def write_suites(directory: str) -> None:
    """Write the work as each plugin wants it."""
    Path(directory, "test_suite.py").write_text(SUITE, encoding="utf-8")
    Path(directory, "bench_suite.py").write_text(BENCH, encoding="utf-8")


def sweep(directory: str, name: str, workers: int, replicates: int) -> float:
    """Return what one more replicate of a sweep costs."""
    alone = ("-p", "no:pytest_repeat", "-p", "no:repeat", "-p", "no:probability")
    options = (*alone, "--poisson-sweep", f"--poisson-workers={workers}", "--poisson-replicates={}")
    return per_replicate(directory, (1_000, replicates), f"test_suite.py::test_{name}", *options)


def repeat(directory: str, name: str, *options: str) -> float:
    """Return what one more repetition by pytest-repeat costs."""
    options = ("-p", "no:poisson", "-p", "no:probability", "--count={}", "-m", "rollout", *options)
    return per_replicate(directory, (500, 5_500), f"test_suite.py::test_{name}", *options)


def probability(directory: str, *options: str) -> float:
    """Return what one more run by pytest-probability costs."""
    options = ("-p", "no:poisson", "-p", "no:repeat", "--prob-runs={}", *options)
    return per_replicate(directory, (500, 5_500), "bench_suite.py::bench_nothing", *options)


def main() -> None:
    """Print the times and their ratios, for a test without fixtures and one with a yield fixture of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=100_000)
    replicates = parser.parse_args().replicates
    with tempfile.TemporaryDirectory() as directory:
        write_suites(directory)
        for name in ("nothing", "fixture"):
            ours = sweep(directory, name, 1, replicates)
            neighbours = {"pytest-repeat": repeat(directory, name)}
            if name == "nothing":
                neighbours["pytest-probability"] = probability(directory)
            for neighbour, theirs in neighbours.items():
                print(
                    f"{name}: {neighbour} {theirs * 1e6:.0f} us, sweep {ours * 1e6:.1f} us: {theirs / ours:.1f} times less"
                )


if __name__ == "__main__":
    main()
