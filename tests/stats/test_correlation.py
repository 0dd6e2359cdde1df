"""The correlation of paired arms, and the limits and plans that use it."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from poisson_stats.correlation import discordance, pair_correlation
from poisson_stats.limits import limits_paired
from poisson_stats.planning import design_limit, plan_pairs, plan_replicates
from poisson_stats.power import PairedRows
from tests.oracles import exact_tables as oracle

cell = st.integers(0, 200)
rate = st.floats(0.0, 1.0)


@given(cell, cell, cell, cell)
@example(1, 0, 0, 1)
@settings(deadline=None)
def test_correlation_is_that_of_the_spelled_out_pairs(a, b, c, d):
    """φ is Pearson's correlation of the two columns of zeros and ones, undefined where a column is constant."""
    found = pair_correlation([a], [b], [c], [d]).by_row[0]
    before, after = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [a, b, c, d], axis=0).T
    if before.size and before.std() > 0 and after.std() > 0:
        assert found == pytest.approx(np.corrcoef(before, after)[0, 1])
    else:
        assert math.isnan(found)


def test_pooled_correlation_ignores_differences_between_rows():
    """Two rows of independent arms with rates 0.1 and 0.9 are uncorrelated together, though their sum is not."""
    cells = np.array([[1, 9, 9, 81], [81, 9, 9, 1]]).T
    assert pair_correlation(*cells).pooled == pytest.approx(0)
    assert pair_correlation(*cells.sum(axis=1, keepdims=True)).pooled > 0.6


def test_arms_that_repeat_each_other_have_a_correlation_a_plan_accepts():
    """Arms that are the same pair by pair, at many rates, have 1 and never a last bit more; opposite ones -1."""
    for n in range(3, 40):
        k = np.arange(1, n)
        zero = np.zeros(n - 1, dtype=int)
        for found in (pair_correlation(k, zero, zero, n - k), pair_correlation(zero, k, n - k, zero)):
            assert max(abs(found.pooled), *np.abs(found.by_row)) <= 1.0


@given(st.lists(st.tuples(cell, cell, cell, cell), min_size=1, max_size=5))
@example([(1, 0, 0, 1)])
def test_pooled_correlation_weighs_rows_by_their_pairs(rows):
    """The sum of the rows' covariances over that of the products of their standard deviations, times their pairs."""
    covariance = scale = 0.0
    for cells in rows:
        pairs = sum(cells)
        if pairs:
            before, after = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], cells, axis=0).T
            covariance += pairs * np.cov(before, after, bias=True)[0, 1]
            scale += pairs * before.std() * after.std()
    pooled = pair_correlation(*zip(*rows, strict=True)).pooled
    if scale > 1e-9:
        assert pooled == pytest.approx(covariance / scale, abs=1e-9)
    else:
        assert math.isnan(pooled)


def test_pooled_correlation_of_one_row_is_its_own():
    """With one row, or equal rows, the pooled figure is the row's; without any φ it is NaN."""
    assert pair_correlation([40] * 3, [10] * 3, [10] * 3, [40] * 3).pooled == pytest.approx(0.6)
    assert math.isnan(pair_correlation([5, 0], [0, 0], [0, 0], [0, 4]).pooled)


@given(rate, rate, st.floats(-1, 1))
def test_discordance_has_the_rates_and_is_feasible(p0, p1, phi):
    """The four kinds of pair have the given margins and no negative probability; where nothing is clipped, φ."""
    before, after = (x[0] for x in discordance(np.array([p0]), np.array([p1]), np.array([phi])))
    both = p0 - before
    assert min(before, after, both, 1 - before - after - both) >= -1e-12
    assert both + after == pytest.approx(p1)
    scale = math.sqrt(p0 * (1 - p0) * p1 * (1 - p1))
    covariance = both - p0 * p1
    assert abs(covariance) <= abs(phi) * scale + 1e-12
    if min(before, after, both, 1 - before - after - both) > 1e-9:
        assert covariance == pytest.approx(phi * scale, abs=1e-12)


