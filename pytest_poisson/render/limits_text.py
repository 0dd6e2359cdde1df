"""What a comparison could not have seen, and what sharing seeds made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.analyses.observed import LEVEL
from pytest_poisson.methods import METHODS
from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import INDENT, wrap

if TYPE_CHECKING:
    from pytest_poisson.analyses.diff_result import Design, DiffResult, DiffRow
    from pytest_poisson.analyses.observed import Pairing


def could_not_see(result: DiffResult, *, width: int, in_session: bool = False) -> list[str]:
    """Return what the design could not have seen."""
    design = result.design
    if design is None:
        return []
    lines = wrap(_worst_case(result, design), width - 2)
    if result.pairing is not None:
        lines += wrap(_bought(result.pairing), width - 2)
    if design.largest_row is not None:
        lines += wrap(_largest(result, design), width - 2)
    if result.verdict == "too small to tell":
        lines += wrap(_way_out(result, design, in_session=in_session), width - 2)
    return ["What this comparison could not have seen", *(INDENT + line for line in lines)]


def _worst_case(result: DiffResult, design: Design) -> str:
    unit = "pairs" if METHODS[result.method].paired else "outcomes an arm"
    given = f"with {write.integer(design.replicates)} {unit} and {write.plural(design.tests, 'test')}"
    if design.limit is None or design.base_rate is None:
        return f"Any change at all: {given}, none is found 4 times in 5 at the least favourable base rate."
    return (
        f"A change of a single row below {write.size(design.limit, result.max_mde)}, at the least favourable base rate "
        f"({write.rate(design.base_rate)}), {given}{_of_fisher(result)}."
    )


def _of_fisher(result: DiffResult) -> str:
    """Say whose limit it is where the test has a smaller one that is not searched for."""
    return " (of Fisher's test; Boschloo's is no larger)" if METHODS[result.method].test == "boschloo" else ""


def _largest(result: DiffResult, design: Design) -> str:
    row = result.rows[design.largest_row or 0]
    label = write.condition_labels(each.condition for each in result.rows)[row.condition.key]
    way = "rise" if design.largest_is_rise else "fall"
    event = write.printable(row.event.name)
    text = f"The largest limit of a row is {write.size(design.largest, result.max_mde)}: a {way} of {event} in {label}"
    limit = observed_limit(row, way)
    return f"{text}; {limit} as its pairs correlated." if limit else f"{text}."


def observed_limit(row: DiffRow, way: str) -> str:
    """Return a row's limit on a `rise` or `fall` at the correlation its pairs had; empty where there is none."""
    if row.observed is None or row.observed.correlation is None:
        return ""
    return write.limit(row.observed.rise if way == "rise" else row.observed.fall)


def _bought(pairing: Pairing) -> str:
    """Say how alike the arms of the pairs were, what that made of the limit, and whether sharing seeds paid."""
    if pairing.correlation is None:
        return "Whether sharing seeds paid cannot be told: in every row an arm always or never had the event."
    given = f"At the correlation that the pairs had, {write.points(pairing.correlation)},"
    if pairing.limit is None:
        return f"{given} any change at all, too."
    given = f"{given} below {write.size(pairing.limit)}"
    if pairing.helped:
        return f"{given}: sharing seeds paid."
    return (
        f"{given}; independent arms show as much (p {write.plain_p(pairing.p, LEVEL)}): sharing seeds bought nothing "
        "that shows."
    )


def _way_out(result: DiffResult, design: Design, *, in_session: bool) -> str:
    if design.needed is None:
        text = f"No number of replicates that can be planned brings every limit to {result.max_mde:g}"
    else:
        text = (
            f"{write.integer(design.needed)} replicates a condition, in both runs, bring every limit to "
            f"{result.max_mde:g}"
        )
    if design.ceiling is not None and design.ceiling < 1 and design.largest_row is not None:
        option = "--poisson-max-mde" if in_session else "--max-mde"
        text += f"; {option}={write.ceiling(design.ceiling)} accepts this design as it is"
    return text + "."
