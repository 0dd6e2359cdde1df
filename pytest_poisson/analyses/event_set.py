"""The outcomes whose share or time is asked about, taken together as one event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poisson_store.records import CAUSES
from pytest_poisson.analyses.outcomes import carried_outcomes
from pytest_poisson.errors import UserError
from pytest_poisson.events import vocabularies

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord


@dataclass(frozen=True, slots=True)
class EventSet:
    """Outcomes that count as one event.

    Attributes
    ----------
    names
        The outcomes, in the order asked for.
    successes
        Those of them that some rollout declares a success.
    rollouts
        The ids of the rollouts that declare one of them: the conditions of others are left out.
    """

    names: tuple[str, ...]
    successes: tuple[str, ...]
    rollouts: frozenset[str]

    def keep(self, conditions: Iterable[ConditionRecord]) -> list[ConditionRecord]:
        """Return the conditions whose rollout has the event."""
        return [condition for condition in conditions if condition.rollout in self.rollouts]

    def __str__(self) -> str:
        return " or ".join(self.names)


def choose_events(readers: Sequence[RunReader], requested: Sequence[str]) -> EventSet:
    """Return the event that the names make together; each must be carried by a stored row of one of the runs.

    Parameters
    ----------
    readers
        The runs, the newest declaration last.
    requested
        Outcomes, or several joined by `+`.

    Raises
    ------
    UserError
        If none is asked for, or one is no outcome that a stored row has.
    """
    names = tuple(dict.fromkeys(part.strip() for name in requested for part in name.split("+")))
    carried = _carried(readers)
    if not names:
        raise UserError(f"An event must be named; {_choices(carried, readers)}.")
    for name in names:
        if name in CAUSES and name not in carried:
            raise UserError(
                f"Event {name!r} is a cause of having no outcome, not an outcome; {_choices(carried, readers)}."
            )
        if name not in carried:
            raise UserError(f"Event {name!r} is the outcome of no stored row; {_choices(carried, readers)}.")
    words = vocabularies(rollout for reader in readers for rollout in reader.run.rollouts)
    return EventSet(
        names=names,
        successes=tuple(name for name in names if any(own.kinds.get(name) == "success" for own in words)),
        rollouts=frozenset(own.rollout for own in words if not own.kinds.keys().isdisjoint(names)),
    )


def refuse_successes(events: EventSet) -> None:
    """Refuse an event that is declared a success, where having it is taken for failing.

    Raises
    ------
    UserError
        Naming the first of them.
    """
    for name in events.successes:
        raise UserError(
            f"Event {name!r} is declared a success, and here having the event is failing; name a failure or an "
            "outcome that is declared neither."
        )


def _carried(readers: Sequence[RunReader]) -> Mapping[str, None]:
    """Return the outcomes that stored rows have, in the order of declaration."""
    found = carried_outcomes(readers)
    declared = (word for reader in readers for word in reader.run.outcomes)
    return {word: None for word in declared if word in found}


def _choices(carried: Collection[str], readers: Sequence[RunReader]) -> str:
    *rest, last = dict.fromkeys(f"'{reader.run.name}'" for reader in readers)
    runs = f"runs {', '.join(rest)} and {last}" if rest else f"run {last}"
    has = "carry" if rest else "carries"
    return f"{runs} {has} {', '.join(carried) or 'none'}"
