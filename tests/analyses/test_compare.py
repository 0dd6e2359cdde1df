"""Where two runs die: the test, the word, what is compared and what is left out."""

import pytest

from poisson_store import Store
from pytest_poisson.analyses.compare import LeftOut, compare
from pytest_poisson.errors import UserError
from tests.traced_runs import Trail, died, ended, task, write_traced


def analyse(tmp_path, first, second, *, apart_s=0, **options):
    """Store two runs and compare them."""
    store = Store(tmp_path)
    write_traced(store, "A", first)
    write_traced(store, "B", second, began_s=apart_s)
    with store.open("A") as ours, store.open("B") as theirs:
        return compare(ours, theirs, **({"events": ["timeout"], "max_hazard_ratio": 1.3} | options))


def test_numbers_of_the_guidance(tmp_path):
    """222 deaths of 400 runs, half in each arm, detect 1.457; 1.3 takes 457 deaths, 824 runs, 103 inputs or 9 repeats."""
    cells = [
        (task(i), [died(2)] * (3 if i < 11 else 2) + [ended(3)] * (1 if i < 11 else 2)) for i in range(50)
    ]
    found = analyse(tmp_path, cells, cells)
    assert (sum(found.comparison.test.deaths), found.comparison.test.placed) == (222, (200, 200))
    assert (found.comparison.word, found.comparison.detectable) == ("too small to tell", 1.457)
    assert (found.guidance.deaths, found.guidance.runs, found.guidance.inputs, found.guidance.repeats) == (
        457,
        824,
        103,
        9,
    )


def test_the_ratio_handed_back_is_accepted(tmp_path):
    """With --max-mde-hr at the printed ratio the same runs are no longer too small."""
    cells = [(task(i), [died(2), ended(3)]) for i in range(111)]
    assert (
        analyse(tmp_path, cells, cells, max_hazard_ratio=1.457).comparison.word == "no significant difference"
    )


def test_dying_sooner(tmp_path):
    """Where B dies earlier on every input the word is `different` and says that B dies sooner."""
    found = analyse(
        tmp_path,
        [(task(i), [died(6), died(7), died(8)]) for i in range(10)],
        [(task(i), [died(1), died(2), died(3)]) for i in range(10)],
    )
    assert (found.comparison.word, found.comparison.test.second_dies) == ("different", "sooner")
    assert found.guidance is None


def test_strata_are_inputs(tmp_path):
    """Inputs that die at different times do not count as a difference: each is compared with itself."""
    easy, hard = [died(9), ended(10)], [died(1), died(1)]
    found = analyse(
        tmp_path,
        [(task(1), easy * 20), (task(2), hard * 5)],
        [(task(1), easy * 5), (task(2), hard * 20)],
    )
    assert found.comparison.test.p == pytest.approx(1, abs=1e-9)


def test_inputs_left_out_are_counted_under_their_first_reason(tmp_path):
    """Not run in A, not run in B, and no placed run in one: each input once."""
    shared = [died(2), ended(3)]
    found = analyse(
        tmp_path,
        [(task(1), shared), (task(2), shared), (task(3), shared), (task(4), [died(0)])],
        [
            (task(1), shared),
            (task(3), [died(0), Trail("errored", 1)]),
            (task(4), [died(0)]),
            (task(5), shared),
        ],
    )
    assert found.left_out == LeftOut(not_first=1, not_second=1, unplaced=2)
    assert [each.condition.axes["task"] for each in found.inputs] == [1]
    assert found.comparison.test.placed == (2, 2)
    assert found.consistency.runs == 4


def test_left_out_inputs_change_nothing(tmp_path):
    """The whole comparison is that of the common inputs."""
    common = [(task(i), [died(1 + i), died(3), ended(4)]) for i in range(6)]
    alone = analyse(tmp_path / "a", common, common[::-1])
    more = analyse(
        tmp_path / "b", [*common, (task(90), [died(1)] * 9)], [(task(91), [ended(9)] * 9), *common]
    )
    assert more.comparison.test == alone.comparison.test
    assert more.comparison.difference.difference.tolist() == alone.comparison.difference.difference.tolist()


def test_causes_of_both_runs(tmp_path):
    """A kind that only one run dies of is tested too, in the fixed order of kinds."""
    found = analyse(
        tmp_path,
        [(task(1), [died(2, "db"), died(3, "llm")])],
        [(task(1), [died(2, "tool"), ended(3)])],
    )
    assert found.causes == ("llm", "tool", "db")
    assert [test.deaths for test in found.comparison.by_kind] == [(1, 0), (0, 1), (1, 0)]


def test_nobody_died(tmp_path):
    """Without a death in the common inputs nothing is detectable, and there is nothing to scale."""
    found = analyse(
        tmp_path,
        [(task(1), [ended(2)]), (task(2), [died(1)])],
        [(task(1), [ended(3)])],
    )
    assert (found.comparison.word, found.guidance, found.causes, found.incidence) == (
        "too small to tell",
        None,
        (),
        None,
    )


def test_how_far_apart(tmp_path):
    """Runs an hour apart say so; runs that overlap in time say that."""
    cells = [(task(1), [died(1), ended(2)])]
    far = analyse(tmp_path / "far", cells, cells, apart_s=3600).apart
    assert (far.seconds, far.overlap) == (3600, False)
    assert analyse(tmp_path / "near", cells, cells).apart.overlap


def test_one_run_on_both_sides(tmp_path):
    """A run is not compared with itself."""
    store = Store(tmp_path)
    write_traced(store, "A", [(task(1), [died(1)])])
    with (
        store.open("A") as ours,
        store.open("A") as theirs,
        pytest.raises(UserError, match="'A' stands on both sides"),
    ):
        compare(ours, theirs, events=["timeout"], max_hazard_ratio=2)


def test_no_common_input(tmp_path):
    """Runs without a common input are refused with what each had."""
    with pytest.raises(
        UserError, match=r"'A' and 'B' have no input with a placed episode in both: 2 ran in one alone, 0"
    ):
        analyse(tmp_path, [(task(1), [died(1)])], [(task(2), [died(1)])])
