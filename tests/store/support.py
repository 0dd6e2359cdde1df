"""Small runs for the tests of the store."""

from __future__ import annotations

import math
import sqlite3
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING

from poisson_store.records import (
    CAUSES,
    ConditionRecord,
    EpisodeRow,
    RolloutRecord,
    RunRecord,
)

if TYPE_CHECKING:
    from poisson_store import Store

SALT = "0123456789abcdef" * 2
SUPPORT = RolloutRecord(
    "support", ("resolved", "timeout", "violated"), ("timeout", "violated"), ("resolved",), "calls"
)
NOTHING = (None,) * 8


def key(number: int) -> str:
    return f"{number:016x}"


def make_run(number: int = 3, planned: int = 10, **changes) -> RunRecord:
    cells = tuple(
        ConditionRecord(key(n), "support", {"task": n}, f"t.py::t[{n}]", planned) for n in range(number)
    )
    return RunRecord(**{"salt": SALT, "rollouts": (SUPPORT,), "conditions": cells, **changes})


def numbers(condition: int = 0, replicate: int = 0, outcome: int | None = 0, cause: int | None = None):
    """Return a row that holds numbers only."""
    return (condition, replicate, 7, outcome, cause, 3, 12, 1_790_000_000_000_000_000, 0.5, *NOTHING)


def all_rows(conditions: int = 3, planned: int = 10):
    """Return a row for every planned replicate: outcomes and causes in turn."""
    rows = []
    for replicate in range(planned):
        for condition in range(conditions):
            code = (replicate + condition) % (len(SUPPORT.outcomes) + len(CAUSES))
            outcome, cause = (code, None) if code < 3 else (None, code - 3)
            rows.append(numbers(condition, replicate, outcome, cause))
    return rows


def full_row(condition: int, replicate: int) -> EpisodeRow:
    """Return a row with everything a row can have."""
    span = (
        "s1",
        None,
        0,
        "ask",
        1,
        2,
        f"in {replicate}",
        "out",
        500,
        "ab" * 32,
        None,
        None,
        12,
        3,
        '{"k":1}',
        "e",
        "plan",
    )
    attempt = (1, "ConnectionError", 5, 0.1)
    return EpisodeRow(
        condition, replicate, 1, 0, None, 1, 2, 3, 0.5, "err", '{"a":1}', 12, 3, 0, 0, (span,), (attempt,)
    )


def write(store: Store, rows=(), run: RunRecord | None = None, status: str = "complete") -> str:
    """Write a run and return its run id."""
    with store.create(run or make_run()) as writer:
        writer.add(rows)
        writer.finish(status)
    return writer.run.run_id


def sql(path, query: str, *values):
    """Ask a file directly, as any other program would, and change it where the query does."""
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(query, values).fetchall()


def tally(rows, run: RunRecord) -> dict[str, Counter[str]]:
    """Count rows by condition key and word, written apart from the store's own way."""
    counts = {condition.key: Counter() for condition in run.conditions}
    for row in rows:
        word = run.outcomes[row[3]] if row[3] is not None else CAUSES[row[4]]
        counts[run.conditions[row[0]].key][word] += 1
    return counts


def stem_files(folder) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name != "catalog.sqlite")


def same(left: float | None, right: float | None) -> bool:
    """Compare numbers with their types and the sign of zero."""
    if left is None or right is None:
        return left is right
    return type(left) is type(right) and left == right and math.copysign(1, left) == math.copysign(1, right)
