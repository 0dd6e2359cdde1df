"""Which outcomes are compared: names given by users or by default, and which way each is worse."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from poisson_store.records import RolloutRecord

Kind: TypeAlias = Literal["failure", "success"]
Basis: TypeAlias = Literal["declared", "neutral", "implicit"]

IMPLICIT_KINDS: Mapping[str, Kind] = {"failed": "failure", "passed": "success"}
"""What pytest itself says of a replicate that did not call `rollout.end`; known without a declaration."""

CAUSES = ("timed_out", "errored", "crashed", "skipped", "cancelled")
"""Why a replicate has no outcome; refused as events with a sentence of their own."""


@dataclass(frozen=True, slots=True)
class Event:
    """A set of outcomes of one rollout whose rate is compared.

    Attributes
    ----------
    name
        The outcomes joined by `+`, as they were asked for.
    rollout
        The id of the rollout whose conditions have the event.
    outcomes
        The words that count, those of `name` which this rollout declares.
    kind
        `failure`: a rise is worse; `success`: a fall is worse.
    basis
        `declared`: the rollout says which it is; `neutral`: it declares the word as neither, so it counts as a
        failure; `implicit`: `failed` or `passed`, which nobody declared.
    """

    name: str
    rollout: str
    outcomes: tuple[str, ...]
    kind: Kind
    basis: Basis = "declared"

    @property
    def direction(self) -> int:
        """+1 where a rise is worse, -1 where a fall is."""
        return 1 if self.kind == "failure" else -1


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words of one rollout, in the order of declaration, each with its kind or None for neutral."""

    rollout: str
    kinds: Mapping[str, Kind | None]

    def of_kind(self, kind: Kind) -> list[str]:
        """Return the declared words of one kind."""
        return [word for word, its_kind in self.kinds.items() if its_kind == kind]

    def kind_of(self, word: str) -> tuple[Kind, Basis]:
        """Return how a word counts and why: a neutral one counts as a failure."""
        declared = self.kinds.get(word)
        if declared is not None:
            return declared, "declared"
        if word in IMPLICIT_KINDS:
            return IMPLICIT_KINDS[word], "implicit"
        return "failure", "neutral"


def vocabularies(rollouts: Iterable[RolloutRecord]) -> tuple[Vocabulary, ...]:
    """Merge declarations by rollout id, sorted by it; where a rollout is declared twice, the later one wins.

    A word that only the earlier declaration has is kept, since the earlier run may hold it.
    """
    merged: dict[str, dict[str, Kind | None]] = {}
    for rollout in rollouts:
        merged[rollout.id] = _kinds(rollout) | {
            word: kind for word, kind in merged.get(rollout.id, {}).items() if word not in rollout.outcomes
        }
    return tuple(Vocabulary(rollout, kinds) for rollout, kinds in sorted(merged.items()))


def failures_of(rollout: RolloutRecord) -> tuple[str, ...]:
    """Return the outcomes by which a rollout fails: those declared, and `failed` where it declares that no success."""
    implied = [word for word, kind in IMPLICIT_KINDS.items() if kind == "failure"]
    return tuple(
        dict.fromkeys((*rollout.failures, *(word for word in implied if word not in rollout.successes)))
    )


def resolve_events(
    rollouts: Iterable[RolloutRecord],
    requested: Sequence[str] | None = None,
    *,
    occurring: Mapping[str, Collection[str]] | None = None,
) -> tuple[Event, ...]:
    """Return the events to compare, by rollout id and then in the order asked for or declared.

    Parameters
    ----------
    rollouts
        The declarations of the runs, the before run's first: where both declare a rollout, the later one wins.
    requested
        Names: an outcome, or several joined by `+`. An event belongs to every rollout that declares one of
        its outcomes. None or nothing: each declared failure, or, in a rollout without one, each success.
    occurring
        The outcomes found in the runs, by rollout id: `failed` is an event by default where it occurs undeclared.
        Adding it after looking is valid: a row whose total is zero in both arms can never be flagged, so only rows
        that could are counted (Tarone 1990).

    Raises
    ------
    UserError
        If a name is no outcome of any rollout, or joins failures with successes.
    """
    words = vocabularies(rollouts)
    found = occurring or {}
    if not requested:
        return tuple(event for vocabulary in words for event in _default(vocabulary, found))
    names = [_parse(name, words, found) for name in requested]
    events = (_applied(name, parts, vocabulary) for vocabulary in words for name, parts in names)
    unique = {
        (event.rollout, frozenset(event.outcomes)): event for event in reversed([e for e in events if e])
    }
    return tuple(reversed(unique.values()))


def _kinds(rollout: RolloutRecord) -> dict[str, Kind | None]:
    kinds: dict[str, Kind | None] = dict.fromkeys(rollout.outcomes)
    kinds.update(dict.fromkeys(rollout.failures, "failure"))
    kinds.update(dict.fromkeys(rollout.successes, "success"))
    return kinds


def _default(vocabulary: Vocabulary, occurring: Mapping[str, Collection[str]]) -> list[Event]:
    words = vocabulary.of_kind("failure") or vocabulary.of_kind("success")
    events = [Event(word, vocabulary.rollout, (word,), *vocabulary.kind_of(word)) for word in words]
    if vocabulary.kinds.get("failed") is None and "failed" in occurring.get(vocabulary.rollout, ()):
        events.append(Event("failed", vocabulary.rollout, ("failed",), "failure", "implicit"))
    return events


def _parse(
    name: str, words: Sequence[Vocabulary], occurring: Mapping[str, Collection[str]]
) -> tuple[str, tuple[str, ...]]:
    """Split a name into its outcomes, each of which some rollout must know."""
    parts = tuple(dict.fromkeys(part.strip() for part in name.split("+")))
    known = dict.fromkeys(word for vocabulary in words for word in vocabulary.kinds)
    known |= dict.fromkeys(sorted(word for found in occurring.values() for word in found))
    for part in parts:
        if part in CAUSES and part not in known:
            raise UserError(
                f"Event '{name}' names the cause {part!r} of having no outcome; {_choices(known)}."
            )
        if part not in known and part not in IMPLICIT_KINDS:
            raise UserError(f"Event {part!r} is no outcome of these runs; {_choices(known)}.")
    return "+".join(parts), parts


def _choices(known: Iterable[str]) -> str:
    return f"an event is one of {', '.join(known)}, or several joined by '+'"


def _applied(name: str, parts: Sequence[str], vocabulary: Vocabulary) -> Event | None:
    """Return the event as it applies to one rollout, or None where that rollout knows none of its words."""
    own = tuple(part for part in parts if part in vocabulary.kinds or part in IMPLICIT_KINDS)
    if not own:
        return None
    kinds = {part: vocabulary.kind_of(part) for part in own}
    if len({kind for kind, _ in kinds.values()}) > 1:
        raise UserError(_mixture(name, vocabulary, kinds))
    kind, _ = kinds[own[0]]
    basis: Basis = next((why for _, why in kinds.values() if why != "declared"), "declared")
    return Event(name, vocabulary.rollout, own, kind, basis)


def _mixture(name: str, vocabulary: Vocabulary, kinds: Mapping[str, tuple[Kind, Basis]]) -> str:
    described = " and ".join(f"{part!r} as a {kind}" for part, (kind, _) in kinds.items())
    return (
        f"Event '{name}' joins outcomes that are worse in opposite directions: rollout '{vocabulary.rollout}' "
        f"counts {described}; join failures alone or successes alone."
    )
