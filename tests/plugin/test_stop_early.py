"""`--poisson-stop-early`: conditions stop when they are decided, and the verdict rests on the rule they stopped by."""

import json
import shutil

import pytest

from tests.plugin.support import assert_accounted, episodes, open_run, sweep

AGENT = """
import pytest

@pytest.fixture(params=["a", "b", "c"])
def task(request):
    return request.param

@pytest.mark.rollout(id="agent", outcomes=["ok", "bad"], failures=["bad"], successes=["ok"], replicates=100)
def test_agent(task, rollout):
    share = 0.1 if task == "b" else 0.4
    if task == "b":
        share = float(rollout.variant.get("b", share))
    rollout.end("bad" if rollout.random.random() < share else "ok")
"""
WORSE = "--poisson-variant=b=0.8"


@pytest.fixture(params=["pair_with", "compare_with"])
def against(request):
    """Return the option that names the baseline: the same seeds, or fresh ones."""
    return f"--poisson-{request.param.replace('_', '-')}=base"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """Return where the baseline of the first test is kept for the others."""
    return tmp_path_factory.mktemp("kept") / "store"


@pytest.fixture
def base(pytester, kept):
    """Return a folder with the suite and a baseline of it."""
    pytester.makepyfile(test_agent=AGENT)
    if kept.exists():
        shutil.copytree(kept, pytester.path / ".poisson")
    else:
        sweep(pytester, "--poisson-name=base")
        shutil.copytree(pytester.path / ".poisson", kept)
    return pytester


def test_a_decided_condition_stops_and_the_others_go_on(base, against):
    """The condition that became worse stops long before its 100 replicates and fails its item; the others run to the end."""
    result = sweep(base, against, WORSE, "--poisson-stop-early", "--poisson-name=after")
    result.assert_outcomes(passed=2, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        ["worse: of 6 tests, 1 changed for the worse.", "Stopped early: 1 of 3 conditions decided, *"]
    )
    with open_run(base, "after") as run:
        ran = {
            condition.axes["task"]: run.accounting_by_condition()[condition.key].stored
            for condition in run.conditions
        }
        status = run.run.status
    assert (ran["a"], ran["c"], status) == (100, 100, "complete")
    assert ran["b"] < 60


def test_what_was_saved_is_counted(base, against):
    """Planned replicates are those that ran and those that are not run; the saved ones are the decided condition's."""
    sweep(base, against, WORSE, "--poisson-stop-early", "--poisson-name=after", "--poisson-json=out.json")
    account = assert_accounted(base, "after", planned=300)
    early = json.loads(base.path.joinpath("out.json").read_text())["diff"]["early"]
    assert early == {
        "conditions": 3,
        "decided": 1,
        "planned": 300,
        "saved": account.not_run,
        "late": early["late"],
    }
    assert account.not_run > 30


def test_the_rule_is_stored_and_a_later_diff_rests_on_it(base, against, capsys):
    """The run keeps the rule; `diff` uses its evidence, says so, and comes to the session's verdict and numbers."""
    from pytest_poisson.cli import main

    sweep(base, against, WORSE, "--poisson-stop-early", "--poisson-name=after", "--poisson-json=out.json")
    method = "sign_ebh" if "pair" in against else "block_ebh"
    with open_run(base, "after") as run, open_run(base, "base") as before:
        rule = run.run.settings["stop_early"]
        assert rule == {"rule": method, "q": 0.05, "events": ["bad", "failed"], "against": before.run.run_id}
    store = f"--store={base.path / '.poisson'}"
    assert main(["show", "after", store]) == 0
    assert f"could stop early by {method} at 0.05 against" in " ".join(capsys.readouterr().out.split())
    assert main(["diff", "base", "after", store]) == 0
    assert "Evidence that may be looked at after every replicate" in " ".join(capsys.readouterr().out.split())
    assert main(["diff", "base", "after", store, "--json"]) == 0
    later = json.loads(capsys.readouterr().out)
    assert (later["method"], later["verdict"], later["design"], later["level"]) == (
        method,
        "worse",
        None,
        None,
    )
    assert later == json.loads(base.path.joinpath("out.json").read_text())["diff"]


def test_a_test_of_fixed_numbers_is_noted(base, capsys):
    """Forced on such a run, an exact test is made, and the text says that it does not keep its level there."""
    from pytest_poisson.cli import main

    sweep(base, "--poisson-pair-with=base", WORSE, "--poisson-stop-early", "--poisson-name=after")
    main(["diff", "base", "after", f"--store={base.path / '.poisson'}", "--method=mcnemar_bh"])
    text = " ".join(capsys.readouterr().out.split())
    assert (
        "Run 'after' could stop early on its outcomes, so that mcnemar_bh does not keep its error level"
        in text
    )


def test_without_a_change_everything_runs(base):
    """Nothing is decided of a program that did not change: all replicates run, and the word is `too small to tell`."""
    result = sweep(base, "--poisson-pair-with=base", "--poisson-stop-early", "--poisson-name=after")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "too small to tell: of 6 tests, none changed, *",
            "Stopped early: 0 of 3 conditions decided, 0 of 300*",
        ]
    )
    assert assert_accounted(base, "after", planned=300).not_run == 0


