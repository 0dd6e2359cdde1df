"""Which rollouts a session selected, and what becomes of them where there is no sweep."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_poisson.errors import UserError
from pytest_poisson.pytest_internals import ran_last_failed_only
from pytest_poisson.stash import SETTINGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.records import RunRecord
    from pytest_poisson.collect import CollectedCondition

HOW_TO_RUN = "a rollout: run it with --poisson-sweep"


@dataclass(frozen=True)
class Selection:
    """The conditions that a session selected.

    Attributes
    ----------
    conditions
        Those selected, in the order of their definition.
    left_out
        Those collected and deselected.
    words
        What selected them, as on the command line; None where nothing narrowed the suite down.
    """

    conditions: tuple[CollectedCondition, ...] = ()
    left_out: tuple[CollectedCondition, ...] = ()
    words: str | None = None


SELECTION: pytest.StashKey[Selection] = pytest.StashKey()


def settle_selection(
    config: pytest.Config, conditions: Sequence[CollectedCondition], items: Sequence[pytest.Item]
) -> None:
    """Record which conditions are left among the items; without a sweep, skip them with a reason."""
    chosen = set(items)
    selected = tuple(each for each in conditions if each.item in chosen)
    left_out = tuple(each for each in conditions if each.item not in chosen)
    config.stash[SELECTION] = Selection(selected, left_out, _words(config, left_out))
    settings = config.stash[SETTINGS]
    if settings.sweeping or not selected:
        return
    if settings.replaying or settings.without_sweep == "once":
        from pytest_poisson.single import single_replicates

        config.pluginmanager.register(single_replicates(config, settings), "poisson-single")
    else:
        for each in selected:
            each.item.add_marker(pytest.mark.skip(reason=HOW_TO_RUN))


def select_failing(
    config: pytest.Config, conditions: Sequence[CollectedCondition], items: list[pytest.Item]
) -> None:
    """Deselect the conditions that did not fail in the run of `--poisson-failing-from` or `--poisson-fix-check`.

    A fix-check that names events asks for those; else a rollout's declared failures count, and `failed`.

    Raises
    ------
    pytest.UsageError
        If the run cannot be opened, or a fix-check names an event that nothing failed by.
    """
    settings = config.stash[SETTINGS]
    if settings.selecting_run is None:
        return
    from poisson_store import Store, StoreError
    from pytest_poisson.analyses.outcomes import outcomes_alone
    from pytest_poisson.events import failures_of
    from pytest_poisson.store_directory import store_directory

    try:
        with Store(store_directory(config, settings)).open(settings.selecting_run) as run:
            failures = {each.id: failures_of(each) for each in run.run.rollouts}
            rollout = {each.key: each.rollout for each in run.conditions}
            counts = outcomes_alone(run)
            named = _named_failures(run.run, settings.event) if settings.fix_check and settings.event else ()
    except (StoreError, UserError) as refusal:
        raise pytest.UsageError(str(refusal)) from None
    failed = {
        key
        for key, outcomes in counts.items()
        if sum(outcomes[word] for word in named or failures[rollout[key]]) >= settings.min_failures
    }
    passing = {each.item for each in conditions if each.condition.key not in failed}
    if passing:
        items[:] = [item for item in items if item not in passing]
        config.hook.pytest_deselected(items=list(passing))


def _named_failures(run: RunRecord, events: Sequence[str]) -> tuple[str, ...]:
    """Return the outcomes that a fix-check names.

    Raises
    ------
    UserError
        If the run declares one of them not at all, or as a success.
    """
    named = tuple(part.strip() for name in events for part in name.split("+"))
    for name in named:
        if name not in run.outcomes:
            raise UserError(
                f"--poisson-event={name} is no outcome of run {run.name!r}; it has {', '.join(run.outcomes)}."
            )
        if any(name in rollout.successes for rollout in run.rollouts):
            raise UserError(
                f"--poisson-event={name} is declared a success, and a fix-check asks what still fails."
            )
    return named


def _words(config: pytest.Config, left_out: Sequence[CollectedCondition]) -> str | None:
    """Return what narrowed the suite down: options that deselect, or node ids among the arguments."""
    options = {
        "-k": "keyword",
        "-m": "markexpr",
        "--deselect": "deselect",
        "--poisson-failing-from": "poisson_failing_from",
        "--poisson-fix-check": "poisson_fix_check",
    }
    given = [(flag, config.getoption(name, None)) for flag, name in options.items()]
    words = [
        f"{flag} {value if isinstance(value, str) else ' '.join(value)}" for flag, value in given if value
    ]
    node_ids = [argument for argument in config.args if "::" in str(argument)]
    last_failed = ["--lf"] if ran_last_failed_only(config) else []
    if not left_out and not node_ids and not last_failed:
        return None
    words = [*(words if left_out else []), *last_failed, *node_ids]
    return " ".join(words) or f"{len(left_out)} conditions deselected"
