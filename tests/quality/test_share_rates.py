"""Size and power of the tests over inputs, in a small form."""

from pathlib import Path

from tests.quality import coverage_rates, share_rates
from tests.quality.simulated import as_table


def test_the_stratified_test_has_its_size_and_its_limit_has_its_power():
    """By enumeration: never above 0.05 when nothing changed, 0.8 at the limit."""
    for rate in share_rates.exact_sizes():
        if "nothing changed" in rate.quantity:
            assert 0.005 < rate.value <= 0.05
        else:
            assert abs(rate.value - 0.8) < 1e-6


def test_larger_designs_keep_size_and_power():
    """Simulated: both tests keep 0.05; the stratified test finds its approximate limit at least 4 times in 5."""
    for rate in share_rates.shares(runs=150):
        if "nothing changed" in rate.setting:
            assert rate.at_most(0.05)
        if "the limit" in rate.setting and "half" not in rate.setting and "stratified" in rate.quantity:
            assert rate.at_least(0.8)
            assert rate.value < 0.95


def test_the_log_rank_test_keeps_size_and_finds_the_ratio_it_says():
    """Simulated proportional hazards: 0.05 when equal, about 0.8 at the detectable ratio."""
    for rate in share_rates.log_ranks(runs=400):
        if "equal" in rate.setting:
            assert rate.at_most(0.055)
        else:
            assert 0.72 <= rate.value <= 0.89


def test_promises_are_wrongly_judged_at_most_5_times_in_100():
    """Any of 10 promises wrongly met, or wrongly missed."""
    assert all(rate.at_most(0.05) for rate in share_rates.promises(runs=250))


def test_the_committed_table_is_of_this_version():
    """docs/error-rates.md holds the exactly enumerated tables as they come out now."""
    text = (Path(__file__).parents[2] / "docs" / "error-rates.md").read_text(encoding="utf-8")
    assert as_table(coverage_rates.single_rates()) in text
    for line in as_table(share_rates.exact_sizes()).splitlines():
        assert line in text
