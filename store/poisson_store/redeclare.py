"""Continuing a run whose suite has changed: what no longer exists is dropped, the rest is numbered anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from poisson_store.codec import insert_declarations
from poisson_store.schema import BY_EPISODE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from poisson_store.records import RunRecord


def redeclare(connection: sqlite3.Connection, before: RunRecord, after: RunRecord) -> int:
    """Let a run declare what `after` does, within a transaction, and return how many episodes were dropped.

    An episode stays if its condition does and its rollout still declares its outcome.
    """
    connection.execute("PRAGMA defer_foreign_keys = ON")
    conditions = _moves([item.key for item in before.conditions], [item.key for item in after.conditions])
    outcomes = _moves(before.outcomes, after.outcomes)
    _temporary(connection, "moved_conditions", conditions)
    _temporary(connection, "moved_outcomes", outcomes)
    _temporary(connection, "declared", _declared(before, after))
    dropped = _drop(connection)
    if any(old != new for old, new in conditions):
        _renumber_conditions(connection)
    if any(old != new for old, new in outcomes):
        connection.execute(
            "UPDATE episodes SET outcome = (SELECT new FROM moved_outcomes WHERE old = outcome) WHERE outcome IS NOT NULL"
        )
    for table in ("moved_conditions", "moved_outcomes", "declared"):
        connection.execute(f"DROP TABLE temp.{table}")
    for table in ("conditions", "outcomes", "rollouts"):
        connection.execute(f"DELETE FROM {table}")
    insert_declarations(connection, after)
    return dropped


def _moves(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Pair the old and the new number of everything that stays."""
    new = {name: number for number, name in enumerate(after)}
    return [(old, new[name]) for old, name in enumerate(before) if name in new]


def _declared(before: RunRecord, after: RunRecord) -> list[tuple[int, int]]:
    """Pair, by their old numbers, each condition that stays with each outcome its rollout still declares."""
    outcomes = {outcome: number for number, outcome in enumerate(before.outcomes)}
    words = {
        rollout.id: [outcomes[word] for word in rollout.outcomes if word in outcomes]
        for rollout in after.rollouts
    }
    rollouts = {condition.key: condition.rollout for condition in after.conditions}
    return [
        (number, outcome)
        for number, condition in enumerate(before.conditions)
        if condition.key in rollouts
        for outcome in words[rollouts[condition.key]]
    ]


def _temporary(connection: sqlite3.Connection, name: str, pairs: Sequence[tuple[int, int]]) -> None:
    connection.execute(
        f"CREATE TEMP TABLE {name} (old INTEGER, new INTEGER, PRIMARY KEY (old, new)) WITHOUT ROWID"
    )
    connection.executemany(f"INSERT INTO temp.{name} VALUES (?, ?)", pairs)


def _drop(connection: sqlite3.Connection) -> int:
    dropped = connection.execute(
        "DELETE FROM episodes WHERE condition NOT IN (SELECT old FROM moved_conditions)"
        " OR outcome IS NOT NULL AND (condition, outcome) NOT IN (SELECT old, new FROM declared)"
    ).rowcount
    if dropped:
        for table in BY_EPISODE[1:]:
            connection.execute(
                f"DELETE FROM {table} WHERE NOT EXISTS (SELECT 1 FROM episodes"
                f" WHERE episodes.replicate = {table}.replicate AND episodes.condition = {table}.condition)"
            )
    return dropped


def _renumber_conditions(connection: sqlite3.Connection) -> None:
    """Give every condition its new number in two steps, by way of negative numbers, so that no two rows ever share a key."""
    for table in BY_EPISODE:
        connection.execute(
            f"UPDATE {table} SET condition = -1 - (SELECT new FROM moved_conditions WHERE old = condition)"
        )
        connection.execute(f"UPDATE {table} SET condition = -1 - condition")
