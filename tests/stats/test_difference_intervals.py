"""Tango's and Miettinen-Nurminen's intervals against brute force, published tables and their symmetries."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.special import ndtri

from poisson_stats.difference_intervals import miettinen_nurminen, restricted_rates, tango
from tests.oracles.score_intervals import bound, paired_score, unpaired_score

cell = st.integers(0, 40)
quadruple = st.tuples(cell, cell, cell, cell)
arm = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(quadruple.filter(any), st.sampled_from([0.9, 0.95, 0.99]))
@example((0, 1, 0, 0), 0.95)
@settings(max_examples=25, deadline=None)
def test_tango_equals_brute_force(cells, confidence):
    """Both bounds equal those of a numerically maximised likelihood, edges and empty cells included."""
    interval = tango(*cells, confidence=confidence)
    z, estimate = float(-ndtri((1 - confidence) / 2)), (cells[1] - cells[2]) / sum(cells)
    for ours, edge in ((interval.low, -1.0), (interval.high, 1.0)):
        assert ours == pytest.approx(bound(lambda t: paired_score(*cells, t), estimate, edge, z), abs=1e-6)


@given(arm, arm, st.sampled_from([0.9, 0.95, 0.99]))
@settings(max_examples=25, deadline=None)
def test_miettinen_nurminen_equals_brute_force(first, second, confidence):
    """Both bounds equal those of a numerically maximised likelihood, edges included."""
    interval = miettinen_nurminen(*first, *second, confidence=confidence)
    z, estimate = float(-ndtri((1 - confidence) / 2)), first[0] / first[1] - second[0] / second[1]
    for ours, edge in ((interval.low, -1.0), (interval.high, 1.0)):
        expected = bound(lambda t: unpaired_score(*first, *second, t), estimate, edge, z)
        assert ours == pytest.approx(expected, abs=1e-6)


@given(arm, arm, st.floats(-0.99, 0.99))
@example((1, 1), (2, 2), -4.2422735494787417e-13)
@example((22, 22), (22, 22), 2.220446049250313e-16)
@example((18, 18), (41, 41), 3.356758966604969e-13)  # rounding makes a sine of more than 1
@example((0, 1), (0, 47), -7.431834825491652e-10)
@example((21, 21), (3, 3), -0.0006824181877547795)  # and a rate of more than 1, or less than 0
@example((0, 51), (0, 4), 5.578767631614661e-07)
@settings(max_examples=200, deadline=None)
def test_restricted_rates_are_feasible_and_most_likely(first, second, t):
    """The restricted rates differ by t, lie in [0, 1], and no neighbour is more likely.

    Where two of the cubic's roots nearly meet, at the ends of the range, half of the digits of a rate are left.
    """
    (k1, n1), (k2, n2) = first, second
    p1, p2 = restricted_rates(*(np.array([x]) for x in (k1, n1, k2, n2)), np.array([t]))
    assert p1[0] - p2[0] == pytest.approx(t)
    assert min(p1[0], p2[0]) >= -1e-15
    assert max(p1[0], p2[0]) <= 1 + 1e-15

    def likelihood(p):
        with np.errstate(divide="ignore", invalid="ignore"):
            terms = [(k1, p + t), (n1 - k1, 1 - p - t), (k2, p), (n2 - k2, 1 - p)]
            return sum(np.where(count == 0, 0.0, count * np.log(np.maximum(x, 1e-300))) for count, x in terms)

    grid = np.linspace(max(0.0, -t), min(1.0, 1 - t), 401)
    assert likelihood(p2[0]) >= likelihood(grid).max() - 1e-7 * (n1 + n2)


def test_published_unpaired_table():
    """Newcombe, Statistics in Medicine 17 (1998), 873-890, table II, method 6, contrasts (a) to (g)."""
    k1, n1 = [56, 9, 6, 5, 0, 0, 10], [70, 10, 7, 56, 10, 10, 10]
    k2, n2 = [48, 3, 2, 0, 0, 0, 0], [80, 10, 7, 29, 20, 10, 20]
    interval = miettinen_nurminen(k1, n1, k2, n2)
    expected = [
        ("0.0528", "0.3382"),
        ("0.1700", "0.8406"),
        ("0.0342", "0.8534"),
        ("-0.0326", "0.1933"),
        ("-0.1658", "0.2844"),
        ("-0.2879", "0.2879"),
        ("0.7156", "1.0000"),
    ]
    assert [(f"{a:.4f}", f"{b:.4f}") for a, b in zip(interval.low, interval.high, strict=True)] == expected


@given(quadruple.filter(any))
@settings(deadline=None)
def test_tango_turns_around_with_the_arms(cells):
    """Swapping first and second mirrors the interval; so does nothing else about the concordant pairs."""
    a, b, c, d = cells
    ours, swapped, relabelled = tango(a, b, c, d), tango(a, c, b, d), tango(d, b, c, a)
    assert (ours.low, ours.high) == pytest.approx((-swapped.high, -swapped.low), abs=1e-12)
    assert (ours.low, ours.high) == (relabelled.low, relabelled.high)


@given(arm, arm)
@settings(max_examples=40, deadline=None)
def test_miettinen_nurminen_turns_around_with_the_arms(first, second):
    """Swapping the arms, or the event and its absence, mirrors the interval."""
    (k1, n1), (k2, n2) = first, second
    ours = miettinen_nurminen(k1, n1, k2, n2)
    for other in (miettinen_nurminen(k2, n2, k1, n1), miettinen_nurminen(n1 - k1, n1, n2 - k2, n2)):
        assert (ours.low, ours.high) == pytest.approx((-other.high, -other.low), abs=1e-9)


@given(quadruple.filter(any))
@settings(deadline=None)
def test_interval_holds_the_estimate_and_grows_with_confidence(cells):
    """Low <= estimate <= high within [-1, 1], and a higher confidence gives an interval around the lower's."""
    a, b, c, d = cells
    narrow, wide = tango(a, b, c, d, confidence=0.8), tango(a, b, c, d, confidence=0.99)
    assert -1 <= wide.low <= narrow.low <= narrow.estimate <= narrow.high <= wide.high <= 1