@given(st.integers(2, 12), st.data())
@settings(max_examples=20, deadline=None)
def test_observed_limits_equal_enumeration(n, data):
    """With φ = 1/2 held fixed, limit and status equal a search over enumerated powers."""
    k = data.draw(st.integers(0, n))
    p0, phi, alpha = Fraction(k, n), Fraction(1, 2), 0.2

    def power(p1):
        before, after = p0 * (1 - p1), (1 - p0) * p1
        c = min(float(phi) * math.sqrt(before * after), float(before), float(after))
        return oracle.mcnemar_power(
            float(before) - c, float(after) - c, n, Fraction(alpha) * (1 + Fraction(1, 10**12))
        )

    limits = limits_paired([k], [n], alpha=alpha, correlation=0.5)
    for direction, sign in (("rise", 1), ("fall", -1)):
        status = getattr(limits, f"status_{direction}")[0]
        ours = round(getattr(limits, direction)[0] * 10_000) if status == "limit" else status
        assert ours == oracle.smallest_change(power, p0, sign)


@pytest.mark.parametrize(("phi", "n"), [(0.0, 194), (0.2, 157), (0.4, 119), (0.6, 77)])
def test_sharing_seeds_pays(phi, n):
    """For a limit of 0.20 over 18 tests: 194 pairs at correlation 0, 157 at 0.2, 119 at 0.4, 77 at 0.6."""
    assert plan_pairs(0.20, 18, correlation=phi) == n


def test_a_limit_shrinks_with_the_correlation():
    """From the same rate, more correlated pairs detect a smaller change; undefined φ is the design limit."""
    k, n = np.full(6, 60), np.full(6, 194)
    limits = limits_paired(k, n, alpha=0.05 / 18, correlation=[-0.3, 0.0, 0.3, 0.6, 0.9, np.nan])
    assert (np.diff(limits.rise[:5]) < 0).all()
    assert limits.rise[5] == limits.rise[1] == limits_paired([60], [194], alpha=0.05 / 18).rise[0]


@pytest.mark.parametrize("phi", [-1, 1])
def test_arms_may_be_each_others_copy_or_opposite(phi):
    """The ends of the range are correlations, too; a copy detects a smaller change than arms apart, an opposite none smaller."""
    ends, apart = (limits_paired([30], [60], alpha=0.05, correlation=each).rise[0] for each in (phi, 0))
    assert (ends < apart) == (phi > 0)


@pytest.mark.parametrize("phi", [0.0, 0.2, 0.4, 0.6, 0.8, 1.0])
@pytest.mark.parametrize("n", [8, 12, 20, 40, 77, 150])
def test_no_base_rate_is_harder_than_the_worst(phi, n):
    """At the design's limit the power is at least 0.8 from every base rate, whatever the correlation."""
    design = design_limit(n, 18, correlation=phi)
    before = np.linspace(0, 1 - (0 if math.isnan(design.limit) else design.limit), 301)
    rows = PairedRows(before, np.full(301, n), np.full(301, phi), 0.05 / 18)
    if math.isnan(design.limit):
        assert rows.power(np.ones(301)).min() < 0.8
    else:
        assert (rows.power(np.clip(before + design.limit, 0, 1)) >= 0.8 - 1e-9).all()


def test_a_plan_without_correlation_is_the_paired_plan():
    """At φ = 0 the pairs needed are those of McNemar's part of the design plan."""
    assert plan_pairs(0.3, 5, correlation=0.0) <= plan_replicates(0.3, 5)
    assert plan_replicates(0.3, 5) == max(
        plan_pairs(0.3, 5, correlation=0.0), plan_replicates(0.3, 5, paired=False)
    )


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plan_pairs(0.2, 18, correlation=1.5), "correlation=1.5 must lie in -1 to 1."),
        (lambda: plan_pairs(0.2, 18, correlation=math.nan), "correlation=nan must lie in -1 to 1."),
        (
            lambda: limits_paired([1, 1], [2, 2], alpha=0.1, correlation=[0, -2]),
            "correlation[1]=-2.0 must lie in -1 to 1.",
        ),
        (
            lambda: limits_paired([1, 1], [2, 2], alpha=0.1, correlation=[0, 0, 0]),
            "correlation has shape (3,) where the counts have (2,).",
        ),
    ],
)
def test_bad_input_is_named(call, message):
    """Every refusal names the argument and the value."""
    with pytest.raises(ValueError, match=r"\S") as refusal:
        call()
    assert str(refusal.value) == message
