"""docs/spans.md: its commands end as the page says, and print what it shows."""

import re
import shutil
from pathlib import Path

import pytest

from tests.docs.commands import Reader

ROOT = Path(__file__).parents[2]
TIME = re.compile(r" +\d[\d.]* m?s\b")


class WithoutTimes(Reader):
    """Compares everything but times, which are never the same."""

    def run(self, words):
        status, printed = super().run(words)
        return status, TIME.sub(" TIME", printed)

    def text(self, block):
        super().text(TIME.sub(" TIME", block))


@pytest.mark.filterwarnings("ignore")  # the client's own
def test_the_page_is_what_happens(pytester, monkeypatch, capsys):
    """The suites of the page run, fail and stop as it says; trees, sums and costs are those it shows."""
    pytest.importorskip("openai")
    pytest.importorskip("openinference.instrumentation.openai")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    shutil.copytree(ROOT / "examples" / "model_change", pytester.path, dirs_exist_ok=True)
    page = (ROOT / "docs" / "spans.md").read_text(encoding="utf-8")
    commands, texts = WithoutTimes(pytester, monkeypatch, capsys).read(page)
    assert (commands, texts) == (5, 3)
