"""The committed answers of R are what R says."""

import shutil
import subprocess

import pytest

from tests.oracles import r_reference


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not installed")
def test_r_still_gives_the_committed_answers():
    """Running the script again prints the committed values to 12 digits."""
    command = ["Rscript", "--vanilla", str(r_reference.SCRIPT), str(r_reference.FOLDER)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if "there is no package called" in done.stderr:
        pytest.skip("R's survival package is not installed")
    assert done.returncode == 0, done.stderr
    again, committed = r_reference.parse(done.stdout), r_reference.reference()
    assert again.keys() == committed.keys()
    for name, values in committed.items():
        assert again[name] == pytest.approx(values, rel=1e-12), name
