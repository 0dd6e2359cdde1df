"""docs/async-agents.md: its suite runs with many replicates in flight, and one at a time, and ends the same."""

import pytest

from tests.docs.commands import ROOT, Reader


@pytest.mark.neighbours
def test_the_page_is_what_happens(pytester, monkeypatch, capsys):
    """The commands end as the page says and print what it shows, with the runner of asynchronous tests installed."""
    pytester.makeini("[pytest]\naddopts = -p no:randomly\nasyncio_default_fixture_loop_scope = function\n")
    page = (ROOT / "docs/async-agents.md").read_text(encoding="utf-8")
    assert Reader(pytester, monkeypatch, capsys).read(page) == (1, 1)
