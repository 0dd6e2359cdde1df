"""Resuming: a run that was cut short and continued equals one that was not."""

import random
import subprocess
import time

import pytest

from pytest_poisson.cli.main import main
from tests.plugin.support import COIN, SWEEP, assert_accounted, episodes, newest, open_run, start, sweep

SLOW = """
import time
import pytest

@pytest.fixture(params=["a", "b", "c"])
def task(request):
    return request.param

@pytest.mark.rollout(id="slow", outcomes=["ok", "bad"], failures=["bad"], replicates=40)
def test_slow(task, rollout):
    time.sleep(0.02)
    rollout.end("bad" if rollout.random.random() < 0.3 else "ok", t=rollout.replicate)
"""


def content(pytester, name):
    """Return a run's rows without the times they took."""
    return [
        (e.condition, e.replicate, e.seed, e.outcome, e.cause, e.t, e.horizon, e.meta)
        for e in episodes(pytester, name)
    ]


@pytest.mark.parametrize("kills", [2, pytest.param(20, marks=pytest.mark.slow)])
def test_a_run_killed_again_and_again_equals_an_undisturbed_one(pytester, kills):
    """Kill -9 of the controller at random moments, also during the resume, loses nothing that was stored."""
    pytester.makepyfile(SLOW)
    sweep(pytester, "--poisson-name=whole", "--poisson-salt=s")
    generator = random.Random(kills)
    process = start(pytester, *SWEEP, "--poisson-salt=s")
    for _ in range(kills):
        time.sleep(generator.uniform(1.0, 3.0))
        process.kill()
        process.wait()
        run = newest(pytester)
        if open_run(pytester, run).run.name == "whole":  # killed before it had begun a run
            process = start(pytester, *SWEEP, "--poisson-salt=s")
        else:
            assert_accounted(pytester, run, planned=120)
            process = start(pytester, "--poisson-workers=2", f"--poisson-resume={run}")
    process.wait()
    run = newest(pytester)
    result = sweep(pytester, f"--poisson-resume={run}")
    assert result.ret == 0
    assert open_run(pytester, run).run.status == "complete"
    assert content(pytester, run) == content(pytester, "whole")


def test_more_replicates_can_be_asked_for_later(pytester):
    """Resuming with more replicates runs only the new ones, on the same salt."""
    pytester.makepyfile(COIN)
    sweep(pytester, "--poisson-name=run")
    before = content(pytester, "run")
    sweep(pytester, "--poisson-resume=run", "--poisson-replicates=20")
    assert_accounted(pytester, "run", planned=40)
    after = content(pytester, "run")
    assert [row for row in after if row[1] < 12] == before
    again = sweep(pytester, "--poisson-resume=run", "--poisson-replicates=10")
    assert again.ret == 4
    again.stderr.fnmatch_lines(
        [
            "ERROR: --poisson-replicates=10 is below the 20 that run 'run' planned of *; a resume takes as many or more."
        ]
    )


def test_a_selection_can_be_completed_by_a_resume(pytester):
    """A resume of part of the conditions leaves the run partial, the resume of the rest completes it."""
    pytester.makepyfile(COIN.replace("rollout.end(", "if rollout.variant: pass\n    rollout.end("))
    sweep(pytester, "--poisson-name=run", "--poisson-max-seconds=0.000001")
    assert open_run(pytester, "run").run.status == "partial"
    sweep(pytester, "--poisson-resume=run", "-k", "heads")
    assert open_run(pytester, "run").run.status == "partial"
    assert sweep(pytester, "--poisson-resume=run").ret == 0
    assert open_run(pytester, "run").run.status == "complete"
    assert assert_accounted(pytester, "run", planned=24).with_outcome == 24


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (('"tails"', '"edge"'), "*1 condition gone (*tails*) and 1 condition new (*edge*)*"),
        (
            ('outcomes=["won", "lost"]', 'outcomes=["won", "lost", "drawn"]'),
            "*declared outcomes=*declares*drawn* now*",
        ),
    ],
)
def test_a_changed_suite_is_refused_by_its_difference(pytester, change, sentence):
    """Another suite cannot continue a run; `--poisson-resume-anyway` drops what no longer exists."""
    pytester.makepyfile(COIN)
    sweep(pytester, "--poisson-name=run", "--poisson-max-seconds=0.000001")
    pytester.makepyfile(COIN.replace(*change))
    result = sweep(pytester, "--poisson-resume=run")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])
    assert sweep(pytester, "--poisson-resume=run", "--poisson-resume-anyway").ret == 0
    account = assert_accounted(pytester, "run", planned=24)
    assert account.not_run == 0