def test_edges():
    """No discordant pair still gives an interval; a complete change touches the edge; no data gives NaN."""
    interval = tango([0, 10, 0, 0], [0, 0, 0, 12], [0, 0, 12, 0], [0, 10, 0, 0])
    assert np.isnan(interval.low[0])
    assert np.isnan(interval.estimate[0])
    assert interval.low[1] == pytest.approx(-interval.high[1])
    assert interval.high[1] > 0.1
    assert (interval.low[2], interval.high[3]) == (-1.0, 1.0)
    assert np.isnan(miettinen_nurminen([0, 1], [0, 3], [1, 0], [3, 0]).high).all()


def test_simulated_coverage():
    """At n = 60 both intervals cover the true difference close to as often as they say."""
    rng = np.random.default_rng(6)
    size = 20_000
    cells = rng.multinomial(60, [0.3, 0.2, 0.1, 0.4], size=size).T
    paired = tango(*cells)
    assert ((paired.low <= 0.1) & (paired.high >= 0.1)).mean() == pytest.approx(0.95, abs=0.01)
    k1, k2, n = rng.binomial(60, 0.35, size), rng.binomial(60, 0.15, size), np.full(size, 60)
    unpaired = miettinen_nurminen(k1, n, k2, n)
    assert ((unpaired.low <= 0.2) & (unpaired.high >= 0.2)).mean() == pytest.approx(0.95, abs=0.01)


def test_bad_input_is_named():
    """A negative cell, k > n and a level outside (0, 1) are refused by name."""
    with pytest.raises(ValueError, match=r"^only_first=-1 must not be negative\.$"):
        tango(1, -1, 1, 1)
    with pytest.raises(ValueError, match=r"^k_second=4 must not exceed n_second=3\.$"):
        miettinen_nurminen(1, 2, 4, 3)
    with pytest.raises(ValueError, match=r"^confidence=95 must lie strictly between 0 and 1\.$"):
        tango(1, 1, 1, 1, confidence=95)
