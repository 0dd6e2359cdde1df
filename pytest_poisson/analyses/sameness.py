"""Whether replicates are copies: a cache of answers makes every repeat the first one again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from poisson_store.reader import RunReader

LOOKED_AT = 20  # replicates of a condition; more would read more and say no more
ENOUGH = 10


def copied_conditions(reader: RunReader) -> tuple[list[str], int]:
    """Find the conditions whose replicates all got the very same answers from their models.

    Returns
    -------
    list of str, int
        Their keys, and how many conditions could be told: those of whose first 20 replicates at least 10 have llm
        spans with an output.
    """
    answers: dict[str, list[tuple[Any, ...]]] = {}
    for key, _, given in reader.answers(LOOKED_AT):
        if None not in given:
            answers.setdefault(key, []).append(given)
    told = {key: found for key, found in answers.items() if len(found) >= ENOUGH}
    return [key for key, found in told.items() if len(set(found)) == 1], len(told)


def sameness_notices(reader: RunReader) -> list[str]:
    """Return what a reader of the session's summary must know of it, if anything."""
    copied, told = copied_conditions(reader)
    if not copied:
        return []
    where = "In the one condition" if told == 1 else f"In {len(copied)} of {told} conditions"
    sentence = (
        f"{where} with model calls, the first replicates all got the very same answers. A cache in between would do "
        "that, and copies of one replicate count as one; so would a model that never varies."
    )
    return [sentence]
