"""`--poisson-fix-check`: the conditions that failed are swept again, and the session says whether the fix is shown."""

import json
from dataclasses import replace
from hashlib import sha256

import pytest

from poisson_store import Store
from poisson_store.records import Accounting, RolloutRecord
from pytest_poisson.cli import main
from pytest_poisson.fix_gate import NOT_SHOWN, decide_fix
from tests.fix_runs import cells, check, share, task
from tests.plugin.support import open_run, sweep
from tests.stored_runs import cell, endings, write_run

AGENT = """
import pytest

RATES = {"old": 0.7, "fixed": 0.05, "same": 0.7, "broken": 1.0}

@pytest.mark.rollout(id="agent", outcomes=["done", "stuck", "lost"], failures=["stuck", "lost"], successes=["done"])
@pytest.mark.parametrize("task", range(6))
def test_agent(task, rollout):
    rate = 0 if task > 3 else RATES[rollout.variant.get("code", "old")]
    rollout.end("stuck" if rollout.random.random() < rate else "done")
"""


@pytest.fixture
def suite(pytester):
    """Return a suite with a stored nightly run, in which four of six conditions fail, and one of the old code."""
    pytester.makepyfile(AGENT)
    store = Store(pytester.path / ".poisson")
    rollout = RolloutRecord("agent", ("done", "stuck", "lost"), ("stuck", "lost"), ("done",))
    for name, failed in (("nightly", 8), ("old", 9)):
        counts = [(cell("agent", task=i), failed if i < 4 else 0) for i in range(6)]
        inputs = [(each, endings(stuck=count, done=12 - count)) for each, count in counts]
        salt = sha256({"nightly": b"drawn", "old": b"o"}[name]).hexdigest()[:32]
        write_run(store, name, inputs, rollouts=(rollout,), salt=salt)
    return pytester


def fix_check(suite, code, *options, old="--poisson-pair-with=old"):
    """Sweep a variant on what failed, and gate."""
    return sweep(suite, "--poisson-fix-check=nightly", old, f"--poisson-variant=code={code}", *options)


def test_a_fix_that_worked_passes(suite):
    """Only the failing conditions run; the report is printed, and the session passes."""
    result = fix_check(suite, "fixed", "--poisson-name=fixed")
    result.assert_outcomes(passed=4, deselected=2)
    result.stdout.fnmatch_lines(["Did the fix work: *", "[*][*]different: the new version failed less (p *"])
    assert result.ret == 0
    with open_run(suite, "fixed") as run:
        assert run.run.selection == "--poisson-fix-check nightly"
        assert [each.planned for each in run.conditions] == [12] * 4


def test_a_version_that_ends_by_assertion_errors_is_no_fix(suite):
    """`failed`, which the rollout does not declare, is a failure here as in any comparison; and it is selected by."""
    suite.makepyfile(
        AGENT.replace(
            "    rollout.end(", "    assert rollout.variant.get('code') != 'broken'\n    rollout.end("
        )
    )
    result = fix_check(suite, "broken", "--poisson-name=broken")
    result.stdout.fnmatch_lines(["[*][*]different: the new version failed more (p *"])
    assert result.ret == 9
    again = sweep(suite, "--poisson-failing-from=broken", "--poisson-variant=code=fixed")
    again.assert_outcomes(passed=4, deselected=2)


def test_a_fix_that_is_not_shown_fails(suite):
    """Any other word fails the session with 9, and the last line says why; no item fails for it."""
    result = fix_check(suite, "same", "--poisson-max-mde=0.5")
    assert result.ret == 9
    result.assert_outcomes(passed=4, deselected=2)
    text = " ".join(result.stdout.str().split())
    assert (
        "exit status 9: the fix-check says no significant difference (it does not show that the fix worked)"
        in text
    )


def test_fail_on_says_what_fails(suite):
    """Where it is given, `--poisson-fail-on` decides: `worse` fails on more failures alone."""
    assert fix_check(suite, "same", "--poisson-fail-on=worse").ret == 0
    assert fix_check(suite, "broken", "--poisson-fail-on=worse").ret == 9


def test_the_report_as_json(suite, pytester):
    """`--poisson-json` has the document of `pytest-poisson fix-check`."""
    fix_check(
        suite, "fixed", "--poisson-json=report.json", "--poisson-salt=x", old="--poisson-compare-with=old"
    )
    document = json.loads((pytester.path / "report.json").read_text(encoding="utf-8"))
    assert document["schema"] == "pytest-poisson.fix-check/1"
    assert (document["word"], document["failed"], document["same_draws"]) == ("different", "less", False)
    assert document["selection"]["failing_from"]["name"] == "nightly"


