"""Quantiles and tails of the normal distribution, against SciPy's distributions."""

import math

import pytest
from scipy import stats

from poisson_stats.normal import chi_square_1_log_tail, detection_z, two_sided_z


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_two_sided_quantile(confidence):
    """Between -z and z lies the confidence."""
    z = two_sided_z(confidence)
    assert stats.norm.cdf(z) - stats.norm.cdf(-z) == pytest.approx(confidence)


def test_quantiles_of_a_detection_limit():
    """Half of alpha lies above the first, power below the second."""
    assert detection_z(0.05, 0.8) == pytest.approx((stats.norm.isf(0.025), stats.norm.ppf(0.8)))


@pytest.mark.parametrize("statistic", [1e-12, 0.5, 1.0, 3.841, 700.0])
def test_tail_of_chi_square(statistic):
    """The logarithm is that of SciPy's distribution."""
    assert chi_square_1_log_tail(statistic) == pytest.approx(stats.chi2.logsf(statistic, 1), rel=1e-9)


def test_tail_where_the_probability_is_zero_in_floating_point():
    """Beyond what a double holds, it is the leading terms of Mills' ratio: 2 phi(z) (1/z - 1/z^3)."""
    z = math.sqrt(1e5)
    expected = math.log(2) - z * z / 2 - math.log(2 * math.pi) / 2 - math.log(z) + math.log1p(-(z**-2))
    assert chi_square_1_log_tail(1e5) == pytest.approx(expected, rel=1e-12)


def test_tail_from_zero_is_everything():
    """Whatever rounding does, a probability does not exceed 1."""
    assert chi_square_1_log_tail(0.0) == 0
