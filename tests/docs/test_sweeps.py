"""docs/sweeps.md: every command is run, every output compared."""

from pathlib import Path

from tests.docs.commands import Reader

PAGE = Path(__file__).parents[2] / "docs" / "sweeps.md"


def test_the_page_is_what_happens(pytester, monkeypatch, capsys):
    """The commands end as the page says, and its outputs are theirs."""
    commands, texts = Reader(pytester, monkeypatch, capsys).read(PAGE.read_text(encoding="utf-8"))
    assert commands >= 5
    assert texts >= 4