def test_what_is_left_for_others(suite, pytester, monkeypatch):
    """The step summary and the report's folder have the fix-check with its gate, not a description of one run."""
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(pytester.path / "summary.md"))
    fix_check(suite, "broken", "--poisson-report=folder")
    summary = (pytester.path / "summary.md").read_text(encoding="utf-8")
    assert "# Did the fix work: " in summary
    assert summary.endswith(f"## Gate\n\ngate: failed: {NOT_SHOWN}.\n")
    assert (pytester.path / "folder" / "fix-check.md").read_text(encoding="utf-8") in summary
    document = json.loads((pytester.path / "folder" / "fix-check.json").read_text(encoding="utf-8"))
    assert document["failed"] == "more"


def test_the_comment_says_what_the_gate_decided(suite, pytester, capsys):
    """`comment` of a session's JSON has the report and what its gate decided, failed or passed."""
    fix_check(suite, "broken", "--poisson-json=report.json")
    assert main(["comment", str(pytester.path / "report.json")]) == 0
    assert f"gate: failed: {NOT_SHOWN}." in capsys.readouterr().out
    fix_check(suite, "fixed", "--poisson-json=report.json")
    assert main(["comment", str(pytester.path / "report.json")]) == 0
    assert "gate: passed." in capsys.readouterr().out


def test_events_that_are_named(suite):
    """With `--poisson-event` the conditions with that outcome are swept, and it is what is compared."""
    result = fix_check(suite, "fixed", "--poisson-event=lost")
    result.assert_outcomes(deselected=6)
    assert result.ret == 5
    result.stdout.fnmatch_lines(["No rollout was selected that failed in 'nightly', so nothing was swept."])
    result = fix_check(suite, "fixed", "--poisson-event=stuck", "--poisson-min-failures=5")
    assert "failed at least 5 times in 'nightly'" in " ".join(result.stdout.str().split())


def test_quiet(suite):
    """Quiet, the word alone is printed."""
    assert "fix-check: different: failed less" in fix_check(suite, "fixed", "-q", "-q").stdout.str()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--poisson-fix-check=nightly"], "*--poisson-fix-check=nightly needs the old version: *"),
        (
            ["--poisson-fix-check=old", "--poisson-pair-with=old"],
            "*Run 'old' is one of the two compared, and its failures are there by selection*",
        ),
        (["--poisson-fix-check=nobody", "--poisson-pair-with=old"], "*nobody*"),
        (
            ["--poisson-fix-check=nightly", "--poisson-pair-with=old", "--poisson-event=stuck+gone"],
            "*--poisson-event=gone is no outcome of run 'nightly'; it has done, stuck, lost.",
        ),
        (
            ["--poisson-fix-check=nightly", "--poisson-pair-with=old", "--poisson-event=done"],
            "*--poisson-event=done is declared a success, and a fix-check asks what still fails.",
        ),
        (
            ["--poisson-fix-check=nightly", "--poisson-compare-with=old", "--poisson-salt=drawn"],
            "*--poisson-salt=drawn has the seeds of 'nightly', whose failures are there by selection*",
        ),
        (
            ["--poisson-fix-check=nightly", "--poisson-failing-from=old", "--poisson-pair-with=old"],
            "*--poisson-failing-from has no place beside --poisson-fix-check*",
        ),
    ],
)
def test_what_is_refused_before_anything_runs(suite, options, sentence):
    """Without an old version, with a run that selects its own failures, or two selections: status 4, nothing stored."""
    result = sweep(suite, *options)
    assert result.ret == 4
    result.stderr.fnmatch_lines([sentence])
    with open_run(suite) as run:
        assert run.run.name == "old"


@pytest.mark.parametrize(
    ("fail_on", "expected"),
    [
        (None, ((), False)),
        ((), ((), False)),
        (("worse", "too-small"), ((), False)),
        (("any",), (("any",), False)),
    ],
)
def test_decisions_on_fewer_failures(tmp_path, fail_on, expected):
    """Fewer failures pass whatever is asked, but for `any`."""
    result = check(tmp_path, cells([(6, 8)] * 6), cells([(0, 8)] * 6))
    assert decide_fix(result, fail_on) == expected


def test_decisions_on_too_little(tmp_path):
    """Too small to tell shows nothing, and fails by its own word."""
    result = check(tmp_path, cells([(1, 2)] * 2), cells([(1, 2)] * 2))
    assert decide_fix(result, None) == ((NOT_SHOWN,), False)
    assert decide_fix(result, ("too-small",)) == (("too-small",), False)
    assert decide_fix(result, ("worse",)) == ((), False)


def test_missing_outcomes_undermine_a_fix(tmp_path):
    """A version that times out where it failed has not been fixed: not comparable, unless nothing is to fail."""
    result = check(tmp_path, cells([(6, 8)] * 6), [(task(i), share(0, 2, timed_out=6)) for i in range(6)])
    reasons, not_comparable = decide_fix(result, None)
    assert (reasons, not_comparable) == (("rows without an outcome could hide failures",), True)
    assert decide_fix(result, ("missing",))[0] == ("missing", *reasons)
    assert decide_fix(result, ()) == ((), False)
    assert result.rows.new == Accounting(planned=48, with_outcome=12, timed_out=36)
    assert not replace(result, rows=None).rows
