"""A run compared with itself."""

from math import comb

import pytest

from poisson_store import Store
from pytest_poisson.analyses.check import check
from pytest_poisson.analyses.material import gather
from pytest_poisson.analyses.null import _compare_halves, _halves, null
from pytest_poisson.decision import facts_of
from pytest_poisson.errors import UserError
from tests.stored_runs import cell, endings, pair_of_runs, write_run

A, B = cell(task="a"), cell(task="b")


def control(tmp_path, cells, **choices):
    store = Store(tmp_path)
    write_run(store, "run", cells)
    with store.open("run") as run:
        return null(run, **choices)


def test_the_share_of_failures_is_that_of_all_splits(tmp_path):
    """Halves of 6 timeouts and 6 others differ completely in 2 of 924 splits, and by Fisher's test in 74: the rate found covers it."""
    result = control(
        tmp_path, [(A, endings(timeout=6, resolved=6))], events=["timeout"], splits=1000, fail_on=("any",)
    )
    splits = comb(12, 6)
    significant = sum(comb(6, k) * comb(6, 6 - k) for k in range(7) if fisher_p(k) <= 0.05)
    assert result.low <= significant / splits <= result.high
    assert result.failed > 0


def fisher_p(k):
    """Return Fisher's p of k of 6 against 6 - k of 6, by enumeration."""
    weights = [comb(6, i) * comb(6, 6 - i) for i in range(7)]
    return sum(weight for weight in weights if weight <= weights[k]) / sum(weights)


def test_every_replicate_falls_into_one_half(tmp_path):
    """The halves of each split are disjoint, together the run, and equal in size but for an odd one."""
    sizes = (9, 12)
    write_run(Store(tmp_path), "run", [(A, endings(resolved=9)), (B, endings(resolved=10, errored=2))])
    with Store(tmp_path).open("run") as run:
        arm = gather(run, run, None, joined=False).before
    splits = list(_halves(arm, 20, seed=0))
    for halves in splits:
        for condition, size in enumerate(sizes):
            first, second = (set(half.replicate[half.condition == condition].tolist()) for half in halves)
            assert not first & second
            assert first | second == set(range(size))
            assert (len(first), len(second)) == (size // 2, size - size // 2)
    assert len({tuple(first.replicate.tolist()) for first, _ in splits}) > 15


@pytest.mark.parametrize("missing", [0, 40])
def test_each_split_is_judged_as_diff_judges_it(tmp_path, missing):
    """The halves of a split, stored as two runs, get from `check` the verdict and the decision that the split got."""
    cells = [
        (cell(task=f"t{number}"), endings(timeout=40, resolved=60 - missing, errored=missing))
        for number in range(3)
    ]
    write_run(Store(tmp_path), "run", cells)
    with Store(tmp_path).open("run") as run:
        material = gather(run, run, None, joined=False)
    splits = list(_halves(material.before, 12, seed=3))
    facts, _ = _compare_halves(material, splits, 0.5, 0.2)
    for number, (halves, expected) in enumerate(zip(splits, facts, strict=True)):
        arms = [
            [
                (each, [ended[i] for i in half.replicate[half.condition == position]])
                for position, (each, ended) in enumerate(in_order_of(material, cells))
            ]
            for half in halves
        ]
        readers = pair_of_runs(tmp_path / str(number), *arms, paired=False)
        with readers[0], readers[1]:
            found = check(*readers, q=0.5, fail_on=("any", "missing"))
        assert facts_of(found.diff) == expected
    assert len({each.verdict for each in facts}) > 1


def in_order_of(material, cells):
    """Return cells in the order of the material's conditions."""
    by_key = {each.key: (each, ended) for each, ended in cells}
    return [by_key[each.key] for each in material.grid.conditions]


def test_a_seed_gives_the_same_splits(tmp_path):
    """A run and a seed give one result; another seed gives another."""
    cells = [(A, endings(timeout=30, resolved=30))]
    one, again, other = (
        control(tmp_path / str(number), cells, fail_on=("any",), seed=seed)
        for number, seed in enumerate((1, 1, 5))
    )
    assert one == again
    assert one.flagged != other.flagged or one.words != other.words


def test_words_and_failures_add_up(tmp_path):
    """Every split has one verdict, and with `worse` those that fail are the worse ones and the trades."""
    result = control(tmp_path, [(A, endings(timeout=9, resolved=9)), (B, endings(timeout=9, resolved=9))])
    assert sum(result.words.values()) == result.splits == 200
    assert result.failed == sum(result.words.get(word, 0) for word in ("worse", "trade"))
    assert result.flagged >= result.failed


def test_what_the_gate_is_told_is_what_is_counted(tmp_path):
    """A gate that fails on `too-small` fails every split too small to tell; one that never fails, none."""
    cells = [(A, endings(timeout=5, resolved=5))]
    strict = control(tmp_path / "strict", cells, fail_on=("too-small",))
    never = control(tmp_path / "never", cells, fail_on=())
    assert strict.failed == strict.words["too small to tell"] > 150
    assert (never.failed, never.low) == (0, 0.0)


def test_missing_outcomes_are_part_of_it(tmp_path):
    """Replicates without an outcome fall into the halves too, and can make a split not comparable: that fails the gate."""
    result = control(tmp_path, [(A, endings(resolved=400, errored=9))], splits=100, max_mde=0.9)
    assert result.words.get("not comparable", 0) == result.failed > 0


@pytest.mark.parametrize("ended", [endings(errored=20), endings(resolved=1), []])
def test_a_run_that_cannot_be_split_is_refused(tmp_path, ended):
    """Fewer than two outcomes of a condition cannot be halved: refused by name, never a rate of 0."""
    with pytest.raises(UserError, match="Run 'run' cannot be split: no condition has 2 replicates"):
        control(tmp_path, [(A, [*ended, *[None] * 20])])
