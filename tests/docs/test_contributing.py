"""CONTRIBUTING.md: the parts that it draws are those there are."""

import re

from tests.docs.commands import ROOT

FLOW = (
    (ROOT / "CONTRIBUTING.md")
    .read_text(encoding="utf-8")
    .split("## How data flows", 1)[1]
    .split("\n## ", 1)[0]
)
FILES = {path.relative_to(ROOT).as_posix() for path in ROOT.glob("[ps]*/**/*.py")}


def test_every_file_of_the_drawing_exists():
    """A module that is drawn is in the packages, by the end of its path."""
    named = re.findall(r"[\w/]+\.py\b", FLOW)
    assert named
    for name in named:
        assert any(path == name or path.endswith(f"/{name}") for path in FILES), name


def test_every_folder_of_the_package_is_drawn():
    """No part of `pytest_poisson` is left out of the drawing."""
    folders = {path.split("/")[1] for path in FILES if re.fullmatch(r"pytest_poisson/\w+/[\w/]+\.py", path)}
    assert {name for name in folders if f"{name}/" not in FLOW} == set()
