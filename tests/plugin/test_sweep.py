"""A sweep: what it stores, and that nothing but the seeds decides it."""

import pytest

from tests.plugin.support import COIN, assert_accounted, endings, episodes, open_run, sweep


def draws(pytester, name="latest"):
    return sorted((e.condition, e.replicate, e.seed, e.outcome, e.t) for e in episodes(pytester, name))


def test_a_sweep_stores_every_replicate(pytester):
    """Every condition has its replicates, with outcome, seed, t and horizon; the run is complete."""
    pytester.makepyfile(COIN)
    result = sweep(pytester, "--poisson-name=first")
    result.assert_outcomes(passed=2)
    account = assert_accounted(pytester, "first", planned=24)
    assert account.with_outcome == 24
    with open_run(pytester) as run:
        assert run.run.status == "complete"
        assert run.run.environment["python"]
        first = next(run.episodes())
    assert (first.t, first.horizon, first.replicate) == (0, 100, 0)
    result.stdout.fnmatch_lines(["*run first is complete: 24 replicates planned = 24 with outcome*"])


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_workers_change_nothing(pytester, workers):
    """The same salt gives the same draws and outcomes on any number of workers, in any order, with any hash seed."""
    pytester.makepyfile(COIN)
    sweep(pytester, "--poisson-name=inline")
    pytester.makeconftest("def pytest_collection_modifyitems(items): items.reverse()")
    pytester._monkeypatch.setenv("PYTHONHASHSEED", "random")
    result = sweep(
        pytester, "--poisson-pair-with=inline", "--poisson-name=pooled", workers=workers, subprocess=True
    )
    assert result.ret == 0
    assert draws(pytester, "pooled") == draws(pytester, "inline")


def test_without_a_sweep_rollouts_are_skipped_and_nothing_is_written(pytester):
    """A rollout in an ordinary session is skipped with a reason that says how to run it; there is no store."""
    pytester.makepyfile(COIN)
    result = pytester.runpytest_inprocess("-rs")
    result.assert_outcomes(skipped=2)
    result.stdout.fnmatch_lines(["*a rollout: run it with --poisson-sweep*"])
    result.stdout.no_fnmatch_line("*poisson:*")
    assert not (pytester.path / ".poisson").exists()


def test_once_runs_replicate_0_as_a_test(pytester):
    """`poisson_without_sweep = once` runs a rollout as a test, which a declared failure fails."""
    pytester.makeini("[pytest]\npoisson_without_sweep = once")
    pytester.makepyfile("""
        import pytest

        @pytest.mark.parametrize("word", ["won", "lost"])
        @pytest.mark.rollout(outcomes=["won", "lost"], failures=["lost"])
        def test_it(rollout, word):
            assert rollout.replicate == 0
            rollout.end(word)
    """)
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*ended 'lost', a declared failure*"])


def test_the_global_generators_are_seeded_for_every_replicate(pytester):
    """`random` and NumPy's global state are the replicate's own, and independent of `rollout.random` and `rng`."""
    pytester.makepyfile("""
        import random
        import numpy as np
        import pytest

        @pytest.mark.rollout(replicates=3)
        def test_it(rollout):
            drawn = [random.random(), np.random.random(), rollout.random.random(), rollout.rng.random()]
            assert len(set(drawn)) == 4
            rollout.end("passed", meta={"drawn": drawn})
    """)
    sweep(pytester, "--poisson-name=a")
    sweep(pytester, "--poisson-pair-with=a", "--poisson-name=b")
    first, second = ([e.meta["drawn"] for e in episodes(pytester, name)] for name in "ab")
    assert first == second
    assert len({value for drawn in first for value in drawn}) == 12


def test_function_scoped_fixtures_are_fresh_for_every_replicate(pytester):
    """Each replicate has its own tmp_path, autouse and yield fixtures; wider ones are shared as their scope says."""
    pytester.makepyfile("""
        import pytest

        counts = {"module": 0, "auto": 0, "closed": 0}

        @pytest.fixture(scope="module")
        def wide():
            counts["module"] += 1
            return counts["module"]

        @pytest.fixture(autouse=True)
        def auto():
            counts["auto"] += 1
            yield
            counts["closed"] += 1

        @pytest.mark.rollout(replicates=5)
        def test_it(rollout, tmp_path, wide):
            assert not list(tmp_path.iterdir())
            (tmp_path / "file").write_text("x")
            rollout.end("passed", meta={"wide": wide, "auto": counts["auto"], "closed": counts["closed"]})
    """)
    sweep(pytester)
    assert {each.error for each in episodes(pytester)} == {None}
    seen = [(e.meta["wide"], e.meta["auto"], e.meta["closed"]) for e in episodes(pytester)]
    assert [auto - closed for _, auto, closed in seen] == [1] * 5
    assert [auto for _, auto, _ in seen] == [1, 2, 3, 4, 5]
    assert len({wide for wide, _, _ in seen}) == 1


