"""Changes held against a margin."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_stats.difference_intervals import miettinen_nurminen, tango
from poisson_stats.equivalence import apply_margin, equivalence_paired, equivalence_unpaired

count = st.integers(0, 200)


@given(st.lists(st.tuples(count, count, count, count), min_size=1, max_size=5), st.floats(0.01, 0.9))
@settings(max_examples=30, deadline=None)
def test_within_means_the_interval_is(rows, margin):
    """A row is within the margin exactly where its 1 - 2q score interval lies strictly inside."""
    a, b, c, d = np.array(rows).T
    paired = equivalence_paired(a, b, c, d, margin=margin, q=0.05)
    interval = tango(a, c, b, d, confidence=0.9)
    np.testing.assert_array_equal(paired.within, (interval.low > -margin) & (interval.high < margin))
    unpaired = equivalence_unpaired(a, a + b, c, c + d, margin=margin, q=0.02)
    interval = miettinen_nurminen(c, c + d, a, a + b, confidence=0.96)
    np.testing.assert_array_equal(unpaired.within, (interval.low > -margin) & (interval.high < margin))


def test_no_data_is_never_within():
    """A row without outcomes cannot be shown to be within any margin."""
    assert not equivalence_unpaired([0], [0], [3], [9], margin=0.99).within.any()


def test_the_change_is_after_minus_before():
    """A rise has a positive change and interval."""
    found = equivalence_paired([10], [0], [60], [130], margin=0.1)
    assert found.low[0] > 0.2


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("no significant change", "within the margin"),
        ("too small to tell", "within the margin"),
        ("worse", "worse"),
        ("safer", "safer"),
        ("trade", "trade"),
        ("not comparable", "not comparable"),
    ],
)
def test_only_undecided_words_become_within_the_margin(word, expected):
    """Counted changes keep their word; one row outside the margin keeps every word."""
    all_within = equivalence_unpaired([40], [400], [42], [400], margin=0.05)
    one_outside = equivalence_unpaired([40, 4], [400, 40], [42, 5], [400, 40], margin=0.05)
    assert apply_margin(word, all_within) == expected
    assert apply_margin(word, one_outside) == word


def test_error_rate_at_the_margin():
    """With a true change equal to the margin, a row is said to be within it at most about q of the time."""
    rng = np.random.default_rng(11)
    n, size = np.full(20_000, 150), 20_000
    for before, after in ((0.3, 0.4), (0.4, 0.3), (0.05, 0.15)):
        found = equivalence_unpaired(
            rng.binomial(n, before), n, rng.binomial(n, after), n, margin=0.1, q=0.05
        )
        assert found.within.mean() <= 0.05 + 4 * math.sqrt(0.05 * 0.95 / size) + 0.006


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"margin": 0}, "margin=0 must lie strictly between 0 and 1."),
        ({"margin": 0.1, "q": 0.5}, "q=0.5 must be below 0.5, so that 1 - 2q is a confidence."),
        ({"margin": 0.1, "q": -1}, "q=-1 must lie strictly between 0 and 1."),
    ],
)
def test_bad_input_is_named(choices, message):
    """Every refusal names the argument and the value."""
    with pytest.raises(ValueError, match=r"\S") as refusal:
        equivalence_unpaired([1], [2], [1], [2], **choices)
    assert str(refusal.value) == message
