"""Power and detection limits against double enumeration in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from poisson_stats.fisher_region import fisher_region
from poisson_stats.limits import limits_paired, limits_unpaired, steps_to_cover
from poisson_stats.power import FisherRows, PairedRows, mcnemar_power
from tests.oracles import exact_tables as oracle

rates = st.sampled_from([Fraction(k, 12) for k in range(13)])
alphas = st.sampled_from([0.3, 0.05, 0.01, 0.05 / 18])


def region_at(alpha):
    return lambda before, after: fisher_region(before, after, alpha)


def slack(alpha):
    return Fraction(alpha) * (1 + Fraction(1, 10**12))


@given(rates, rates, st.integers(1, 13), st.integers(1, 13), alphas)
@settings(max_examples=80, deadline=None)
def test_fisher_power_equals_enumeration(p0, p1, n0, n1, alpha):
    """The power is the probability of all pairs of counts that the test rejects."""
    rows = FisherRows.prepare(np.array([float(p0)]), np.array([n0]), np.array([n1]), region_at(alpha))
    exact = oracle.fisher_power(p0, p1, n0, n1, slack(alpha))
    assert rows.power(np.array([float(p1)]))[0] == pytest.approx(float(exact), abs=1e-12)


@pytest.mark.parametrize("n", range(120, 260, 4))
@pytest.mark.parametrize(("p1", "p2"), [(0.2, 0.1), (0.02, 0.3)])
def test_mcnemar_power_of_many_pairs_is_the_plain_sum(n, p1, p2):
    """Wherever the numbers of discordant pairs begin that are looked at, the tails from there on are right."""
    found = mcnemar_power(np.array([p1]), np.array([p2]), np.array([n]), 0.05)[0]
    d, share = np.arange(n + 1), p1 / (p1 + p2)
    critical = stats.binom.ppf(0.025, d, 0.5).astype(int)
    critical -= stats.binom.cdf(critical, d, 0.5) > 0.025  # the most on one side that is rejected
    tails = stats.binom.cdf(critical, d, share) + stats.binom.cdf(critical, d, 1 - share)
    assert found == pytest.approx((stats.binom.pmf(d, n, p1 + p2) * tails).sum(), abs=1e-10)


@given(rates, rates, st.integers(1, 14), alphas)
@settings(max_examples=80, deadline=None)
def test_mcnemar_power_equals_enumeration(p0, p1, n, alpha):
    """The power is the trinomial probability of all splits that the test rejects."""
    exact = oracle.mcnemar_power(p0 * (1 - p1), (1 - p0) * p1, n, slack(alpha))
    rows = PairedRows(np.array([float(p0)]), np.array([n]), np.zeros(1), alpha)
    assert rows.power(np.array([float(p1)]))[0] == pytest.approx(float(exact), abs=1e-12)


def test_power_with_exceptions_of_the_region():
    """Where the region has exceptions (4 and 33 at 0.2758) they are part of the power."""
    p0, p1 = Fraction(1, 4), Fraction(1, 3)
    rows = FisherRows.prepare(np.array([0.25]), np.array([4]), np.array([33]), region_at(0.2758))
    assert rows.extra_row.size
    exact = oracle.fisher_power(p0, p1, 4, 33, slack(0.2758))
    assert rows.power(np.array([float(p1)]))[0] == pytest.approx(float(exact), abs=1e-13)


def test_power_of_large_designs_is_the_full_sum():
    """The window of 9 standard deviations and the running sum lose nothing at n = 2,000."""
    n, p1, p2, alpha = 2000, 0.11, 0.07, 0.05 / 18
    rng = np.random.default_rng(5)
    b, c, _ = rng.multinomial(n, [p1, p2, 1 - p1 - p2], size=200_000).T
    from poisson_stats.mcnemar import mcnemar_test
    from poisson_stats.significance import is_significant

    simulated = is_significant(mcnemar_test(b, c).p, alpha).mean()
    exact = mcnemar_power(np.array([p1]), np.array([p2]), np.array([n]), alpha)[0]
    assert exact == pytest.approx(simulated, abs=4 * np.sqrt(exact * (1 - exact) / 200_000))


def as_steps(limits, direction):
    value = getattr(limits, direction)[0]
    status = getattr(limits, f"status_{direction}")[0]
    return round(value * 10_000) if status == "limit" else status


@given(st.integers(1, 11), st.integers(1, 11), st.data())
@settings(max_examples=25, deadline=None)
def test_unpaired_limits_equal_enumeration(n0, n1, data):
    """Limit and status in both directions equal a search over enumerated powers."""
    k, alpha = data.draw(st.integers(0, n0)), data.draw(st.sampled_from([0.2, 0.05]))
    p0 = Fraction(k, n0)

    def power(p1):
        return oracle.fisher_power(p0, p1, n0, n1, slack(alpha))

    limits = limits_unpaired([k], [n0], [n1], alpha=alpha)
    assert as_steps(limits, "rise") == oracle.smallest_change(power, p0, 1)
    assert as_steps(limits, "fall") == oracle.smallest_change(power, p0, -1)


@given(st.integers(1, 14), st.data())
@settings(max_examples=25, deadline=None)
def test_paired_limits_equal_enumeration(n, data):
    """Limit and status in both directions equal a search over enumerated powers."""
    k, alpha = data.draw(st.integers(0, n)), data.draw(st.sampled_from([0.2, 0.05]))
    p0 = Fraction(k, n)

    def power(p1):
        return oracle.mcnemar_power(p0 * (1 - p1), (1 - p0) * p1, n, slack(alpha))

    limits = limits_paired([k], [n], alpha=alpha)
    assert as_steps(limits, "rise") == oracle.smallest_change(power, p0, 1)
    assert as_steps(limits, "fall") == oracle.smallest_change(power, p0, -1)


@pytest.mark.parametrize("paired", [True, False])
def test_power_at_the_limit_is_reached_and_one_step_before_is_not(paired):
    """The definition plugged back in, for every count of 194 and both directions."""
    k, n, alpha = np.arange(195), np.full(195, 194), 0.05 / 18
    limits = limits_paired(k, n, alpha=alpha) if paired else limits_unpaired(k, n, n, alpha=alpha)
    rate = k / 194
    rows = (
        PairedRows(rate, n, np.zeros(195), alpha)
        if paired
        else FisherRows.prepare(rate, n, n, region_at(alpha))
    )
    for value, status, sign in ((limits.rise, limits.status_rise, 1), (limits.fall, limits.status_fall, -1)):
        stated = np.array(status) == "limit"
        assert stated.sum() > 100
        at = np.clip(rate + sign * np.nan_to_num(value), 0, 1)
        before = np.clip(rate + sign * (np.nan_to_num(value) - 1e-4), 0, 1)
        assert (rows.power(at)[stated] >= 0.8).all()
        assert (rows.power(before)[stated] < 0.8).all()


def test_rise_and_fall_mirror_each_other():
    """The rise from k of n is the fall from n - k of n."""
    k, n = np.arange(51), np.full(51, 50)
    for limits in (limits_paired(k, n, alpha=0.01), limits_unpaired(k, n, n, alpha=0.01)):
        np.testing.assert_array_equal(limits.rise, limits.fall[::-1])
        assert limits.status_rise == limits.status_fall[::-1]
    of_one = limits_unpaired([0, 1], [1, 1], [40, 40], alpha=0.1)
    assert of_one.rise[0] == of_one.fall[1] > 0.9


def test_an_arm_without_data_detects_nothing():
    """Without episodes in an arm there is no limit, and no accepted change makes the row large enough."""
    limits = limits_unpaired([0, 3], [0, 5], [5, 0], alpha=0.05)
    assert limits.status_rise == limits.status_fall == ("none detectable", "none detectable")
    assert np.isinf(limits.ceiling).all()
    assert np.isnan([limits.rise, limits.fall]).all()


@pytest.mark.parametrize("n", [3, 30])
def test_where_there_is_no_limit_there_is_no_number(n):
    """A limit is a number where its status says `limit`, and nan elsewhere; it never exceeds the room there is."""
    k, sizes = np.arange(n + 1), np.full(n + 1, n)
    for limits in (limits_paired(k, sizes, alpha=0.01), limits_unpaired(k, sizes, sizes, alpha=0.01)):
        for value, status in ((limits.rise, limits.status_rise), (limits.fall, limits.status_fall)):
            np.testing.assert_array_equal(np.isfinite(value), np.array(status) == "limit")


@pytest.mark.parametrize(("change", "steps"), [(0.0, 0), (0.2, 2000), (1 - 0.8, 2000), (0.20001, 2001)])
def test_a_change_on_the_grid_is_not_rounded_up(change, steps):
    """A fifth is 2,000 steps of 0.0001, whichever way it was computed; anything more takes one more."""
    assert steps_to_cover(np.array([change])).tolist() == [steps]


def test_ceiling_is_the_larger_limit_or_the_room_left():
    """2 of 194 rises at 0.0846 and cannot be seen to fall by 2/194; 3 of 7 cannot be seen to move at all."""
    limits = limits_paired([2, 3], [194, 7], alpha=0.05 / 18)
    assert limits.ceiling.tolist() == [0.0846, 0.5715]


def test_bad_levels_and_counts_are_named():
    """A level outside (0, 1) and more events than episodes are refused."""
    with pytest.raises(ValueError, match=r"^alpha=0 must lie strictly between 0 and 1\.$"):
        limits_paired([1], [2], alpha=0)
    with pytest.raises(ValueError, match=r"^k_before\[0\]=3 must not exceed pairs\[0\]=2\.$"):
        limits_paired([3], [2], alpha=0.1)
