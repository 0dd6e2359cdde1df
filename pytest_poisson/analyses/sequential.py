"""Comparing runs that could be stopped early: evidence pair by pair, in the order of replicate numbers."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.multiplicity import benjamini_hochberg
from poisson_stats.verdict import row_words, verdict
from poisson_store.records import Accounting
from pytest_poisson.analyses.episodes import translate
from pytest_poisson.analyses.rounds import Rounds, lay_rounds, make_rule, play

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from poisson_stats.comparison import Comparison
    from poisson_stats.sequential import SequentialState
    from poisson_stats.validation import IntArray
    from poisson_store.records import EpisodeColumns
    from pytest_poisson.analyses.episodes import Episodes
    from pytest_poisson.analyses.material import Material
    from pytest_poisson.analyses.tally import Grid


NOTHING = Accounting(0)


@dataclass(frozen=True, slots=True)
class Early:
    """What stopping early came to.

    Attributes
    ----------
    conditions, decided
        Conditions compared, and those with a flagged row.
    planned, saved
        Replicates that the after run planned in the conditions compared, and those of decided conditions that it did
        not run.
    late
        Replicates that it ran of conditions decided by then: stored, and no part of the comparison.
    """

    conditions: int
    decided: int
    planned: int
    saved: int
    late: int


@dataclass(frozen=True, slots=True, eq=False)
class Decided:
    """What a comparison keeps of the arms: every condition until it was decided.

    How many replicates are in flight when a condition is decided depends on the workers; the comparison must not.

    Attributes
    ----------
    material
        The arms, without what ran later.
    late
        How many of the after arm's replicates that left out.
    stop
        Per condition, how many replicates took their turn; a number beyond all of them where it was not decided.
    """

    material: Material
    late: int
    stop: IntArray

    def timed(self, columns: EpisodeColumns) -> EpisodeColumns:
        """Leave out the same replicates of one arm's episodes with their times."""
        position = {each.key: number for number, each in enumerate(self.material.grid.conditions)}
        condition = translate(columns.conditions, position)[columns.condition]
        kept = (condition < 0) | (columns.replicate < self.stop[condition])
        names = ("condition", "replicate", "seed", "outcome", "cause", "t", "horizon", "started_ns", "wall_s")
        return replace(columns, **{name: getattr(columns, name)[kept] for name in names})


def until_decided(material: Material, *, q: float) -> Decided:
    """Leave out what ran of a condition after it was decided."""
    state = _evidence(material.grid, material.before, material.after, q=q, paired=material.joined)
    stop = np.where(state.flagged.any(axis=1), state.taken, np.iinfo(np.int64).max)
    before, after = (
        arm.take(np.flatnonzero(arm.replicate < stop[arm.condition]))
        for arm in (material.before, material.after)
    )
    late = material.after.condition.size - after.condition.size
    return Decided(replace(material, before=before, after=after), late, stop)


def weigh(
    comparison: Comparison,
    grid: Grid,
    before: Episodes,
    after: Episodes,
    *,
    paired: bool,
    worst: bool = False,
) -> Comparison:
    """Return a comparison whose p-values, flags and verdict rest on e-processes instead of its test.

    The p-value of a row is 1/E, which is valid at any time of looking; Benjamini and Hochberg's procedure on it is e-BH,
    and what it flags counts. Its detection limits are not known, so that a row without a flag is too small to tell; and
    its intervals would need to be valid at any time too, so that there are none.

    Parameters
    ----------
    comparison
        The counts, compared by the test that is replaced.
    grid, before, after
        The rows, and the arms' episodes until each condition was decided.
    paired
        Whether the arms share their seeds: the sign e-process, else the safe test in blocks.
    worst
        Whether every missing outcome is to be a failure after and none before.
    """
    state = _evidence(grid, before, after, q=comparison.q, paired=paired, worst=worst)
    at = grid.condition, grid.slot
    log_p = np.minimum(0.0, -state.log_e[at])
    adjusted = benjamini_hochberg(log_p, q=comparison.q)
    flagged, none = state.flagged[at], np.full(log_p.size, np.nan)
    lean = (state.after - state.before)[at].astype(np.float64)
    unknown = np.ones(log_p.size, dtype=bool)
    return replace(
        comparison,
        p=np.exp(log_p),
        log_p=log_p,
        p_bh=adjusted.p,
        log_p_bh=adjusted.log_p,
        flagged=flagged,
        p_holm=adjusted.p,
        log_p_holm=adjusted.log_p,
        counted=flagged,
        low=none,
        high=none,
        level=np.nan,
        too_small=unknown,
        words=row_words(lean, comparison.direction, flagged, unknown),
        verdict=verdict(lean, comparison.direction, flagged, unknown),
    )


def describe_early(
    material: Material, comparison: Comparison, accounts: Mapping[str, Accounting], late: int
) -> Early:
    """Return how many conditions were decided, and what that saved; `accounts` are the after run's by condition."""
    grid = material.grid
    decided = set(grid.condition[comparison.flagged].tolist())
    of = {
        number: accounts.get(grid.conditions[number].key, NOTHING) for number in set(grid.condition.tolist())
    }
    return Early(
        conditions=len(of),
        decided=len(decided),
        planned=sum(account.planned for account in of.values()),
        saved=sum(of[number].not_run for number in decided),
        late=late,
    )


def _evidence(
    grid: Grid, before: Episodes, after: Episodes, *, q: float, paired: bool, worst: bool = False
) -> SequentialState:
    """Play both arms to the rule from the first replicate to the last."""
    planned = 1 + int(max(after.replicate.max(initial=0), before.replicate.max(initial=0)))
    rule = make_rule(grid, planned=planned, paired=paired, q=q)
    ours, theirs = (lay_rounds(grid, arm, planned) for arm in (before, after))
    if worst:
        ours, theirs = _fill(grid, before, ours, rises=False), _fill(grid, after, theirs, rises=True)
    known = np.ones(ours.shape[:2], dtype=bool)
    return play(rule, rule.start(), Rounds(ours, theirs, known))


def _fill(grid: Grid, arm: Episodes, table: NDArray[np.int8], *, rises: bool) -> NDArray[np.int8]:
    """Put the worst in the place of outcomes that are missing, by the rule of `poisson_stats.missing`.

    Where failures are to rise, a failure's event and no success's; else the other way round.
    """
    silent = np.flatnonzero(arm.word < 0)
    condition: IntArray = arm.condition[silent]
    bad = grid.is_failure[grid.rollout[condition]] == rises
    filled = table.copy()
    filled[condition, arm.replicate[silent]] = bad
    return filled
