"""Programs that some tests run beside Python: R as an oracle, and the shells."""

import os
import shutil
import subprocess

import pytest

REQUIRED = "POISSON_TEST_TOOLS"


def need(program):
    """Skip the test where a program is not installed; with POISSON_TEST_TOOLS, as in CI, it must be."""
    if shutil.which(program) is None:
        _absent(f"{program} is not installed")


def run_r(script, *arguments):
    """Return what an R script prints; it needs R's survival package."""
    need("Rscript")
    command = ["Rscript", "--vanilla", str(script), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if "there is no package called" in done.stderr:
        _absent("R's survival package is not installed")
    assert done.returncode == 0, done.stderr
    return done.stdout


def _absent(reason):
    if os.environ.get(REQUIRED):
        pytest.fail(f"{reason}, and {REQUIRED} says that it is")
    pytest.skip(reason)