def test_a_changed_promise_is_not_judged_as_it_was(pytester):
    """A stricter promise than the run was swept with is refused, and judged where the run is taken over."""
    pytester.makepyfile(COIN.replace("replicates=12", 'replicates=60, at_most={"lost": 0.99}'))
    sweep(pytester, "--poisson-name=run")
    pytester.makepyfile(COIN.replace("replicates=12", 'replicates=60, at_most={"lost": 0.01}'))
    refused = sweep(pytester, "--poisson-resume=run")
    assert refused.ret == 4
    said = " ".join(refused.stderr.str().split())
    assert "swept with at_most={'lost': 0.99} and declares {'lost': 0.01} now; sweep anew, or give" in said
    assert sweep(pytester, "--poisson-resume=run", "--poisson-resume-anyway").ret == 1


def test_a_resumed_pair_is_judged_against_its_baseline(pytester):
    """A paired sweep that was stopped compares with its baseline when it is resumed."""
    pytester.makepyfile(COIN)
    sweep(pytester, "--poisson-name=base")
    stopped = sweep(
        pytester, "--poisson-pair-with=base", "--poisson-name=new", "--poisson-max-seconds=0.000001"
    )
    assert stopped.ret == 8
    result = sweep(pytester, "--poisson-resume=new")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*before  base*"])
    assert content(pytester, "new") == content(pytester, "base")


def test_a_resume_on_fresh_seeds_is_judged_as_the_session_would_have_been(pytester):
    """What a run is compared with is kept with it; a fix-check without an old version is refused, not passed."""
    pytester.makepyfile(COIN)
    sweep(pytester, "--poisson-name=base", "--poisson-salt=a")
    stop = "--poisson-max-seconds=0.000001"
    assert sweep(pytester, "--poisson-compare-with=base", "--poisson-name=new", stop).ret == 8
    result = sweep(pytester, "--poisson-resume=new")
    result.stdout.fnmatch_lines(["baseline    base", "*before  base*"])
    assert sweep(pytester, "--poisson-sweep", "--poisson-name=alone", "--poisson-salt=b", stop).ret == 8
    refused = sweep(pytester, "--poisson-resume=alone", "--poisson-fix-check=base")
    assert refused.ret == 4
    refused.stderr.fnmatch_lines(
        ["ERROR: --poisson-fix-check=base needs the old version, and run 'alone' was *"]
    )


def test_a_resume_is_judged_by_the_levels_it_was_begun_with(pytester):
    """Neither the defaults nor the configuration of the session that resumes change them; its command line does."""
    pytester.makepyfile(COIN)
    pytester.makeini("[pytest]\npoisson_max_mde = 0.3")
    sweep(pytester, "--poisson-name=base")
    begun = ("--poisson-q=0.01", "--poisson-max-mde=0.9", "--poisson-margin=0.6")
    stop = "--poisson-max-seconds=0.000001"
    assert sweep(pytester, "--poisson-pair-with=base", "--poisson-name=new", *begun, stop).ret == 8
    result = sweep(pytester, "--poisson-resume=new")
    result.stdout.fnmatch_lines(["events * at q = 0.01", "*each at 0.01*", "*margin of 0.6*"])
    again = sweep(pytester, "--poisson-resume=new", "--poisson-q=0.2")
    again.stdout.fnmatch_lines(["events * at q = 0.2"])


