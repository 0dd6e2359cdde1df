"""A gate's decision as one line of terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_poisson.decision import Decision

REASONS = {
    "worse": "a change for the worse",
    "any": "a change",
    "too-small": "the comparison or a promise is too small to tell",
    "missing": "outcomes are missing that could hide a change",
    "missed": "a missed promise",
    "not-comparable": "the runs are not comparable",
}


def render_decision(decision: Decision) -> str:
    """Return whether the gate passes, and why not."""
    if not decision.fail_on:
        return "gate: never fails."
    words = ",".join(decision.fail_on)
    if not decision.failed:
        return f"gate: passed (fails on {words})."
    return f"gate: FAILED on {', '.join(REASONS[reason] for reason in decision.reasons)} (fails on {words})."
