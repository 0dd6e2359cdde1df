"""The word of a comparison, from every combination of what its rows did."""

from itertools import product

import numpy as np
import pytest

from poisson_stats.verdict import row_words, verdict


@pytest.mark.parametrize("rows", list(product([-1, 0, 1], repeat=3)))
@pytest.mark.parametrize("small", [False, True])
def test_verdict_of_every_combination(rows, small):
    """Worse or safer alone give their word, both a trade, neither a question of size."""
    change = np.array(rows, float)
    direction = np.array([1, -1, 1])
    effect = change * direction
    word = verdict(change, direction, change != 0, np.array([small, False, False]))
    if (effect > 0).any() and (effect < 0).any():
        expected = "trade"
    elif effect.any():
        expected = "worse" if (effect > 0).any() else "safer"
    else:
        expected = "too small to tell" if small else "no significant change"
    assert word == expected


def test_uncounted_rows_do_not_speak():
    """A large change that Holm does not count leaves the word to the limits."""
    no = np.array([False])
    assert verdict(np.array([0.5]), np.array([1]), no, no) == "no significant change"


def test_unknown_change_is_not_a_change():
    """A row without data (NaN) is neither worse nor safer."""
    change, direction = np.array([np.nan]), np.array([1])
    assert verdict(change, direction, np.array([False]), np.array([True])) == "too small to tell"
    assert row_words(change, direction, np.array([False]), np.array([True])) == ("too small to tell",)
