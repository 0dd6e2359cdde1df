"""What a sweep leaves for GitHub Actions, and only there."""

import pytest

from tests.plugin.support import COIN, DRIFTING, sweep

WORSE = ("--poisson-pair-with=latest", "--poisson-variant=b=0.98")


@pytest.fixture
def on_github(pytester, monkeypatch):
    """Return the step summary's file of a session on GitHub whose baseline is stored."""
    pytester.makepyfile(DRIFTING)
    sweep(pytester)
    summary = pytester.path / "summary.md"
    summary.write_text("before\n")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(pytester.path.parent))
    return summary


def test_a_worse_condition_is_annotated_at_its_line(pytester, on_github):
    """One error names the test's file from the repository's root, its line, and the text of the failed item."""
    result = sweep(pytester, *WORSE)
    (line,) = [each for each in result.outlines if each.startswith("::error ")]
    at = DRIFTING.splitlines().index(
        '@pytest.mark.rollout(id="drift", outcomes=["ok", "bad"], failures=["bad"], '
        'successes=["ok"], replicates=60)'
    )
    place, _, message = line.removeprefix("::error ").partition("::")
    file, number, title = place.split(",")
    assert file == f"file={pytester.path.name}/test_a_worse_condition_is_annotated_at_its_line.py"
    assert abs(int(number.removeprefix("line=")) - at) <= 2
    assert title == "title=pytest-poisson%3A test_drift[b]"
    assert message.startswith("worse: bad rose from ")
    assert "%0A" in message


def test_the_summary_is_added_to(pytester, on_github):
    """The step summary keeps what it held and gets the verdict once."""
    sweep(pytester, *WORSE)
    text = on_github.read_text(encoding="utf-8")
    assert text.startswith("before\n")
    assert text.count("**worse: of 3 tests, 1 changed for the worse.**") == 1


def test_a_full_summary_is_not_written(pytester, on_github):
    """A summary near its limit would be rejected as a whole, so it is left as it is and the log says so."""
    on_github.write_bytes(b"x" * (1024 * 1024 - 50))
    result = sweep(pytester, *WORSE)
    assert on_github.stat().st_size == 1024 * 1024 - 50
    result.stdout.fnmatch_lines(["The step summary has no room left for the result."])


def test_a_summary_that_cannot_be_written_fails_nothing(pytester, on_github, monkeypatch):
    """A bad path costs a line, not the session."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path))
    result = sweep(pytester, "--poisson-pair-with=latest")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["The step summary cannot be written: *"])


def test_the_option_turns_it_off(pytester, on_github):
    """With `--poisson-github=false` nothing is annotated and nothing written."""
    result = sweep(pytester, *WORSE, "--poisson-github=false")
    assert on_github.read_text() == "before\n"
    assert "::error" not in result.stdout.str()


def test_elsewhere_nothing_is_left(pytester):
    """Without GitHub's variables a failing session prints no workflow command."""
    pytester.makepyfile(DRIFTING)
    sweep(pytester)
    assert "::error" not in sweep(pytester, *WORSE).stdout.str()


def test_a_first_run_is_described(pytester, on_github):
    """A session without a baseline leaves its shares, as a description."""
    pytester.makepyfile(COIN)
    sweep(pytester)
    assert "This is a description of one run" in on_github.read_text(encoding="utf-8")


@pytest.mark.neighbours
def test_under_xdist_the_controller_alone_speaks(pytester, on_github):
    """With `-n2` a failing condition is annotated once and the summary gets the verdict once."""
    pytest.importorskip("xdist")
    result = sweep(pytester, *WORSE, "-n2", "-p", "no:randomly", subprocess=True, workers=1)
    assert sum(each.startswith("::error ") for each in result.outlines) == 1
    assert on_github.read_text(encoding="utf-8").count("**worse: ") == 1
