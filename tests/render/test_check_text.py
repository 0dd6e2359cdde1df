"""The gate's line says each reason once, in words that agree with the verdict."""

import pytest

from pytest_poisson.decision import Decision
from pytest_poisson.render.check_text import render_decision, session_reason


@pytest.mark.parametrize(
    ("reasons", "verdict", "line"),
    [
        (("worse",), "trade", "a change for the worse"),
        (("not-comparable",), "not comparable", "runs that are not comparable"),
        (("not-comparable",), "too small to tell", "too many missing outcomes"),
    ],
)
def test_a_failed_gate_says_on_what(reasons, verdict, line):
    """Runs whose verdict was too small to tell were compared: what fails them is that outcomes are missing."""
    decision = Decision(("worse",), reasons)
    assert render_decision(decision, verdict) == f"gate: FAILED on {line} (fails on worse)."


@pytest.mark.parametrize(
    ("reasons", "verdict", "tail"),
    [
        (("any",), "safer", "the verdict is safer (any)"),
        (("not-comparable",), "not comparable", "the verdict is not comparable"),
        (
            ("too-small", "not-comparable"),
            "too small to tell",
            "the verdict is too small to tell (too-small), and too many outcomes are missing",
        ),
    ],
)
def test_a_failed_session_says_why(reasons, verdict, tail):
    """The sentence has the verdict, the words of --poisson-fail-on that it met, and what else failed."""
    assert session_reason(Decision(("worse",), reasons), verdict) == tail
