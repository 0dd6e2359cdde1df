"""The intraclass correlation against a plain analysis of variance."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from poisson_stats.clustering import clustering

items = st.lists(
    st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), min_size=1, max_size=10
)


@given(items)
def test_icc_is_that_of_the_analysis_of_variance_on_the_raw_noughts_and_ones(rows):
    """Sums of squares computed from single trials give the same correlation and design effect."""
    got = clustering(*zip(*rows, strict=True))
    groups = [np.array([1.0] * k + [0.0] * (n - k)) for k, n in rows]
    everything = np.concatenate(groups)
    n, k = everything.size, len(groups)
    if n == k or k == 1 or everything.std() == 0:
        assert math.isnan(got.icc)
        return
    between = sum(g.size * (g.mean() - everything.mean()) ** 2 for g in groups) / (k - 1)
    inside = sum(((g - g.mean()) ** 2).sum() for g in groups) / (n - k)
    size = (n - sum(g.size**2 for g in groups) / n) / (k - 1)
    icc = (between - inside) / (between + (size - 1) * inside)
    assert got.icc == pytest.approx(icc, abs=1e-9)
    assert got.design_effect == pytest.approx(1 + (n / k - 1) * icc, abs=1e-9)


def test_copies_have_a_correlation_of_one_and_cost_their_number():
    """Items whose trials are copies: icc 1, design effect the trials an item."""
    got = clustering([0, 4, 4, 0, 0], [4] * 5)
    assert (got.icc, got.design_effect) == (1, 4)


def test_one_trial_an_item_has_no_correlation_and_no_design_effect():
    """There is nothing within items; the design effect is 1."""
    got = clustering([1, 0, 1], [1, 1, 1])
    assert math.isnan(got.icc)
    assert got.design_effect == 1


def test_what_cannot_be_estimated_is_unknown():
    """One item, or all trials alike: NaN, not 0 and not 1."""
    assert math.isnan(clustering([2], [5]).design_effect)
    assert math.isnan(clustering([0, 0], [5, 5]).icc)


def test_items_without_a_trial_are_left_out():
    """They change nothing."""
    assert clustering([2, 0, 3], [4, 0, 4]) == clustering([2, 3], [4, 4])
