"""docs/fix-check.md: its commands work and print what it shows."""

from pathlib import Path

from tests.docs.commands import Reader

PAGE = Path(__file__).parents[2] / "docs" / "fix-check.md"


def test_the_commands_print_what_the_page_shows(pytester, monkeypatch, capsys):
    """Every command of the page ends as stated, and every output on it is what the command prints."""
    page = PAGE.read_text(encoding="utf-8")
    commands, texts = Reader(pytester, monkeypatch, capsys).read(page)
    assert commands == page.count("```sh")
    assert texts == page.count("```text") > 0
