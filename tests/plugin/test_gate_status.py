"""What the gate asks for: the exit status of a sweep where no item fails for it, and the reason that is given."""

from types import SimpleNamespace

import pytest

from pytest_poisson.decision import Decision
from pytest_poisson.fix_gate import FixVerdict
from pytest_poisson.gate import Gate

NOT_SHOWN = FixVerdict(None, reasons=("not shown",))
NO_COMPARISON = FixVerdict(None, refusal="no", reasons=("not-comparable",), not_comparable=True)


def gate(*reasons, **values):
    """Return a gate that found this."""
    found = {
        "check": SimpleNamespace(diff=SimpleNamespace(verdict="worse")),
        "promises": SimpleNamespace(with_word=lambda word: [word] * 3),
        "decision": Decision(("worse",), reasons),
        "failures": {},
        "unmeasured": {},
        "skipped": {},
        "nothing_measured": False,
    }
    return Gate(**{**found, **values})


@pytest.mark.parametrize(
    ("found", "status", "reason"),
    [
        (gate(), 0, ""),
        (gate("worse", failures={"key": "why"}), 0, ""),  # its item fails, and says why
        (gate("worse"), 9, "the verdict is worse (worse)"),
        (gate("too-small", check=None), 9, "3 promises are too small to tell"),
        (gate("missing", failures={"key": "why"}), 10, "the verdict is worse (missing)"),
        (gate("not-comparable"), 10, "the verdict is worse, and too many outcomes are missing"),
        (gate(flips=("t:0", "t:1")), 9, "decisions flip at t:0, t:1"),
        (gate("worse", flips=("t:0",)), 9, "the verdict is worse (worse)"),
        (gate(check=None, fix=NOT_SHOWN), 9, "the fix-check says not comparable (not shown)"),
        (gate(check=None, fix=NO_COMPARISON), 10, "the fix-check says not comparable (not-comparable)"),
        (gate(check=None, fix=FixVerdict(None)), 0, ""),
        (gate("worse", nothing_measured=True), 10, "no replicate ended with an outcome"),
        (gate(nothing_measured=True, fix=NOT_SHOWN), 10, "no replicate ended with an outcome"),
        (
            gate("worse", failures={"key": "why"}, elsewhere=1),
            9,
            "1 condition of the run that this session left out failed the gate",
        ),
        (
            gate("worse", "missing", failures={"key": "why"}, elsewhere=1),
            10,
            "the verdict is worse (worse, missing)",
        ),
        (
            gate(nothing_measured=True, empty_shard=(5, 5)),
            10,
            "there are too few replicates for 5 shards, and shard 5 has none of them; take fewer shards",
        ),
    ],
)
def test_the_status_and_its_reason(found, status, reason):
    """Nothing measured comes first, then a fix-check, then the decision, then flips; without a status no reason."""
    assert (found.status, found.status_reason) == (status, reason)
