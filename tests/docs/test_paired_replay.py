"""docs/paired-replay.md: its commands work, its declaration is the example's."""

import shutil
from pathlib import Path

from pytest_poisson.replay.declaration import read_declaration
from tests.docs.commands import BLOCK, Reader

ROOT = Path(__file__).parents[2]


def test_the_page_is_what_happens(pytester, monkeypatch, capsys):
    """The commands end as the page says and print what it shows; the declaration means what the example's does."""
    shutil.copytree(ROOT / "examples" / "grader", pytester.path, dirs_exist_ok=True)
    page = (ROOT / "docs/paired-replay.md").read_text(encoding="utf-8")
    (declared,) = (block for kind, block in BLOCK.findall(page) if kind == "toml")
    (pytester.path / "page.toml").write_text(declared)
    assert read_declaration(pytester.path / "page.toml") == read_declaration(pytester.path / "replay.toml")
    assert Reader(pytester, monkeypatch, capsys).read(page) == (2, 2)
