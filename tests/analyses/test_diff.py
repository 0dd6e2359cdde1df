"""What a comparison of two stored runs says."""

import pytest

from poisson_store.records import RolloutRecord
from pytest_poisson.analyses.check import check
from pytest_poisson.analyses.diff import diff
from pytest_poisson.analyses.null import null
from pytest_poisson.analyses.sizing import size_from_pair
from pytest_poisson.errors import UserError
from tests.stored_runs import OTHER_SALT, SALT, SUPPORT, cell, endings, pair_of_runs, seed_of

A, B, C = cell(task="a", rate=0.1), cell(task="b", rate=0.1), cell(task="b", rate=0.02)
FEW = endings(resolved=3)
GOOD, BAD = endings(resolved=190, timeout=10), endings(resolved=100, timeout=100)


def compare(tmp_path, before, after, *, events=None, method=None, max_mde=0.20, **record):
    readers = pair_of_runs(tmp_path, before, after, **record)
    with readers[0], readers[1]:
        return diff(*readers, events=events, method=method, max_mde=max_mde)


def test_a_rise_of_a_failure_is_worse(tmp_path):
    """A failure that rose by much makes its row and the verdict `worse`, and the other rows keep their word."""
    result = compare(tmp_path, [(A, GOOD), (B, GOOD)], [(A, GOOD), (B, BAD)])
    assert result.verdict == "worse"
    assert [(row.condition.axes["task"], row.event.name) for row in result.rows if row.is_worse] == [
        ("b", "timeout")
    ]


def test_a_fall_of_a_success_is_worse(tmp_path):
    """Asked for the success, the same change is a fall and still worse."""
    result = compare(tmp_path, [(A, GOOD)], [(A, BAD)], events=["resolved"])
    (row,) = result.rows
    assert (result.verdict, row.word, row.change) == ("worse", "worse", pytest.approx(-0.45))


def test_both_ways_is_a_trade(tmp_path):
    """One condition better and one worse is a trade, and only the worse row is of the worse part."""
    result = compare(tmp_path, [(A, GOOD), (B, BAD)], [(A, BAD), (B, GOOD)])
    assert result.verdict == "trade"
    assert [row.condition.axes["task"] for row in result.rows if row.is_worse] == ["a"]


def test_a_small_design_cannot_tell(tmp_path):
    """Without a change, rows whose limit exceeds the accepted change make the word `too small to tell`."""
    few = endings(resolved=8, timeout=4)
    result = compare(tmp_path, [(A, few)], [(A, few)])
    assert result.verdict == "too small to tell"
    assert result.design.needed > 12
    assert result.design.ceiling > 0.20


@pytest.mark.parametrize(
    ("settings", "asked", "levels"),
    [
        ({"q": 0.01, "max_mde": 0.5}, {}, (0.01, 0.5)),
        ({"q": 0.01, "max_mde": 0.5}, {"q": 0.1, "max_mde": 0.3}, (0.1, 0.3)),
        ({}, {}, (0.05, 0.20)),
        ({"q": "much", "max_mde": 7.0}, {}, (0.05, 0.20)),
    ],
)
def test_levels_are_those_of_the_sweep(tmp_path, settings, asked, levels):
    """A later comparison says the word of the session that swept, unless it is asked for other levels."""
    few = endings(resolved=30, timeout=10)
    before, after = pair_of_runs(tmp_path, [(A, few)], [(A, few)], settings=settings)
    with before, after:
        result = diff(before, after, **asked)
        found = check(before, after, **asked)
        sized = size_from_pair(before, after, **asked)
        halves = null(after, splits=2, **asked)
    assert (result.q, result.max_mde) == (found.diff.q, found.diff.max_mde) == levels
    assert (sized.q, sized.max_mde) == (halves.q, halves.max_mde) == levels
    assert (result.verdict == "no significant change") == (levels[1] == 0.5)


def test_the_ceiling_that_is_handed_back_is_accepted(tmp_path):
    """A comparison that is too small is not, once `max_mde` is the ceiling it stated."""
    few = endings(resolved=30, timeout=10)
    ceiling = compare(tmp_path / "first", [(A, few)], [(A, few)]).design.ceiling
    again = compare(tmp_path / "second", [(A, few)], [(A, few)], max_mde=ceiling)
    assert again.verdict == "no significant change"


def test_rows_are_sorted_by_axis_values(tmp_path):
    """Rows come by rollout, axis values (numbers by size) and event, whatever order the runs ran in."""
    before = [(A, GOOD), (B, GOOD), (C, GOOD)]
    one = compare(tmp_path / "one", before, before)
    other = compare(tmp_path / "other", before[::-1], [before[1], before[2], before[0]])
    shown = [(row.condition.axes["task"], row.condition.axes["rate"], row.event.name) for row in one.rows]
    assert shown == [
        (task, rate, event)
        for task, rate in (("a", 0.1), ("b", 0.02), ("b", 0.1))
        for event in ("timeout", "violated")
    ]
    assert [row.condition.key for row in other.rows] == [row.condition.key for row in one.rows]


