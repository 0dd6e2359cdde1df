"""The bounds that rollouts promise to keep, judged from one run without any baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from poisson_stats.promises import judge_promises
from pytest_poisson.analyses.coverage import in_order
from pytest_poisson.analyses.diff_result import Count
from pytest_poisson.analyses.levels import levels_of
from pytest_poisson.analyses.outcomes import outcomes_alone
from pytest_poisson.declaration import PROMISES, parts_of
from pytest_poisson.stopping_rule import declared_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from poisson_stats.promises import Promises, PromiseWord
    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord, RolloutRecord

Kind: TypeAlias = Literal["at most", "at least"]

KINDS: Mapping[str, Kind] = {"at_most": "at most", "at_least": "at least"}
ORDER: Mapping[PromiseWord, int] = {"missed": 0, "too small to tell": 1, "met": 2}


@dataclass(frozen=True, slots=True)
class Promise:
    """One promise of one condition.

    Attributes
    ----------
    condition
        As planned.
    event
        The outcomes it is about, joined by `+`.
    kind, bound
        The promise: the event's rate is `at most` or `at least` the bound.
    count
        Replicates with the event, of those with an outcome.
    missing
        Replicates without an outcome.
    word
        `met` or `missed` where the data prove it, else `too small to tell`. With missing outcomes `met` is said only
        where it stands although all of them count against the promise.
    withdrawn
        Whether `met` was withdrawn for missing outcomes.
    p
        Holm-adjusted over all promises: of `missed` where the rate is on the wrong side of the bound, else of `met`.
    low, high, level
        One-sided exact bounds on the rate, each at the level.
    settle
        Replicates of the condition that would settle the promise if the rate stays; None where it is settled, where
        nothing was seen, or where the rate is the bound.
    replay
        Of a missed promise, a replicate that went against it.
    """

    condition: ConditionRecord
    event: str
    kind: Kind
    bound: float
    count: Count
    missing: int
    word: PromiseWord
    withdrawn: bool
    p: float
    low: float
    high: float
    level: float
    settle: int | None
    replay: int | None = None


@dataclass(frozen=True, slots=True)
class PromisesResult:
    """Every promise of a run.

    Attributes
    ----------
    run
        The run's name.
    q
        The error level: the chance that any broken promise is called met is at most q, and so is the chance that any
        kept one is called missed.
    promises
        Sorted by rollout, axis values and promise.
    importance
        Positions in `promises`: missed ones first, then those that are too small to tell.
    stoppable
        Whether the run could stop early on its outcomes: the level holds for replicates that were fixed beforehand.
    """

    run: str
    q: float
    promises: tuple[Promise, ...] = ()
    importance: tuple[int, ...] = ()
    stoppable: bool = False

    def with_word(self, word: PromiseWord) -> tuple[Promise, ...]:
        """Return the promises with a word."""
        return tuple(promise for promise in self.promises if promise.word == word)


class _Made(NamedTuple):
    """A promise and what was counted for it."""

    condition: ConditionRecord
    event: str
    kind: Kind
    bound: float
    events: int
    outcomes: int
    missing: int

    @property
    def against(self) -> int:
        """The events if all missing outcomes went against the promise."""
        return self.events + (self.missing if self.kind == "at most" else 0)


def judge_run(reader: RunReader, *, q: float | None = None) -> PromisesResult:
    """Judge every promise of a run; conditions that were skipped whole promise nothing.

    Parameters
    ----------
    reader
        The run.
    q
        The error level; by default the one the run was swept with.
    """
    level = levels_of(reader.run, q).q
    made = tuple(_counted(reader))
    if not made:
        return PromisesResult(reader.run.name, level)
    judged, worst = _judge(made, level, missing=False), _judge(made, level, missing=True)
    promises = tuple(
        _promise(reader, each, judged, worst.words[position], position) for position, each in enumerate(made)
    )
    ranked = sorted(range(len(promises)), key=lambda i: (ORDER[promises[i].word], promises[i].p))
    stoppable = declared_rule(reader.run) is not None
    return PromisesResult(reader.run.name, level, promises, tuple(ranked), stoppable)


def _counted(reader: RunReader) -> Iterator[_Made]:
    """Yield every promise with its counts, in the order of conditions."""
    promised = {rollout.id: tuple(_bounds(rollout)) for rollout in reader.run.rollouts}
    if not any(promised.values()):
        return
    accounts, counts = reader.accounting_by_condition(), outcomes_alone(reader)
    for condition in in_order(reader.conditions):
        account = accounts[condition.key]
        if account.skipped_whole:
            continue
        for kind, event, bound in promised[condition.rollout]:
            events = sum(counts[condition.key][word] for word in parts_of(event))
            yield _Made(condition, event, kind, bound, events, account.with_outcome, account.without_outcome)


def _bounds(rollout: RolloutRecord) -> Iterator[tuple[Kind, str, float]]:
    for name in PROMISES:
        for event, bound in cast("Mapping[str, float]", rollout.settings.get(name, {})).items():
            yield KINDS[name], event, float(bound)


def _judge(made: Sequence[_Made], q: float, *, missing: bool) -> Promises:
    """Judge by the outcomes there are, or with the missing ones counted against each promise."""
    return judge_promises(
        [each.against if missing else each.events for each in made],
        [each.outcomes + (each.missing if missing else 0) for each in made],
        np.array([each.bound for each in made]),
        [each.kind for each in made],
        q=q,
    )


def _promise(reader: RunReader, made: _Made, judged: Promises, worst: PromiseWord, position: int) -> Promise:
    word = judged.words[position]
    withdrawn = word == "met" and worst != "met"
    against = judged.p_missed[position] < judged.p_met[position]
    adjusted = judged.adjusted_missed if against else judged.adjusted_met
    return Promise(
        condition=made.condition,
        event=made.event,
        kind=made.kind,
        bound=made.bound,
        count=Count(made.events, made.outcomes),
        missing=made.missing,
        word="too small to tell" if withdrawn else word,
        withdrawn=withdrawn,
        p=float(adjusted[position]),
        low=float(judged.low[position]),
        high=float(judged.high[position]),
        level=float(judged.level[position]),
        settle=judged.settle[position],
        replay=_first_against(reader, made) if word == "missed" else None,
    )


def _first_against(reader: RunReader, made: _Made) -> int | None:
    """Return the first replicate that went against a promise."""
    words = set(parts_of(made.event))
    if made.kind == "at least":
        words = set(reader.run.outcomes) - words
    ended = reader.episodes(made.condition.key, outcomes=words)
    return next((each.replicate for each in ended if each.outcome is not None), None)
