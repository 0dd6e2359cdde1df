"""docs/ci.md: the workflows are whole, pinned, and what they run does what the page says."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from pytest_poisson.cli import main
from tests.docs.commands import BLOCK

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs/ci.md").read_text(encoding="utf-8")
GITHUB, GITLAB = (block for kind, block in BLOCK.findall(PAGE) if kind == "yaml")
COMMAND = re.compile(r"^(?:[ -]*run: |[ -]*)(pytest(?:-poisson)? .*)$", re.MULTILINE)


def commands(text, job):
    """Return the commands of ours in a job, as they stand in its script."""
    _, _, rest = text.partition(f"\n{job}:\n") if f"\n{job}:\n" in text else text.partition(f"\n  {job}:\n")
    end = re.search(r"^(  )?\w+:\n", rest, re.MULTILINE) if job == "baseline" else None
    body = re.split(r"^(?:  )?change:\n", rest, flags=re.MULTILINE)[0] if end else rest
    return [line.split(" > ")[0] for line in COMMAND.findall(body)]


@pytest.mark.parametrize("text", [GITHUB, GITLAB], ids=["github", "gitlab"])
def test_what_is_used_is_pinned(text):
    """Every action is pinned to a commit with its version beside it, every image to a patch release."""
    for used in re.findall(r"uses: (.*)", text):
        assert re.fullmatch(r"[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", used)
    for image in re.findall(r"image: (.*)", text):
        assert re.fullmatch(r"\w+:\d+\.\d+\.\d+[\w-]*", image)


@pytest.mark.parametrize("text", [GITHUB, GITLAB], ids=["github", "gitlab"])
def test_the_commands_do_what_the_page_says(pytester, monkeypatch, capsys, text):
    """The baseline's file reaches the change, which compares pair by pair; without one, the first run describes."""
    suite = pytester.path / "tests" / "reliability"
    shutil.copytree(ROOT / "examples" / "mock_agent", suite, ignore=shutil.ignore_patterns("*.ini"))
    monkeypatch.chdir(pytester.path)

    def run(line):
        program, *words = shlex.split(line)
        if program == "pytest":
            quick = ["--poisson-workers=0", "--poisson-replicates=6", "-p", "no:cacheprovider"]
            quick = [word for word in quick if "pair-with" not in line or "replicates" not in word]
            return int(pytester.runpytest_inprocess(*words, *quick).ret)
        return main(words)

    *_, imported, paired, alone, comment = commands(text, "change")
    assert run(alone) == 0
    capsys.readouterr()
    assert run(comment) == 0
    assert "This is a description of one run" in capsys.readouterr().out
    shutil.rmtree(".poisson")
    assert [run(line) for line in commands(text, "baseline")] == [0, 0]
    shutil.rmtree(".poisson")
    assert [run(imported), run(paired)] == [0, 0]
    capsys.readouterr()
    assert run(comment) == 0
    assert "on pairs that share a seed" in capsys.readouterr().out
