"""Benjamini-Hochberg and Holm against their definitions, statsmodels and SciPy."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

from poisson_stats.multiplicity import benjamini_hochberg, false_coverage_level, holm

p_values = st.lists(
    st.one_of(st.sampled_from([1.0, 0.05, 0.025, 0.05 / 3, 0.2]), st.floats(1e-12, 1.0)),
    min_size=1,
    max_size=25,
)
ARTICLE = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.324, 0.4262, 0.5719]
ARTICLE += [0.6528, 0.759, 1.0]


def step_up(p, q):
    """Reject up to the largest i with p(i) <= i q / m."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    passing = [i for i, j in enumerate(order, 1) if p[j] <= i * q / len(p) * (1 + 1e-12)]
    return {order[i] for i in range(max(passing, default=0))}


def step_down(p, q):
    """Reject from the smallest p on, until one exceeds q / (m - i + 1)."""
    rejected = set()
    for i, j in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        if p[j] > q / (len(p) - i) * (1 + 1e-12):
            break
        rejected.add(j)
    return rejected


@given(p_values, st.sampled_from([0.01, 0.05, 0.2]))
def test_benjamini_hochberg_is_the_step_up_rule(p, q):
    """Rejected are the tests up to the largest rank that meets its own bound, equality included."""
    rejected = benjamini_hochberg(np.log(p), q=q).rejected
    assert set(np.flatnonzero(rejected)) == step_up(p, q)


@given(p_values, st.sampled_from([0.01, 0.05, 0.2]))
def test_holm_is_the_step_down_rule(p, q):
    """Rejected are the tests before the first rank that misses its bound, equality included."""
    assert set(np.flatnonzero(holm(np.log(p), q=q).rejected)) == step_down(p, q)


@given(p_values)
@settings(max_examples=40, deadline=None)
def test_adjusted_values_equal_other_software(p):
    """Adjusted p-values equal those of statsmodels and SciPy."""
    log_p = np.log(p)
    bh, step = benjamini_hochberg(log_p, q=0.05), holm(log_p, q=0.05)
    np.testing.assert_allclose(bh.p, multipletests(p, method="fdr_bh")[1], rtol=1e-12)
    if hasattr(stats, "false_discovery_control"):  # from SciPy 1.11
        np.testing.assert_allclose(bh.p, stats.false_discovery_control(p), rtol=1e-12)
    np.testing.assert_allclose(step.p, multipletests(p, method="holm")[1], rtol=1e-12)


@given(p_values)
def test_adjustment_keeps_order_and_holm_is_stricter(p):
    """Adjusted values keep the order of p, are capped at 1, and Holm's are at least Benjamini-Hochberg's."""
    bh, step = benjamini_hochberg(np.log(p), q=0.05), holm(np.log(p), q=0.05)
    order = np.argsort(p, kind="stable")
    for adjusted in (bh, step):
        assert (np.diff(adjusted.p[order]) >= 0).all()
        assert adjusted.p.max() <= 1.0
        assert (adjusted.p >= np.array(p) * (1 - 1e-12)).all()
    assert (step.p >= bh.p * (1 - 1e-12)).all()


def test_published_example():
    """The 15 p-values of Benjamini and Hochberg (1995): 4 rejected by theirs, 3 by Holm's at 0.05."""
    assert int(benjamini_hochberg(np.log(ARTICLE), q=0.05).rejected.sum()) == 4
    assert int(holm(np.log(ARTICLE), q=0.05).rejected.sum()) == 3


def test_p_beyond_doubles_stays_ordered():
    """Logarithms far below the smallest double are corrected like any other."""
    adjusted = benjamini_hochberg([-5000.0, -4000.0, -0.1], q=0.05)
    assert adjusted.p.tolist()[:2] == [0.0, 0.0]
    assert adjusted.log_p.tolist() == pytest.approx([-5000 + math.log(3), -4000 + math.log(1.5), -0.1])


def test_false_coverage_level_at_its_ends():
    """Nothing flagged, and everything flagged, both give 1 - q; one of m gives 1 - q/m."""
    assert false_coverage_level(0, 18, q=0.05) == 0.95
    assert false_coverage_level(18, 18, q=0.05) == pytest.approx(0.95)
    assert false_coverage_level(1, 18, q=0.05) == pytest.approx(1 - 0.05 / 18)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: holm([], q=0.05), "log_p has shape (0,); one dimension with at least one test is accepted."),
        (lambda: holm([0.1], q=0.05), "log_p[0]=0.1 must be the logarithm of a p-value, at most 0."),
        (
            lambda: benjamini_hochberg([-1, math.nan], q=0.05),
            "log_p[1]=nan must be the logarithm of a p-value, at most 0.",
        ),
        (lambda: holm([-1], q=1), "q=1 must lie strictly between 0 and 1."),
        (lambda: false_coverage_level(3, 2, q=0.05), "flagged=3 must not exceed tests=2."),
        (lambda: false_coverage_level(-1, 2, q=0.05), "flagged=-1 must be a whole number of at least 1."),
    ],
)
def test_bad_input_is_named(call, message):
    """Every refusal names the argument and the value."""
    with pytest.raises(ValueError, match=r"\S") as refusal:
        call()
    assert str(refusal.value) == message
