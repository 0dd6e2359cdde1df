"""Coverage of every interval, enumerated or simulated in a small form."""

import numpy as np
import pytest

from tests.quality import coverage_rates


def by(rates, *words):
    """Return the rates whose setting or quantity holds all of the words."""
    return [r for r in rates if all(w in f"{r.subject}: {r.setting}: {r.quantity}" for w in words)]


def test_one_rate():
    """Clopper-Pearson never covers less than it says, nor absurdly more; Wilson covers as it says on average."""
    rates = coverage_rates.single_rates()
    exact, score = by(rates, "Clopper-Pearson"), by(rates, "Wilson")
    assert all(0.95 <= r.value < 0.992 for r in exact)
    assert 0.94 <= np.mean([r.value for r in score]) <= 0.96
    assert min(r.value for r in score) >= 0.90


def test_unpaired_differences():
    """Miettinen and Nurminen's interval stays near 0.95, by enumeration."""
    assert all(0.94 <= r.value <= 0.98 for r in coverage_rates.unpaired_differences())


def test_paired_differences():
    """Tango's interval stays near 0.95, whatever the correlation of the arms."""
    for r in coverage_rates.paired_differences(runs=1500, sizes=(20, 60)):
        assert 0.92 <= r.value <= 0.995, r


def test_stratified_differences():
    """Sato's variance serves few large strata and many small ones."""
    for r in coverage_rates.stratified_differences(runs=400):
        assert 0.90 <= r.value <= 0.985, r


def test_survival():
    """Greenwood's band, the Wald band of a difference and the bootstrap of incidence, at 50 episodes and more."""
    rates = coverage_rates.survival_bands(runs=150)
    for r in by(rates, "50 episodes") + by(rates, "200 episodes"):
        assert 0.87 <= r.value <= 0.995, r


def test_few_items():
    """The percentile bootstrap of 3, 6, 10 items covers some 0.67, 0.84, 0.89; Korn-Graubard holds at every number."""
    rates = coverage_rates.few_items(runs=300)
    found = [by(rates, f": {items} items", "bootstrap")[0].value for items in (3, 6, 10)]
    assert found == pytest.approx([0.67, 0.84, 0.89], abs=0.1)
    assert by(rates, ": 20 items", "bootstrap")[0].value >= 0.88
    assert all(r.at_least(0.95) for r in by(rates, "Korn-Graubard"))


def test_the_rules_choose_an_interval_that_covers():
    """Whatever the number of items, trials and events, the interval chosen covers 0.95, or nearly."""
    assert all(r.value >= 0.89 for r in coverage_rates.chosen_intervals(runs=120))


def test_passes():
    """Resampling 100 conditions covers pass^3; 10 conditions undercover, and are known to."""
    rates = coverage_rates.passes(runs=200)
    assert by(rates, "100 conditions")[0].value >= 0.89
    assert by(rates, "10 conditions")[0].value < by(rates, "100 conditions")[0].value
