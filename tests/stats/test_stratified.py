"""The exact stratified test against fractions, R, published data, Fisher's and McNemar's tests."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import StratifiedTable

from poisson_stats import stratified
from poisson_stats.fisher import fisher_test
from poisson_stats.mcnemar import mcnemar_test
from poisson_stats.stratified import stratified_test
from tests.oracles import r_reference, stratified_by_fractions
from tests.stats.strategies import two_arms


def compared(strata):
    return stratified_test(*zip(*strata, strict=True))


def log_of(p):
    """Return the logarithm of a fraction too small for a float."""
    return math.log(p.numerator) - math.log(p.denominator)


@given(st.lists(two_arms(largest=7), min_size=1, max_size=8))
def test_p_is_the_exact_fraction(strata):
    """The p-value equals the enumerated one, unequal arms and empty arms included."""
    log_p = compared(strata).log_p
    assert log_p == pytest.approx(log_of(stratified_by_fractions.cmh_p(strata)), abs=1e-10)
    assert log_p <= 0


@given(st.lists(two_arms(largest=7), min_size=1, max_size=6))
def test_mean_and_variance_are_those_of_the_exact_distribution(strata):
    """E and V are the moments of the enumerated null distribution."""
    both = [s for s in strata if s[1] and s[3]]
    mean, variance = stratified_by_fractions.cmh_moments(both)
    result = compared(strata)
    assert result.expected == pytest.approx(float(mean), abs=1e-12)
    assert result.variance == pytest.approx(float(variance), abs=1e-12)
    assert result.observed == sum(s[2] for s in both)


@settings(max_examples=40)
@given(st.lists(two_arms(largest=40), min_size=2, max_size=12))
def test_small_p_values_keep_their_digits(strata):
    """Arms pushed to the far ends give p-values far below 1e-16; their logarithms are still exact."""
    pushed = [(0, n0, n1, n1) for _, n0, _, n1 in strata]
    assert compared(pushed).log_p == pytest.approx(log_of(stratified_by_fractions.cmh_p(pushed)), rel=1e-9)


@given(st.lists(two_arms(largest=7), min_size=1, max_size=8), st.randoms(use_true_random=False))
def test_order_arms_and_uninformative_strata_are_of_no_consequence(strata, random):
    """Shuffled strata, exchanged arms, exchanged event and added all-alike strata leave p as it was."""
    p = compared(strata).p
    shuffled = random.sample(strata, len(strata))
    exchanged = [(k1, n1, k0, n0) for k0, n0, k1, n1 in strata]
    opposite = [(n0 - k0, n0, n1 - k1, n1) for k0, n0, k1, n1 in strata]
    padded = [*strata, (0, 5, 0, 3), (5, 5, 3, 3), (2, 4, 0, 0)]
    for other in (shuffled, exchanged, opposite, padded):
        assert compared(other).p == pytest.approx(p, rel=1e-9)


@given(two_arms(largest=60))
def test_one_stratum_is_fishers_exact_test(one):
    """With a single stratum the test is Fisher's."""
    assert compared([one]).log_p == pytest.approx(float(fisher_test(*one).log_p), abs=1e-10)


@pytest.mark.parametrize(
    "table",
    [
        (50_000, 100_000, 50_500, 100_000),
        (5, 100_000, 50, 100_000),
        (999_990, 1_000_000, 1_000_000, 1_000_000),
        (0, 10, 1_000_000, 1_000_000),
        (3, 5, 2, 100_000),
    ],
)
def test_one_huge_stratum_is_fishers_exact_test(table):
    """Wide and lopsided tables, wider than one block of memory, give Fisher's p too."""
    assert compared([table]).log_p == pytest.approx(float(fisher_test(*table).log_p), rel=1e-9)


@pytest.mark.parametrize("shift", [-400, -30, 30, 400])
def test_the_far_tail_is_found_from_any_guess(shift, monkeypatch):
    """The value at which the other tail begins does not depend on where the search for it starts."""
    rng = np.random.default_rng(1)
    n0, n1 = rng.integers(1, 60, (2, 200))
    rate = rng.uniform(0.2, 0.8, 200)
    counts = rng.binomial(n0, rate), n0, rng.binomial(n1, rate * 0.97), n1
    expected = stratified_test(*counts).log_p
    guess = stratified._first_guess
    monkeypatch.setattr(stratified, "_first_guess", lambda *arguments: guess(*arguments) + shift)
    assert stratified_test(*counts).log_p == pytest.approx(expected, abs=1e-7)


@given(st.integers(0, 200), st.integers(0, 200), st.integers(0, 5))
def test_one_run_an_arm_is_mcnemars_exact_test(b, c, alike):
    """With one run an arm and stratum the test is McNemar's on the discordant strata."""
    strata = [(1, 1, 0, 1)] * b + [(0, 1, 1, 1)] * c + [(1, 1, 1, 1)] * alike + [(0, 1, 0, 1)]
    assert compared(strata).log_p == pytest.approx(float(mcnemar_test(b, c).log_p), abs=1e-10)


