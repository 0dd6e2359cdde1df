"""What two runs have to compare, read and laid out; and why it may not be comparable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_poisson.analyses.coverage import cover
from pytest_poisson.analyses.episodes import join_replicates, select_episodes
from pytest_poisson.analyses.pairing import different_draws, refuse_draws
from pytest_poisson.analyses.tally import build_grid
from pytest_poisson.errors import UserError
from pytest_poisson.events import resolve_events, vocabularies

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_stats.validation import BoolArray
    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord, OutcomeColumns, RolloutRecord, RunRecord
    from pytest_poisson.analyses.coverage import Coverage
    from pytest_poisson.analyses.episodes import Episodes
    from pytest_poisson.analyses.tally import Grid
    from pytest_poisson.events import Event


@dataclass(frozen=True, slots=True, eq=False)
class Material:
    """Two arms over one grid of rows.

    Attributes
    ----------
    runs
        The before run and the after run.
    coverage
        Their conditions, matched.
    events
        The events compared.
    words
        The words that both arms share.
    grid
        The rows.
    before, after
        The arms' episodes in the common conditions; joined, aligned replicate by replicate.
    joined
        Whether they are.
    unpartnered
        Joined: outcomes of each arm whose partner has none.
    """

    runs: tuple[RunRecord, RunRecord]
    coverage: Coverage
    events: tuple[Event, ...]
    words: tuple[str, ...]
    grid: Grid
    before: Episodes
    after: Episodes
    joined: bool
    unpartnered: tuple[int, int]


def gather(
    before: RunReader,
    after: RunReader,
    requested: Sequence[str] | None,
    *,
    joined: bool,
    columns: tuple[OutcomeColumns, OutcomeColumns] | None = None,
) -> Material:
    """Read both runs, or take their columns where they were read already, and lay out the rows.

    Raises
    ------
    UserError
        If an event is unknown or mixed, or none is asked for and the rollouts declare none.
    """
    columns = columns or (before.outcome_columns(), after.outcome_columns())
    return lay_out((before.run, after.run), cover(before, after), columns, requested, joined=joined)


def lay_out(
    runs: tuple[RunRecord, RunRecord],
    coverage: Coverage,
    columns: tuple[OutcomeColumns, OutcomeColumns],
    requested: Sequence[str] | None,
    *,
    joined: bool,
) -> Material:
    """Lay out the rows of two arms.

    Parameters
    ----------
    runs, coverage
        The arms' runs, and their conditions, matched.
    columns
        What became of each arm's episodes; conditions of the coverage are known by their keys.
    requested
        The events that were asked for.
    joined
        Whether to align the arms replicate by replicate.

    Raises
    ------
    UserError
        As `gather`.
    """
    words = tuple(dict.fromkeys((*columns[0].outcomes, *columns[1].outcomes)))
    ours, theirs = (select_episodes(arm, coverage.common, words) for arm in columns)
    used = _used_words((ours, theirs), len(coverage.common), len(words))
    events = _events((*runs[0].rollouts, *runs[1].rollouts), requested, coverage.common, words, used)
    grid = build_grid(coverage.common, events, words, used)
    unpartnered = (0, 0)
    if joined:
        outcomes = [int((arm.word >= 0).sum()) for arm in (ours, theirs)]
        ours, theirs = join_replicates(ours, theirs)
        pairs = int(((ours.word >= 0) & (theirs.word >= 0)).sum())
        unpartnered = (outcomes[0] - pairs, outcomes[1] - pairs)
    return Material(runs, coverage, events, words, grid, ours, theirs, joined, unpartnered)


def why_not_comparable(material: Material) -> str | None:
    """Return why there is nothing to compare, in one sentence, or None."""
    first, second = (f"'{run.name}'" for run in material.runs)
    if not material.coverage.common:
        if material.coverage.skipped:
            return f"Every condition that runs {first} and {second} have in common was skipped in both."
        return f"Runs {first} and {second} have no condition in common."
    if not material.grid.condition.size:
        names = ", ".join(dict.fromkeys(event.name for event in material.events))
        return f"No condition that runs {first} and {second} have in common has the event {names}."
    if material.joined and (wrong := different_draws(material.before, material.after)) is not None:
        return refuse_draws(
            material.before,
            material.after,
            wrong,
            runs=material.runs,
            conditions=material.coverage.common,
        )
    return _nothing_measured(material)


def _nothing_measured(material: Material) -> str | None:
    first, second = (f"'{run.name}'" for run in material.runs)
    have = [arm.word >= 0 for arm in (material.before, material.after)]
    if material.joined:
        if (have[0] & have[1]).any():
            return None
        return f"No replicate has an outcome in both run {first} and run {second}."
    for name, measured in zip((first, second), have, strict=True):
        if not measured.any():
            return f"Run {name} has no outcome in any condition that both runs have."
    return None


def _events(
    rollouts: Sequence[RolloutRecord],
    requested: Sequence[str] | None,
    conditions: Sequence[ConditionRecord],
    words: Sequence[str],
    used: BoolArray,
) -> tuple[Event, ...]:
    occurring: dict[str, set[str]] = {}
    for condition, word in np.argwhere(used).tolist():
        occurring.setdefault(conditions[condition].rollout, set()).add(words[word])
    events = resolve_events(rollouts, requested, occurring=occurring)
    if not events:
        known = ", ".join(dict.fromkeys(word for own in vocabularies(rollouts) for word in own.kinds))
        raise UserError(
            f"The rollouts declare neither failures nor successes; name an event, one of {known}."
        )
    return events


def _used_words(arms: Sequence[Episodes], conditions: int, words: int) -> BoolArray:
    """Return [condition, word] -> whether the outcome occurs there in either arm."""
    used = np.zeros((conditions, words), dtype=bool)
    for arm in arms:
        has = arm.word >= 0
        used[arm.condition[has], arm.word[has]] = True
    return used
