"""Replicates that failed, a few of every condition, with their spans: what a reader of a report looks into."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, zip_longest
from typing import TYPE_CHECKING

from poisson_store.records import CAUSES
from pytest_poisson.analyses.episode_trace import read_trace
from pytest_poisson.events import failures_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from poisson_store.reader import RunReader
    from pytest_poisson.analyses.episode_trace import EpisodeTrace

MOST = 50
MOST_OF_ONE = 5


@dataclass(frozen=True, slots=True)
class FailingReplicate:
    """One of them.

    Attributes
    ----------
    arm
        Position of its run.
    trace
        The replicate with its spans.
    partner
        How the same replicate ended in the other arm, of runs that share their draws; None where it has no row there.
    """

    arm: int
    trace: EpisodeTrace
    partner: str | None


@dataclass(frozen=True, slots=True)
class Failing:
    """Replicates that ended as a failure, or without an outcome though they were not skipped.

    Attributes
    ----------
    total
        How many there are, by condition key, an arm each.
    shown
        At most 50 of them, and at most 5 of a condition, dealt round over the conditions, the most important first.
    """

    total: Mapping[str, tuple[int, ...]]
    shown: tuple[FailingReplicate, ...]


@dataclass(frozen=True, slots=True, eq=False)
class _Arm:
    """A run, and the numbers of the replicates that failed, by condition key."""

    reader: RunReader
    failed: Mapping[str, list[int]]


def failing_replicates(
    readers: Sequence[RunReader],
    keys: Sequence[str],
    *,
    failures: Sequence[str] = (),
    paired: bool = False,
    most: int = MOST,
) -> Failing:
    """Choose failing replicates to look at.

    Parameters
    ----------
    readers
        One run, or the arms of a comparison; those of the last are shown first.
    keys
        The conditions, the most important first.
    failures
        Outcomes that count besides the failures of the rollouts.
    paired
        Whether the arms share their draws: replicates that failed in the last arm alone then come first.
    most
        How many are read.
    """
    arms = [_read(reader, failures) for reader in readers]
    total = {key: tuple(len(arm.failed.get(key, ())) for arm in arms) for key in keys}
    queues = [[(key, *each) for each in _candidates(arms, key, paired=paired)] for key in keys]
    dealt = (one for turn in zip_longest(*queues) for one in turn if one is not None)
    rank = {key: place for place, key in enumerate(keys)}
    chosen = sorted(islice(dealt, most), key=lambda one: rank[one[0]])
    shown = tuple(
        FailingReplicate(
            place,
            read_trace(arms[place].reader, key, number),
            _ending(arms[1 - place], key, number) if paired else None,
        )
        for key, place, number in chosen
    )
    return Failing(total, shown)


def _read(reader: RunReader, failures: Sequence[str]) -> _Arm:
    lost = {cause for cause in CAUSES if cause != "skipped"}
    words = {rollout.id: {*failures_of(rollout), *failures, *lost} for rollout in reader.run.rollouts}
    wanted = {condition.key: words[condition.rollout] for condition in reader.conditions}
    found: dict[str, list[int]] = {}
    for key, number, ending in reader.ended(set().union(*words.values())):
        if ending in wanted[key]:
            found.setdefault(key, []).append(number)
    return _Arm(reader, found)


def _candidates(arms: Sequence[_Arm], key: str, *, paired: bool) -> Iterator[tuple[int, int]]:
    """Yield (arm, number) of at most 5 replicates of a condition: of the last arm first."""
    last = len(arms) - 1
    ordered = [(last, number) for number in arms[last].failed.get(key, ())]
    before = arms[0].failed.get(key, []) if last else []
    if paired:
        known = set(before)
        ordered.sort(key=lambda one: one[1] in known)
    yield from islice([*ordered, *((0, number) for number in before)], MOST_OF_ONE)


def _ending(arm: _Arm, key: str, number: int) -> str | None:
    episode = next(arm.reader.episodes(key, number), None)
    return None if episode is None else episode.outcome or episode.cause
