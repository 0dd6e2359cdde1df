"""docs/backends.md: its backend is one, and its test class finds the contract's tests."""

from pathlib import Path

from tests.docs.commands import BLOCK
from tests.plugin.support import COIN, open_run, sweep

PAGE = (Path(__file__).parents[2] / "docs/backends.md").read_text(encoding="utf-8")


def test_the_page_works(pytester, monkeypatch):
    """The page's backend sweeps and says so in the plan; a test of the contract, asked for as the page does, passes."""
    monkeypatch.setenv("PYTHONPATH", str(pytester.path))
    for _, block in BLOCK.findall(PAGE):
        name = block.splitlines()[0].removeprefix("# ")
        (pytester.path / name).write_text(block)
    pytester.makepyfile(COIN)
    result = sweep(pytester, "--poisson-backend=modest", "--ignore=test_modest.py", workers=1)
    result.stdout.fnmatch_lines(["modest * 24 replicates, two at a time"])
    with open_run(pytester) as run:
        assert run.run.settings["backend"] == "modest"
    contract = pytester.runpytest_subprocess("test_modest.py", "-k", "not_import or cannot_import")
    contract.assert_outcomes(passed=1, deselected=4)
