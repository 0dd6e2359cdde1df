"""Planned replicates and design limits against exhaustive search."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_stats.fisher_region import fisher_region
from poisson_stats.limits import limits_paired, limits_unpaired
from poisson_stats.planning import (
    TooManyReplicatesError,
    _Fisher,
    _McNemar,
    design_limit,
    plan_pairs,
    plan_replicates,
)
from poisson_stats.power import FisherRows, PairedRows


@pytest.mark.parametrize(
    ("max_mde", "tests"), [(0.9, 1), (0.5, 1), (0.4, 18), (0.3, 2), (0.25, 18), (0.3, 2000)]
)
@pytest.mark.parametrize("paired", [True, False])
def test_no_larger_n_fails(max_mde, tests, paired):
    """The plan is one more than the last n that fails, looked for up to three times the plan."""
    plan = plan_replicates(max_mde, tests, paired=paired)
    alpha = 0.05 / tests
    families = [_Fisher(alpha), _McNemar(alpha, 0.0)] if paired else [_Fisher(alpha)]
    fails = [
        n for n in range(1, 3 * plan + 20) if min(min(test.powers(n, max_mde)) for test in families) < 0.8
    ]
    assert plan == max(fails, default=0) + 1


@pytest.mark.parametrize("n", [2, 3, 5, 8, 10, 13, 20, 40, 77])
@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("tests", [1, 18])
def test_no_base_rate_is_harder_than_the_worst(n, paired, tests):
    """At the stated limit the power is at least 0.8 from every base rate, and below it at the stated one."""
    design = design_limit(n, tests, paired=paired)
    alpha = 0.05 / tests

    region = fisher_region(n, n, alpha)

    def power(before, change):
        size = np.full(before.size, n)
        rows = (
            PairedRows(before, size, np.zeros(size.size), alpha)
            if paired
            else FisherRows.prepare(before, size, size, lambda *_: region)
        )
        return rows.power(np.clip(before + change, 0, 1))

    if math.isnan(design.limit):
        assert power(np.array([0.0]), 1.0)[0] < 0.8
        return
    assert (power(np.linspace(0, 1 - design.limit, 201), design.limit) >= 0.8 - 1e-9).all()
    assert 0 <= design.base_rate <= 1 - design.limit
    # The hardest base rate moves with the change by half a step.
    step = 1e-4
    harder = design.base_rate + (step / 2 if design.base_rate else 0.0)
    assert power(np.array([harder]), design.limit - step)[0] < 0.8


@given(st.integers(1, 60), st.booleans())
@settings(max_examples=30, deadline=None)
def test_no_row_needs_more_than_the_design(n, paired):
    """The largest limit over all counts of n is at most the design's worst-case limit."""
    design = design_limit(n, 6, paired=paired)
    k, size = np.arange(n + 1), np.full(n + 1, n)
    limits = (
        limits_paired(k, size, alpha=0.05 / 6) if paired else limits_unpaired(k, size, size, alpha=0.05 / 6)
    )
    largest = np.fmax.reduce([*limits.rise, *limits.fall])
    assert math.isnan(design.limit) or math.isnan(largest) or largest <= design.limit + 1e-12


def test_a_plan_meets_its_own_limit():
    """Handed back as a design, the plan's limit is within what was asked for."""
    for max_mde in (0.1, 0.15, 0.2, 0.35, 0.6):
        for paired in (True, False):
            n = plan_replicates(max_mde, 12, paired=paired)
            assert design_limit(n, 12, paired=False).limit <= max_mde
            assert not paired or design_limit(n, 12, paired=True).limit <= max_mde


def test_smallest_designs_detect_nothing():
    """One replicate an arm detects nothing at any level below 1; the limit is NaN, not 1."""
    for paired in (True, False):
        design = design_limit(1, 18, paired=paired)
        assert math.isnan(design.limit)
        assert math.isnan(design.base_rate)


def test_more_tests_and_smaller_changes_need_more_replicates():
    """The plan grows with the number of tests and shrinks with the accepted change."""
    assert plan_replicates(0.2, 1) < plan_replicates(0.2, 18) < plan_replicates(0.2, 2000)
    assert plan_replicates(0.3, 18) < plan_replicates(0.2, 18) < plan_replicates(0.15, 18)


def test_runs_are_paired_unless_said_otherwise():
    """A plan holds for paired runs too, which need more here, and a limit is that of McNemar's test."""
    assert plan_replicates(0.5, 18) == 33 > plan_replicates(0.5, 18, paired=False)
    assert design_limit(33, 18) == design_limit(33, 18, paired=True)


@pytest.mark.parametrize("correlation", [-1.0, 1.0])
def test_arms_may_be_wholly_alike_or_opposite(correlation):
    """Both ends of the range of a correlation are values it may have."""
    assert design_limit(50, 18, correlation=correlation).limit > 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plan_replicates(0, 18), "max_mde=0 must lie strictly between 0 and 1."),
        (lambda: plan_replicates(1.0, 18), "max_mde=1.0 must lie strictly between 0 and 1."),
        (lambda: plan_replicates(math.nan, 18), "max_mde=nan must lie strictly between 0 and 1."),
        (lambda: plan_replicates(0.2, 0), "tests=0 must be a whole number of at least 1."),
        (lambda: plan_replicates(0.2, 18, q=1.5), "q=1.5 must lie strictly between 0 and 1."),
        (lambda: design_limit(0, 18), "n=0 must be a whole number of at least 1."),
        (lambda: design_limit(2.5, 18), "n=2.5 must be a whole number of at least 1."),
        (lambda: plan_pairs(0.2, 18, correlation=1.01), "correlation=1.01 must lie in -1 to 1."),
        (lambda: plan_pairs(0.2, 18, correlation=-1.01), "correlation=-1.01 must lie in -1 to 1."),
        (lambda: design_limit(9, 18, correlation=math.nan), "correlation=nan must lie in -1 to 1."),
    ],
)
def test_bad_input_is_named(call, message):
    """Every refusal names the argument and the value."""
    with pytest.raises(ValueError, match=r"\S") as refusal:
        call()
    assert str(refusal.value) == message


@pytest.mark.parametrize("max_mde", [1e-12, 1e-6, 0.002])
def test_a_change_too_small_to_plan_for_is_refused_at_once(max_mde):
    """A plan that would take minutes, or break on its arrays, is refused by the name and value of the change."""
    for plan in (plan_replicates, lambda change, tests: plan_pairs(change, tests, correlation=0.5)):
        with pytest.raises(TooManyReplicatesError, match=rf"max_mde={max_mde!r} is too small to plan for"):
            plan(max_mde, 2)
