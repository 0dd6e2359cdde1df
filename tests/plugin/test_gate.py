"""The gate: a worse condition fails its own item, and the exit status says what the verdict means."""

import json
from types import SimpleNamespace

import pytest

from pytest_poisson.cli.main import main
from pytest_poisson.gate import rank_status
from pytest_poisson.stops import Stop
from tests.plugin.support import DRIFTING, sweep


def test_a_worse_condition_fails_its_own_item_alone(pytester):
    """The item of the condition that is worse fails, with rates, interval, p, limit and the command to replay."""
    pytester.makepyfile(DRIFTING)
    sweep(pytester, "--poisson-name=base")
    result = sweep(pytester, "--poisson-pair-with=latest", "--poisson-variant=b=0.95", "-rf")
    result.assert_outcomes(passed=2, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*worse: bad rose from *",
            "*before */60 = *, after */60 = *",
            "*pytest --poisson-replicate=* --poisson-run=* *test_drift?b]*",
            "worse: *of 3 tests, 1 changed for the worse*",
            "FAILED *test_drift?b? - *",
        ]
    )


def test_an_improvement_passes(pytester):
    """A safer verdict passes the default gate, and fails one that fails on any change with 9."""
    pytester.makepyfile(DRIFTING)
    sweep(pytester, "--poisson-name=base")
    better = ["--poisson-pair-with=base", "--poisson-variant=b=0.0"]
    result = sweep(pytester, *better)
    result.assert_outcomes(passed=3)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["safer: *"])
    assert sweep(pytester, *better, "--poisson-fail-on=any").ret == 9


@pytest.mark.parametrize(
    ("fail_on", "status"), [("worse", 0), ("too-small", 9), ("worse,too-small", 9), ("never", 0)]
)
def test_too_small_to_tell_fails_only_where_asked(pytester, fail_on, status):
    """An A/A pair of few replicates is too small to tell; whether that fails is the user's word, with status 9."""
    pytester.makepyfile(DRIFTING)
    sweep(pytester, "--poisson-replicates=10", "--poisson-name=base")
    result = sweep(pytester, "--poisson-pair-with=base", f"--poisson-fail-on={fail_on}")
    assert result.ret == status
    result.stdout.fnmatch_lines(["too small to tell: *"])


def test_never_passes_even_what_is_worse(pytester):
    """`never` reports a worse verdict and fails nothing."""
    pytester.makepyfile(DRIFTING)
    sweep(pytester, "--poisson-name=base")
    result = sweep(pytester, "--poisson-pair-with=base", "--poisson-variant=b=1", "--poisson-fail-on=never")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["worse: *"])


def test_the_events_that_are_named_are_judged_and_no_others(pytester):
    """An outcome that is no declared failure fails its condition where it is asked about, and a declared one does not."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.rollout(outcomes=["ok", "slow", "bad"], failures=["bad"], replicates=40)
        def test_it(rollout):
            rollout.end(rollout.variant.get("all", "ok"))
    """)
    sweep(pytester, "--poisson-name=base")

    def status(ending, *events):
        return sweep(pytester, "--poisson-pair-with=base", f"--poisson-variant=all={ending}", *events).ret

    assert (status("slow"), status("slow", "--poisson-event=slow", "--poisson-name=slower")) == (0, 1)
    assert (status("bad"), status("bad", "--poisson-event=slow")) == (1, 0)
    # What judged the session judges every later comparison of its run, unless another question is asked.
    check = ["check", "base", "slower", f"--store={pytester.path / '.poisson'}"]
    assert (main(check), main([*check, "--event=bad"])) == (4, 0)
    assert sweep(pytester, "--poisson-resume=slower").ret == 1
    assert sweep(pytester, "--poisson-resume=slower", "--poisson-event=bad").ret == 0


def test_fresh_seeds_are_compared_unpaired(pytester):
    """`--poisson-compare-with` draws fresh seeds and uses Fisher's test."""
    pytester.makepyfile(DRIFTING)
    sweep(pytester, "--poisson-name=base")
    result = sweep(pytester, "--poisson-compare-with=base", "--poisson-json=out.json")
    document = json.loads((pytester.path / "out.json").read_text())
    assert (document["diff"]["method"], document["diff"]["paired"]) == ("fisher_bh", False)
    assert document["diff"]["before"]["salt"] != document["diff"]["after"]["salt"]
    assert result.ret == 0


@pytest.mark.parametrize("full", [False, True])
def test_the_session_and_the_command_line_say_the_same(pytester, monkeypatch, capsys, full):
    """`pytest-poisson check` on the two stored runs gives the very document that the session wrote."""
    from pytest_poisson.cli import main

    pytester.makepyfile(DRIFTING)
    sweep(pytester, "--poisson-name=base")
    sweep(
        pytester,
        "--poisson-pair-with=base",
        "--poisson-name=new",
        "--poisson-variant=b=1",
        "--poisson-json=out.json",
        *(["--poisson-full"] if full else []),
    )
    capsys.readouterr()
    monkeypatch.chdir(pytester.path)
    assert main(["check", "base", "new", "--json", *(["--full"] if full else [])]) == 4
    assert capsys.readouterr().out == (pytester.path / "out.json").read_text()
    whole = json.loads((pytester.path / "out.json").read_text())["diff"]["whole"]
    assert (whole is not None) == full


