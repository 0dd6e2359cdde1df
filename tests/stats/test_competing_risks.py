"""Aalen-Johansen incidence against exact fractions, R and statsmodels; its band against its own law."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.duration.survfunc import CumIncidenceRight

from poisson_stats.competing_risks import cumulative_incidence, incidence_at
from poisson_stats.survival import survival_curve
from tests.oracles import r_reference, survival_by_fractions

episodes = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=1, max_size=25)


def incidence_of(rows, **options):
    times, causes = zip(*rows, strict=True)
    return cumulative_incidence(times, causes, kinds=3, **{"resamples": 0} | options)


@given(episodes)
def test_the_incidence_is_the_definition_in_fractions(rows):
    """Every F_k equals the exact one at every time of a death, ties included."""
    exact = survival_by_fractions.cumulative_incidence(*zip(*rows, strict=True), 3)
    result = incidence_of(rows)
    assert result.times.tolist() == [t for t, _ in exact]
    for column, (_, want) in enumerate(exact):
        assert result.incidence[:, column] == pytest.approx([float(f) for f in want], abs=1e-14)


@given(episodes)
def test_the_incidences_add_up_to_what_did_not_survive(rows):
    """The sum over kinds is 1 - S with S the Kaplan-Meier curve of dying at all."""
    result = incidence_of(rows)
    times, causes = zip(*rows, strict=True)
    curve = survival_curve(times, np.array(causes) > 0)
    assert result.incidence.sum(axis=0) == pytest.approx(1 - curve.survival, abs=1e-14)
    assert result.survival == pytest.approx(curve.survival, abs=1e-14)


@given(st.lists(st.integers(1, 3), min_size=1, max_size=30))
def test_without_censoring_the_incidence_is_the_share(causes):
    """With every episode dead, F_k at the last time is the plain share of deaths of kind k."""
    result = incidence_of([(i % 5, cause) for i, cause in enumerate(causes)])
    assert result.incidence[:, -1] == pytest.approx([causes.count(k) / len(causes) for k in (1, 2, 3)])


def test_r_gives_the_same_incidence():
    """R 4.2, survival 3.5: survfit(Surv(time, factor(cause)) ~ 1) on tied data."""
    r, data = r_reference.reference(), r_reference.columns("episodes.csv")
    rows = list(zip(map(int, data["time"]), map(int, data["cause"]), strict=True))
    result = incidence_of(rows)
    for kind in (1, 2, 3):
        assert result.incidence[kind - 1] == pytest.approx(r[f"aj_kind{kind}"], rel=1e-12)


def test_statsmodels_gives_the_same_incidence():
    """The CumIncidenceRight of statsmodels agrees on 200 tied episodes."""
    rng = np.random.default_rng(5)
    times, causes = rng.integers(1, 9, 200), rng.integers(0, 4, 200)
    theirs = CumIncidenceRight(times, causes)
    ours = cumulative_incidence(times, causes, kinds=3, resamples=0)
    at = np.searchsorted(theirs.times, ours.times)
    for kind in range(3):
        assert ours.incidence[kind] == pytest.approx(theirs.cinc[kind][at], abs=1e-12)


@settings(max_examples=25)
@given(episodes, st.randoms(use_true_random=False))
def test_the_band_does_not_depend_on_the_order_of_the_rows(rows, random):
    """Shuffled episodes give the same band, bit for bit."""
    shuffled = random.sample(rows, len(rows))
    one, two = incidence_of(rows, resamples=20), incidence_of(shuffled, resamples=20)
    np.testing.assert_array_equal(one.low, two.low)
    np.testing.assert_array_equal(one.high, two.high)


def test_the_band_of_a_plain_share_is_the_binomial_one():
    """Without censoring F_1 is a share: its bootstrap band is the binomial quantiles, within sampling error."""
    result = cumulative_incidence([1] * 200, [1] * 60 + [2] * 140, kinds=2, resamples=20_000, seed=3)
    half = 1.96 * math.sqrt(0.3 * 0.7 / 200)
    assert result.low[0, 0] == pytest.approx(0.3 - half, abs=0.006)
    assert result.high[0, 0] == pytest.approx(0.3 + half, abs=0.006)


def check_band(times, causes, draw, **clusters):
    """Check the band against the percentiles of estimates from rows that `draw` gives, one resample after the other."""
    result = cumulative_incidence(times, causes, kinds=2, resamples=4000, **clusters)
    drawn = np.empty((2000, 2, result.times.size))
    for each in drawn:
        rows = draw()
        again = cumulative_incidence(times[rows], causes[rows], kinds=2, resamples=0)
        each[:] = np.transpose([incidence_at(again, time)[0] for time in result.times])
    low, high = np.percentile(drawn, [2.5, 97.5], axis=0)
    assert result.low == pytest.approx(low, abs=0.02)
    assert result.high == pytest.approx(high, abs=0.02)


def test_the_band_is_that_of_estimates_made_from_rows_drawn_one_by_one():
    """With deaths and censoring at many times the band is that of a plain loop over resampled episodes."""
    rng = np.random.default_rng(11)
    times, causes = rng.integers(1, 9, 120), rng.choice(3, 120, p=[0.4, 0.4, 0.2])
    check_band(times, causes, lambda: rng.integers(0, times.size, times.size))


def test_episodes_of_one_cluster_are_drawn_together():
    """Eight copies of each of 40 episodes, drawn by cluster, give the band of the 40, not of 320."""
    causes = np.array([1] * 12 + [2] * 28)
    single = cumulative_incidence([1] * 40, causes, kinds=2, resamples=4000)
    copied = cumulative_incidence(
        [1] * 320, np.repeat(causes, 8), kinds=2, clusters=np.repeat(np.arange(40), 8), resamples=4000
    )
    assert copied.units == 40
    assert copied.low == pytest.approx(single.low, abs=0.03)
    assert copied.high == pytest.approx(single.high, abs=0.03)


def test_the_band_of_clusters_is_that_of_clusters_drawn_one_by_one():
    """With clusters of any size and deaths at many times the band is that of a plain loop over resampled clusters."""
    rng = np.random.default_rng(12)
    clusters = np.repeat(np.arange(40), rng.integers(1, 7, 40))
    times = rng.integers(1, 9, clusters.size)
    causes = np.where(rng.random(clusters.size) < 0.2, 0, 1 + (clusters + times) % 2)

    def draw():
        return np.concatenate([np.flatnonzero(clusters == one) for one in rng.integers(0, 40, 40)])

    check_band(times, causes, draw, clusters=clusters)


def test_two_units_have_a_band():
    """However wide."""
    assert not np.isnan(cumulative_incidence([1, 2], [1, 0], kinds=1).low).any()
    same = cumulative_incidence([1] * 4, [1] * 4, kinds=1, clusters=["a", "a", "b", "b"])
    assert (same.low[0, 0], same.high[0, 0]) == (1, 1)  # every resample has two units that died


def test_one_unit_has_no_band():
    """A single episode, or a single cluster, has nothing to be resampled against."""
    assert np.isnan(cumulative_incidence([2], [1], kinds=1).low).all()
    assert np.isnan(cumulative_incidence([1, 2], [1, 0], kinds=1, clusters=["a", "a"]).high).all()


def test_nobody_died():
    """Without deaths there are no steps; every kind's incidence is 0 with an unknown band."""
    result = cumulative_incidence([3, 4], [0, 0], kinds=2)
    assert result.incidence.shape == (2, 0)
    incidence, low, high = incidence_at(result, 10)
    assert incidence.tolist() == [0, 0]
    assert low.shape == high.shape == (2,)
    assert np.isnan([low, high]).all()


