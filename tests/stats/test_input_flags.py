"""Flags input by input: the definition's numbers, attainable p-values by listing tables, and flips together."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from poisson_stats.input_flags import flag_inputs, flips_needed_together, repeats_for_a_lone_flip

runs = st.integers(1, 7)


def test_12_of_32_against_32_of_32_among_328():
    """The definition's example: p = 2.30e-08, q = 7.55e-06 with 328 inputs compared."""
    flags = flag_inputs([12] + [0] * 327, [32] * 328, [32] + [0] * 327, [32] * 328)
    assert (f"{flags.p[0]:.2e}", f"{flags.p_bh[0]:.2e}") == ("2.30e-08", "7.55e-06")
    assert np.flatnonzero(flags.flagged).tolist() == [0]
    assert flags.alpha == 0.05 / 328
    assert flags.change[:2].tolist() == [20 / 32, 0]


@given(runs, runs)
def test_the_smallest_attainable_p_is_that_of_the_most_extreme_table(n0, n1):
    """No table of these run counts has a smaller Fisher p, by listing them all."""
    flags = flag_inputs([0], [n0], [0], [n1])
    least = min(
        stats.fisher_exact([[a, n0 - a], [b, n1 - b]]).pvalue for a in range(n0 + 1) for b in range(n1 + 1)
    )
    assert flags.smallest_p[0] == pytest.approx(least, rel=1e-9)


@pytest.mark.parametrize("tests", [1, 2, 5, 50, 328, 10_000])
def test_the_repeats_of_a_lone_flip_are_the_fewest(tests):
    """2 / C(2r, r) is at most alpha / M at the answer and above it one repeat sooner, in exact arithmetic."""
    r = repeats_for_a_lone_flip(tests)
    assert 2 * tests * 20 <= math.comb(2 * r, r)
    assert 2 * tests * 20 > math.comb(2 * r - 2, r - 1)


@pytest.mark.parametrize(("n0", "n1", "smallest"), [(4, 4, 2 / 70), (4, 5, 1 / 126), (3, 9, 1 / 220)])
def test_alike_inputs_need_as_many_flips_as_their_smallest_p_value_says(n0, n1, smallest):
    """The j-th of 50 equal p-values is held against j alpha / 50."""
    assert flips_needed_together([n0] * 50, [n1] * 50) == math.ceil(50 * smallest / 0.05)


@given(st.lists(st.tuples(runs, runs), min_size=1, max_size=12))
def test_so_many_flips_are_flagged_together_and_one_fewer_is_not(designs):
    """Flipping the j most telling inputs flags them; flipping j - 1 flags none."""
    n0, n1 = map(list, zip(*designs, strict=True))
    needed = flips_needed_together(n0, n1)
    telling = np.argsort(flag_inputs([0] * len(n0), n0, [0] * len(n0), n1).smallest_p, kind="stable")

    def flagged(flips):
        k1 = np.zeros(len(n0), dtype=int)
        k1[telling[:flips]] = np.array(n1)[telling[:flips]]
        return flag_inputs([0] * len(n0), n0, k1, n1).flagged.any()

    if needed is None:
        assert not flagged(len(n0))
    else:
        assert flagged(needed)
        assert not flagged(needed - 1)


def test_each_input_has_its_own_exact_limit():
    """An input at 0 of 20 has no room to fall; one of 2 v 2 runs among 10 detects nothing."""
    flags = flag_inputs([0] + [1] * 9, [20] + [2] * 9, [0] + [1] * 9, [20] + [2] * 9)
    assert flags.limits.status_fall[0] == "no room"
    assert 0 < flags.limits.rise[0] < 1
    assert flags.limits.status_rise[1] == "none detectable"


def test_inputs_that_lack_an_arm_are_not_tested():
    """They hold NaN, carry no flag and do not count among the tests."""
    flags = flag_inputs([0, 0, 0, 0], [9, 5, 0, 0], [9, 0, 0, 0], [9, 0, 5, 0])
    assert flags.tested.tolist() == [0]
    assert flags.flagged.tolist() == [True, False, False, False]
    assert np.isnan(flags.p[1:]).all()
    assert flags.alpha == 0.05


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: flag_inputs([1], [2], [0], [0]),
            "n_after=[0] leaves no input that ran in both arms; at least one is needed.",
        ),
        (lambda: flag_inputs([3], [2], [0], [1]), "k_before[0]=3 must not exceed n_before[0]=2."),
        (lambda: repeats_for_a_lone_flip(0), "tests=0 must be a whole number of at least 1."),
        (lambda: repeats_for_a_lone_flip(1, q=2), "q=2 must lie strictly between 0 and 1."),
        (lambda: flips_needed_together([1, 0], [1, 1]), "n_before=0 must be a whole number of at least 1."),
    ],
)
def test_bad_input_is_refused_by_name_and_value(call, message):
    """Each refusal names the argument and the value."""
    with pytest.raises(ValueError) as refusal:
        call()
    assert str(refusal.value) == message
