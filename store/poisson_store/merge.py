"""Joining parts of one design (shards, selections) into one run."""

from __future__ import annotations

import sqlite3
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from poisson_store.connection import connect, file_uri, open_for_reading, transaction
from poisson_store.errors import StoreError, reading, storage_errors
from poisson_store.records import ConditionRecord, RolloutRecord, RunRecord, suite_digest
from poisson_store.schema import BY_EPISODE
from poisson_store.writer import end_run

if TYPE_CHECKING:
    from collections.abc import Sequence

MERGED_FROM = "merged_from"
"""Where a merged run's settings keep what its parts were."""

_DECLARED_BEFORE = ("stop_early", "q", "max_mde", "method", "margin", "event")
"""What a run's settings keep of how it is to be judged."""

_DECLARED_ON_THE_MARK = (
    "at_most",
    "at_least",
    "shared_seed_axes",
    "raises",
    "retries",
    "retry_on",
    "steps",
    "gates",
)
"""What a rollout's settings keep of what is measured, and of what was promised."""

_NUMBERED_ANEW = {
    "condition": "(SELECT ours.condition FROM main.conditions AS ours JOIN part.conditions AS theirs USING (key)"
    " WHERE theirs.condition = it.condition)",
    "outcome": "(SELECT ours.outcome FROM main.outcomes AS ours JOIN part.outcomes AS theirs USING (word)"
    " WHERE theirs.outcome = it.outcome)",
} | {
    column: "(SELECT ours.text FROM main.texts AS ours JOIN part.texts AS theirs USING (digest)"
    f" WHERE theirs.text = it.{column})"
    for column in ("input", "output", "attrs")
}


def merged_record(parts: Sequence[RunRecord]) -> RunRecord:
    """Describe the run that the parts make up; what a condition has planned is the sum over the parts.

    Raises
    ------
    StoreError
        If the parts are fewer than two or differ in what makes a design, which is named.
    """
    if len(parts) < 2:
        raise StoreError(f"{len(parts)} run was given to merge; at least 2 are needed.")
    first = parts[0]
    rollouts: dict[str, RolloutRecord] = {}
    conditions: dict[str, ConditionRecord] = {}
    for part in parts:
        _check_same_design(first, part)
        for rollout in part.rollouts:
            _check_same_rollout(first, part, rollouts.setdefault(rollout.id, rollout), rollout)
        for condition in part.conditions:
            known = conditions.get(condition.key)
            planned = condition.planned + (known.planned if known else 0)
            conditions[condition.key] = replace(known or condition, planned=planned)
    return replace(
        first,
        rollouts=tuple(rollouts.values()),
        conditions=tuple(conditions.values()),
        run_id="",
        name="",
        status="running",
        created_at="",
        ended_at=None,
        selection=_selection(parts, suite_digest(conditions)),
        shard=None,
        settings={**first.settings, MERGED_FROM: [_provenance(part) for part in parts]},
    )


def parts_of(run: RunRecord) -> list[dict[str, Any]]:
    """Return what a merged run keeps of each run that it was made of; nothing of any other run."""
    parts = run.settings.get(MERGED_FROM)
    return [part for part in parts if isinstance(part, dict)] if isinstance(parts, list) else []


def merged_status(parts: Sequence[RunRecord]) -> str:
    """Tell how a run ended that consists of parts."""
    statuses = {part.status for part in parts}
    return next((status for status in ("interrupted", "partial") if status in statuses), "complete")


def copy_episodes(target: Path, paths: Sequence[Path], status: str, now: str) -> None:
    """Copy the episodes of all parts into a new run and end it.

    Raises
    ------
    StoreError
        If two parts hold the same replicate of a condition.
    """
    with storage_errors(target, "write"), closing(connect(target, "rw")) as connection:
        for path in paths:
            _copy_part(connection, path)
        with transaction(connection):
            end_run(connection, status, now)


