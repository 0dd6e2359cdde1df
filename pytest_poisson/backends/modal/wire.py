"""What a call to a container says and what it answers, as JSON in bytes."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from pytest_poisson.batches import Batch

ROOM_BYTES = 32 << 20
"""A container ends its batch early when its rows take this much."""

ROW_BYTES = 256 << 20
"""A row above this is not sent: its replicate is errored."""

_encode = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True)
class Call:
    """One batch for a container, and all that a container which has just started needs to run it.

    Attributes
    ----------
    job
        The `Job` as JSON text, with the paths of the controlling machine.
    root
        The project's root there.
    python
        Its Python, as `3.11`.
    environment
        Variables that decide how pytest runs.
    batch
        What to run.
    budget_s
        After this long no further replicate is started.
    """

    job: str
    root: str
    python: str
    batch: Batch
    budget_s: float
    environment: dict[str, str] = field(default_factory=dict)
    room_bytes: int = ROOM_BYTES
    row_bytes: int = ROW_BYTES

    def to_bytes(self) -> bytes:
        """Return the call as bytes."""
        values = {**vars(self), "batch": _items(self.batch)}
        return _encode(values).encode()

    @classmethod
    def from_bytes(cls, data: bytes) -> Call:
        """Return the call that `to_bytes` wrote."""
        values = json.loads(data)
        return cls(**{**values, "batch": _batch(*values["batch"])})


@dataclass(frozen=True)
class Reply:
    """What came of a call.

    Attributes
    ----------
    left
        What of the batch has no row; None where the call was refused.
    rows
        The rows, with the items of `poisson_store.EpisodeRow`.
    seconds, set_up_s
        What the replicates took, and what came before them.
    notices, exit_request
        As in the events of a backend.
    interrupted
        Whether the container was asked to end in mid-batch.
    refused
        Why no batch can be run in this container, in a sentence.
    """

    left: Batch | None
    rows: list[list[Any]] = field(default_factory=list)
    seconds: float = 0.0
    set_up_s: float = 0.0
    notices: tuple[str, ...] = ()
    exit_request: str | None = None
    interrupted: bool = False
    refused: str | None = None

    @classmethod
    def from_bytes(cls, data: bytes) -> Reply:
        """Return the reply that `reply_bytes` wrote."""
        head, _, rows = data.partition(b"\n")
        values = json.loads(head)
        left = None if values["left"] is None else _batch(*values["left"])
        return cls(**{**values, "left": left, "notices": tuple(values["notices"]), "rows": json.loads(rows)})


def encode_row(row: Any) -> bytes:
    """Return a row as a reply carries it."""
    return _encode(row).encode()


def reply_bytes(reply: Reply, rows: list[bytes]) -> bytes:
    """Return a reply whose rows are encoded already, and which has none of its own, as bytes."""
    values = {name: value for name, value in vars(reply).items() if name != "rows"}
    if reply.left is not None:
        values["left"] = _items(reply.left)
    return b"%s\n[%s]" % (_encode(values).encode(), b",".join(rows))


def _items(batch: Batch) -> list[Any]:
    return [batch.condition, batch.ranges, batch.alone]


def _batch(condition: int, ranges: list[list[int]], alone: bool) -> Batch:  # noqa: FBT001  the items of `_items`
    return Batch(condition, tuple((start, stop) for start, stop in ranges), alone)
