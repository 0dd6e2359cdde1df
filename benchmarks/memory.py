"""Peak memory of the controlling process with many replicates of one condition, beside few.

Run: python benchmarks/memory.py [--replicates N]
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

SUITE = "import pytest\n@pytest.mark.rollout\ndef test_nothing(): pass\n"


def peak_mib(directory: str, replicates: int) -> float:
    """Return the peak resident memory of the controlling process, without its workers'."""
    command = [sys.executable, "-m", "pytest", "-q", "--poisson-sweep", "--poisson-workers=1"]
    process = subprocess.Popen(
        [*command, f"--poisson-replicates={replicates}"], cwd=directory, stdout=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit(f"the sweep ended with status {status}")
    return usage.ru_maxrss / 1024


def main() -> None:
    """Print both peaks and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--replicates", type=int, default=1_000_000)
    replicates = parser.parse_args().replicates
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "test_suite.py").write_text(SUITE, encoding="utf-8")
        few, many = peak_mib(directory, 10_000), peak_mib(directory, replicates)
    print(f"10,000 replicates: {few:.0f} MiB, {replicates:,}: {many:.0f} MiB: {many / few:.2f} times")


if __name__ == "__main__":
    main()
