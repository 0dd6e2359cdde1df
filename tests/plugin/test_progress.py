"""The progress line: when it is shown, and what it says."""

from types import SimpleNamespace

import pytest

from pytest_poisson import progress
from pytest_poisson.sweep import Progress


class Reporter(SimpleNamespace):
    """Stands for pytest's terminal reporter: keeps what is written."""

    def __init__(self, *, isatty, verbose=0):
        super().__init__(
            isatty=isatty, config=SimpleNamespace(option=SimpleNamespace(verbose=verbose)), said=[]
        )

    def rewrite(self, line, *, erase):
        assert erase
        self.said.append(line)

    def write_line(self, line):
        self.said.append(line)


@pytest.fixture
def clock(monkeypatch):
    """Let the clock stand still until the test moves it."""
    clock = SimpleNamespace(monotonic=lambda: clock.now, now=0.0)
    monkeypatch.setattr(progress, "time", clock)
    return clock


@pytest.mark.parametrize(
    ("reporter", "times"),
    [
        (Reporter(isatty=True), [2.5, 2.8, 3.1, 4.0, 10.2, 11.0, 20.3]),
        (Reporter(isatty=False), [10.2, 20.3]),
        (Reporter(isatty=True, verbose=-1), []),
    ],
    ids=["terminal", "pipe", "quiet"],
)
def test_it_is_shown_as_often_as_its_place_bears(clock, reporter, times):
    """On a terminal after 2 s and then often; on a pipe every 10 s, so that a short sweep says nothing; with -q never."""
    shown, line = [], progress.ProgressLine(reporter)
    for clock.now in (0.5, 1.9, 2.5, 2.6, 2.8, 3.1, 4.0, 10.2, 11.0, 20.3):
        before = len(reporter.said)
        line.show(Progress(stored=5, planned=10, without_outcome=0, elapsed_s=clock.now))
        shown += [clock.now] if len(reporter.said) > before else []
    assert shown == times


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (Progress(0, 40, 0, 12.0), "0 of 40 replicates (12 s)"),
        (Progress(0, 40, 0, 12.0, "building the image"), "building the image (12 s)"),
        (Progress(10, 40, 0, 5.0, "building"), "10 of 40 replicates (25 %), 2.0/s, 15 s left"),
        (Progress(39, 40, 3, 5.0), "39 of 40 replicates (97 %), 7.8/s, 0 s left, 3 without an outcome"),
    ],
)
def test_it_says_how_far_how_fast_and_how_much_longer(state, text):
    """Before the first row what goes on; then counts, a share never rounded up to the whole, rate and time."""
    assert progress.describe(state) == text
