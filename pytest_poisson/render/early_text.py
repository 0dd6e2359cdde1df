"""What stopping early came to, and what its verdict rests on, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import wrap

if TYPE_CHECKING:
    from pytest_poisson.analyses.diff_result import DiffResult

PROCESSES = {
    "sign_ebh": "the sign e-process on pairs that share a seed",
    "block_ebh": "the safe test of 2 x 2 tables in blocks of one replicate an arm",
}


def rule_sentence(result: DiffResult) -> str:
    """Return what the flags and the verdict of a sequential method rest on."""
    return (
        f"Evidence that may be looked at after every replicate: {PROCESSES[result.method]}. Flags and verdict by e-BH at "
        f"{result.q:g}: of the changes found no more than that share is expected to be false, whenever the sweep stopped"
    )


def early_lines(result: DiffResult, *, width: int) -> list[str]:
    """Return how many conditions were decided, and how many replicates that saved."""
    early = result.early
    if early is None:
        return []
    decided = f"{early.decided} of {write.plural(early.conditions, 'condition')} decided"
    saved = (
        f", {write.integer(early.saved)} of {write.plural(early.planned, 'planned replicate')} saved"
        if early.planned
        else ""
    )
    late = (
        f" {write.plural(early.late, 'replicate')} in flight ended after the decision and {'is' if early.late == 1 else 'are'} "
        "not compared."
        if early.late
        else ""
    )
    seen = " A change seen where it was decided tends to be overstated." if early.decided else ""
    return wrap(
        f"Stopped early: {decided}{saved}.{late}{seen} What such evidence could not have seen is not stated, nor is an interval: a "
        "row that is not flagged is too small to tell.",
        width,
    )
