"""The stopping rule: order of arrival, permanence of flags, accounting, and how soon it stops."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_stats.e_values import block_log_e, e_benjamini_hochberg, sign_log_e
from poisson_stats.sequential import StoppingRule

outcome = st.sampled_from([0, 1, 0, 1, -1])


def drawn(seed, conditions, planned, before, after, missing=0.0):
    """Draw outcomes of every replicate, shape (conditions, planned, 1), some without an outcome."""
    rng = np.random.default_rng(seed)
    shape = (conditions, planned, 1)
    arms = [(rng.random(shape) < np.reshape(rate, (-1, 1, 1))).astype(int) for rate in (before, after)]
    for arm in arms:
        arm[rng.random(shape[:2]) < missing] = -1
    return arms


def fed(rule, arms, order, cuts):
    """Feed the (condition, replicate) pairs of `order`, cut into batches."""
    state = rule.start()
    for part in np.split(np.asarray(order), cuts):
        if len(part):
            c, r = part[:, 0], part[:, 1]
            state = rule.advance(state, c, r, before=arms[0][c, r], after=arms[1][c, r])
    return state


def everything(rule):
    return [(c, r) for r in range(rule.planned) for c in range(rule.conditions)]


@settings(max_examples=40)
@given(
    st.booleans(),
    st.integers(0, 999),
    st.randoms(use_true_random=False),
    st.lists(st.integers(0, 40), max_size=6),
)
def test_one_condition_ends_alike_however_its_replicates_arrive(paired, seed, random, cuts):
    """Any order of arrival, cut into any batches, gives the state of feeding replicates one by one in order."""
    rule = StoppingRule(conditions=1, events=1, planned=40, paired=paired)
    arms = drawn(seed, 1, 40, [0.2], [0.9], missing=0.1)
    order = everything(rule)
    straight = fed(rule, arms, order, range(1, 40))
    shuffled = fed(rule, arms, random.sample(order, len(order)), sorted(cuts))
    for name in ("log_e", "before", "after", "used", "taken", "flagged", "reason"):
        np.testing.assert_array_equal(getattr(straight, name), getattr(shuffled, name), err_msg=name)
    assert (straight.late + straight.taken).tolist() == [40]
    assert (shuffled.late + shuffled.taken).tolist() == [40]


def test_quick_failures_do_not_count_before_their_turn():
    """Replicates that arrive early, all failures, add nothing until their slower predecessors have come."""
    rule = StoppingRule(conditions=1, events=1, planned=30, paired=True)
    late = np.arange(10, 30)
    state = rule.advance(rule.start(), [0] * 20, late, before=[[0]] * 20, after=[[1]] * 20)
    assert (state.used.tolist(), state.taken.tolist(), len(state.waiting)) == ([0], [0], 20)
    assert state.running.all()
    state = rule.advance(state, [0] * 10, range(10), before=[[0]] * 10, after=[[0]] * 10)
    assert state.reasons == ("flagged",)
    assert state.taken[0] > 10


@settings(max_examples=30)
@given(st.booleans(), st.integers(0, 999))
def test_a_flag_is_never_taken_back(paired, seed):
    """While batches come in, the set of flagged rows and of stopped conditions only grows."""
    rule = StoppingRule(conditions=6, events=1, planned=60, paired=paired, q=0.2)
    arms = drawn(seed, 6, 60, [0.3] * 6, [0.3, 0.3, 0.6, 0.7, 0.8, 0.9])
    state, flagged, running = rule.start(), np.zeros((6, 1), dtype=bool), np.ones(6, dtype=bool)
    for r in range(60):
        c = np.flatnonzero(state.running)
        if not c.size:
            break
        state = rule.advance(state, c, [r] * c.size, before=arms[0][c, r], after=arms[1][c, r])
        assert (state.flagged >= flagged).all()
        assert (state.running <= running).all()
        flagged, running = state.flagged, state.running
    np.testing.assert_array_equal(e_benjamini_hochberg(state.log_e.ravel(), q=0.2).flagged, flagged.ravel())


@settings(max_examples=30)
@given(st.integers(0, 999))
def test_the_evidence_is_the_closed_form_of_the_pairs_used(seed):
    """Paired: log E of the discordant pairs counted by hand, missing pairs skipped, events side by side."""
    rng = np.random.default_rng(seed)
    rule = StoppingRule(conditions=1, events=2, planned=25, paired=True, q=1e-9)
    before, after = rng.integers(0, 2, (2, 25, 2))
    before[rng.random(25) < 0.2] = -1
    state = rule.advance(rule.start(), [0] * 25, range(25), before=before, after=after)
    kept = before[:, 0] >= 0
    for event in range(2):
        b = int(((before[kept, event] == 1) & (after[kept, event] == 0)).sum())
        c = int(((before[kept, event] == 0) & (after[kept, event] == 1)).sum())
        assert state.log_e[0, event] == pytest.approx(float(sign_log_e(b, c)))
    assert (state.used.tolist(), state.taken.tolist(), state.reasons) == ([kept.sum()], [25], ("planned",))


def test_the_evidence_of_blocks_is_their_product():
    """Unpaired: log E adds up block by block, each predicted from those before."""
    rng = np.random.default_rng(3)
    before, after = rng.integers(0, 2, (2, 30, 1))
    rule = StoppingRule(conditions=1, events=1, planned=30, paired=False, q=1e-9)
    state = rule.advance(rule.start(), [0] * 30, range(30), before=before, after=after)
    total = sum(
        float(block_log_e(before[j, 0], after[j, 0], before[:j].sum(), after[:j].sum(), j)) for j in range(30)
    )
    assert state.log_e[0, 0] == pytest.approx(total)


def test_replicates_in_flight_when_a_condition_stops_are_late_and_saved_ones_are_counted():
    """Planned = taken + late + saved for a condition that was flagged; late ones leave the evidence alone."""
    rule = StoppingRule(conditions=2, events=1, planned=100, paired=True)
    state = rule.advance(rule.start(), [0] * 20, range(20), before=[[0]] * 20, after=[[1]] * 20)
    assert state.reasons == ("flagged", "running")
    assert state.taken[0] + state.late[0] == 20
    assert rule.saved(state) == 80
    again = rule.advance(state, [0, 1], [20, 0], before=[[0], [0]], after=[[1], [0]])
    assert again.late[0] == state.late[0] + 1
    assert again.log_e[0, 0] == state.log_e[0, 0]
    assert rule.saved(again) == 79


def test_the_given_state_is_unchanged():
    """Advance returns a new state and leaves the old one as it was."""
    rule = StoppingRule(conditions=1, events=1, planned=5, paired=True)
    state = rule.start()
    rule.advance(state, [0], [0], before=[[0]], after=[[1]])
    assert (state.used.tolist(), state.log_e.tolist()) == ([0], [[0.0]])


@pytest.mark.parametrize(("after", "pairs"), [(0.8, 48), (0.7, 87)])
def test_about_so_many_pairs_until_a_flag(after, pairs):
    """The definition's numbers: 0.4 -> 0.8 among 18 rows stops after about 48 pairs, 0.4 -> 0.7 after 87."""
    rng = np.random.default_rng(12)
    n, runs = 400, 1500
    before, changed = rng.random((runs, n)) < 0.4, rng.random((runs, n)) < after
    b = (before & ~changed).cumsum(axis=1)
    c = (~before & changed).cumsum(axis=1)
    reached = sign_log_e(b, c) >= np.log(18 / 0.05)
    first = np.where(reached.any(axis=1), reached.argmax(axis=1) + 1, n)
    assert first.mean() == pytest.approx(pairs, rel=0.06)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([2], [0], [[0]], [[0]]), "condition[0]=2 must be below 2."),
        (([0], [9], [[0]], [[0]]), "replicate[0]=9 must be below 9."),
        (([0], [0], [[2]], [[0]]), "before[0, 0]=2 must be 1, 0 or -1 (no outcome)."),
        (
            ([0], [0], [[0]], [0]),
            "after has shape (1,); one row a replicate and a column an event, (1, 1), is accepted.",
        ),
        (
            # With another outcome, and others between.
            ([0, 1, 0, 0], [1, 1, 2, 1], [[0], [0], [0], [1]], [[0]] * 4),
            "replicate=1 of condition=0 was given before; once is accepted.",
        ),
        (
            ([0, 0], [1, 1], [[0]] * 2, [[0]] * 2),
            "replicate=1 of condition=0 was given before; once is accepted.",
        ),
        (([0], [-1], [[0]], [[0]]), "replicate[0]=-1 must not be negative."),
    ],
)
def test_bad_batches_are_refused_by_name_and_value(arguments, message):
    """Each refusal names the argument and the value."""
    rule = StoppingRule(conditions=2, events=1, planned=9, paired=True)
    condition, replicate, before, after = arguments
    with pytest.raises(ValueError) as refusal:
        rule.advance(rule.start(), condition, replicate, before=before, after=after)
    assert str(refusal.value) == message


