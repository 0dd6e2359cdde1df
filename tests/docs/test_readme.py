"""The README: its output is what the product prints."""

import re
import shutil
from pathlib import Path

ROOT = Path(__file__).parents[2]
SALT = "0" * 32
RUN_ID = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{4}")


def block_after(text, marker):
    """Return the fenced block that follows a marker in Markdown."""
    return text.split(marker, 1)[1].split("```text\n", 1)[1].split("```", 1)[0]


def test_the_verdict_in_the_readme_is_what_the_mock_agent_prints(pytester, monkeypatch):
    """The first screen's output is the section that the two commands print, with the run ids left out."""
    shutil.copytree(ROOT / "examples" / "mock_agent", pytester.path, dirs_exist_ok=True)
    monkeypatch.setattr("pytest_poisson.seeds.secrets.token_hex", lambda length: SALT[: 2 * length])
    pytester.runpytest_inprocess("--poisson-sweep", "--poisson-workers=0", "--poisson-name=before")
    result = pytester.runpytest_inprocess(
        "--poisson-pair-with=latest",
        "--poisson-workers=0",
        "--poisson-name=after",
        "--poisson-variant=agent=patched",
    )
    section = result.stdout.str().split("= pytest-poisson =", 1)[1].split("\n", 1)[1]
    printed = RUN_ID.sub("RUN-ID", section.rsplit("\n=", 1)[0]).strip("\n") + "\n"
    assert block_after((ROOT / "README.md").read_text(encoding="utf-8"), "<!-- mock agent") == printed
