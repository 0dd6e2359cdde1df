"""Functions that never fall, against asking for every value."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from poisson_stats.mcnemar import _critical_counts, _searched
from poisson_stats.rising import rising_values


@given(st.lists(st.integers(0, 3), max_size=60))
def test_every_value_is_found(steps):
    """Whatever the steps, the values are those of the function, and each place is asked for at most once."""
    values, asked = np.cumsum(np.array(steps, dtype=np.int64)), []

    def value_at(place):
        asked.extend(place.tolist())
        return values[place]

    assert rising_values(values.size, value_at).tolist() == values.tolist()
    assert len(asked) == len(set(asked))


@given(st.floats(1e-12, 0.99), st.integers(0, 3000))
def test_critical_counts_are_those_of_every_number_of_pairs(alpha, start):
    """Looking up few numbers of pairs leaves the critical count of each as it is."""
    d = np.arange(start, start + 500)
    np.testing.assert_array_equal(_critical_counts(d, alpha)[0], _searched(d, alpha))
