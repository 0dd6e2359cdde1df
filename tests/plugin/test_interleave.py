"""`--poisson-interleave`: two variants in one session, batches alternating, two stored runs."""

import pytest

from poisson_store import Store
from pytest_poisson.interleave import TwinWriter
from tests.plugin.support import episodes, open_run, sweep

AGENT = """
import pathlib
import pytest

@pytest.mark.rollout(id="agent", outcomes=["done", "stuck"], failures=["stuck"], successes=["done"], replicates=40)
@pytest.mark.parametrize("task", [1, 2])
def test_agent(task, rollout):
    model = rollout.variant["model"]
    with pathlib.Path("order.txt").open("a") as file:
        file.write(f"{model}{task} ")
    rollout.end("stuck" if rollout.random.random() < {"a": 0.1, "b": 0.8}[model] else "done", meta={"at": rollout.variant})
"""
OPTIONS = (
    "--poisson-interleave",
    "--poisson-variant=model=a",
    "--poisson-against=model=b",
    "--poisson-name=new",
    "--poisson-salt=x",
)


@pytest.fixture
def swept(pytester):
    """Return a suite, and the result of a session that swept both variants of it."""
    pytester.makepyfile(AGENT)
    return pytester, sweep(pytester, *OPTIONS)


def test_two_runs_are_stored(swept):
    """Each variant is a run of its own, whole, with its variant; the one is paired with the other."""
    pytester, result = swept
    assert result.ret == 0
    with open_run(pytester, "new") as new, open_run(pytester, "new-against") as old:
        assert (new.run.variant, old.run.variant) == ({"model": "a"}, {"model": "b"})
        assert (new.run.status, old.run.status) == ("complete", "complete")
        assert new.run.paired_with == old.run.run_id
        assert new.accounting().with_outcome == old.accounting().with_outcome == 80
    for name, model in (("new", "a"), ("new-against", "b")):
        assert {each.meta["at"]["model"] for each in episodes(pytester, name)} == {model}


def test_both_draw_the_same_seeds(swept):
    """Replicate i of a condition has one seed in both runs, so that they are compared pair by pair."""
    pytester, result = swept
    first, second = (
        [(each.condition, each.replicate, each.seed) for each in episodes(pytester, name)]
        for name in ("new", "new-against")
    )
    assert first == second
    result.stdout.fnmatch_lines(["safer: of 2 tests, 2 changed for the better.", "McNemar's exact test*"])


def test_batches_alternate(swept):
    """At no moment has one variant run more than two batches of a condition ahead of the other."""
    pytester, _ = swept
    order = (pytester.path / "order.txt").read_text(encoding="utf-8").split()
    assert len(order) == 160
    for position in range(0, 160, 10):
        begun = order[: position + 1]
        models = [sum(word[0] == model for word in begun) for model in "ab"]
        assert abs(models[0] - models[1]) <= 10, begun


def test_a_worse_variant_fails_its_items(pytester):
    """The variant is measured against the other: where it is worse its conditions fail, as after pairing."""
    pytester.makepyfile(AGENT)
    result = sweep(
        pytester,
        "--poisson-interleave",
        "--poisson-variant=model=b",
        "--poisson-against=model=a",
        "--poisson-salt=x",
    )
    result.assert_outcomes(failed=2)
    assert result.ret == 1


def test_in_worker_processes(pytester):
    """Workers serve both variants; the rows are those of a session without workers."""
    pytester.makepyfile(AGENT)
    sweep(pytester, *OPTIONS)
    alone = [
        [(each.seed, each.outcome) for each in episodes(pytester, name)] for name in ("new", "new-against")
    ]
    options = [word for word in OPTIONS if "name" not in word]
    sweep(pytester, *options, "--poisson-name=again", workers=2)
    again = [
        [(each.seed, each.outcome) for each in episodes(pytester, name)]
        for name in ("again", "again-against")
    ]
    assert again == alone


def test_with_a_fix_check(pytester):
    """The run beside is the old version of a fix-check; nothing was made at another time."""
    pytester.makepyfile(AGENT)
    sweep(
        pytester,
        "--poisson-variant=model=b",
        "--poisson-name=nightly",
        "--poisson-replicates=5",
        "--poisson-salt=n",
    )
    result = sweep(pytester, *OPTIONS, "--poisson-fix-check=nightly")
    assert result.ret == 0
    text = " ".join(result.stdout.str().split())
    assert "Did the fix work: 'new' against 'new-against'" in text
    assert "They ran at the same time" in text
    assert "Both drew the same seeds" in text
    assert "between the runs" not in text


