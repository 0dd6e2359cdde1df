"""Parts of a run: shards and selections."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poisson_store import Store
from pytest_poisson.resume import missing_of
from pytest_poisson.shards import share_of_shard
from tests.plugin.support import COIN, assert_accounted, episodes, open_run, sweep


@given(st.integers(0, 50), st.integers(0, 2000), st.integers(1, 9))
def test_the_shares_of_all_parts_make_the_whole(condition, replicates, parts):
    """Every replicate belongs to exactly one shard, and no shard has much more than its part."""
    shares = [share_of_shard(condition, replicates, (part, parts)) for part in range(1, parts + 1)]
    numbers = [number for share in shares for start, stop in share for number in range(start, stop)]
    assert sorted(numbers) == list(range(replicates))
    sizes = [sum(stop - start for start, stop in share) for share in shares]
    assert max(sizes) - min(sizes) <= max(1, replicates // (4 * parts))


def test_what_a_share_lacks_is_of_the_share():
    """Numbers between its blocks belong to other shards."""
    assert missing_of(np.array([3, 4, 9, 20]), ((3, 6), (9, 12), (15, 16))) == ((5, 6), (10, 12), (15, 16))
    assert missing_of(np.array([], dtype=np.int64), ((3, 6),)) == ((3, 6),)


def test_shards_merge_into_the_run_they_are_parts_of(pytester):
    """Two machines with one salt sweep halves; merged, they are the run that one machine would have made."""
    pytester.makepyfile(COIN)
    sweep(pytester, "--poisson-name=whole", "--poisson-salt=ci-1")
    for part in ("1", "2"):
        sweep(pytester, f"--poisson-shard={part}/2", "--poisson-salt=ci-1", f"--poisson-name=part{part}")
    store = Store(pytester.path / ".poisson")
    store.merge(["part1", "part2"], name="merged")
    assert_accounted(pytester, "merged", planned=24)

    def content(name):
        return [(e.condition, e.replicate, e.seed, e.outcome) for e in episodes(pytester, name)]

    assert content("merged") == content("whole")
    assert open_run(pytester).run.name == "merged"  # whole again, so it may be the latest


def test_a_shard_that_was_cut_short_goes_on_with_its_share(pytester):
    """It runs what it lacks of its own replicates, none of another's, and the parts make the whole still."""
    pytester.makepyfile(COIN)
    options = ("--poisson-salt=ci-1", "--poisson-replicates=40")
    sweep(pytester, *options, "--poisson-name=whole")
    sweep(pytester, *options, "--poisson-shard=1/2", "--poisson-name=part1")
    sweep(pytester, *options, "--poisson-shard=2/2", "--poisson-name=part2", "--poisson-max-seconds=0.000001")
    other = sweep(pytester, "--poisson-resume=part2", "--poisson-replicates=50")
    assert other.ret == 4
    other.stderr.fnmatch_lines(
        ["ERROR: Run 'part2' is shard 2 of 2 of 40 replicates a condition, not of 50: *"]
    )
    rest = sweep(pytester, "--poisson-resume=part2", "--poisson-replicates=40")
    rest.stdout.fnmatch_lines(
        ["shard       2 of 2: 40 replicates", "run part2 is complete: 40 * = 40 with *"]
    )
    Store(pytester.path / ".poisson").merge(["part1", "part2"], name="merged")

    def content(name):
        return [(e.condition, e.replicate, e.seed, e.outcome) for e in episodes(pytester, name)]

    assert content("merged") == content("whole")


def test_some_shards_merged_are_not_filled_up_with_the_others(pytester):
    """They hold numbers that so few replicates do not have; asked for all, the run becomes the whole one."""
    pytester.makepyfile(COIN)
    options = ("--poisson-salt=ci-1", "--poisson-replicates=40")
    for part in ("1", "3"):
        sweep(pytester, *options, f"--poisson-shard={part}/3", f"--poisson-name=part{part}")
    Store(pytester.path / ".poisson").merge(["part1", "part3"], name="merged")
    refused = sweep(pytester, "--poisson-resume=merged")
    assert refused.ret == 4
    refused.stderr.fnmatch_lines(
        ["ERROR: Run 'merged' holds replicate * as where it was merged of some shards *"]
    )
    sweep(pytester, "--poisson-resume=merged", "--poisson-replicates=40")
    assert assert_accounted(pytester, "merged", planned=80).with_outcome == 80


def test_a_shard_without_a_share_says_so(pytester):
    """It measured nothing and passes nothing, and the sentence blames the number of shards."""
    pytester.makepyfile(COIN)
    options = ("--poisson-salt=ci-1", "--poisson-replicates=2")
    result = sweep(pytester, *options, "--poisson-shard=5/5", "--poisson-fail-on=never", "-rs")
    assert result.ret == 10
    result.stdout.fnmatch_lines(["SKIPPED*: no replicate of it was planned"])
    said = " ".join(result.stdout.str().split())
    assert (
        "status 10: there are too few replicates for 5 shards, and shard 5 has none of them; take fewer"
        in said
    )


