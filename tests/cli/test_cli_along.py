"""`pytest-poisson diff RUN --along AXIS=A:B`."""

import json

import pytest


def test_the_text_says_which_sides_are_compared_and_how(traded):
    """Each arm is named by its value, and the text says that the seed depends on the axis."""
    status, text, _ = traded("diff", "base", "--along=tool_fail_rate=0.1:0.2")
    flat = " ".join(text.split())
    assert status == 0
    assert "before base (20261129T132501Z-a1b2), tool_fail_rate=0.1" in flat
    assert "Fisher's exact test on independent replicates, since the seed depends on tool_fail_rate" in flat
    assert "(shared_seed_axes=['tool_fail_rate'] on the mark makes pairs of them)" in flat
    assert all(len(line) <= 80 for line in text.splitlines() if "pytest --" not in line)


def test_json_has_the_axis_and_the_values(traded):
    """The document is that of a comparison, with the axis and both values."""
    document = json.loads(traded("diff", "base", "--along=task=refund:search", "--json")[1])
    assert document["schema"] == "pytest-poisson.diff/1"
    assert document["along"] == {"axis": "task", "before": "refund", "after": "search", "shares_seeds": False}
    assert (document["before"]["part"], document["after"]["part"]) == ("task=refund", "task=search")
    assert [row["axes"] for row in document["rows"][::2]] == [
        {"tool_fail_rate": rate} for rate in (0.0, 0.1, 0.2)
    ]


def test_without_a_run_the_latest_is_meant(traded):
    """No run is the newest complete one."""
    assert (
        traded("diff", "--along=task=refund:search")[1]
        == traded("diff", "patched", "--along=task=refund:search")[1]
    )


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("base",), "diff takes two runs or none, not 1, and 'base' is no saved comparison."),
        (
            ("base", "patched", "--along=task=refund:search"),
            "diff takes one run or none with --along, not 2.",
        ),
    ],
)
def test_the_number_of_runs_must_fit(traded, arguments, sentence):
    """One run without the axis, and two with it, are a wrong command line."""
    status, _, complaint = traded("diff", *arguments)
    assert (status, sentence in complaint) == (2, True)


def test_an_unknown_axis_is_refused(traded):
    """An axis that the run does not have is a refusal that names those it has."""
    status, _, complaint = traded("diff", "base", "--along=colour=a:b")
    assert status == 1
    assert "the axes of the run are task, tool_fail_rate." in complaint
