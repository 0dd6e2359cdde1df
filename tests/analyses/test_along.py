"""Two values of one axis of one run, compared."""

from dataclasses import replace

import numpy as np
import pytest

from poisson_store import RunReader, Store
from pytest_poisson.analyses.along import diff_along
from pytest_poisson.analyses.diff import diff
from pytest_poisson.conditions import Condition
from pytest_poisson.errors import UserError
from tests.stored_runs import OTHER_SALT, SUPPORT, cell, endings, seed_of, write_run

TASKS, MODELS = ("refund", "search"), ("small", "large", "a:b")
CELLS = {(task, model): cell(task=task, model=model) for task in TASKS for model in MODELS}
SHARED = replace(SUPPORT, settings={"shared_seed_axes": ["model"]})
GOOD, BAD = endings(resolved=90, timeout=10), endings(resolved=40, timeout=60)


def shared_seed(salt, key, replicate):
    """Return the seed of a condition that leaves its model out of it."""
    found = next(each for each in CELLS.values() if each.key == key)
    axes = Condition(key, found.rollout, found.axes, "", ("model",))
    return seed_of(salt, axes.seed_key, replicate)


def write(tmp_path, ended, *, shared=False, seed=None):
    """Store a run from {(task, model): endings}."""
    store = Store(tmp_path)
    write_run(
        store,
        "run",
        [(CELLS[each], words) for each, words in ended.items()],
        rollouts=(SHARED if shared else SUPPORT,),
        seed=seed or (shared_seed if shared else seed_of),
    )
    return store.open("run")


def along(
    tmp_path, ended, text="model=small:large", *, shared=False, seed=None, events=("timeout",), **choices
):
    with write(tmp_path, ended, shared=shared, seed=seed) as run:
        return diff_along(run, text, events=list(events), **choices)


def everything(large=GOOD, small=GOOD):
    return {
        (task, model): {"large": large, "small": small}.get(model, GOOD) for task in TASKS for model in MODELS
    }


@pytest.mark.parametrize("shared", [True, False])
def test_it_is_the_comparison_of_two_runs(tmp_path, shared):
    """The rows are those of `diff` on two runs that hold one side each, tested alike; only the axis is left out of the names."""
    rng = np.random.default_rng(1)
    ended = {each: ["timeout" if hit else "resolved" for hit in rng.random(80) < 0.4] for each in CELLS}
    one = along(tmp_path / "one", ended, shared=shared)
    store = Store(tmp_path / "two")
    for name, salt in (("small", "0" * 32), ("large", "0" * 32 if shared else OTHER_SALT)):
        cells = [(cell(task=task), ended[task, name]) for task in TASKS]
        write_run(store, name, cells, salt=salt)
    with store.open("small") as before, store.open("large") as after:
        two = diff(before, after, events=["timeout"])
    assert one.method == two.method == ("mcnemar_bh" if shared else "fisher_bh")
    assert [row.condition.axes for row in one.rows] == [{"task": "refund"}, {"task": "search"}]
    for ours, theirs in zip(one.rows, two.rows, strict=True):
        assert (ours.before, ours.after, ours.pairs, ours.p, ours.low, ours.high, ours.rise) == (
            theirs.before,
            theirs.after,
            theirs.pairs,
            theirs.p,
            theirs.low,
            theirs.high,
            theirs.rise,
        )
    assert one.verdict == two.verdict


def test_a_worse_value_is_worse(tmp_path):
    """The second value is the after side: more failures there are worse, fewer in the reverse order safer."""
    ended = everything(large=BAD)
    assert along(tmp_path / "a", ended).verdict == "worse"
    assert along(tmp_path / "b", ended, "model=large:small").verdict == "safer"


def test_each_side_has_its_own_account(tmp_path):
    """The arms are the conditions of each value: their accounts, and what they are called, are those of the side."""
    ended = everything(large=[*GOOD[:90], *endings(errored=10)])
    result = along(tmp_path, ended)
    assert (result.before.part, result.after.part) == ("model=small", "model=large")
    assert (result.before.accounting.planned, result.before.accounting.errored) == (200, 0)
    assert (result.after.accounting.planned, result.after.accounting.errored) == (200, 20)
    assert result.missing.after_missing == 20


def test_the_replicate_to_run_again_is_one_of_the_second_value(tmp_path):
    """A row's item is that of the second value, where the failure is."""
    (worst, _) = along(tmp_path, everything(large=BAD)).rows
    assert worst.condition.nodeid == CELLS["refund", "large"].nodeid
    assert worst.replay is not None


