"""What a run is judged by: what is asked for, else what it was swept with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from poisson_store.records import RunRecord

Q, MAX_MDE = 0.05, 0.20
"""Where neither the user nor the run says anything."""


class Levels(NamedTuple):
    """The error level of flags and verdict, and the change that must not go unseen."""

    q: float
    max_mde: float


def levels_of(run: RunRecord, q: float | None = None, max_mde: float | None = None) -> Levels:
    """Return the levels asked for, each by default the one this run was swept with.

    A session and every later comparison of its run then say the same word, whatever the session was configured with.
    """
    return Levels(
        _stored(run, "q", Q) if q is None else q,
        _stored(run, "max_mde", MAX_MDE) if max_mde is None else max_mde,
    )


def events_of(run: RunRecord) -> tuple[str, ...]:
    """Return the names of the events that the session which swept a run was told to judge; none where it was not told."""
    stored = run.settings.get("event")
    return tuple(each for each in stored if isinstance(each, str)) if isinstance(stored, list) else ()


def _stored(run: RunRecord, name: str, otherwise: float) -> float:
    stored = run.settings.get(name)
    return stored if isinstance(stored, float) and 0 < stored < 1 else otherwise