def test_the_number_of_workers_changes_nothing_that_is_compared(base):
    """Rows, flags and verdict with two workers are those without any, whatever was in flight at the decision."""
    found = []
    for workers in (0, 2):
        sweep(
            base,
            "--poisson-pair-with=base",
            WORSE,
            "--poisson-stop-early",
            "--poisson-json=out.json",
            workers=workers,
            subprocess=bool(workers),
        )
        document = json.loads(base.path.joinpath("out.json").read_text())["diff"]
        found.append([document["rows"], document["verdict"], document["early"]["decided"]])
    assert found[0] == found[1]


def test_a_resumed_run_goes_on_by_its_rule(base):
    """What was decided stays decided: a resumed run adds nothing to it and finishes the others."""
    stopped = ["--poisson-pair-with=base", WORSE, "--poisson-stop-early", "--poisson-name=after"]
    sweep(base, *stopped)
    before = {(each.condition, each.replicate) for each in episodes(base, "after")}
    result = sweep(base, "--poisson-resume=after")
    assert {(each.condition, each.replicate) for each in episodes(base, "after")} == before
    result.stdout.fnmatch_lines(["worse: *"])


def test_a_sweep_that_was_cut_off_ends_as_one_that_was_not(base):
    """Cut off somewhere by a cap and resumed, a run is compared on the very rows of one that ran through."""
    stopped = ["--poisson-pair-with=base", WORSE, "--poisson-stop-early"]
    sweep(base, *stopped, "--poisson-json=straight.json")
    sweep(base, *stopped, "--poisson-name=cut", "--poisson-max-seconds=0.005")
    with open_run(base, "cut") as run:
        assert run.run.status == "partial"
    sweep(base, "--poisson-resume=cut", "--poisson-json=resumed.json")
    straight, resumed = (
        json.loads(base.path.joinpath(f"{name}.json").read_text())["diff"] for name in ("straight", "resumed")
    )
    assert [row["replay"] for row in resumed["rows"]] == [row["replay"] for row in straight["rows"]]
    assert resumed["rows"] == straight["rows"]
    assert resumed["early"]["decided"] == 1


def test_a_part_of_a_run_says_what_it_waits_for(base):
    """Conditions that a resumed session leaves out keep it from deciding anything, which it says before it runs."""
    stopped = ["--poisson-pair-with=base", WORSE, "--poisson-stop-early", "--poisson-name=cut"]
    sweep(base, *stopped, "--poisson-max-seconds=0.000001")
    part = sweep(base, "--poisson-resume=cut", "-k", "[b]")
    part.stdout.fnmatch_lines(["note: 2 undecided conditions that this session leaves out have *"])
    assert "undecided" not in sweep(base, "--poisson-resume=cut").stdout.str()


def test_the_same_replicates_are_drawn_as_without_stopping(base):
    """Stopping changes how many replicates run and nothing of those that do."""
    sweep(base, "--poisson-pair-with=base", WORSE, "--poisson-name=whole")
    sweep(base, "--poisson-pair-with=base", WORSE, "--poisson-stop-early", "--poisson-name=after")
    whole = {(each.condition, each.replicate): (each.seed, each.outcome) for each in episodes(base, "whole")}
    early = {(each.condition, each.replicate): (each.seed, each.outcome) for each in episodes(base, "after")}
    assert early.items() <= whole.items()
    assert len(early) < len(whole)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ([], "--poisson-stop-early decides against a stored run; give --poisson-pair-with=RUN*"),
        (
            ["--poisson-pair-with=base", "--poisson-margin=0.1"],
            "--poisson-margin has no place beside --poisson-stop-early*",
        ),
        (
            ["--poisson-pair-with=base", "--poisson-method=mcnemar_bh"],
            "--poisson-method has no place beside --poisson-stop-early*",
        ),
        (
            ["--poisson-pair-with=base", "--poisson-shard=1/2"],
            "--poisson-shard has no place beside --poisson-stop-early*",
        ),
    ],
)
def test_what_contradicts_it_is_refused(pytester, options, sentence):
    """Without a baseline, and beside what fixes or splits the replicates, it is a usage error."""
    pytester.makepyfile(AGENT)
    result = sweep(pytester, "--poisson-stop-early", *options)
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])


def test_promises_say_that_the_run_could_stop(base):
    """A promise is judged as if the replicates had been fixed, and the text says so."""
    base.makepyfile(test_agent=AGENT.replace('successes=["ok"]', 'successes=["ok"], at_most={"bad": 0.9}'))
    result = sweep(base, "--poisson-pair-with=base", WORSE, "--poisson-stop-early")
    result.stdout.fnmatch_lines(
        ["The run could stop early on its outcomes; promises are judged as if it could*"]
    )


def test_what_nobody_declared_is_tested_too(base):
    """A version whose replicates end by AssertionErrors is worse, as it is where nothing stops early."""
    broken = AGENT.replace("    rollout.end(", "    assert task != 'b'\n    rollout.end(")
    base.makepyfile(test_agent=broken)
    result = sweep(base, "--poisson-pair-with=base", "--poisson-stop-early", "--poisson-name=after")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*worse: failed rose from 0.000 to 1.000*"])
