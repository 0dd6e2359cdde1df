"""What a file of spans holds: spans, and what they say of the replicate they belong to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_poisson.caps import LARGEST_WHOLE
from pytest_poisson.spans import IDENTITY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poisson_store.records import Span


LONGEST = 18  # digits that fit a whole number of 64 bits, whichever they are


class Identity(NamedTuple):
    """The replicate that a span says it is of."""

    run: str
    condition: str
    replicate: int


@dataclass(frozen=True, slots=True)
class FoundSpan:
    """One span of a file.

    Attributes
    ----------
    span
        As it would be stored.
    identity
        The replicate it names, or that what it is inside of names; None where nothing does.
    response_id
        The provider's id of the answer, by which a call is known that was recorded elsewhere too.
    """

    span: Span
    identity: Identity | None = None
    response_id: str | None = None


def read_identity(attributes: Mapping[str, Any]) -> Identity | None:
    """Return the replicate that attributes name, as `rollout.identity` does; None where one of the three is missing."""
    run, condition, replicate = (str(attributes.get(name, "")) for name in IDENTITY)
    if not run or not condition or not replicate.isdecimal() or len(replicate) > LONGEST:
        return None
    return Identity(run, condition, int(replicate))


def checked_times(start_ns: int, end_ns: int) -> tuple[int, int]:
    """Return the times of a span, which does not end before it starts, whatever its clocks said.

    Raises
    ------
    ValueError
        If the store cannot hold one of them.
    """
    for name, moment in (("start", start_ns), ("end", end_ns)):
        if not 0 <= moment <= LARGEST_WHOLE:
            raise ValueError(f"{name} of a span, {moment} ns, is not from 1970 to 2262")
    return start_ns, max(start_ns, end_ns)
