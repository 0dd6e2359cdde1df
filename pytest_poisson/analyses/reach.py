"""Named steps that runs never got to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_poisson.analyses.placement import FATES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poisson_stats.validation import BoolArray
    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord, Json, RolloutRecord
    from pytest_poisson.analyses.event_set import EventSet
    from pytest_poisson.analyses.placement import Placement


@dataclass(frozen=True, slots=True)
class Reach:
    """How many placed episodes of one run got to a named step, and what became of the others.

    Attributes
    ----------
    placed, reached
        Episodes of the rollouts that declare the step, and those of them with a span of it.
    died, ended, cut_off
        Those that never reached it: they died, they ended otherwise, or they were timed out or capped.
    """

    placed: int
    reached: int
    died: int
    ended: int
    cut_off: int

    @property
    def never_reached(self) -> int:
        """Placed episodes without a span of the step."""
        return self.placed - self.reached


@dataclass(frozen=True, slots=True)
class StepReach:
    """One declared step: whether it is a gate, and what each run did about it."""

    step: str
    gate: bool
    arms: tuple[Reach, ...]


def declared_steps(rollouts: Iterable[RolloutRecord], events: EventSet) -> dict[str, bool]:
    """Return the steps that the rollouts with the event declare, in order, each with whether it is a gate."""
    steps: dict[str, bool] = {}
    for rollout in rollouts:
        if rollout.id in events.rollouts:
            gates = _names(rollout.settings.get("gates"))
            steps |= {name: steps.get(name, False) or name in gates for name in _steps_of(rollout)}
    return steps


def step_reaches(
    arms: Sequence[tuple[RunReader, Placement]], conditions: Sequence[ConditionRecord], steps: dict[str, bool]
) -> tuple[StepReach, ...]:
    """Count, for every declared step and run, the episodes that never reached it.

    Parameters
    ----------
    arms
        The runs with their placed episodes.
    conditions
        What the placements' conditions point into.
    steps
        From `declared_steps`.
    """
    if not steps:
        return ()
    counted = [_count(reader, placement, conditions, list(steps)) for reader, placement in arms]
    return tuple(
        StepReach(name, gate, tuple(arm[number] for arm in counted))
        for number, (name, gate) in enumerate(steps.items())
    )


def _count(
    reader: RunReader, placement: Placement, conditions: Sequence[ConditionRecord], steps: Sequence[str]
) -> list[Reach]:
    reached = placement.reached(reader, steps)
    declares = {rollout.id: set(_steps_of(rollout)) for rollout in reader.run.rollouts}
    fates = placement.fate
    found = []
    for number, step in enumerate(steps):
        own = np.array([step in declares.get(each.rollout, ()) for each in conditions], dtype=bool)
        of_rollout = own[placement.condition]
        never = of_rollout & ~reached[:, number]
        died, ended = (int((never & (fates == FATES.index(fate))).sum()) for fate in ("died", "ended"))
        found.append(_reach(of_rollout, never, died, ended))
    return found


def _reach(of_rollout: BoolArray, never: BoolArray, died: int, ended: int) -> Reach:
    placed, missed = int(of_rollout.sum()), int(never.sum())
    return Reach(placed, placed - missed, died, ended, missed - died - ended)


def _steps_of(rollout: RolloutRecord) -> tuple[str, ...]:
    """Return the declared steps, and the gates that are not among them."""
    return tuple(
        dict.fromkeys((*_names(rollout.settings.get("steps")), *_names(rollout.settings.get("gates"))))
    )


def _names(declared: Json) -> tuple[str, ...]:
    return tuple(str(name) for name in declared) if isinstance(declared, list) else ()
