"""docs/store.md: what it shows of reading a run in Python works as shown."""

from pathlib import Path

from tests.docs.commands import BLOCK
from tests.plugin.support import sweep

ROOT = Path(__file__).parents[2]
SUITE = """
import pytest

@pytest.fixture(params=["heads", "tails"])
def side(request):
    return request.param

@pytest.mark.rollout(replicates=4)
def test_coin(side, rollout):
    with rollout.span("tool", "throw"):
        assert rollout.replicate % 2
"""


def test_the_code_of_the_page_reads_a_run(pytester, monkeypatch, capsys):
    """The page's Python runs on a fresh run and prints its failures with their spans."""
    pytester.makepyfile(SUITE)
    sweep(pytester)
    monkeypatch.chdir(pytester.path)
    page = (ROOT / "docs/store.md").read_text(encoding="utf-8")
    (code,) = (block for kind, block in BLOCK.findall(page) if kind == "python")
    capsys.readouterr()
    exec(compile(code, "store.md", "exec"), {})
    printed = capsys.readouterr().out
    assert printed.count("['throw']") == 4
    assert "with_outcome=8" in printed
