"""The Korn-Graubard interval against R's survey package, and where it must not be trusted blindly."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poisson_stats.korn_graubard import korn_graubard
from poisson_stats.rate_intervals import clopper_pearson
from tests.oracles import r_reference

items = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=2, max_size=12
)


@pytest.mark.parametrize("case", ["few", "many", "ragged"])
def test_r_gives_the_same_interval(case):
    """R 4.2, survey 4.1: svyciprop(method = "beta") with items as clusters."""
    data = r_reference.columns("items.csv")
    rows = [
        (int(e), int(t))
        for c, e, t in zip(data["case"], data["events"], data["trials"], strict=True)
        if c == case
    ]
    got = korn_graubard(*zip(*rows, strict=True))
    assert (got.estimate, got.low, got.high) == pytest.approx(
        r_reference.reference()[f"korn_graubard_{case}"], rel=1e-8
    )


@given(items)
def test_no_more_trials_are_claimed_than_there_were(rows):
    """The effective number lies between nought and all trials, and the interval holds the estimate."""
    got = korn_graubard(*zip(*rows, strict=True))
    assert 0 < got.effective <= got.trials
    assert 0 <= got.low <= got.estimate <= got.high <= 1


@given(items)
def test_exchanging_event_and_other_mirrors_the_interval(rows):
    """The interval of the other outcome is one minus this one."""
    got = korn_graubard(*zip(*rows, strict=True))
    other = korn_graubard(*zip(*[(n - k, n) for k, n in rows], strict=True))
    assert (other.low, other.high) == pytest.approx((1 - got.high, 1 - got.low), abs=1e-9)


def test_copies_within_items_are_worth_one_trial_an_item():
    """Five copies of each item's decision leave the interval where one decision an item puts it."""
    once = korn_graubard([0, 1, 0, 0, 1, 0], [1] * 6)
    copied = korn_graubard([0, 5, 0, 0, 5, 0], [5] * 6)
    # The t-quantile's n differs (30 trials, not 6), which widens the copies a little.
    assert copied.effective <= once.effective
    assert copied.low <= once.low
    assert copied.high >= once.high


def test_no_event_in_any_trial_counts_items_not_trials():
    """Nought of 60 trials on 6 items is bounded as nought of 6."""
    got = korn_graubard([0] * 6, [10] * 6)
    assert got.effective == 6
    assert got.high == pytest.approx(float(clopper_pearson(0, 6).high))
    assert got.low == 0


def test_an_item_without_a_trial_is_none():
    """It is no item: the interval is that of the others."""
    assert korn_graubard([1, 0, 2], [3, 0, 4]) == korn_graubard([1, 2], [3, 4])


def test_trials_that_fell_evenly_are_capped_at_their_number():
    """Every item at 1 of 2 has no variance between items; it is still only so many trials."""
    got = korn_graubard([1] * 5, [2] * 5)
    assert got.effective == 10
    assert got.low == pytest.approx(float(clopper_pearson(5, 10).low))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1], [2]), "trials has 1 items with a trial; at least 2 are needed for an interval."),
        (([0, 0], [0, 0]), "trials=[0, 0] must hold at least one trial."),
        (([3, 0], [2, 1]), "events[0]=3 must not exceed trials[0]=2."),
    ],
)
def test_bad_input_is_refused_by_name_and_value(arguments, message):
    """Each refusal names the argument and the value."""
    with pytest.raises(ValueError) as refusal:
        korn_graubard(*arguments)
    assert str(refusal.value) == message
