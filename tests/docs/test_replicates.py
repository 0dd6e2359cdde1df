"""docs/replicates.md: its tables are what the plans compute."""

import re

import pytest

from poisson_stats.planning import plan_pairs, plan_replicates
from tests.docs.commands import ROOT

PAGE = (ROOT / "docs/replicates.md").read_text(encoding="utf-8")
CHANGES = [float(text) for text in re.findall(r"0\.\d+", PAGE.split("| rows ", 1)[1].split("\n", 1)[0])]
PLANNED = [
    (int(tests), change, int(n.replace(",", "")))
    for tests, *row in re.findall(r"^\| (\d+)" + r" \| ([\d,]+)" * 4 + r" \|$", PAGE, re.MULTILINE)
    for change, n in zip(CHANGES, row, strict=True)
]
ALIKE = [(float(r), int(n)) for r, n in re.findall(r"^\| ([\d.]+) \| (\d+) \|$", PAGE, re.MULTILINE)]


def test_the_tables_are_read():
    """Five numbers of rows at four changes, and four correlations."""
    assert (len(PLANNED), len(ALIKE)) == (20, 4)


@pytest.mark.parametrize(
    ("tests", "change", "n"),
    [pytest.param(*each, marks=[] if each[1] >= 0.2 else pytest.mark.slow) for each in PLANNED],
)
def test_a_plan_is_what_the_page_says(tests, change, n):
    """Replicates without a baseline are planned for the test that needs more of them."""
    assert max(plan_replicates(change, tests, paired=paired) for paired in (True, False)) == n


def test_what_pairs_save_is_what_the_page_says():
    """Replicates at a correlation are those of 18 rows at a change of 0.20."""
    assert [plan_pairs(0.20, 18, correlation=r) for r, _ in ALIKE] == [n for _, n in ALIKE]
