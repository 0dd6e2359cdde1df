"""The committed answers of R are what R says."""

import pytest

from tests.oracles import r_reference
from tests.tools import run_r


def test_r_still_gives_the_committed_answers():
    """Running the script again prints the committed values to 12 digits."""
    printed = run_r(r_reference.SCRIPT, r_reference.FOLDER)
    again, committed = r_reference.parse(printed), r_reference.reference()
    assert again.keys() == committed.keys()
    for name, values in committed.items():
        assert again[name] == pytest.approx(values, rel=1e-12), name
