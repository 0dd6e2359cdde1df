"""Detection limits on a share: the definition's numbers, exact enumeration, simulation, and guidance that undoes them."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_stats.normal import detection_z
from poisson_stats.share_design import ShareMoments, share_design
from poisson_stats.share_limit import ShareGuidance, detects_change, share_guidance, share_limit
from poisson_stats.share_power import enumeration_cost, power_table
from poisson_stats.stratified import stratified_test
from tests.oracles import stratified_by_fractions

EXAMPLE = ([3, 3, 4, 4, 3, 1], [4] * 6, [0, 0, 1, 1, 1, 0], [1] * 6)


@st.composite
def small_design(draw):
    """Draw up to three inputs of up to three runs an arm, sorted by design, with rates in tenths."""
    designs = sorted(draw(st.lists(st.tuples(st.integers(1, 3), st.integers(1, 3)), min_size=1, max_size=3)))
    rate = st.integers(0, 10).map(lambda tenths: Fraction(tenths, 10))
    return designs, [draw(rate) for _ in designs], [draw(rate) for _ in designs]


@settings(max_examples=25)
@given(small_design(), st.sampled_from([Fraction(1, 20), Fraction(1, 4), Fraction(1, 2)]))
def test_the_power_is_the_sum_over_all_tables(design, alpha):
    """The multiset enumeration gives the probability of rejection that listing every table gives."""
    designs, before, after = design
    n0, n1 = (np.array(column) for column in zip(*designs, strict=True))
    table = power_table(n0, n1, alpha=float(alpha))
    got = table.power(np.array(before, dtype=float), np.array(after, dtype=float))
    exact = stratified_by_fractions.power(designs, before, after, alpha)
    assert got == pytest.approx(float(exact), abs=1e-12)


def test_the_approximate_limit_of_the_example():
    """The definition's numbers: a drop of 64.3 points (0.642939, ceiling 0.6430), no limit on a rise of at most 30."""
    drop = share_limit(*EXAMPLE, basis="approximate")
    rise = share_limit(*EXAMPLE, side="rise", basis="approximate")
    assert (round(drop.limit, 6), drop.ceiling, drop.status) == (0.642939, 0.643, "limit")
    assert (rise.status, round(rise.room, 3), rise.ceiling) == ("none detectable", 0.3, 0.3)
    assert math.isnan(rise.limit)


def test_the_exact_limit_of_the_example():
    """The definition's numbers: the exact limit is 56.6 points; at 64.3 points the exact power is 0.93."""
    drop = share_limit(*EXAMPLE)
    assert (round(100 * drop.limit, 1), drop.basis) == (56.6, "exact")
    rate = np.array([1, 3, 3, 4, 5, 5]) / 5
    power = power_table(np.full(6, 4), np.full(6, 1), alpha=0.05).power(rate, (1 - 0.642939 / 0.7) * rate)
    assert round(power, 2) == 0.93


def test_the_guidance_of_the_example():
    """The definition's numbers: 16 repeats or 55 inputs for 20 points."""
    got = share_guidance(*EXAMPLE, max_change=0.2, limit=share_limit(*EXAMPLE, basis="approximate"))
    assert (got.repeats, got.inputs, got.ceiling) == (16, 55, 0.643)


@settings(max_examples=50)
@given(st.integers(0, 2**32), st.integers(2, 60), st.floats(0.05, 0.4))
def test_the_guidance_reaches_what_was_asked_and_no_sooner(seed, inputs, asked):
    """The recommended repeats and inputs just detect the asked change; one fewer does not."""
    rng = np.random.default_rng(seed)
    runs = rng.integers(2, 9, (2, inputs))
    failed = rng.binomial(runs, rng.uniform(0.3, 1, inputs))
    data = (failed[0], runs[0], failed[1], runs[1])
    limit = share_limit(*data, basis="approximate")
    got = share_guidance(*data, max_change=asked, limit=limit)
    if got.repeats is None:
        assert limit.room < asked
        return
    design, z, theta = share_design(*data, "drop"), detection_z(0.05, 0.8), asked / limit.room

    def repeated(repeats):
        return design.with_repeats(repeats).moments().excess(theta, z)

    def scaled(count):
        sums, c = design.moments(), count / inputs
        null, changed = (tuple(c * v for v in part) for part in (sums.null, sums.changed))
        return ShareMoments(c * sums.shift, null, changed).excess(theta, z)

    assert repeated(got.repeats) >= 0
    assert scaled(got.inputs) >= -1e-9
    assert got.repeats == 1 or repeated(got.repeats - 1) < 0
    assert got.inputs == 1 or scaled(got.inputs - 1) < 0


