"""Processes and disks for the tests of the store."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
linux_root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0 or not shutil.which("mount"), reason="mounting needs root"
)


def start(program: str, *arguments: object) -> subprocess.Popen[str]:
    """Run a Python program that may use this directory's helpers."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


@contextmanager
def tmpfs(folder: Path, options: str):
    """Mount a small file system of its own, or skip where that is not allowed."""
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder], check=False, capture_output=True
    )
    if done.returncode:
        pytest.skip("this machine does not let its root mount")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)