def test_conditions_without_a_counterpart_are_named(tmp_path):
    """A condition whose other side was not planned is compared with nothing, and listed."""
    ended = everything()
    del ended["search", "large"]
    result = along(tmp_path, ended)
    assert [row.condition.axes["task"] for row in result.rows] == ["refund"]
    assert [each.axes for each in result.only_before] == [{"task": "search", "model": "small"}]
    assert result.only_after == ()


def test_a_value_may_hold_a_colon(tmp_path):
    """Values are cut where both sides are values of the axis."""
    result = along(tmp_path, everything(), "model=a:b:large")
    assert (result.along.before, result.along.after) == ("a:b", "large")


def test_values_keep_their_kinds(tmp_path):
    """Numbers are written as reports write them, and 1 is not "1"."""
    cells = [cell(limit=1), cell(limit="one"), cell(limit=2)]
    write_run(Store(tmp_path), "run", [(each, GOOD) for each in cells])
    with Store(tmp_path).open("run") as run:
        result = diff_along(run, "limit=1:2", events=["timeout"])
    assert (result.along.before, result.along.after) == (1, 2)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("colour=a:b", "--along=colour=a:b names no axis of run 'run'; the axes of the run are task, model."),
        ("model", "--along=model must have the form AXIS=A:B"),
        (
            "model=small",
            "--along=model=small must name two values of axis 'model', as in A:B; it has small, large, a:b.",
        ),
        ("model=small:huge", "must name two values of axis 'model'"),
        ("model=small:small", "must name two values of axis 'model'"),
    ],
)
def test_what_names_nothing_is_refused(tmp_path, text, sentence):
    """An axis or a value that the run does not have is refused with those it has."""
    with pytest.raises(UserError, match=sentence):
        along(tmp_path, everything(), text)


def test_the_paired_test_needs_shared_seeds(tmp_path):
    """Where the seed depends on the axis the paired test is refused with the way out; the unpaired one is used."""
    with pytest.raises(
        UserError, match=r"the seeds of the values of 'model' differ.*shared_seed_axes=\['model'\]"
    ):
        along(tmp_path / "paired", everything(), method="mcnemar_bh")
    assert not along(tmp_path / "plain", everything()).paired


def test_a_claim_of_shared_seeds_is_checked(tmp_path):
    """Stored seeds that differ although the axis is declared out of them are refused by replicate; unpaired they compare."""
    refused = along(tmp_path / "a", everything(), shared=True, seed=seed_of)
    forced = along(tmp_path / "b", everything(), shared=True, seed=seed_of, method="fisher_bh")
    assert "Run 'run' leaves 'model' out of the seed, but replicate 0 has other seeds" in refused.refusal
    assert (forced.refusal, forced.verdict) == (None, "no significant change")


def test_no_pair_of_conditions_is_a_refusal(tmp_path):
    """Where no condition has a counterpart there is nothing to compare, in one sentence."""
    ended = {("refund", "small"): GOOD, ("search", "large"): GOOD}
    result = along(tmp_path, ended)
    assert result.verdict == "not comparable"
    assert (
        result.refusal
        == "In run 'run' no condition with model=small has one with model=large that differs in it alone."
    )


def test_conditions_skipped_on_both_sides_are_a_refusal(tmp_path):
    """Where every pair was skipped the sentence says that they were, not that there is none."""
    skipped = endings(skipped=5)
    result = along(tmp_path, {("refund", "small"): skipped, ("refund", "large"): skipped})
    assert (
        result.refusal
        == "In run 'run' every condition with model=small that has one with model=large was skipped on both sides."
    )


def test_the_whole_is_tested_too(tmp_path):
    """`full` walks down the other axes."""
    whole = along(tmp_path, everything(large=BAD), full=True).whole
    assert (whole.planned_before, whole.planned_after, whole.common) == (2, 2, 2)
    assert {group.node.axis for group in whole.events[0].groups} == {"task"}


def test_the_account_is_not_read_for_every_condition(tmp_path, monkeypatch):
    """More conditions are matched by the same number of readings of the run."""
    read = RunReader.accounting_by_condition
    counted = []

    def reading(reader):
        counted.append(reader)
        return read(reader)

    monkeypatch.setattr(RunReader, "accounting_by_condition", reading)
    took = []
    for tasks in (TASKS[:1], TASKS):
        counted.clear()
        ended = {each: words for each, words in everything().items() if each[0] in tasks}
        along(tmp_path / f"{len(tasks)}", ended)
        took.append(len(counted))
    assert took[0] == took[1]
