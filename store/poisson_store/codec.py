"""Records as rows and rows as records."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

from poisson_store.errors import StoreError
from poisson_store.records import (
    CAUSES,
    STATUSES,
    Attempt,
    AttemptRow,
    ConditionRecord,
    Episode,
    EpisodeRow,
    RolloutRecord,
    RunRecord,
)
from poisson_store.texts import storable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from poisson_store.records import Json, SpanRow


def to_json(value: Mapping[str, Json] | Sequence[str], what: str) -> str:
    """Write a JSON value as text, ASCII only so that any text comes back as it was; `what` names it.

    Raises
    ------
    StoreError
        If it holds something that has no JSON form.
    """
    try:
        return json.dumps(value, allow_nan=False, separators=(",", ":"))
    except (TypeError, ValueError, RecursionError) as error:
        raise StoreError(f"The {what} cannot be stored as JSON: {error}.") from error


def insert_run(connection: sqlite3.Connection, run: RunRecord) -> None:
    """Write a run's record into empty tables.

    Raises
    ------
    StoreError
        If the record contradicts itself or holds what has no JSON form.
    """
    if run.status not in STATUSES:
        raise StoreError(f"status={run.status!r} is none of {', '.join(STATUSES)}.")
    texts = (run.run_id, run.name, run.salt, run.status, run.created_at, run.ended_at, run.paired_with)
    objects = (
        to_json(run.environment, "environment"),
        to_json(run.variant, "variant"),
        to_json(run.settings, "settings"),
    )
    row = (*map(storable, (*texts, run.selection, run.suite)), *(run.shard or (None, None)), *objects)
    connection.execute(f"INSERT INTO run VALUES ({marks(len(row))})", row)
    insert_declarations(connection, run)


def insert_declarations(connection: sqlite3.Connection, run: RunRecord) -> None:
    """Write a run's rollouts, outcomes and conditions into empty tables.

    Raises
    ------
    StoreError
        If two rollouts share an id or two conditions a key, or a condition names no rollout of the run.
    """
    rollouts = positions("rollout id", (rollout.id for rollout in run.rollouts))
    positions("condition key", (condition.key for condition in run.conditions))
    connection.executemany(
        "INSERT INTO rollouts VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        [_rollout_row(number, rollout) for number, rollout in enumerate(run.rollouts)],
    )
    connection.executemany("INSERT INTO outcomes VALUES (?, ?)", enumerate(map(storable, run.outcomes)))
    connection.executemany(
        "INSERT INTO conditions VALUES (?, ?, ?, ?, ?, ?)",
        [_condition_row(number, condition, rollouts) for number, condition in enumerate(run.conditions)],
    )


def read_run(connection: sqlite3.Connection, status: str) -> RunRecord:
    """Read a run's record; `status` is the one it has now."""
    row = connection.execute("SELECT * FROM run").fetchone()
    (
        run_id,
        name,
        salt,
        _,
        created_at,
        ended_at,
        paired_with,
        selection,
        suite,
        *shard,
        environment,
        variant,
        settings,
    ) = row
    rollouts = tuple(map(_rollout, _in_order(connection.execute("SELECT * FROM rollouts ORDER BY rollout"))))
    return RunRecord(
        salt=salt,
        rollouts=rollouts,
        conditions=tuple(
            ConditionRecord(key, rollouts[rollout].id, read_object(axes), nodeid, planned)
            for _, key, rollout, axes, nodeid, planned in _in_order(
                connection.execute("SELECT * FROM conditions ORDER BY condition")
            )
        ),
        run_id=run_id,
        name=name,
        status=status,
        created_at=created_at,
        ended_at=ended_at,
        paired_with=paired_with,
        selection=selection,
        suite=suite,
        shard=None if shard[0] is None else (shard[0], shard[1]),
        environment=read_object(environment),
        variant=read_object(variant),
        settings=read_object(settings),
    )