def test_every_kind_of_axis_works(pytester):
    """Stacked and indirect parametrize, class- and module-scoped axes, conftest axes, dependents, classes."""
    pytester.makeconftest("""
        import pytest

        @pytest.fixture(params=["m1", "m2"], scope="module")
        def model(request):
            return request.param

        @pytest.fixture
        def shout(request):
            return request.param.upper()
    """)
    pytester.makepyfile("""
        import pytest

        class TestAgent:
            @pytest.fixture(params=[1, 2], scope="class")
            def depth(self, request):
                return request.param

            @pytest.fixture
            def plan(self, depth, model):
                return f"{model}/{depth}"

            @pytest.mark.parametrize("shout", ["a"], indirect=True)
            @pytest.mark.parametrize("x, y", [(1, None), (1, [2])])
            @pytest.mark.rollout(replicates=2)
            def test_it(self, rollout, plan, shout, x, y):
                assert not hasattr(self, "seen")
                self.seen = True
                rollout.end("passed", meta={"plan": plan, "shout": shout, "y": y})
    """)
    result = sweep(pytester)
    result.assert_outcomes(passed=8)
    with open_run(pytester) as run:
        axes = {each.key: each.axes for each in run.conditions}
        rows = list(run.episodes())
    assert len(axes) == 8
    assert len(rows) == 16
    for row in rows:
        own = axes[row.condition]
        assert row.meta == {"plan": f"{own['model']}/{own['depth']}", "shout": "A", "y": own["y"]}
        assert set(own) == {"model", "depth", "shout", "x", "y"}


def test_a_moved_test_with_an_id_still_pairs(pytester):
    """An id of its own lets a renamed test keep its conditions."""
    pytester.makepyfile(test_old=COIN)
    sweep(pytester, "--poisson-name=old")
    (pytester.path / "test_old.py").unlink()
    pytester.makepyfile(test_new=COIN.replace("test_coin", "test_renamed"))
    result = sweep(pytester, "--poisson-pair-with=old", "--poisson-name=new")
    assert result.ret == 0
    assert draws(pytester, "old") == draws(pytester, "new")


def test_ordinary_tests_run_beside_rollouts(pytester):
    """A sweep session runs its ordinary tests too, and a failing one fails it."""
    pytester.makepyfile(COIN + "\ndef test_plain(): assert False\n")
    result = sweep(pytester)
    result.assert_outcomes(passed=2, failed=1)
    assert result.ret == 1


def test_the_variant_reaches_the_suite_and_the_store(pytester):
    """`--poisson-variant` is `rollout.variant` in every worker, and stored with the run."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.rollout(replicates=2)
        def test_it(rollout):
            assert rollout.variant == {"model": "b", "size": "a=b"}
    """)
    sweep(pytester, "--poisson-variant=model=b", "--poisson-variant=size=a=b", workers=1, subprocess=True)
    assert endings(pytester) == ["passed", "passed"]
    with open_run(pytester) as run:
        assert run.run.variant == {"model": "b", "size": "a=b"}


def test_a_stored_replicate_runs_again_exactly(pytester):
    """`--poisson-replicate` draws what the stored replicate drew, and says whether it ended the same."""
    pytester.makepyfile(COIN)
    sweep(pytester, "--poisson-name=first")
    lost = next(each for each in episodes(pytester) if each.outcome == "lost")
    side = {each.key: each.axes["side"] for each in open_run(pytester).conditions}[lost.condition]
    node = f"{next(pytester.path.glob('test_*.py')).name}::test_coin[{side}]"
    result = pytester.runpytest_inprocess(
        f"--poisson-replicate={lost.replicate}", "--poisson-run=first", node
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [f"*replicate {lost.replicate} seed {lost.seed}: ended lost, recorded lost: the same"]
    )


def test_what_a_wider_fixture_draws_changes_no_replicate_that_runs_again(pytester):
    """A module-scoped fixture that draws from, or reseeds, the global generators leaves the replicate's numbers alone."""
    pytester.makepyfile("""
        import random
        import numpy as np
        import pytest

        @pytest.fixture(scope="module", params=["heads", "tails"])
        def side(request):
            np.random.seed(1)
            return request.param, random.random()

        @pytest.mark.rollout(outcomes=["won", "lost"], failures=["lost"], replicates=3)
        def test_coin(side, rollout):
            rollout.end("won" if random.random() < np.random.random() else "lost")
    """)
    sweep(pytester, "--poisson-name=first")
    again = [pytester.runpytest_inprocess(f"--poisson-replicate={number}") for number in range(3)]
    for result in again:
        result.stdout.no_fnmatch_line("*DIFFERENT*")
        assert result.stdout.str().count(": the same") == 2


def test_a_replicate_that_was_never_stored_is_not_said_to_be_recorded(pytester):
    """A number beyond the run's is drawn all the same, and the section says that nothing is recorded of it."""
    pytester.makepyfile("import pytest\n@pytest.mark.rollout(replicates=2)\ndef test_it(): pass\n")
    sweep(pytester, "--poisson-name=first")
    result = pytester.runpytest_inprocess("--poisson-replicate=9", "--poisson-run=first")
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*replicate 9 seed *: ended passed, no such replicate is stored"])


def test_a_dry_run_plans_and_writes_nothing(pytester):
    """`--poisson-dry-run` prints what would run and what it could see, and leaves no store."""
    pytester.makepyfile(COIN)
    result = pytester.runpytest_inprocess("--poisson-dry-run", "--poisson-replicates=194")
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        ["conditions  2 of rollout coin", "replicates  194 each (option), 388 in all"]
    )
    assert not (pytester.path / ".poisson").exists()


def test_replicates_come_from_the_nearest_source(pytester):
    """The command line wins over the mark, the mark over the configuration file, that over the computed number."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.rollout(replicates=3)
        def test_marked(): pass

        @pytest.mark.rollout
        def test_bare(): pass
    """)

    def planned(*options):
        sweep(pytester, *options)
        with open_run(pytester) as run:
            return {each.nodeid.split("::")[1]: each.planned for each in run.conditions}

    assert planned("--poisson-replicates=2") == {"test_marked": 2, "test_bare": 2}
    assert planned("-o", "poisson_replicates=4") == {"test_marked": 3, "test_bare": 4}
    computed = planned("-o", "poisson_max_mde=0.5")
    assert computed["test_marked"] == 3
    assert 10 < computed["test_bare"] < 60
