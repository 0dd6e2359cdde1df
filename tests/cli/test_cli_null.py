"""`pytest-poisson null`."""

import json

import pytest


def test_the_rate_is_printed_with_its_interval(unchanged):
    """Text and JSON hold the same count, its share and its interval; the status is 0 whatever the rate."""
    status, text, _ = unchanged("null", "base", "--splits=20")
    assert status == 0
    document = json.loads(unchanged("null", "base", "--splits=20", "--json")[1])
    assert document["schema"] == "pytest-poisson.null/1"
    assert document["splits"] == 20 == sum(document["words"].values())
    assert text.startswith(f"{document['failed']} of 20 splits would have failed the gate: ")
    assert all(len(line) <= 80 for line in text.splitlines())


@pytest.mark.parametrize("splits", ["0", "100001"])
def test_a_split_needs_a_number_within_bounds(unchanged, splits):
    """No splits are no measurement, and endless ones none either: refused as a wrong command line."""
    status, _, complaint = unchanged("null", "base", f"--splits={splits}")
    assert status == 2
    assert f"'{splits}' must be a whole number from 1 to 100000" in complaint


def test_an_unknown_run_is_refused(unchanged):
    """A run that is not there is refused by name."""
    status, _, complaint = unchanged("null", "nothing")
    assert status == 1
    assert "'nothing'" in complaint
