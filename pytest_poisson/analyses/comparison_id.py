"""By what a comparison is known: the same runs compared in the same way are the same comparison."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_poisson.analyses.diff_result import DiffResult


def comparison_id(result: DiffResult) -> str:
    """Return the first 12 hex digits of the SHA-256 over the runs and the settings of a comparison."""
    events = sorted({event.name for event in result.events})
    runs = [result.before.run_id, result.after.run_id]
    margin = None if result.margin is None else result.margin.size
    parts: list[object] = [*runs, result.method, margin, result.q, result.max_mde, events]
    if result.along is not None:
        parts.append(["along", result.along.axis, result.along.before, result.along.after])
    return short_digest(parts)


def short_digest(parts: object) -> str:
    """Return the first 12 hex digits of the SHA-256 over the compact JSON of a value."""
    return hashlib.sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()[:12]
