"""Simulated error rates of the verdicts and flags, in a form small enough for every run of the tests."""

import numpy as np
import pytest

from poisson_stats.comparison import compare_paired, compare_unpaired
from tests.quality import discrete_rates, verdict_paths

DESIGNS = [(194, True), (60, True), (194, False), (60, False)]


@pytest.fixture(scope="module", params=DESIGNS, ids=lambda d: f"{'paired' if d[1] else 'unpaired'}-{d[0]}")
def said(request):
    """Simulate every scenario once; return {(scenario, word): rate} and n."""
    n, paired = request.param
    rates = verdict_paths.verdict_rates(n, paired=paired, runs=1500)
    return {(r.setting.split(": ")[1], r.quantity): r for r in rates}, n


def test_a_change_is_claimed_at_most_5_times_in_100_when_there_is_none(said):
    """worse, safer and trade together keep the familywise level; a test without correction would claim 0.4."""
    rates, _ = said
    alarms = [rates["nothing changed", word] for word in ("worse", "safer", "trade")]
    assert sum(r.value for r in alarms) <= 0.05 + alarms[0].slack(0.05)


def test_a_row_that_changed_by_its_limit_is_found_4_times_in_5_in_the_right_direction(said):
    """The limit is neither too small (power below 0.8) nor too large (power far above)."""
    rates, _ = said
    for scenario, right in (("one row rose by its limit", "worse"), ("one row fell by its limit", "safer")):
        found = rates[scenario, right].value + rates[scenario, "trade"].value
        assert found >= 0.8 - rates[scenario, right].slack(0.8)
        assert found <= 0.86
    assert rates["one row rose by its limit", "safer"].at_most(0.025)
    assert rates["one row fell by its limit", "worse"].at_most(0.025)


def test_two_opposite_changes_are_a_trade(said):
    """Both found: about 0.8 squared."""
    rates, _ = said
    assert 0.58 <= rates["one rose, another fell", "trade"].value <= 0.75


def test_what_was_not_found_has_the_word_of_the_design(said):
    """At n = 194 every limit is within 0.20; at n = 60 none is."""
    rates, n = said
    absent = "too small to tell" if n == 194 else "no significant change"
    assert all(rate.value == 0 for (_, word), rate in rates.items() if word == absent)


@pytest.mark.parametrize(("n", "paired"), DESIGNS)
def test_flags_keep_their_promises(n, paired):
    """Power at the limit is at least 0.8; the false discovery rate with half the rows changed at most q/2."""
    power, false, _ = verdict_paths.flag_rates(n, paired=paired, runs=1500)
    assert power.at_least(0.8)
    assert power.value <= 0.88
    assert false.at_most(0.025)


@pytest.mark.parametrize("paired", [True, False])
def test_the_simulated_words_are_those_of_the_whole_comparison(paired):
    """On six simulated experiments the pieces used here say what compare_paired and compare_unpaired say."""
    rng = np.random.default_rng(0)
    n, rows = 40, verdict_paths.ROWS
    base = verdict_paths.rates_before(n)
    for _ in range(6):
        after = np.clip(base + rng.choice([0, 0, 0, 0.4, -0.4], rows), 0, 1)
        before, then = rng.random((n, rows)) < base, rng.random((n, rows)) < after
        b, c = (before & ~then).sum(axis=0), (~before & then).sum(axis=0)
        k0, k1 = before.sum(axis=0), then.sum(axis=0)
        up = np.ones(rows, dtype=int)
        if paired:
            whole = compare_paired(
                (before & then).sum(axis=0), b, c, (~before & ~then).sum(axis=0), direction=up
            )
        else:
            whole = compare_unpaired(k0, [n] * rows, k1, [n] * rows, direction=up)
        small = verdict_paths.too_small(k0[np.newaxis], n, paired)
        pieces = verdict_paths.words(whole.log_p[np.newaxis], (k1 - k0)[np.newaxis], small)
        assert list(pieces) == [whole.verdict]


def test_the_discrete_procedure_finds_what_bh_cannot_and_keeps_its_rate():
    """The definition's numbers: of 5 changed inputs among 50 at n = 4, BH flags none, the discrete procedure 2.3."""
    rates = {(r.setting, r.quantity): r for r in discrete_rates.discrete_flags(runs=400)}
    five = "4 v 4, 5 inputs from 0.1 to 1.0, the others at 0.2"
    assert rates[five, "changed inputs flagged, BH"].value == 0
    assert 5 * rates[five, "changed inputs flagged, discrete"].value == pytest.approx(2.3, abs=0.35)
    for (_, quantity), rate in rates.items():
        if quantity.startswith("false discovery rate"):
            assert rate.at_most(0.05)


def test_boschloo_keeps_its_level_and_is_never_less_powerful():
    """By enumeration: no size above 0.05, and never below Fisher's rejections."""
    rates = {(r.subject, r.setting, r.quantity): r.value for r in discrete_rates.boschloo_sizes()}
    for (sizes, setting, quantity), value in rates.items():
        one, other = setting.removeprefix("rates ").split(" and ")
        if one == other:
            assert value <= 0.05 + 1e-9
        if quantity.startswith("Boschloo"):
            assert value >= rates[sizes, setting, "Fisher rejects"]