def test_missing_outcomes_forbid_a_reassuring_word(pytester):
    """Where the new version errors instead of failing, the verdict is not comparable, and the status 10."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.rollout(id="r", outcomes=["ok", "bad"], failures=["bad"], replicates=250)
        def test_it(rollout):
            bad = rollout.random.random() < 0.5
            if bad and rollout.variant.get("new"):
                raise OSError("gave up")
            rollout.end("bad" if bad else "ok")
    """)
    sweep(pytester, "--poisson-name=base")
    result = sweep(pytester, "--poisson-pair-with=base", "--poisson-variant=new=1")
    assert result.ret == 10
    result.stdout.fnmatch_lines(["not comparable: *", "The session fails with exit status 10: *"])
    sweep(pytester, "--poisson-replicates=30", "--poisson-name=small")
    result = sweep(pytester, "--poisson-pair-with=small", "--poisson-variant=new=1")
    assert result.ret == 10
    result.stdout.fnmatch_lines(["too small to tell: *"])


def test_a_baseline_without_a_common_condition_is_refused_before_anything_runs(pytester):
    """Two suites with nothing in common end with 10, one sentence, and nothing written."""
    pytester.makepyfile(DRIFTING)
    sweep(pytester, "--poisson-name=base")
    stored = sorted((pytester.path / ".poisson").glob("*.sqlite"))
    pytester.makepyfile(
        **{next(pytester.path.glob("test_*.py")).stem: DRIFTING.replace('"drift"', '"other"')}
    )
    result = sweep(pytester, "--poisson-pair-with=base")
    assert result.ret == 10
    result.stdout.fnmatch_lines(["*not comparable: this session and run 'base' have no condition in common*"])
    assert sorted((pytester.path / ".poisson").glob("*.sqlite")) == stored


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--poisson-pair-with=nosuch"], "*nosuch*"),
        (["--poisson-pair-with=latest"], "*latest*"),
        (["--poisson-event=nosuch"], "*Event 'nosuch' is no outcome*"),
    ],
)
def test_what_cannot_be_compared_is_a_usage_error(pytester, options, sentence):
    """A missing baseline, `latest` in an empty store, an unknown event: status 4, one sentence, nothing written."""
    pytester.makepyfile(DRIFTING)
    result = sweep(pytester, *options)
    assert result.ret == 4
    assert len([line for line in result.stderr.lines if line.startswith("ERROR")]) == 1
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])
    assert not list(pytester.path.glob(".poisson/*.sqlite"))


def test_the_junit_file_points_at_the_condition(pytester):
    """JUnit XML has one testcase a condition, and the worse one carries the explanation."""
    import xml.etree.ElementTree as ET

    pytester.makepyfile(DRIFTING)
    sweep(pytester, "--poisson-name=base")
    sweep(pytester, "--poisson-pair-with=base", "--poisson-variant=b=1", "--junitxml=out.xml")
    cases = ET.parse(pytester.path / "out.xml").getroot().findall(".//testcase")
    assert [case.get("name") for case in cases if case.find("failure") is not None] == ["test_drift[b]"]
    assert len(cases) == 3


CAP, OUTAGE = Stop("a cap", cap=True), Stop("50 in a row", cap=False)


@pytest.mark.parametrize(
    ("present", "gate", "stop", "unmeasured", "failed", "status"),
    [
        (0, None, None, 0, 0, 0),
        (5, None, None, 0, 0, 5),
        (0, 9, None, 0, 0, 9),
        (0, 10, None, 0, 0, 10),
        (0, 0, CAP, 0, 0, 8),
        (0, 9, CAP, 0, 0, 8),
        (0, None, OUTAGE, 0, 0, 10),
        (1, 0, None, 0, 2, 1),  # an item failed: no cap and no word is louder
        (1, 9, CAP, 0, 2, 1),
        (1, 10, None, 1, 2, 1),
        (1, 10, None, 2, 2, 10),  # all that failed are conditions of which nothing was measured
        (1, 10, None, 0, 0, 1),  # somebody else failed the session
        (1, 9, None, 2, 2, 1),
        (1, None, None, 2, 2, 1),
        (1, 10, CAP, 2, 2, 8),
        (2, 10, CAP, 2, 2, 2),
        (3, 10, CAP, 2, 2, 3),
        (4, 10, CAP, 2, 2, 4),
    ],
)
def test_the_louder_status_wins(present, gate, stop, unmeasured, failed, status):
    """Interrupted, broken and misused sessions keep their status; then come failed items, a stop, and the gate's word."""
    asked = None if gate is None else SimpleNamespace(status=gate)
    assert rank_status(present, asked, stop, ["key"] * unmeasured, failed) == status
