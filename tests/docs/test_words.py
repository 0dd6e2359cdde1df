"""docs/words.md: the words of the code are those that users are told."""

import re
from typing import get_args

import pytest

from poisson_stats.verdict import Verdict
from poisson_store.records import CAUSES, STATUSES
from pytest_poisson.spans import KINDS
from tests.docs.commands import ROOT

ROWS = dict(
    re.findall(
        r"^\| ([\w, ]+) \| (.*) \|$", (ROOT / "docs/words.md").read_text(encoding="utf-8"), re.MULTILINE
    )
)


@pytest.mark.parametrize(
    ("row", "words"),
    [("no outcome", CAUSES), ("run", STATUSES), ("verdict", get_args(Verdict)), ("span", KINDS)],
)
def test_a_list_of_words_is_that_of_the_code(row, words):
    """Where a word stands for a fixed list, the page has exactly that list."""
    assert set(re.findall(r"`([^`]+)`", ROWS[row])) == set(words)


def test_the_verdicts_are_explained_one_by_one():
    """How a verdict is made has a line for each word, and for no other."""
    page = (ROOT / "docs/how-it-decides.md").read_text(encoding="utf-8")
    table = page.split("## 5. Say one word", 1)[1].split("## 6.", 1)[0]
    assert set(re.findall(r"^\| `([^`]+)`", table, re.MULTILINE)) == set(get_args(Verdict))
