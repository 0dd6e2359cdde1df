"""docs/verdicts.md: its commands work and print what it shows."""

import shutil
from pathlib import Path

from tests.docs.commands import Reader

ROOT = Path(__file__).parents[2]


def test_the_commands_print_what_the_page_shows(pytester, monkeypatch, capsys):
    """Every command of the page ends as stated, and every output on it is what the command prints."""
    shutil.copytree(ROOT / "examples" / "mock_agent", pytester.path, dirs_exist_ok=True)
    page = (ROOT / "docs" / "verdicts.md").read_text(encoding="utf-8")
    commands, texts = Reader(pytester, monkeypatch, capsys).read(page)
    assert commands == page.count("```sh")
    assert texts == page.count("```text") > 0