def _in_order(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Yield rows numbered from 0; where a damaged file lacks one, the others would stand for their neighbours."""
    for number, row in enumerate(rows):
        if row[0] != number:
            raise LookupError(f"number {number} is missing")
        yield row


def read_object(text: str) -> dict[str, Any]:
    """Read a JSON object of a run file.

    Raises
    ------
    ValueError
        If it is none, as in a damaged file.
    """
    found = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError(f"{found!r} is no object")  # noqa: TRY004  of a file, not of a caller
    return found


def _read_words(text: str) -> tuple[str, ...]:
    found = json.loads(text)
    if not isinstance(found, list) or not all(isinstance(word, str) for word in found):
        raise ValueError(f"{found!r} is no list of words")
    return tuple(found)


def marks(count: int) -> str:
    """Write the placeholders of `count` values."""
    return ", ".join("?" * count)


def positions(what: str, names: Iterable[str]) -> dict[str, int]:
    """Give each name its number, from 0.

    Raises
    ------
    StoreError
        If a name comes twice; `what` says what it is.
    """
    numbers: dict[str, int] = {}
    for name in names:
        if name in numbers:
            raise StoreError(f"The {what} {name!r} comes twice; each must be unique in a run.")
        numbers[name] = len(numbers)
    return numbers


def _rollout_row(number: int, rollout: RolloutRecord) -> tuple[object, ...]:
    words = (to_json(words, "outcomes") for words in (rollout.outcomes, rollout.failures, rollout.successes))
    settings = to_json(rollout.settings, f"settings of rollout {rollout.id!r}")
    return (
        number,
        storable(rollout.id),
        *words,
        storable(rollout.t_unit),
        storable(rollout.nodeid),
        settings,
    )


def _rollout(row: tuple[Any, ...]) -> RolloutRecord:
    _, rollout_id, outcomes, failures, successes, t_unit, nodeid, settings = row
    return RolloutRecord(
        rollout_id,
        _read_words(outcomes),
        _read_words(failures),
        _read_words(successes),
        t_unit,
        nodeid,
        read_object(settings),
    )


def _condition_row(
    number: int, condition: ConditionRecord, rollouts: Mapping[str, int]
) -> tuple[object, ...]:
    if condition.rollout not in rollouts:
        raise StoreError(
            f"Condition {condition.key!r} names rollout {condition.rollout!r}, which the run lacks."
        )
    axes = to_json(condition.axes, f"axes of condition {condition.key!r}")
    return (
        number,
        condition.key,
        rollouts[condition.rollout],
        axes,
        storable(condition.nodeid),
        condition.planned,
    )


def episode_row(
    episode: Episode, conditions: Mapping[str, int], outcomes: Mapping[str, int], spans: Sequence[SpanRow]
) -> EpisodeRow:
    """Turn an episode, whose spans are rows already, into the row its writer takes.

    Raises
    ------
    StoreError
        If it names a condition, outcome, cause or kind the run lacks, has both an outcome and a cause or
        neither, or holds a NaN or what has no JSON form.
    """
    where = f"replicate {episode.replicate} of condition {episode.condition!r}"
    if (episode.outcome is None) == (episode.cause is None):
        raise StoreError(
            f"outcome={episode.outcome!r} and cause={episode.cause!r} of {where}: exactly one must be None."
        )
    return EpisodeRow(
        find_position(conditions, episode.condition, "condition", where),
        episode.replicate,
        episode.seed,
        None if episode.outcome is None else find_position(outcomes, episode.outcome, "outcome", where),
        None if episode.cause is None else find_position(_CAUSES, episode.cause, "cause", where),
        _number(episode.t, "t", where),
        _number(episode.horizon, "horizon", where),
        episode.started_ns,
        _number(episode.wall_s, "wall_s", where),
        episode.error,
        None if episode.meta is None else to_json(episode.meta, f"meta of {where}"),
        episode.tokens_in,
        episode.tokens_out,
        episode.unknown_usage,
        episode.spans_left_out,
        spans or None,
        [AttemptRow(a.number, a.error, a.started_ns, a.wall_s) for a in episode.attempts] or None,
    )


def points_inside(row: Sequence[Any], conditions: int, outcomes: int) -> bool:
    """Tell whether a row is of a run with so many conditions and outcomes, and has one of outcome and cause."""
    condition, replicate, _, outcome, cause = row[:5]
    return (
        condition in range(conditions)
        and isinstance(replicate, int)
        and replicate >= 0
        and (outcome is None) != (cause is None)
        and (outcome is None or outcome in range(outcomes))
        and (cause is None or cause in range(len(CAUSES)))
    )


def read_attempts(connection: sqlite3.Connection, condition: int, replicate: int) -> tuple[Attempt, ...]:
    """Read the earlier attempts of one episode, in order."""
    rows = connection.execute(
        "SELECT attempt, error, started_ns, wall_s FROM attempts WHERE replicate = ? AND condition = ?"
        " ORDER BY attempt",
        (replicate, condition),
    )
    return tuple(Attempt(*row) for row in rows.fetchall())


_CAUSES = {cause: number for number, cause in enumerate(CAUSES)}


def find_position(known: Mapping[str, int], word: str, what: str, where: str) -> int:
    """Find a word's number.

    Raises
    ------
    StoreError
        If it has none; `what` and `where` say what the word is of.
    """
    if word not in known:
        some = ", ".join(list(known)[:5]) + (" …" if len(known) > 5 else "")
        raise StoreError(f"{what}={word!r} of {where} is none of the run's: {some}.")
    return known[word]


def _number(value: float | None, what: str, where: str) -> float | None:
    """Pass a number on; SQLite would silently store NaN as none."""
    if value is not None and math.isnan(value):
        raise StoreError(f"{what}=nan of {where} is no number; a number or None is accepted.")
    return value
