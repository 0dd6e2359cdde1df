"""Episodes as NumPy arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from poisson_store.records import CAUSES, KINDS, EpisodeColumns, OutcomeColumns, TraceColumns

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    from numpy import int64
    from numpy.typing import NDArray

    from poisson_store.records import RunRecord

_AT_ONCE = 2_000
_KEYS = {
    "condition": ("episodes.condition", "int32"),
    "replicate": ("episodes.replicate", "int64"),
}
_OUTCOMES = _KEYS | {
    "seed": ("coalesce(seed, -1)", "int64"),
    "outcome": ("coalesce(outcome, -1)", "int16"),
    "cause": ("coalesce(cause, -1)", "int8"),
}
_TRACES = _OUTCOMES | {
    "leaves": ("coalesce(leaves, -1)", "int32"),
    "last_kind": ("coalesce(kind, -1)", "int8"),
    "last_step": ("step", "object"),
    "spans_left_out": ("coalesce(spans_left_out, 0)", "int64"),
}
_WITH_TRACES = """
    LEFT JOIN traces USING (replicate, condition)
    LEFT JOIN spans ON spans.replicate = episodes.replicate AND spans.condition = episodes.condition
        AND spans.position = last_leaf
"""
_EVERYTHING = _OUTCOMES | {
    "t": ("t", "float64"),
    "horizon": ("horizon", "float64"),
    "started_ns": ("coalesce(started_ns, -1)", "int64"),
    "wall_s": ("wall_s", "float64"),
}


def read_columns(connection: sqlite3.Connection, run: RunRecord) -> EpisodeColumns:
    """Read all numbers of every episode."""
    return EpisodeColumns(_keys(run), run.outcomes, **_known(run, _arrays(connection, _EVERYTHING)))


def read_outcome_columns(connection: sqlite3.Connection, run: RunRecord) -> OutcomeColumns:
    """Read which outcome, or which cause of having none, every episode has, and what it was drawn from."""
    return OutcomeColumns(_keys(run), run.outcomes, **_known(run, _arrays(connection, _OUTCOMES)))


def read_trace_columns(connection: sqlite3.Connection, run: RunRecord) -> TraceColumns:
    """Read how many leaves every episode has, and what the last one was."""
    import numpy as np  # noqa: PLC0415 - a store is used without NumPy wherever possible

    arrays = _known(run, _arrays(connection, _TRACES, _WITH_TRACES))
    names = arrays.pop("last_step")
    steps = sorted(set(names.tolist()) - {None})
    number = {name: code for code, name in enumerate(steps)} | {None: -1}
    arrays["last_step"] = np.array([number[name] for name in names.tolist()], "int32")
    return TraceColumns(_keys(run), run.outcomes, steps=tuple(steps), **arrays)


def read_reached(connection: sqlite3.Connection, steps: Sequence[str]) -> NDArray[Any]:
    """Read which of some steps each episode has a span of: one row an episode, one column a step."""
    import numpy as np  # noqa: PLC0415 - a store is used without NumPy wherever possible

    if not steps:
        return np.zeros((len(_arrays(connection, _KEYS)["condition"]), 0), bool)
    named = {
        f"step{number}": (f"max(ifnull(step = ?{number + 1}, 0))", "bool") for number in range(len(steps))
    }
    joined = "LEFT JOIN spans USING (replicate, condition) GROUP BY episodes.replicate, episodes.condition"
    arrays = _arrays(connection, _KEYS | named, joined, tuple(steps))
    return np.stack([arrays[name] for name in named], axis=1)


def read_replicates(connection: sqlite3.Connection, run: RunRecord) -> dict[str, NDArray[int64]]:
    """Read which replicates each condition has."""
    import numpy as np  # noqa: PLC0415 - a store is used without NumPy wherever possible

    whole = connection.execute(
        "SELECT condition, max(replicate) + 1 FROM episodes GROUP BY condition HAVING count(*) = max(replicate) + 1"
    )
    held = {condition: np.arange(count) for condition, count in whole}
    rest = [number for number in range(len(run.conditions)) if number not in held]
    nothing = np.empty(0, "int64")
    held |= dict.fromkeys(rest, nothing)
    if rest:
        arrays = _arrays(connection, _KEYS, f"WHERE condition IN ({', '.join(map(str, rest))})")
        numbers, starts = np.unique(arrays["condition"], return_index=True)
        parts = np.split(arrays["replicate"], starts[1:])
        held |= dict(zip(numbers.tolist(), parts, strict=False))
    return {key: held[number] for number, key in enumerate(_keys(run))}


def _keys(run: RunRecord) -> tuple[str, ...]:
    return tuple(condition.key for condition in run.conditions)


def _known(run: RunRecord, arrays: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Return arrays whose numbers all stand for something: a damaged file may have any.

    Raises
    ------
    ValueError
        Naming the first that does not.
    """
    counts = {
        "condition": len(run.conditions),
        "outcome": len(run.outcomes),
        "cause": len(CAUSES),
        "last_kind": len(KINDS),
    }
    for name in (name for name in counts if name in arrays):
        unknown = arrays[name][arrays[name] >= counts[name]]
        if unknown.size:
            raise ValueError(f"{name} {unknown[0]} is not known")
    return arrays


def _arrays(
    connection: sqlite3.Connection,
    wanted: dict[str, tuple[str, str]],
    joined: str = "",
    bound: tuple[str, ...] = (),
) -> dict[str, NDArray[Any]]:
    import numpy as np  # noqa: PLC0415 - a store is used without NumPy wherever possible

    kinds = [kind for _, kind in wanted.values()]
    parts: list[list[NDArray[Any]]] = [[np.empty(0, kind)] for kind in kinds]
    rows = connection.execute(
        f"SELECT {', '.join(source for source, _ in wanted.values())} FROM episodes {joined} ORDER BY episodes.replicate, episodes.condition",
        bound,
    )
    while chunk := rows.fetchmany(_AT_ONCE):
        for part, values, kind in zip(parts, zip(*chunk, strict=True), kinds, strict=True):
            part.append(np.array(values, kind))
    columns = [np.concatenate(part) for part in parts]
    # Stored by replicate, then condition: a stable sort by condition is all that is missing.
    order = np.argsort(columns[0], kind="stable")
    return {name: column[order] for name, column in zip(wanted, columns, strict=True)}