def test_a_replicate_that_had_its_turn_is_refused():
    """Giving replicate 0 of a running condition again names it."""
    rule = StoppingRule(conditions=1, events=1, planned=9, paired=True)
    state = rule.advance(rule.start(), [0], [0], before=[[0]], after=[[0]])
    with pytest.raises(ValueError, match=r"replicate\[0\]=0 was given before\."):
        rule.advance(state, [0], [0], before=[[0]], after=[[0]])


@pytest.mark.parametrize("change", [{"conditions": 0}, {"events": 0}, {"planned": 0}, {"q": 1}])
def test_a_rule_out_of_range_is_refused(change):
    """Counts are at least 1 and q is strictly between 0 and 1."""
    with pytest.raises(ValueError, match=f"{next(iter(change))}={next(iter(change.values()))} must"):
        StoppingRule(**({"conditions": 1, "events": 1, "planned": 1, "paired": True} | change))


@pytest.mark.parametrize(("tested", "pairs"), [(None, 9), ([[True, True], [True, False]], 8)])
def test_rows_that_are_not_tested_do_not_count(tested, pairs):
    """One row of m is flagged at E >= m / q: 8 lopsided pairs (E 50.3) reach 3 / 0.07 but not 4 / 0.07, 9 reach both."""
    rule = StoppingRule(conditions=2, events=2, planned=20, paired=True, q=0.07, tested=tested)
    state = rule.advance(rule.start(), [0] * 20, range(20), before=[[0, 0]] * 20, after=[[1, 0]] * 20)
    assert (state.reasons, state.taken.tolist()) == (("flagged", "running"), [pairs, 0])


def test_a_row_that_is_not_tested_is_never_flagged():
    """Whatever its evidence, a condition whose only lopsided row is not tested runs to its end."""
    rule = StoppingRule(conditions=1, events=2, planned=20, paired=True, tested=[[True, False]])
    state = rule.advance(rule.start(), [0] * 20, range(20), before=[[0, 0]] * 20, after=[[0, 1]] * 20)
    assert state.reasons == ("planned",)


def test_tested_of_another_shape_is_refused():
    """The mask has a row a condition and a column an event."""
    with pytest.raises(ValueError, match=r"tested has shape \(1,\); .* \(2, 1\), is accepted\."):
        StoppingRule(conditions=2, events=1, planned=9, paired=True, tested=[True])
