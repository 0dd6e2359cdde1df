"""The word of a comparison, from every combination of what its rows did."""

from itertools import product

import numpy as np
import pytest

from poisson_stats.verdict import row_words, verdict


@pytest.mark.parametrize("rows", list(product([-1, 0, 1], repeat=3)))
@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("size", [1.0, 0.01])
def test_verdict_of_every_combination(rows, small, size):
    """Worse or safer alone give their word, both a trade, neither a question of size; how large they are is none."""
    change = size * np.array(rows, float)
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


@pytest.mark.parametrize("size", [1.0, 0.01])
def test_the_words_of_rows(size):
    """A flagged row is worse or safer by the sign of its change and its direction; any other says what it could show."""
    change = size * np.array([1, -1, 1, -1, 1, 1])
    direction = np.array([1, 1, -1, -1, 1, 1])
    flagged = np.array([True, True, True, True, False, False])
    small = np.array([True, False, False, True, True, False])
    expected = ("worse", "safer", "safer", "worse", "too small to tell", "no significant change")
    assert row_words(change, direction, flagged, small) == expected
