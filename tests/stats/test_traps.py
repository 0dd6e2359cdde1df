"""The traps that the statistics' definition warns of: what goes wrong without the care, with its number, and that ours does not."""

import math

import numpy as np
import pytest
from scipy import stats

from poisson_stats.fisher import fisher_test
from poisson_stats.lattice_sum import LatticeSum
from poisson_stats.significance import is_significant


def test_without_a_tolerance_a_quarter_of_64_v_64_tables_get_a_wrong_p():
    """Trap 1: summing the probabilities that are no larger than the observed one, to the last bit, is wrong in 27 %."""
    arms = np.full(65, 64)
    wrong = 0
    for k0 in range(65):
        ours = fisher_test(np.full(65, k0), arms, np.arange(65), arms).p
        for k1 in range(65):
            x = np.arange(max(0, k0 + k1 - 64), min(64, k0 + k1) + 1)
            probability = stats.hypergeom.pmf(x, 128, k0 + k1, 64)
            naive = probability[probability <= probability[k0 - x[0]]].sum()
            wrong += abs(naive / ours[k1] - 1) > 1e-6
    assert wrong / 65**2 == pytest.approx(0.27, abs=0.06)


def test_a_p_of_exactly_the_level_is_significant():
    """Trap 2: 1 of 1 against 0 of 19 has p = 1/20 exactly, which a bare comparison may miss."""
    p = float(fisher_test(1, 1, 0, 19).p)
    assert p == pytest.approx(1 / 20, rel=1e-12)
    assert is_significant(p, 0.05)


def test_a_transform_is_noise_far_out_unless_it_is_tilted():
    """Trap 4: the chance of 0 heads in 80 throws is 2^-80; a plain FFT finds noise above 1e-17, ours 2^-80."""
    exact = -80 * math.log(2)
    plain = np.fft.irfft(np.fft.rfft([0.5, 0.5], 256) ** 80, 256)[0]
    assert abs(plain) > 1e3 * math.exp(exact)
    coins = LatticeSum(
        values=np.array([0, 1]),
        log_p=np.log([0.5, 0.5]),
        starts=np.array([0]),
        copies=np.array([80]),
        jump=1,
    )
    assert coins.window(0).at(0) == pytest.approx(exact, abs=1e-9)


def test_two_ways_to_write_a_level_differ_in_the_last_bit():
    """Trap 10: 0.05/m and 1/(20 m) are not the same double for some m, so that the level is computed in one place."""
    assert any(0.05 / m != 1 / (20 * m) for m in range(1, 100))