def test_the_limit_of_equal_repeats_agrees_with_the_guidance():
    """Inputs seen at r v r: where the guidance asks for R repeats, r < R is above the asked change and R is not."""
    k, inputs, asked = 5, 40, 0.15
    seen = {}
    for r in range(4, 40):
        data = ([k] * inputs, [10] * inputs, [k] * inputs, [10] * inputs)
        got = share_guidance(*data, max_change=asked, limit=share_limit(*data))
        half = ([r] * inputs, [2 * r] * inputs, [r] * inputs, [2 * r] * inputs)
        seen[2 * r] = share_limit(*half).limit <= asked
    reached = min(r for r, yes in seen.items() if yes)
    # The unbiased w differs a little between 10 runs and R runs of the same rate.
    assert abs(got.repeats - reached) <= 3


def test_the_limit_is_detected_4_times_in_5():
    """Simulated: at the stated limit, the exact test rejects at least 0.8 of 500 times, within 3 standard errors."""
    rng = np.random.default_rng(1)
    inputs, runs = 40, 6
    rate = rng.uniform(0.3, 0.9, inputs)
    k = rng.binomial(2 * runs, rate)
    data = (k // 2, [runs] * inputs, k - k // 2, [runs] * inputs)
    limit = share_limit(*data)
    assert limit.basis == "approximate"
    after = (1 - limit.theta) * k / (2 * runs)
    hits = 0
    for _ in range(500):
        k0, k1 = rng.binomial(runs, k / (2 * runs)), rng.binomial(runs, after)
        hits += stratified_test(k0, data[1], k1, data[3]).p <= 0.05
    assert 0.8 - 3 * 0.018 <= hits / 500 <= 0.88


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 5))
def test_the_exact_limit_is_where_the_exact_power_is_reached(seed, inputs, runs):
    """Plugged back in, the exact limit has power 0.8; where none is detectable, a complete drop has less."""
    rng = np.random.default_rng(seed)
    k0, k1 = rng.binomial(runs, 0.8, inputs), rng.binomial(runs, 0.7, inputs)
    limit = share_limit(k0, [runs] * inputs, k1, [runs] * inputs)
    rate = (k0 + k1) / (2 * runs)
    table = power_table(np.full(inputs, runs), np.full(inputs, runs), alpha=0.05)
    if limit.status == "limit":
        assert table.power(rate, (1 - limit.theta) * rate) == pytest.approx(0.8, abs=1e-6)
    else:
        assert table.power(rate, 0 * rate) < 0.8


@settings(max_examples=30)
@given(st.integers(0, 2**32), st.floats(0.05, 0.95), st.sampled_from([4, 30]))
def test_detects_change_says_what_the_ceiling_says(seed, asked, inputs):
    """The short way and the long way agree on whether a design is enough."""
    rng = np.random.default_rng(seed)
    k0, k1 = rng.binomial(4, 0.7, inputs), rng.binomial(3, 0.6, inputs)
    data = (k0, [4] * inputs, k1, [3] * inputs)
    limit = share_limit(*data)
    if abs(limit.ceiling - asked) > 1e-4:
        assert detects_change(*data, max_change=asked, limit=limit) == (limit.ceiling <= asked)


def test_a_rise_is_a_drop_of_the_other_outcome():
    """Counting successes instead of failures exchanges the two limits."""
    k0, n0, k1, n1 = (np.array(c) for c in ([1, 2, 0] * 8, [4] * 24, [2, 3, 1] * 8, [5] * 24))
    rise = share_limit(k0, n0, k1, n1, side="rise")
    drop = share_limit(n0 - k0, n0, n1 - k1, n1, side="drop")
    assert (rise.limit, rise.room) == (pytest.approx(drop.limit), pytest.approx(drop.room))


