"""docs/spans.md and docs/model-change.md: their commands end as the pages say, and print what they show."""

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


def read(pytester, monkeypatch, capsys, page):
    return WithoutTimes(pytester, monkeypatch, capsys).read((ROOT / page).read_text(encoding="utf-8"))


def test_the_page_on_spans_is_what_happens(pytester, monkeypatch, capsys):
    """The suite of the page runs; its tree, sums and costs are those it shows."""
    assert read(pytester, monkeypatch, capsys, "docs/spans.md") == (2, 2)


@pytest.mark.filterwarnings("ignore")  # the client's own
def test_the_page_on_a_change_of_model_is_what_happens(pytester, monkeypatch, capsys):
    """The example's sweeps end, fail and stop as the page says, at the costs it shows."""
    pytest.importorskip("openai")
    pytest.importorskip("openinference.instrumentation.openai")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    shutil.copytree(ROOT / "examples" / "model_change", pytester.path, dirs_exist_ok=True)
    assert read(pytester, monkeypatch, capsys, "docs/model-change.md") == (3, 1)
