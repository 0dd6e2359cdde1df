"""Time per replicate of a sweep beside pytest-repeat's `--count`, storing included, one worker.

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


def main() -> None:
    """Print both times and their ratio, for a test without fixtures and one with a yield fixture of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=100_000)
    replicates = parser.parse_args().replicates
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "test_suite.py").write_text(SUITE, encoding="utf-8")
        for name in ("nothing", "fixture"):
            node = f"test_suite.py::test_{name}"
            repeat = per_replicate(
                directory, (500, 5_500), node, "-p", "no:poisson", "--count={}", "-m", "rollout"
            )
            ours = per_replicate(
                directory,
                (1_000, replicates),
                node,
                "--poisson-sweep",
                "--poisson-workers=1",
                "--poisson-replicates={}",
            )
            print(
                f"{name}: pytest-repeat {repeat * 1e6:.0f} us, sweep {ours * 1e6:.1f} us: {repeat / ours:.1f} times less"
            )


if __name__ == "__main__":
    main()
