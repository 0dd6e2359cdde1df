"""What a reader of a comparison must know besides its figures, as sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from pytest_poisson.analyses.diff_result import Change
from pytest_poisson.events import vocabularies
from pytest_poisson.methods import METHODS
from pytest_poisson.stopping_rule import declared_rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poisson_store.records import ConditionRecord, Json, RunRecord
    from pytest_poisson.events import Event
    from pytest_poisson.methods import Method

UNLIKE_BY_NATURE = ("command", "argv", "pid", "host")
"""Parts of an environment that differ between any two runs and say nothing about the code under test."""


def write_notes(
    before: RunRecord,
    after: RunRecord,
    *,
    events: Sequence[Event],
    conditions: Sequence[ConditionRecord],
    chosen: Iterable[str] = (),
) -> tuple[str, ...]:
    """Return every note that applies, the general ones first, after those on what was `chosen`."""
    found = (
        chosen,
        _unfinished((before, after)),
        _events(events),
        _declarations(before, after),
        _without_event(events, conditions),
    )
    return tuple(dict.fromkeys(note for group in found for note in group))


def undeclared(runs: Sequence[RunRecord], method: Method, margin: float | None) -> Iterable[str]:
    """Say what was chosen although the last run did not declare it: its error level holds for choices made before.

    And where a run could be stopped on its outcomes, that a test of fixed numbers does not keep its level.
    """
    spec, after = METHODS[method], runs[-1]
    told = f"was not declared when run '{after.name}' was swept; chosen after looking, it does not keep its error level."
    stoppable = [run for run in runs if declared_rule(run) is not None]
    declared = method == after.settings.get("method") or (spec.sequential and stoppable)
    if spec.optional and not declared:
        yield f"Method {method} {told}"
    if margin is not None and after.settings.get("margin") != margin:
        yield f"Margin {margin:g} {told}"
    for run in () if spec.sequential else stoppable:
        yield (
            f"Run '{run.name}' could stop early on its outcomes, so that {method} does not keep its error level; without "
            "--method the comparison rests on the rule that the run was stopped by."
        )


def changed_settings(before: RunRecord, after: RunRecord) -> tuple[Change, ...]:
    """Return what differs in variant and environment, by name, the variant first."""
    ours, theirs = (_settings(run) for run in (before, after))
    names = sorted({*ours, *theirs}, key=lambda name: (not name.startswith("variant."), name))
    return tuple(
        Change(name, ours.get(name), theirs.get(name)) for name in names if ours.get(name) != theirs.get(name)
    )


def _settings(run: RunRecord) -> dict[str, Json]:
    variant = {f"variant.{name}": value for name, value in run.variant.items()}
    known = {name: value for name, value in run.environment.items() if name not in UNLIKE_BY_NATURE}
    return variant | dict(_flatten(known))


def _flatten(values: Mapping[str, Json], prefix: str = "") -> Iterable[tuple[str, Json]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flatten(value, f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _unfinished(runs: Iterable[RunRecord]) -> Iterable[str]:
    for run in runs:
        if run.status != "complete":
            yield f"Run '{run.name}' is {run.status}: the replicates that did not run are not compared."


def _events(events: Sequence[Event]) -> Iterable[str]:
    for event in _once(event for event in events if event.basis == "neutral"):
        yield (
            f"Event '{event.name}' is declared neither a failure nor a success by rollout '{event.rollout}'; "
            "asked for by name, it counts as a failure."
        )
    for event in _once(event for event in events if event.basis == "implicit" and event.kind == "failure"):
        yield (
            f"Rollout '{event.rollout}' does not declare 'failed', as which a replicate ends by an AssertionError; it is "
            "compared as a failure."
        )


def _once(events: Iterable[Event]) -> Iterable[Event]:
    return {(event.name, event.rollout): event for event in events}.values()


def _declarations(before: RunRecord, after: RunRecord) -> Iterable[str]:
    ours = {vocabulary.rollout: vocabulary.kinds for vocabulary in vocabularies(before.rollouts)}
    theirs = {vocabulary.rollout: vocabulary.kinds for vocabulary in vocabularies(after.rollouts)}
    for rollout in sorted(ours.keys() & theirs.keys()):
        for word in sorted(ours[rollout].keys() | theirs[rollout].keys()):
            yield from _one_declaration(rollout, word, ours[rollout], theirs[rollout])


def _one_declaration(
    rollout: str, word: str, ours: Mapping[str, str | None], theirs: Mapping[str, str | None]
) -> Iterable[str]:
    if word not in ours or word not in theirs:
        run = "after" if word in theirs else "before"
        yield f"Outcome '{word}' of rollout '{rollout}' is declared by the {run} run alone."
    elif ours[word] != theirs[word]:
        kinds = [kinds[word] or "neutral" for kinds in (ours, theirs)]
        yield (
            f"Outcome '{word}' of rollout '{rollout}' is declared {kinds[0]} before and {kinds[1]} after; "
            "the after run's declaration is used."
        )


def _without_event(events: Sequence[Event], conditions: Sequence[ConditionRecord]) -> Iterable[str]:
    having = {event.rollout for event in events}
    for rollout in dict.fromkeys(c.rollout for c in conditions if c.rollout not in having):
        yield f"Rollout '{rollout}' has none of the events; its conditions are not compared."
