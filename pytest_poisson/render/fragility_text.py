"""How many outcomes the verdict's word hangs on, as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import INDENT, wrap

if TYPE_CHECKING:
    from pytest_poisson.analyses.diff_result import DiffResult
    from pytest_poisson.analyses.fragility import Flip, Fragility

FLIPS_SHOWN = 3
NOT_EXHAUSTIVE = "the search is not exhaustive"


def fragility_lines(result: DiffResult, *, width: int, every: bool = False) -> list[str]:
    """Return what the tests' word hangs on: how many outcomes, of which run and condition, and which way; 3 rows or every one."""
    fragility = result.fragility
    if fragility is None:
        return []
    lines = wrap(f"Fragility: {_sentence(fragility)}", width)
    shown = fragility.flips if every else fragility.flips[:FLIPS_SHOWN]
    for flip in shown:
        lines += wrap(_flip(result, flip), width, first=INDENT)
    hidden = len(fragility.flips) - len(shown)
    return [*lines, f"{INDENT}and {write.plural(hidden, 'other')}."] if hidden > 0 else lines


def _sentence(fragility: Fragility) -> str:
    if fragility.outcomes is None:
        if fragility.certified:
            return f"no outcomes that ended otherwise could change '{fragility.word}'."
        return f"nothing was found that would change '{fragility.word}'; {NOT_EXHAUSTIVE}."
    proof = "fewer cannot change the word" if fragility.certified else f"{NOT_EXHAUSTIVE}: fewer may do"
    outcomes = write.plural(fragility.outcomes, "outcome")
    return f"{outcomes} that ended otherwise would make it '{fragility.becomes}' ({proof}):"


def _flip(result: DiffResult, flip: Flip) -> str:
    row = result.rows[flip.row]
    label = write.condition_labels(each.condition for each in result.rows)[row.condition.key]
    event = write.printable(row.event.name)
    turn = f"with {event} instead of without" if flip.to_event else f"without {event} instead of with"
    return f"{flip.arm}, {label}: {write.integer(flip.count)} {turn}."
