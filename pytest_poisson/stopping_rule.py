"""The rule by which a sweep may stop early, as its record keeps it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poisson_store.records import Json, RunRecord
    from pytest_poisson.methods import Method

SETTING = "stop_early"
"""Where a run's record keeps the rule that it could be stopped by."""


PAIRED: Method = "sign_ebh"
UNPAIRED: Method = "block_ebh"
"""What decides where runs share their seeds, and where not."""


def declare_rule(baseline: RunRecord, *, paired: bool, q: float, events: Sequence[str]) -> dict[str, Json]:
    """Return the stopping rule of a sweep as its record keeps it.

    Raises
    ------
    UserError
        If there is no event to decide by.
    """
    if not events:
        raise UserError(
            "--poisson-stop-early needs an event to decide by; declare failures or successes, or give --poisson-event."
        )
    return {
        "rule": PAIRED if paired else UNPAIRED,
        "q": q,
        "events": list(events),
        "against": baseline.run_id,
    }


def declared_rule(run: RunRecord) -> Mapping[str, Any] | None:
    """Return the rule that a run could be stopped by, or None where its replicates were fixed beforehand."""
    rule = run.settings.get(SETTING)
    return rule if isinstance(rule, dict) else None