def test_what_was_stored_is_left_alone(pytester):
    """A replicate without an outcome is not run again by a resume: it is what became of it."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.rollout(replicates=6)
        def test_it(rollout):
            if rollout.replicate == 2:
                raise OSError("gone")
    """)
    sweep(pytester, "--poisson-name=run")
    sweep(pytester, "--poisson-resume=run", "--poisson-replicates=8")
    account = assert_accounted(pytester, "run", planned=8)
    assert (account.errored, account.with_outcome) == (1, 7)


WORSE = """
import os
import pytest

@pytest.fixture(params=["a", "b"])
def task(request):
    return request.param

@pytest.mark.rollout(id="turns", outcomes=["ok", "bad"], failures=["bad"], replicates=30)
def test_turns(task, rollout):
    rollout.end("bad" if "BROKEN" in os.environ and task == "a" else "ok")
"""


def test_a_worse_condition_fails_the_session_that_resumes_another(pytester, monkeypatch):
    """The verdict is the run's: where the condition that got worse has no item here, the status says so."""
    pytester.makepyfile(WORSE)
    sweep(pytester, "--poisson-name=before")
    monkeypatch.setenv("BROKEN", "1")
    assert sweep(pytester, "--poisson-pair-with=before", "--poisson-name=after").ret == 1
    result = sweep(pytester, "--poisson-resume=after", "-k", "b")
    assert result.ret == 9
    assert "1 condition of the run that this session left out failed the gate" in " ".join(
        result.stdout.str().split()
    )
    assert sweep(pytester, "--poisson-resume=after", "-k", "a").ret == 1
    assert sweep(pytester, "--poisson-resume=after", "-k", "b", "--poisson-fail-on=never").ret == 0


def commit(pytester, file):
    """Commit one more file of the suite's directory, and return the beginning of the commit's name."""
    pytester.path.joinpath(file).write_text("")
    who = ("-c", "user.name=nobody", "-c", "user.email=nobody@localhost")
    for words in (["init", "-q"], ["add", file], [*who, "commit", "-q", "-m", file]):
        subprocess.run(["git", *words], cwd=pytester.path, check=True)
    shown = subprocess.run(["git", "rev-parse", "HEAD"], cwd=pytester.path, check=True, capture_output=True)
    return shown.stdout.decode()[:12]


def test_other_code_is_told(pytester):
    """Replicates of two commits in one run are of two programs; nothing but git tells, so the session says it."""
    pytester.makepyfile(COIN)
    first = commit(pytester, "first.txt")
    sweep(pytester, "--poisson-name=run", "--poisson-max-seconds=0.000001")
    assert "note:" not in sweep(pytester, "--poisson-resume=run", "--poisson-dry-run").stdout.str()
    second = commit(pytester, "second.txt")
    told = sweep(pytester, "--poisson-resume=run", "--poisson-dry-run").stdout
    assert (
        f"note: run run was begun on commit {first} and goes on on {second}: its replicates will be of both."
        in " ".join(told.str().split())
    )
    pytester.path.joinpath("second.txt").write_text("changed")
    told = sweep(pytester, "--poisson-resume=run", "--poisson-dry-run").stdout
    assert f"goes on on {second} with uncommitted changes: its" in " ".join(told.str().split())


def test_merged_parts_of_several_commits_are_told(pytester, capsys):
    """The same of shards that were swept on different commits."""
    pytester.makepyfile(COIN)
    commits = []
    for part in (1, 2):
        commits.append(commit(pytester, f"{part}.txt"))
        sweep(pytester, f"--poisson-shard={part}/2", "--poisson-salt=s", f"--poisson-name=part{part}")
    capsys.readouterr()
    assert main(["merge", "part1", "part2", "--name=all", f"--store={pytester.path / '.poisson'}"]) == 0
    told = capsys.readouterr().err
    assert told.startswith("pytest-poisson: note: the parts were swept on different commits")
    assert f"part1 on {commits[0]}, part2 on {commits[1]}." in told
