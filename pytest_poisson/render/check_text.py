"""A gate's decision as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_poisson.decision import Decision, Reason

REASONS = {
    "worse": "a change for the worse",
    "any": "a change",
    "too-small": "a comparison or a promise that is too small to tell",
    "missing": "missing outcomes that could hide a change",
    "missed": "a missed promise",
}
NOT_COMPARABLE = "runs that are not comparable"
TOO_MUCH_MISSING = "too many missing outcomes"


def render_decision(decision: Decision, verdict: str | None = None) -> str:
    """Return whether the gate passes, and why not; `verdict` is the comparison's word, where there is one."""
    if not decision.fail_on:
        return "gate: never fails."
    words = ",".join(decision.fail_on)
    if not decision.failed:
        return f"gate: passed (fails on {words})."
    return f"gate: FAILED on {', '.join(_phrases(decision.reasons, verdict))} (fails on {words})."


def session_reason(decision: Decision, verdict: str) -> str:
    """Return why a comparison fails a session, as the tail of a sentence: its word, then what failed."""
    asked = [reason for reason in decision.reasons if reason not in ("missed", "not-comparable")]
    word = f"the verdict is {verdict}" + (f" ({', '.join(asked)})" if asked else "")
    beside = "not-comparable" in decision.reasons and verdict != "not comparable"
    return f"{word}, and too many outcomes are missing" if beside else word


def _phrases(reasons: Sequence[Reason], verdict: str | None) -> list[str]:
    """Say each reason once: beside another verdict, `not-comparable` means that too much is missing."""
    no_verdict = NOT_COMPARABLE if verdict in (None, "not comparable") else TOO_MUCH_MISSING
    return [REASONS.get(reason, no_verdict) for reason in reasons]
