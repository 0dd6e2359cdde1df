"""Events that only one of two runs could end with: where such a rate improves, nobody measured that it did."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poisson_stats.missing import REASSURING
from poisson_stats.verdict import NOT_COMPARABLE
from pytest_poisson.errors import UserError
from pytest_poisson.events import IMPLICIT_KINDS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from poisson_stats.verdict import Verdict
    from poisson_store.records import ConditionRecord, RunRecord
    from pytest_poisson.analyses.diff_result import DiffRow
    from pytest_poisson.analyses.event_set import EventSet
    from pytest_poisson.events import Event


def one_sided_gains(before: RunRecord, after: RunRecord, rows: Sequence[DiffRow]) -> tuple[Event, ...]:
    """Return the events of rows that could only improve.

    A failure that the after run does not declare falls to 0 there, whatever it is called now; a success that the
    before run does not declare was at 0.
    """
    found = (
        row.event
        for row in rows
        if (row.change or 0) * row.event.direction < 0
        and not can_end_with(
            after if row.event.kind == "failure" else before, row.condition, row.event.outcomes
        )
    )
    return tuple(dict.fromkeys(found))


def can_end_with(run: RunRecord, condition: ConditionRecord, outcomes: Collection[str]) -> bool:
    """Tell whether a replicate of a condition may end with one of some outcomes in a run.

    An imported run, whose conditions are no tests, declares what it holds and no more: its words say nothing of that.
    """
    if not condition.nodeid:
        return True
    declared = (word for each in run.rollouts if each.id == condition.rollout for word in each.outcomes)
    return not {*declared, *IMPLICIT_KINDS}.isdisjoint(outcomes)


def word_one_sided(word: Verdict, gains: Sequence[Event]) -> Verdict:
    """Return `not comparable` in place of a word that reassures, where an event could only improve."""
    return NOT_COMPARABLE if gains and word in REASSURING else word


def refuse_undeclared(run: RunRecord, events: EventSet, conditions: Iterable[ConditionRecord]) -> None:
    """Refuse a run that could not end with any of the events which the other run has in these conditions.

    Raises
    ------
    UserError
        Naming them, and what to ask about instead.
    """
    for each in conditions:
        if not can_end_with(run, each, events.names):
            raise UserError(
                f"Run '{run.name}' declares no outcome {events} of rollout '{each.rollout}', so that it could not end "
                "with it; name what took its place as well (--event=OLD+NEW), or sweep the other version again."
            )
