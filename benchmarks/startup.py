"""Start-up of an ordinary pytest run with the plugin installed and unused, beside the same run without it.

Run: python benchmarks/startup.py [--runs N]

Bytecode is kept between the sessions, as it is wherever nobody has forbidden it.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def seconds(directory: str, *options: str) -> float:
    """Return how long one pytest session over one empty test takes."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *options]
    environment = {key: text for key, text in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    started = time.perf_counter()
    subprocess.run(command, cwd=directory, check=True, stdout=subprocess.DEVNULL, env=environment)
    return time.perf_counter() - started


def main() -> None:
    """Print the medians of alternating runs and their difference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=30)
    runs = parser.parse_args().runs
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "test_plain.py").write_text("def test_plain(): pass\n", encoding="utf-8")
        seconds(directory)
        pairs = [(seconds(directory), seconds(directory, "-p", "no:poisson")) for _ in range(runs)]
    with_plugin, without = (statistics.median(side) for side in zip(*pairs, strict=True))
    difference = statistics.median(a - b for a, b in pairs)
    print(
        f"with {with_plugin * 1e3:.0f} ms, without {without * 1e3:.0f} ms: "
        f"{difference * 1e3:+.1f} ms, {with_plugin / without:.3f} times"
    )


if __name__ == "__main__":
    main()