@pytest.mark.parametrize("case", ["example", "small", "ragged", "equal", "null", "large"])
def test_r_gives_the_same_p(case):
    """R 4.2: mantelhaen.test(x, exact = TRUE) on six sets of strata."""
    data, r = r_reference.columns("strata.csv"), r_reference.reference()
    names = ("old_failures", "old_runs", "new_failures", "new_runs")
    strata = [
        tuple(int(v) for v in values)
        for named, *values in zip(data["case"], *(data[n] for n in names), strict=True)
        if named == case
    ]
    assert compared(strata).p == pytest.approx(r[f"cmh_{case}"][0], rel=1e-7)


def test_rabbits():
    """R's ?mantelhaen.test: penicillin delayed or not at five levels (Mantel 1963), exact p = 0.03994."""
    cured_at_once, of = [0, 3, 6, 5, 2], [6, 6, 6, 6, 2]
    cured_late, late = [0, 0, 2, 6, 5], [5, 6, 6, 6, 5]
    p = stratified_test(cured_late, late, cured_at_once, of).p
    assert round(p, 5) == 0.03994
    assert p == pytest.approx(r_reference.reference()["cmh_rabbits"][0], rel=1e-10)


def test_six_inputs_of_four_runs_before_and_one_after():
    """The definition's example: observed 3, E 4.200, V 0.800, p 0.269."""
    result = stratified_test([3, 3, 4, 4, 3, 1], [4] * 6, [0, 0, 1, 1, 1, 0], [1] * 6)
    assert (result.observed, round(result.expected, 3), round(result.variance, 3)) == (3, 4.2, 0.8)
    assert result.p == pytest.approx(0.2688)
    assert (result.strata, result.informative) == (6, 4)


def test_12_of_32_against_32_of_32():
    """The definition's example: p = 2.30e-08."""
    assert f"{stratified_test([12], [32], [32], [32]).p:.2e}" == "2.30e-08"


def test_the_normal_limit_is_the_mantel_haenszel_statistic():
    """With many large strata the exact p nears that of statsmodels' continuity-corrected chi-square."""
    rng = np.random.default_rng(8)
    p = rng.uniform(0.3, 0.7, 50)
    k0, k1 = rng.binomial(200, p), rng.binomial(200, p - 0.02)
    tables = [np.array([[b, 200 - b], [a, 200 - a]]) for a, b in zip(k0, k1, strict=True)]
    theirs = StratifiedTable(tables).test_null_odds(correction=True).pvalue
    assert stratified_test(k0, [200] * 50, k1, [200] * 50).p == pytest.approx(theirs, rel=0.01)


def test_ten_thousand_ragged_strata_agree_with_their_normal_limit():
    """The convolution neither leaks nor folds at full size: p is that of the normal tail, within a percent."""
    rng = np.random.default_rng(3)
    n0, n1 = rng.integers(1, 90, 10_000), rng.integers(1, 90, 10_000)
    rate = rng.uniform(0.1, 0.9, 10_000)
    result = stratified_test(rng.binomial(n0, rate), n0, rng.binomial(n1, rate), n1)
    z = (abs(result.observed - result.expected) - 0.5) / math.sqrt(result.variance)
    assert result.p == pytest.approx(math.erfc(z / math.sqrt(2)), rel=0.01)


def test_p_that_underflows_keeps_its_logarithm():
    """A thousand complete flips of 50 v 50: log p is exactly log 2 - 1000 log C(100, 50)."""
    result = stratified_test([0] * 1000, [50] * 1000, [50] * 1000, [50] * 1000)
    assert result.p == 0
    exact = log_of(Fraction(2, math.comb(100, 50) ** 1000))
    assert result.log_p == pytest.approx(exact, rel=1e-12)


def test_nothing_to_compare_gives_p_one():
    """Inputs without a second arm, or all alike, leave nothing: p = 1 and no informative stratum."""
    result = stratified_test([0, 3, 2], [4, 3, 5], [0, 2, 0], [4, 2, 0])
    assert (result.p, result.log_p, result.variance, result.informative) == (1, 0, 0, 0)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        (([], [], [], []), "k_before is empty."),
        (([5], [4], [0], [4]), "k_before[0]=5 must not exceed n_before[0]=4."),
        (([1], [4], [5], [4]), "k_after[0]=5 must not exceed n_after[0]=4."),
        (([1], [4], [-1], [4]), "k_after[0]=-1 must not be negative."),
        (([1], [4], [0.5], [4]), "k_after[0]=0.5 must be a whole number."),
        (([math.nan], [4], [1], [4]), "k_before[0]=nan must be a whole number."),
        (([1, 1], [4], [1], [4]), "n_before has shape (1,) where k_before has (2,)."),
    ],
)
def test_bad_counts_are_refused_by_name_and_value(counts, message):
    """Each refusal names the argument and the value."""
    with pytest.raises(ValueError) as refusal:
        stratified_test(*counts)
    assert str(refusal.value) == message
