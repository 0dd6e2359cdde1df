"""A run as JSON Lines: a header, then one line an episode."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from poisson_store.episode_lines import episode_line, header_line
from poisson_store.errors import StoreError, storage_errors

if TYPE_CHECKING:
    from poisson_store.reader import RunReader

# ASCII, so that any text comes back as it was; no NaN ever reaches a store.
_encode = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def export_lines(run: RunReader, file: Path) -> int:
    """Write a run as JSON Lines, atomically, and return how many episodes it has.

    Equal runs give equal files. What was not kept of a text stays out; its length and digest are written.

    Raises
    ------
    StoreError
        If `file` exists, or the run is being written, or the disk refuses.
    """
    if file.exists():
        raise StoreError(f"{file} exists already; an export never overwrites.")
    if run.run.status == "running":
        raise StoreError(f"Run {run.run.name!r} is being written; wait until it ends.")
    with (
        storage_errors(file, "write"),
        tempfile.TemporaryDirectory(prefix=".poisson-", dir=file.parent) as folder,
    ):
        draft = Path(folder, "lines.jsonl")
        episodes = _write(run, draft)
        draft.rename(file)
    return episodes


def _write(run: RunReader, draft: Path) -> int:
    conditions = {condition.key: condition for condition in run.conditions}
    episodes = 0
    with draft.open("x", encoding="ascii", newline="\n") as lines:
        lines.write(_encode(header_line(run.run)) + "\n")
        for episode in run.episodes(spans=True):
            lines.write(_encode(episode_line(episode, conditions[episode.condition])) + "\n")
            episodes += 1
        lines.flush()
        os.fsync(lines.fileno())
    return episodes
