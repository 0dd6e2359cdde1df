"""`pytest-poisson null`."""

import json


def test_the_rate_is_printed_with_its_interval(unchanged):
    """Text and JSON hold the same count, its share and its interval; the status is 0 whatever the rate."""
    status, text, _ = unchanged("null", "base", "--splits=20")
    assert status == 0
    document = json.loads(unchanged("null", "base", "--splits=20", "--json")[1])
    assert document["schema"] == "pytest-poisson.null/1"
    assert document["splits"] == 20 == sum(document["words"].values())
    assert text.startswith(f"{document['failed']} of 20 splits would have failed the gate: ")
    assert all(len(line) <= 80 for line in text.splitlines())


def test_a_split_needs_a_positive_number(unchanged):
    """No splits are no measurement: refused as a wrong command line."""
    status, _, complaint = unchanged("null", "base", "--splits=0")
    assert status == 2
    assert "'0' must be a whole number from 1" in complaint


def test_an_unknown_run_is_refused(unchanged):
    """A run that is not there is refused by name."""
    status, _, complaint = unchanged("null", "nothing")
    assert status == 1
    assert "'nothing'" in complaint
