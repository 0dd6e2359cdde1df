"""Pages whose commands need nothing but the page, or one of the examples: what they show is what happens."""

import re
import shutil

import pytest

from tests.docs.commands import ROOT, Reader, documents

PAGES = {  # pages that are gone through one after the other: the example in whose folder that is done
    ("README.md",): None,
    ("docs/comparison.md",): None,
    ("docs/fix-check.md",): None,
    ("docs/reports.md",): None,
    ("docs/sweeps.md",): None,
    ("docs/tutorial.md",): None,
    ("docs/where-runs-die.md",): None,
    ("examples/mock_agent/README.md", "docs/verdicts.md", "docs/replicates.md"): "mock_agent",
}


@pytest.mark.parametrize(("pages", "example"), PAGES.items(), ids=[pages[-1] for pages in PAGES])
def test_the_pages_are_what_happens(pytester, monkeypatch, capsys, pages, example):
    """Every command of a page ends as stated, and every output on it is what the commands before it print."""
    if example is not None:
        shutil.copytree(ROOT / "examples" / example, pytester.path, dirs_exist_ok=True)
    reader = Reader(pytester, monkeypatch, capsys)
    for page in pages:
        text = (ROOT / page).read_text(encoding="utf-8")
        commands, texts = reader.read(text)
        assert commands == text.count("```sh\n") > 0
        assert texts == text.count("```text\n") > 0


def test_no_command_is_only_shown():
    """A page with commands or outputs is named by a test module beside this one, which runs them."""
    modules = "".join(path.read_text(encoding="utf-8") for path in ROOT.glob("tests/docs/test_*.py"))
    for page, text in documents().items():
        if re.search(r"^```(sh|text)$", text, re.MULTILINE):
            assert f'"{page}"' in modules, page


def test_the_readme_adds_up():
    """The totals that the README compares are the sums of its table."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    counts = re.findall(r"^\w+ +wrong +(\d+)/(\d+) +(\d+)/\2 ", text, re.MULTILINE)
    before, n, after = (sum(int(row[column]) for row in counts) for column in range(3))
    assert f"Failures fell from {before} to {after} of {n}" in text
    assert f"The {counts[0][1]} replicates were computed" in text
