"""1,000 replicates that each await 50 ms, 100 at a time in one worker, beside the bare coroutines in one event loop.

Run: python benchmarks/concurrency.py [--replicates N] [--concurrency N]

The bare coroutines have no seeds, fixtures, timeouts, rows or store: their time is the floor.
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from datetime import datetime
from pathlib import Path

from poisson_store import Store

WAIT_S = 0.05
SUITE = f"""
import asyncio
import pytest

@pytest.mark.rollout
async def test_wait():
    await asyncio.sleep({WAIT_S})
"""


async def bare(replicates: int, concurrency: int) -> None:
    """Await as often, with as many in flight."""
    room = asyncio.Semaphore(concurrency)

    async def one() -> None:
        async with room:
            await asyncio.sleep(WAIT_S)

    await asyncio.gather(*(one() for _ in range(replicates)))


def sweep(directory: Path, replicates: int, concurrency: int) -> tuple[float, float, float]:
    """Return the seconds from the first replicate's start to the last's end, of the run, and of the whole command."""
    (directory / "test_suite.py").write_text(SUITE, encoding="utf-8")
    (directory / "pytest.ini").write_text("[pytest]\nasyncio_mode = auto\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "--poisson-sweep", "--poisson-workers=1"]
    options = [f"--poisson-replicates={replicates}", f"--poisson-concurrency={concurrency}"]
    begun = time.perf_counter()
    subprocess.run([*command, *options], cwd=directory, check=True, capture_output=True)
    whole = time.perf_counter() - begun
    with Store(directory / ".poisson").open("latest") as reader:
        run, columns = reader.run, reader.columns()
    if run.ended_at is None:
        raise RuntimeError(f"Run {run.run_id} has not ended.")
    replicating = float((columns.started_ns / 1e9 + columns.wall_s).max() - columns.started_ns.min() / 1e9)
    return replicating, (_moment(run.ended_at) - _moment(run.created_at)).total_seconds(), whole


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def main() -> None:
    """Print the three times and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1_000)
    parser.add_argument("--concurrency", type=int, default=100)
    given = parser.parse_args()
    begun = time.perf_counter()
    asyncio.run(bare(given.replicates, given.concurrency))
    floor = time.perf_counter() - begun
    with tempfile.TemporaryDirectory() as directory:
        replicating, run, whole = sweep(Path(directory), given.replicates, given.concurrency)
    print(
        f"from first start to last end {replicating:.2f} s, the run {run:.2f} s with its worker's start-up, the command "
        f"{whole:.2f} s; bare coroutines {floor:.2f} s: {replicating / floor:.1f} times as long"
    )


if __name__ == "__main__":
    main()
