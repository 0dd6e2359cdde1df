"""Starting to resume a run of a million stored rows, beside a fresh sweep of the replicates it lacks.

Run: python benchmarks/resume.py [--rows N]
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONDITIONS, LACKING = 100, 8
SUITE = f"""
import pytest

@pytest.mark.rollout
@pytest.mark.parametrize("number", range({CONDITIONS}))
def test_nothing(number): pass
"""


def seconds(directory: str, *options: str) -> float:
    """Return how long one session takes."""
    command = [sys.executable, "-m", "pytest", "-q", "--poisson-workers=1", *options]
    begun = time.perf_counter()
    subprocess.run(command, cwd=directory, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main() -> None:
    """Print both times and their difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    replicates = parser.parse_args().rows // CONDITIONS
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "test_suite.py").write_text(SUITE, encoding="utf-8")
        seconds(directory, "--poisson-sweep", "--poisson-name=long", f"--poisson-replicates={replicates}")
        more = replicates + LACKING
        resumed = seconds(directory, "--poisson-resume=long", f"--poisson-replicates={more}")
        fresh = seconds(directory, "--poisson-sweep", f"--poisson-replicates={LACKING}")
    print(
        f"{CONDITIONS * replicates:,} rows: resumed in {resumed:.2f} s, the same {CONDITIONS * LACKING} replicates "
        f"alone {fresh:.2f} s: {resumed / fresh:.1f} times as long"
    )


if __name__ == "__main__":
    main()
