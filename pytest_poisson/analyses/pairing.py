"""Whether two runs drew the same numbers, and what may therefore be compared how."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pytest_poisson.errors import UserError
from pytest_poisson.methods import METHODS
from pytest_poisson.stopping_rule import PAIRED, UNPAIRED, declared_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.records import ConditionRecord, RunRecord
    from pytest_poisson.analyses.episodes import Episodes
    from pytest_poisson.methods import Method


def claims_pairing(before: RunRecord, after: RunRecord) -> bool:
    """Tell whether the after run says that it took the before run's draws, by its record or its salt."""
    return after.paired_with == before.run_id or after.salt == before.salt


def choose_method(before: RunRecord, after: RunRecord, method: str | None) -> Method:
    """Return the test: the one asked for, else the one the after run declared, else the paired one where runs are pairs.

    Raises
    ------
    UserError
        If the runs are one and the same, the method is unknown, or it needs pairs that the runs do not claim.
    """
    if before.run_id == after.run_id:
        raise UserError(f"Run '{after.name}' stands on both sides; a comparison takes two runs.")
    paired = claims_pairing(before, after)
    if method is None:
        return _default(before, after, paired=paired)
    known = _known(method)
    if known is None:
        raise UserError(f"method={method} is unknown; it is one of {', '.join(METHODS)}.")
    if METHODS[known].paired and not paired:
        raise UserError(
            f"method={method} needs pairs, and runs '{before.name}' and '{after.name}' drew from different salts; "
            f"use fisher_bh, or sweep again with --poisson-pair-with={before.name}."
        )
    return known


def _default(before: RunRecord, after: RunRecord, *, paired: bool) -> Method:
    """Return the test of runs for which none was asked.

    Where one of them could be stopped on its outcomes, only evidence that may be looked at any time keeps its level.
    """
    if any(declared_rule(run) is not None for run in (before, after)):
        return PAIRED if paired else UNPAIRED
    declared = _known(after.settings.get("method"))
    fits = declared is not None and (paired or not METHODS[declared].paired)
    return declared if declared and fits else "mcnemar_bh" if paired else "fisher_bh"


def _known(method: object) -> Method | None:
    return next((name for name in METHODS if name == method), None)


def different_draws(before: Episodes, after: Episodes) -> int | None:
    """Return the position of the first joined replicate whose two seeds differ or were not recorded."""
    wrong = np.flatnonzero((before.seed != after.seed) | (before.seed < 0))
    return int(wrong[0]) if wrong.size else None


def refuse_draws(
    before: Episodes,
    after: Episodes,
    position: int,
    *,
    runs: tuple[RunRecord, RunRecord],
    conditions: Sequence[ConditionRecord],
) -> str:
    """Say, in one sentence, why runs that claim the same draws are not comparable as pairs."""
    condition = conditions[before.condition[position]]
    seeds = [int(arm.seed[position]) for arm in (before, after)]
    drawn = [f"seed {seed}" if seed >= 0 else "no recorded seed" for seed in seeds]
    return (
        f"Run '{runs[1].name}' claims the draws of run '{runs[0].name}', but replicate "
        f"{int(before.replicate[position])} of {condition.nodeid or condition.key} has {drawn[0]} in one and "
        f"{drawn[1]} in the other; compare them unpaired with --method=fisher_bh."
    )