def test_a_run_that_is_interrupted_leaves_both(pytester):
    """A replicate that exits ends both runs as interrupted, and both can be resumed."""
    pytester.makepyfile(
        AGENT.replace(
            "    rollout.end", "    if rollout.replicate == 9: pytest.exit('enough')\n    rollout.end"
        )
    )
    result = sweep(pytester, *OPTIONS)
    result.stdout.fnmatch_lines(["*--poisson-resume=new", "*--poisson-resume=new-against"])
    for name in ("new", "new-against"):
        with open_run(pytester, name) as run:
            assert run.run.status == "interrupted"
            assert run.accounting().not_run > 0


def test_the_plan_counts_both(pytester):
    """The plan has the replicates of both variants, and names them; a dry run stores nothing."""
    pytester.makepyfile(AGENT)
    result = sweep(pytester, *OPTIONS, "--poisson-dry-run")
    result.stdout.fnmatch_lines(
        ["replicates * 160 in all", "variant * model=a", "against * model=b, batches alternating"]
    )
    assert not (pytester.path / ".poisson").exists()


@pytest.mark.parametrize("taken", ["new", "new-against"])
def test_a_name_that_is_taken_begins_nothing(pytester, taken):
    """Either name is looked at before a run is begun under the other."""
    pytester.makepyfile(AGENT)
    sweep(pytester, "--poisson-variant=model=a", f"--poisson-name={taken}", "--poisson-replicates=2")
    assert sweep(pytester, *OPTIONS).ret == 4
    assert [run.name for run in Store(pytester.path / ".poisson").runs()] == [taken]


def test_a_name_that_is_taken_meanwhile_leaves_no_run_open(pytester, monkeypatch):
    """Where the second run cannot begin, the first has ended."""
    pytester.makepyfile(AGENT)
    sweep(pytester, "--poisson-variant=model=a", "--poisson-name=new", "--poisson-replicates=2")
    monkeypatch.setattr(Store, "check_free", lambda *_: None)  # as if it were taken a moment later
    result = sweep(pytester, *OPTIONS)
    assert result.ret == 4
    with open_run(pytester, "new-against") as run:
        assert (run.run.status, run.accounting().stored) == ("interrupted", 0)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--poisson-interleave"], "*--poisson-interleave has no variant on both sides*"),
        (
            ["--poisson-interleave", "--poisson-variant=m=a", "--poisson-against=m=a"],
            "*--poisson-interleave has m=a on both sides; give the other with --poisson-against=KEY=VALUE.",
        ),
        (["--poisson-sweep", "--poisson-against=m=a"], "*--poisson-against goes with --poisson-interleave."),
        (
            ["--poisson-interleave", "--poisson-against=m=a", "--poisson-pair-with=x"],
            "*--poisson-pair-with has no place beside --poisson-interleave*",
        ),
    ],
)
def test_what_is_refused(pytester, options, sentence):
    """Equal variants, a variant without its session, another baseline: a usage error that names the values."""
    pytester.makepyfile(AGENT)
    result = pytester.runpytest_inprocess(*options)
    assert result.ret == 4
    result.stderr.fnmatch_lines([sentence])


class Recorder:
    """Keeps what a writer is asked."""

    def __init__(self, *, fails=False):
        self.asked = []
        self.fails = fails
        self.run = "run"

    def add(self, rows):
        self.asked += rows
        return len(self.asked)

    def finish(self, status):
        self.asked.append(status)
        if self.fails:
            raise RuntimeError("full")

    def beat(self):
        self.asked.append("beat")


def test_rows_go_to_their_run():
    """Even positions are the first run's, odd ones the second's; halved they are its conditions."""
    first, second = Recorder(), Recorder()
    twin = TwinWriter(first, second)
    assert twin.add([(0, "a"), (1, "b"), (4, "c"), (7, "d")]) == 4
    twin.beat()
    assert first.asked == [(0, "a"), (2, "c"), "beat"]
    assert second.asked == [(0, "b"), (3, "d"), "beat"]


def test_both_runs_end():
    """Where the first run cannot be ended, the second is ended all the same."""
    first, second = Recorder(fails=True), Recorder()
    with pytest.raises(RuntimeError):
        TwinWriter(first, second).finish("complete")
    assert second.asked == ["complete"]