def test_incidence_is_read_just_after_its_last_step():
    """At a time between two deaths the incidence is that of the earlier."""
    result = cumulative_incidence([1, 2, 4], [1, 2, 1], kinds=2, resamples=0)
    assert incidence_at(result, 3)[0] == pytest.approx([1 / 3, 1 / 3])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"causes": [1, 3]}, "causes[1]=3 must be a whole number from 0 to 2."),
        ({"causes": ["a", "b"]}, "causes[0]='a' must be a whole number from 0 to 2."),
        ({"kinds": 0}, "kinds=0 must be a whole number of at least 1."),
        ({"clusters": [1]}, "clusters has shape (1,); one label an episode, (2,), is accepted."),
        ({"confidence": 0}, "confidence=0 must lie strictly between 0 and 1."),
        ({"resamples": -1}, "resamples=-1 must not be negative."),
        ({"times": [1, math.inf]}, "times[1]=inf must be finite."),
    ],
)
def test_bad_input_is_refused_by_name_and_value(change, message):
    """Each refusal names the argument, its value and what would be accepted."""
    arguments = {"times": [1, 2], "causes": [1, 2], "kinds": 2} | change
    with pytest.raises(ValueError) as refusal:
        cumulative_incidence(**arguments)
    assert str(refusal.value).replace("np.str_('a')", "'a'") == message