def test_importance_puts_what_is_worse_first(tmp_path):
    """The ranking names every row once, the worse ones first, then the safer ones."""
    result = compare(tmp_path, [(A, BAD), (B, GOOD), (C, GOOD)], [(A, GOOD), (B, BAD), (C, GOOD)])
    assert sorted(result.importance) == list(range(len(result.rows)))
    words = [result.rows[index].word for index in result.importance]
    assert words[:2] == ["worse", "safer"]
    assert not {"worse", "safer"} & set(words[2:])


def test_conditions_that_one_run_did_not_plan_are_named(tmp_path):
    """A condition of one run alone is in no row and in the list of that run's own."""
    result = compare(tmp_path, [(A, GOOD), (B, GOOD)], [(A, GOOD), (C, GOOD)])
    assert [each.key for each in result.only_before] == [B.key]
    assert [each.key for each in result.only_after] == [C.key]
    assert {row.condition.key for row in result.rows} == {A.key}


def test_a_condition_skipped_in_both_runs_is_left_out(tmp_path):
    """What was skipped whole in both runs was not to be measured: no row, no missing outcome, named."""
    skipped = endings(skipped=200)
    result = compare(tmp_path, [(A, GOOD), (B, skipped)], [(A, GOOD), (B, skipped)])
    assert [each.key for each in result.skipped] == [B.key]
    assert result.missing is None
    assert result.verdict == "no significant change"


def test_a_condition_skipped_in_one_run_counts_as_missing(tmp_path):
    """Skipping in the after run alone hides what it would have shown: not comparable, though few are missing."""
    result = compare(tmp_path, [(A, GOOD), (B, FEW)], [(A, GOOD), (B, endings(skipped=3))])
    assert (result.missing.problem, [each.key for each in result.missing.emptied]) == (None, [B.key])
    assert (result.verdict, result.missing.cause) == ("not comparable", "skipped")


@pytest.mark.parametrize("paired", [True, False])
def test_what_one_condition_lost_is_not_made_up_for_by_another(tmp_path, paired):
    """Equal shares over all conditions hide no condition that lost outcomes: it is named, and nothing reassures."""
    full, holes = endings(resolved=200), endings(resolved=170, errored=30)
    result = compare(
        tmp_path, [(A, full), (B, holes), (C, full)], [(A, holes), (B, full), (C, full)], paired=paired
    )
    assert (result.missing.problem, result.verdict) == (None, "not comparable")
    assert {each.key for each in result.missing.uneven} == {A.key, B.key}
    same = compare(tmp_path / "same", [(A, holes), (C, full)], [(A, holes), (C, full)], paired=paired)
    assert (same.missing.uneven, same.verdict) == ((), "no significant change")


def test_no_common_condition_is_a_refusal(tmp_path):
    """Runs without a common condition are not comparable, in a sentence with both names."""
    result = compare(tmp_path, [(A, GOOD)], [(B, GOOD)])
    assert (result.verdict, result.rows) == ("not comparable", ())
    assert result.refusal == "Runs 'before' and 'after' have no condition in common."


@pytest.mark.parametrize("paired", [True, False])
def test_an_arm_without_any_outcome_is_a_refusal(tmp_path, paired):
    """Zero outcomes in an arm is never a pass: the comparison is refused."""
    result = compare(tmp_path, [(A, GOOD)], [(A, endings(errored=200))], paired=paired)
    assert result.verdict == "not comparable"
    assert "outcome" in result.refusal
    assert "'after'" in result.refusal


def test_the_same_salt_pairs_without_a_record(tmp_path):
    """Runs of one salt are pairs even where the later run does not say with whom it was paired."""
    result = compare(tmp_path, [(A, GOOD)], [(A, GOOD)])
    assert (result.paired, result.method) == (True, "mcnemar_bh")


def test_another_salt_is_unpaired(tmp_path):
    """Runs of different salts are compared with Fisher's test."""
    result = compare(tmp_path, [(A, GOOD)], [(A, GOOD)], paired=False)
    assert (result.paired, result.method) == (False, "fisher_bh")