def test_a_latest_run_of_fewer_tests_is_not_taken_silently(pytester):
    """A file named alone is a suite, and its run the latest; a session that wants more is told of the run that has it."""
    pytester.makepyfile(test_one=COIN, test_two=COIN.replace('"coin"', '"other"'))
    sweep(pytester, "--poisson-name=all")
    sweep(pytester, "test_two.py", "--poisson-name=one-file")
    told = sweep(pytester, "--poisson-pair-with=latest", "--poisson-dry-run")
    told.stdout.fnmatch_lines(
        [
            "note: latest is run one-file, which lacks 2 conditions of this session; run all",
            "  has all of them.",
        ]
    )
    for options in (("--poisson-pair-with=one-file",), ("--poisson-pair-with=latest", "test_two.py")):
        assert "note:" not in sweep(pytester, *options, "--poisson-dry-run").stdout.str()


def test_a_plan_counts_the_tests_that_will_be_made(pytester):
    """What the baseline does not have is not tested, and makes no limit larger."""
    pytester.makepyfile(COIN)
    sweep(pytester, "-k", "heads", "--poisson-name=half")
    plans = [
        sweep(pytester, "--poisson-pair-with=half", "--poisson-dry-run", *words).stdout.str()
        for words in ([], ["-k", "heads"])
    ]
    assert "half; 1 condition it does not have" in plans[0]
    for words in ("events ", "limit ", "            on the same"):
        first, second = (next(line for line in plan.split("\n") if line.startswith(words)) for plan in plans)
        assert first == second


def test_a_plan_says_what_its_session_runs(pytester):
    """A shard's plan and estimate are of its share, a resumed run's of what it lacks; the limit is of the whole."""
    pytester.makepyfile(COIN)
    options = ("--poisson-salt=ci-1", "--poisson-est-seconds=10")
    part = sweep(pytester, *options, "--poisson-shard=1/2", "--poisson-dry-run")
    part.stdout.fnmatch_lines(
        ["replicates * 24 in all", "shard       1 of 2: 12 replicates", "time        about 2 min 0 s, *"]
    )
    sweep(pytester, *options, "--poisson-name=half", "-k", "heads")
    rest = sweep(
        pytester, "--poisson-resume=half", "--poisson-replicates=15", "-k", "heads", "--poisson-dry-run"
    )
    rest.stdout.fnmatch_lines(["replicates * 15 in all", "resumes     half: 3 replicates to run"])


def test_a_selection_is_stored_as_one_and_is_never_the_latest(pytester):
    """-k makes a partial run; `latest` stays the run of everything; comparing lists what was not run."""
    pytester.makepyfile(COIN)
    sweep(pytester, "--poisson-name=whole")
    sweep(pytester, "-k", "heads", "--poisson-name=part")
    with open_run(pytester, "part") as run:
        assert run.run.selection == "-k heads"
        assert len(run.conditions) == 1
    assert open_run(pytester).run.name == "whole"
    result = sweep(pytester, "--poisson-pair-with=latest", "-k", "tails")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["Not run after: 1 condition (heads)."])


@pytest.mark.parametrize("option", ["--collect-only", "--setup-plan"])
def test_looking_costs_nothing(pytester, option):
    """Collecting or planning set-up runs no replicate, writes no store, and says nothing of a selection."""
    pytester.makepyfile(COIN)
    result = sweep(pytester, option)
    assert result.ret == 0
    assert "No rollout was selected" not in result.stdout.str()
    assert not (pytester.path / ".poisson").exists()


def test_failing_from_selects_what_failed_there(pytester):
    """`--poisson-failing-from` with `--poisson-min-failures` runs only the conditions that failed often enough."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.parametrize("limit", [0, 2, 5])
        @pytest.mark.rollout(replicates=8)
        def test_it(rollout, limit):
            assert rollout.replicate >= limit
    """)
    sweep(pytester, "--poisson-name=first")
    sweep(pytester, "--poisson-failing-from=first", "--poisson-name=any")
    sweep(pytester, "--poisson-failing-from=first", "--poisson-min-failures=3", "--poisson-name=often")
    assert [each.axes["limit"] for each in open_run(pytester, "any").conditions] == [2, 5]
    assert [each.axes["limit"] for each in open_run(pytester, "often").conditions] == [5]
    assert open_run(pytester, "any").run.selection == "--poisson-failing-from first"


def test_maxfail_and_last_failed_act_on_conditions(pytester):
    """-x stops after the first worse condition's item, --lf selects the conditions that failed."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.parametrize("task", ["a", "b", "c"])
        @pytest.mark.rollout(id="r", replicates=40)
        def test_it(rollout, task):
            assert not (rollout.variant and task != "b")
    """)
    options = ["--poisson-sweep", "--poisson-workers=0"]
    pytester.runpytest_inprocess(*options, "--poisson-name=base")
    worse = ["--poisson-pair-with=base", "--poisson-variant=v=1"]
    pytester.runpytest_inprocess(*options, *worse, "-x").assert_outcomes(failed=1)
    pytester.runpytest_inprocess(*options, *worse).assert_outcomes(failed=2, passed=1)
    again = [*options, *worse, "--lf", "--poisson-name=again"]
    pytester.runpytest_inprocess(*again).assert_outcomes(failed=2)
    with open_run(pytester, "again") as run:
        assert run.run.selection == "--lf"  # pytest drops the others while it collects, and deselects nothing
    assert open_run(pytester).run.name != "again"
    file = next(pytester.path.glob("test_*.py")).name
    pytester.runpytest_inprocess(*options, "--lf", file, "--poisson-name=passed").assert_outcomes(passed=2)
    with open_run(pytester, "passed") as run:
        assert len(run.conditions) == 2
    pytester.runpytest_inprocess(*options, "--lf", "--poisson-name=none-left").assert_outcomes(passed=3)
    assert open_run(pytester).run.name == "none-left"