def _copy_part(connection: sqlite3.Connection, path: Path) -> None:
    with ExitStack() as stack, reading(path):
        source = open_for_reading(path, stack)
        ((_, _, place),) = source.execute("PRAGMA database_list").fetchall()
        connection.execute("ATTACH ? AS part", (f"{file_uri(Path(place))}?mode=ro",))
        stack.callback(connection.execute, "DETACH part")
        try:
            with transaction(connection):
                _copy_rows(connection)
        except sqlite3.IntegrityError as error:
            raise StoreError(_held_twice(connection, path)) from error


def _copy_rows(connection: sqlite3.Connection) -> None:
    connection.execute(
        "INSERT INTO main.texts (digest, bytes, packed, body) SELECT digest, bytes, packed, body FROM part.texts"
        " WHERE TRUE ON CONFLICT (digest) DO NOTHING"
    )
    for table in BY_EPISODE:
        columns = [row[1] for row in connection.execute(f"PRAGMA part.table_info({table})")]
        connection.execute(
            f"INSERT INTO main.{table} SELECT {', '.join(_NUMBERED_ANEW.get(column, column) for column in columns)}"
            f" FROM part.{table} AS it ORDER BY replicate, 1"
        )


def _held_twice(connection: sqlite3.Connection, path: Path) -> str:
    replicate, key = connection.execute(
        "SELECT replicate, ours.key FROM part.episodes AS it JOIN part.conditions AS theirs USING (condition)"
        " JOIN main.conditions AS ours ON ours.key = theirs.key"
        " JOIN main.episodes AS present USING (replicate)"
        " WHERE present.condition = ours.condition ORDER BY ours.condition, replicate LIMIT 1"
    ).fetchone()
    return f"{path.name} holds replicate {replicate} of condition {key!r}, as a run merged before it does; each may come once."


def _check_same_design(first: RunRecord, part: RunRecord) -> None:
    """Refuse parts that were not made alike, or are to be judged otherwise: the merged run can keep but one of them."""
    alike = {
        what: (getattr(first, what), getattr(part, what))
        for what in ("salt", "variant", "paired_with", "suite")
    }
    alike |= {what: (first.settings.get(what), part.settings.get(what)) for what in _DECLARED_BEFORE}
    for what, (ours, theirs) in alike.items():
        if ours != theirs:
            raise StoreError(
                f"Runs {first.name!r} and {part.name!r} differ in {what} ({ours!r}, {theirs!r}); parts of one run agree."
            )


def _check_same_rollout(
    first: RunRecord, part: RunRecord, ours: RolloutRecord, theirs: RolloutRecord
) -> None:
    words = ("outcomes", "failures", "successes", "t_unit")
    declared = {what: (getattr(ours, what), getattr(theirs, what)) for what in words}
    declared |= {what: (ours.settings.get(what), theirs.settings.get(what)) for what in _DECLARED_ON_THE_MARK}
    for what, (here, there) in declared.items():
        if here != there:
            raise StoreError(
                f"Rollout {ours.id!r} has {what} {here!r} in run {first.name!r} and"
                f" {there!r} in run {part.name!r}; parts of one run declare the same."
            )


def _selection(parts: Sequence[RunRecord], union: str) -> str | None:
    """Say what the parts together leave out of their suite; None where that is nothing."""
    limits: list[str] = []
    if not all(part.suite == union for part in parts):
        limits += dict.fromkeys(part.selection for part in parts if part.selection)
        if not limits and any(part.suite for part in parts):
            limits.append("a part of the suite")
    shards = {part.shard for part in parts if part.shard}
    if any((number, of) not in shards for _, of in shards for number in range(1, of + 1)):
        limits.append(f"shard {', '.join(f'{number}/{of}' for number, of in sorted(shards))}")
    return "; ".join(limits) or None


def _provenance(part: RunRecord) -> dict[str, Any]:
    return {
        "run_id": part.run_id,
        "name": part.name,
        "status": part.status,
        "created_at": part.created_at,
        "ended_at": part.ended_at,
        "selection": part.selection,
        "shard": list(part.shard) if part.shard else None,
        "environment": part.environment,
    }
