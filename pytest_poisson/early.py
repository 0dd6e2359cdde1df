"""Stopping conditions that are decided while a sweep runs: `--poisson-stop-early`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from poisson_stats.sequential import NO_OUTCOME
from pytest_poisson.analyses.episodes import Episodes, select_episodes, translate
from pytest_poisson.analyses.rounds import Rounds, lay_rounds, make_rule, play, values_of
from pytest_poisson.analyses.tally import build_grid
from pytest_poisson.events import resolve_events
from pytest_poisson.stopping_rule import PAIRED, declared_rule
from pytest_poisson.stops import OUTCOME

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from poisson_store.reader import RunReader
    from poisson_store.records import RunRecord
    from pytest_poisson.analyses.tally import Grid

Row: TypeAlias = "tuple[Any, ...]"


def watch(run: RunRecord, baseline: RunReader, stored: RunReader | None) -> EarlyStop | None:
    """Return what says which conditions of a run are decided; None where it has no rule, or nothing to decide.

    Parameters
    ----------
    run, baseline
        The run that is swept, and the one it is compared with.
    stored
        The run as it is stored already, where it is continued.
    """
    declared = declared_rule(run)
    if declared is None:
        return None
    events = resolve_events((*baseline.run.rollouts, *run.rollouts), declared["events"])
    rollouts, keys = {event.rollout for event in events}, {each.key for each in baseline.conditions}
    conditions = [each for each in run.conditions if each.key in keys and each.rollout in rollouts]
    if not conditions:
        return None
    words = tuple(dict.fromkeys((*baseline.run.outcomes, *run.outcomes)))
    unused = np.zeros((len(conditions), len(words)), dtype=bool)
    watching = EarlyStop(run, build_grid(conditions, events, words, unused), words, baseline)
    if stored is not None:
        watching.take_in(stored)
    return watching


class EarlyStop:
    """Watches the rows of a sweep beside a stored run, and says which conditions are decided.

    Its tests are those that the comparison will make, played in the same rounds, so that the sweep and every later
    comparison decide the same conditions after the same replicates.

    Parameters
    ----------
    run, baseline
        The run that is swept, with its declared rule, and the one it is compared with.
    grid, words
        The tests, and the words that both runs share.
    """

    def __init__(self, run: RunRecord, grid: Grid, words: Sequence[str], baseline: RunReader) -> None:
        declared = declared_rule(run) or {}
        self._grid, self._words = grid, words
        position = {each.key: number for number, each in enumerate(run.conditions)}
        self._positions = [position[each.key] for each in grid.conditions]
        own = {each.key: number for number, each in enumerate(grid.conditions)}
        self._condition = translate([each.key for each in run.conditions], own)
        self._word = translate(run.outcomes, {word: number for number, word in enumerate(words)})
        planned = max(each.planned for each in grid.conditions)
        self._rule = make_rule(grid, planned=planned, paired=declared["rule"] == PAIRED, q=declared["q"])
        before = lay_rounds(grid, self._select(baseline), planned)
        never = np.arange(planned) >= np.array([[each.planned] for each in grid.conditions])
        self._rounds = Rounds(before, np.full_like(before, NO_OUTCOME), never)
        self._state = self._rule.start()
        self._told: set[int] = set()

    def take_in(self, stored: RunReader) -> None:
        """Take in what a run that is continued holds already."""
        self._fill(self._select(stored))

    def observe(self, rows: Sequence[Row]) -> Iterable[int]:
        """Take in rows as they are stored; return the conditions that are decided now and were not before."""
        if rows:
            self._fill(self._read(rows))
        self._state = play(self._rule, self._state, self._rounds)
        decided = np.flatnonzero(self._state.flagged.any(axis=1)).tolist()
        new = {self._positions[number] for number in decided} - self._told
        self._told |= new
        return sorted(new)

    def waits_for(self, swept: Collection[int]) -> int:
        """Return how many undecided conditions lack replicates that a sweep of these conditions does not run.

        A round holds a replicate of every condition that is not decided, so that nothing is decided before they have
        caught up.
        """
        undecided = np.flatnonzero(play(self._rule, self._state, self._rounds).running).tolist()
        return sum(
            self._positions[each] not in swept and not self._rounds.known[each].all() for each in undecided
        )

    def _read(self, rows: Sequence[Row]) -> Episodes:
        condition, replicate = (np.array([row[i] for row in rows], dtype=np.int64) for i in (0, 1))
        word = np.array([-1 if row[OUTCOME] is None else row[OUTCOME] for row in rows], dtype=np.int64)
        episodes = Episodes(self._condition[condition], replicate, replicate, self._word[word])
        return episodes.take(np.flatnonzero(episodes.condition >= 0))

    def _select(self, reader: RunReader) -> Episodes:
        return select_episodes(reader.outcome_columns(), self._grid.conditions, self._words)

    def _fill(self, episodes: Episodes) -> None:
        at = episodes.condition, episodes.replicate
        self._rounds.after[at] = values_of(self._grid, episodes)
        self._rounds.known[at] = True