def test_claimed_pairs_with_other_seeds_are_refused_by_name(tmp_path):
    """One pair whose stored seeds differ makes the runs not comparable; the sentence names pair and seeds."""
    readers = pair_of_runs(tmp_path, [(A, GOOD)], [(A, GOOD)])
    readers[1].close()
    from poisson_store import Store
    from tests.stored_runs import write_run

    def one_off(salt, key, replicate):
        return 7 if replicate == 3 else seed_of(salt, key, replicate)

    write_run(Store(tmp_path), "odd", [(A, GOOD)], seed=one_off)
    with readers[0], Store(tmp_path).open("odd") as odd:
        result = diff(readers[0], odd)
        forced = diff(readers[0], odd, method="fisher_bh")
    expected = seed_of(SALT, A.key, 3)
    assert result.verdict == "not comparable"
    assert f"replicate 3 of {A.nodeid} has seed {expected} in one and seed 7 in the other" in result.refusal
    assert forced.verdict == "no significant change"


def test_the_paired_test_needs_pairs(tmp_path):
    """Asking for McNemar's test of runs with different salts is refused with the way out."""
    with pytest.raises(UserError, match=r"method=mcnemar_bh needs pairs.*--poisson-pair-with=before"):
        compare(tmp_path, [(A, GOOD)], [(A, GOOD)], method="mcnemar_bh", paired=False)


def test_a_run_is_not_compared_with_itself(tmp_path):
    """The same run on both sides would pass whatever it is; it is refused."""
    readers = pair_of_runs(tmp_path, [(A, GOOD)], [(A, GOOD)])
    with readers[0], readers[1], pytest.raises(UserError, match="Run 'before' stands on both sides"):
        diff(readers[0], readers[0])


def test_an_unknown_method_is_refused(tmp_path):
    """A method that is none is refused with those there are."""
    with pytest.raises(UserError, match="method=t_test is unknown; it is one of mcnemar_bh, fisher_bh"):
        compare(tmp_path, [(A, GOOD)], [(A, GOOD)], method="t_test")


def test_undeclared_failures_are_compared(tmp_path):
    """AssertionErrors of a rollout that does not declare `failed` are an event, and a note says so."""
    result = compare(tmp_path, [(A, GOOD)], [(A, endings(resolved=150, failed=50))])
    assert ("failed", "worse") in {(row.event.name, row.word) for row in result.rows}
    assert any("does not declare 'failed'" in note for note in result.notes)


def test_a_declaration_that_changed_is_noted(tmp_path):
    """Where the runs declare a word differently the after run decides, and a note says so."""
    from poisson_store import Store
    from tests.stored_runs import write_run

    store = Store(tmp_path)
    older = RolloutRecord(
        "support", outcomes=SUPPORT.outcomes, failures=("timeout",), successes=("resolved",)
    )
    write_run(store, "one", [(A, GOOD)], rollouts=(older,))
    write_run(store, "two", [(A, GOOD)], salt=OTHER_SALT)
    with store.open("one") as one, store.open("two") as two:
        result = diff(one, two)
    assert [event.name for event in result.events] == ["timeout", "violated"]
    assert (
        "Outcome 'violated' of rollout 'support' is declared neutral before and failure after; the after run's "
        "declaration is used."
    ) in result.notes


def test_a_rollout_of_neutral_outcomes_needs_an_event(tmp_path):
    """With neither failures nor successes there is nothing to compare by default; the refusal lists the words."""
    neutral = RolloutRecord("support", outcomes=("left", "right"))
    with pytest.raises(
        UserError, match="declare neither failures nor successes; name an event, one of left, right"
    ):
        compare(tmp_path, [(A, ["left", "right"])], [(A, ["left", "left"])], rollouts=(neutral,))


def test_what_else_differs_is_listed(tmp_path):
    """A variant, a package or a commit that differs between the runs is listed; what is equal is not."""
    from poisson_store import Store
    from tests.stored_runs import write_run

    store = Store(tmp_path)
    write_run(
        store, "one", [(A, GOOD)], environment={"python": "3.11", "packages": {"x": "1"}, "command": ["a"]}
    )
    write_run(
        store,
        "two",
        [(A, GOOD)],
        environment={"python": "3.11", "packages": {"x": "2"}, "command": ["b"]},
        variant={"policy": "retry"},
    )
    with store.open("one") as one, store.open("two") as two:
        changes = diff(one, two).changes
    assert [(change.name, change.before, change.after) for change in changes] == [
        ("variant.policy", None, "retry"),
        ("packages.x", "1", "2"),
    ]


def test_an_interrupted_run_is_compared_as_far_as_it_went(tmp_path):
    """What did not run is not run in the account, is no missing outcome, and a note names the run."""
    result = compare(tmp_path, [(A, GOOD)], [(A, [*GOOD[:120], *[None] * 80])], status="interrupted")
    assert result.after.accounting.not_run == 80
    assert result.missing is None
    assert any("Run 'after' is interrupted" in note for note in result.notes)
