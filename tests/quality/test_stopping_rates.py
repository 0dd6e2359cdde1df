"""False alarms when looking again and again, in a small form."""

import numpy as np
import pytest

from tests.quality import stopping_rates


def test_peeking_at_p_is_wrong_22_times_in_100_and_e_processes_are_not():
    """The definition's number for peeking every 10 pairs up to 400; e-processes looked at after every pair keep 0.05."""
    rates = {(r.setting, r.quantity): r for r in stopping_rates.false_alarms(runs=1500)}
    assert rates["rate 0.4, 400 pairs", "McNemar's p looked at every 10 pairs"].value == pytest.approx(
        0.22, abs=0.04
    )
    for (_, quantity), rate in rates.items():
        if "every 10" not in quantity:
            assert rate.at_most(0.05)
            assert rate.value > 0.01


@pytest.mark.parametrize("paired", [True, False])
def test_the_rule_keeps_its_false_discovery_rate_and_saves_replicates(paired):
    """Four of ten rows change: all are found, false flags stay within q, and the decided conditions stop early."""
    false, found, saved = stopping_rates.family(runs=25, paired=paired)
    assert false.at_most(0.05)
    assert found.value >= 0.9
    assert saved.value >= 0.15


def test_the_simulation_of_blocks_is_the_rules_own_evidence():
    """The fast path used here and the stopping rule agree on log E after every block."""
    rng = np.random.default_rng(1)
    first, second = rng.random((1, 30)) < 0.3, rng.random((1, 30)) < 0.6
    path = stopping_rates.block_paths(first, second)[0]
    rule = stopping_rates.StoppingRule(conditions=1, events=1, planned=30, paired=False, q=1e-9)
    state = rule.start()
    for j in range(30):
        state = rule.advance(state, [0], [j], before=[[int(first[0, j])]], after=[[int(second[0, j])]])
        assert state.log_e[0, 0] == pytest.approx(path[j])
