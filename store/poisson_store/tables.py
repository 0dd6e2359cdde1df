"""A run as one table: of Arrow, or of pandas, whichever is installed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

from poisson_store.records import CAUSES, KINDS
from poisson_store.texts import read_text, storable

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Sequence

    import pandas as pd
    import pyarrow as pa

    from poisson_store.records import Json, RunRecord

What: TypeAlias = Literal["episodes", "spans"]
Type: TypeAlias = Literal["text", "integer", "real", "truth"]

_PANDAS = {"text": "string", "integer": "Int64", "real": "float64", "truth": "boolean"}
_EPISODES = """
    SELECT condition, replicate, seed, outcome, cause, t, horizon, started_ns, wall_s, error, meta,
           tokens_in, tokens_out, unknown_usage, spans_left_out
    FROM episodes LEFT JOIN traces USING (replicate, condition) LEFT JOIN notes USING (replicate, condition)
    ORDER BY condition, replicate
"""
_SPANS = """
    SELECT condition, replicate, position, span_id, parent_id, kind, name, start_ns, end_ns, input, output,
           (SELECT bytes FROM cuts WHERE cuts.condition = spans.condition AND cuts.replicate = spans.replicate
            AND cuts.position = spans.position AND side = 'input'),
           (SELECT bytes FROM cuts WHERE cuts.condition = spans.condition AND cuts.replicate = spans.replicate
            AND cuts.position = spans.position AND side = 'output'),
           tokens_in, tokens_out, attrs, error, step
    FROM spans ORDER BY condition, replicate, position
"""


class Column(NamedTuple):
    """One column: its type, and a value a row, None where there is none."""

    type: Type
    values: Sequence[Any]


def as_arrow(columns: dict[str, Column]) -> pa.Table:
    """Make an Arrow table."""
    import pyarrow as pa  # noqa: PLC0415 - only who asks for it needs it

    types = {"text": pa.string(), "integer": pa.int64(), "real": pa.float64(), "truth": pa.bool_()}
    return pa.table({name: pa.array(column.values, types[column.type]) for name, column in columns.items()})


def as_pandas(columns: dict[str, Column]) -> pd.DataFrame:
    """Make a pandas data frame whose whole numbers and texts can be missing."""
    import pandas as pd  # noqa: PLC0415 - only who asks for it needs it

    return pd.DataFrame(
        {name: pd.Series(column.values, dtype=_PANDAS[column.type]) for name, column in columns.items()}
    )


def _episode_columns(connection: sqlite3.Connection, run: RunRecord) -> dict[str, Column]:
    rows = connection.execute(_EPISODES).fetchall()
    condition, replicate, seed, outcome, cause, t, horizon, started, wall, error, meta, *sums = _turned(
        rows, 15
    )
    return {
        **_of_conditions(run, condition),
        "replicate": Column("integer", replicate),
        "seed": Column("integer", seed),
        "outcome": _words(run.outcomes, outcome),
        "cause": _words(CAUSES, cause),
        "t": Column("real", t),
        "horizon": Column("real", horizon),
        "started_ns": Column("integer", started),
        "wall_s": Column("real", wall),
        "error": Column("text", error),
        "meta": Column("text", meta),
        **{
            name: Column("integer", values)
            for name, values in zip(
                ("tokens_in", "tokens_out", "unknown_usage", "spans_left_out"), sums, strict=True
            )
        },
    }


def _span_columns(connection: sqlite3.Connection, run: RunRecord) -> dict[str, Column]:
    rows = connection.execute(_SPANS).fetchall()
    condition, replicate, position, own, parent, kind, name, start, end, given, made, *rest = _turned(
        rows, 18
    )
    given_bytes, made_bytes, tokens_in, tokens_out, attrs, error, step = rest
    texts = {number: storable(read_text(connection, number)) for number in {*given, *made, *attrs}}
    return {
        "key": _words([each.key for each in run.conditions], condition),
        "replicate": Column("integer", replicate),
        "position": Column("integer", position),
        "span_id": Column("text", own),
        "parent_id": Column("text", parent),
        "kind": _words(KINDS, kind),
        "name": Column("text", name),
        "step": Column("text", step),
        "start_ns": Column("integer", start),
        "end_ns": Column("integer", end),
        "input": Column("text", [texts[number] for number in given]),
        "output": Column("text", [texts[number] for number in made]),
        "input_bytes": Column("integer", given_bytes),
        "output_bytes": Column("integer", made_bytes),
        "tokens_in": Column("integer", tokens_in),
        "tokens_out": Column("integer", tokens_out),
        "attrs": Column("text", [texts[number] for number in attrs]),
        "error": Column("text", error),
    }


def _turned(rows: Sequence[tuple[Any, ...]], width: int) -> Sequence[Sequence[Any]]:
    return list(zip(*rows, strict=True)) if rows else [()] * width


def _words(words: Sequence[str], codes: Sequence[int | None]) -> Column:
    return Column("text", [None if code is None else words[code] for code in codes])


def _of_conditions(run: RunRecord, numbers: Sequence[int]) -> dict[str, Column]:
    """Give key, rollout and every axis of the condition of each row; an axis is a column `axis.NAME`."""
    conditions = run.conditions
    columns = {
        "key": _words([each.key for each in conditions], numbers),
        "rollout": _words([each.rollout for each in conditions], numbers),
    }
    for axis in dict.fromkeys(name for each in conditions for name in each.axes):
        kind, values = _axis([each.axes.get(axis) for each in conditions])
        columns[f"axis.{storable(axis)}"] = Column(kind, [values[number] for number in numbers])
    return columns


def _axis(values: Sequence[Json]) -> tuple[Type, Sequence[Any]]:
    """Keep values that are all text, all whole, all real or all truths; write anything else as JSON."""
    kinds = {type(value) for value in values if value is not None}
    types: dict[frozenset[type], Type] = {
        frozenset({bool}): "truth",
        frozenset({int}): "integer",
        frozenset({float}): "real",
        frozenset({int, float}): "real",
        frozenset({str}): "text",
    }
    kind = types.get(frozenset(kinds))
    if kind is None or (kind == "integer" and not all(_fits(value) for value in values)):
        return "text", [
            None if value is None else storable(json.dumps(value, sort_keys=True)) for value in values
        ]
    return kind, [storable(value) if isinstance(value, str) else value for value in values]


def _fits(value: Json) -> bool:
    return not isinstance(value, int) or -(2**63) <= value < 2**63


TABLES = {"episodes": _episode_columns, "spans": _span_columns}
"""What there is to read; both are ordered by condition, then replicate."""