def test_edges():
    """Nothing to lose is no room; no common input is an infinite ceiling; one run an arm detects nothing."""
    assert share_limit([0] * 30, [4] * 30, [0] * 30, [4] * 30).status == "no room"
    assert share_limit([0] * 30, [4] * 30, [0] * 30, [4] * 30).ceiling == 0
    assert share_limit([1], [4], [0], [0]).ceiling == math.inf
    assert share_limit([1], [1], [1], [1]).status == "none detectable"


def test_the_room_is_the_mean_rate_in_the_weights_of_mantel_and_haenszel():
    """Inputs of 4 v 1, 2 v 2 and 3 v 6 runs weigh 4/5, 1 and 2; their pooled rates are 3/5, 1/2 and 1/3."""
    design = share_design([3, 1, 0], [4, 2, 3], [0, 1, 3], [1, 2, 6], "drop")
    assert design.room == pytest.approx((4 / 5 * 3 / 5 + 1 / 2 + 2 / 3) / (4 / 5 + 1 + 2))


@pytest.mark.parametrize("lacking", [([2], [3], [0], [0]), ([0], [0], [2], [3])])
def test_an_input_that_ran_in_one_arm_is_none(lacking):
    """It adds neither to the design nor to the room; alone it leaves none, and nothing to detect or to repeat."""
    both = [list(column) + extra for column, extra in zip(EXAMPLE, lacking, strict=True)]
    assert share_design(*both, "drop").rate.size == 6
    assert share_limit(*both) == share_limit(*EXAMPLE)
    alone = share_limit(*lacking)
    assert share_design(*lacking, "drop").room == 0
    assert not detects_change(*lacking, max_change=0.2, limit=alone)
    assert share_guidance(*lacking, max_change=0.2, limit=alone) == ShareGuidance(0.2, None, None, math.inf)


def test_where_less_can_go_than_is_asked_about_no_repeat_helps():
    """Of a mean rate of 0.1 no 0.2 can go: nothing larger than what is accepted can happen unseen."""
    data = ([1] * 5, [10] * 5, [1] * 5, [10] * 5)
    limit = share_limit(*data)
    assert detects_change(*data, max_change=0.2, limit=limit)
    assert share_guidance(*data, max_change=0.2, limit=limit) == ShareGuidance(0.2, None, None, limit.ceiling)
    alone = [9], [10], [9], [10]  # and of a single input no more than 0.1 can rise
    assert detects_change(*alone, max_change=0.2, limit=share_limit(*alone, side="rise"))


def test_a_test_that_rejects_often_enough_unprovoked_detects_nothing_at_all():
    """At a level above the power asked for, any change however small is detected: the limit is 0."""
    data = ([3] * 6, [6] * 6, [3] * 6, [6] * 6)
    assert share_limit(*data, alpha=0.95, power=0.5).limit == 0


def test_a_design_too_large_to_enumerate_uses_the_approximation():
    """Nineteen inputs of 30 v 30 runs have too many states: approximate by default, refused when asked for exact."""
    data = ([20] * 19, [30] * 19, [20] * 19, [30] * 19)
    assert share_limit(*data).basis == "approximate"
    with pytest.raises(ValueError, match="basis='exact' needs a smaller design"):
        share_limit(*data, basis="exact")


def test_the_cost_counts_multisets_not_lists():
    """Six inputs of 4 v 1 have 210 states and 7 sums; states that no 63-bit code can hold cost infinitely much."""
    assert enumeration_cost(np.full(6, 4), np.full(6, 1)) == 210 * 7 * 24
    assert enumeration_cost(np.full(2, 3), np.full(2, 2)) == 15 * 5 * 12
    assert enumeration_cost(np.full(60, 9), np.full(60, 9)) == math.inf


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"side": "up"}, "side='up' must be 'drop' or 'rise'."),
        ({"basis": "guess"}, "basis='guess' must be 'exact' or 'approximate'."),
        ({"alpha": 0}, "alpha=0 must lie strictly between 0 and 1."),
        ({"power": 1}, "power=1 must lie strictly between 0 and 1."),
    ],
)
def test_bad_choices_are_refused_by_name_and_value(change, message):
    """Each refusal names the argument, its value and what is accepted."""
    with pytest.raises(ValueError) as refusal:
        share_limit(*EXAMPLE, **change)
    assert str(refusal.value) == message
