"""Commands to type next, quoted for a shell."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from pytest_poisson.render.formatting import printable

if TYPE_CHECKING:
    from poisson_store.records import ConditionRecord
    from pytest_poisson.analyses.diff_result import DiffResult, DiffRow


def replay_command(result: DiffResult, row: DiffRow, store: str | None = None) -> str | None:
    """Return the command that runs one replicate of a row again, or None where there is none to show."""
    return replicate_command(result.after.name, row.condition, row.replay, store)


def replicate_command(
    run: str, condition: ConditionRecord, replicate: int | None, store: str | None = None
) -> str | None:
    """Return the command that runs one stored replicate again, or None where there is none to show."""
    if replicate is None or not condition.nodeid:
        return None
    return _command(
        "pytest",
        f"--poisson-replicate={replicate}",
        f"--poisson-run={run}",
        *([f"--poisson-store={store}"] if store else []),
        condition.nodeid,
    )


def next_command(result: DiffResult, store: str | None = None) -> str | None:
    """Return the one command that follows from the verdict, or None."""
    if result.verdict in ("worse", "trade"):
        worst = next(result.rows[i] for i in result.importance if result.rows[i].is_worse)
        return replay_command(result, worst, store)
    if result.verdict == "too small to tell" and result.design and result.design.needed:
        # Imported runs have no test of ours to run more often.
        if not any(row.condition.nodeid for row in result.rows):
            return None
        return _command(
            "pytest",
            "--poisson-sweep",
            f"--poisson-replicates={result.design.needed}",
            *([f"--poisson-store={store}"] if store else []),
        )
    if result.verdict == "not comparable" and not result.refusal:
        return _command("pytest-poisson", "show", result.after.name, *([f"--store={store}"] if store else []))
    return None


def _command(*words: str) -> str:
    return shlex.join(map(printable, words))
