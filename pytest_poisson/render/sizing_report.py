"""How large the next sweep must be, as terminal text and as a JSON document."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from pytest_poisson.analyses.levels import MAX_MDE
from pytest_poisson.analyses.observed import LEVEL
from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import INDENT, Column, table, wrap

if TYPE_CHECKING:
    from pytest_poisson.analyses.sizing import Sizing
    from pytest_poisson.render.documents import Document

PLAN_SCHEMA = "pytest-poisson.plan/1"
COLUMNS = (
    Column("the next two sweeps"),
    Column("replicates", right=True),
    Column("in all", right=True),
    Column("of work", right=True),
)


def render_sizing(result: Sizing, *, width: int = 80, store: str | None = None) -> str:
    """Return the replicates a condition that find the accepted change, and the command that plans with them."""
    rows = [
        (f"on the same seeds, as alike as these ({write.points(result.correlation)})", result.on_same_seeds),
        ("on the same seeds, arms independent", result.if_independent),
        ("on fresh seeds", result.on_fresh_seeds),
    ]
    lines = [
        *wrap(_question(result), width),
        "",
        *table(COLUMNS, [_cells(result, label, replicates) for label, replicates in rows]),
        *wrap("replicates: of a condition, in each run. in all: of all conditions and both runs.", width),
        "",
        *wrap(_basis(result), width),
        "",
        "Next:",
        INDENT + _command(result, store),
    ]
    return "\n".join(lines) + "\n"


def sizing_document(result: Sizing) -> Document:
    """Return the same as a document."""
    return {
        "schema": PLAN_SCHEMA,
        "before": result.before,
        "after": result.after,
        "pairs": result.pairs,
        "conditions": result.conditions,
        "tests": result.tests,
        "max_mde": result.max_mde,
        "q": result.q,
        "pairing": {
            "correlation": result.pairing.correlation,
            "p": result.pairing.p or None,
            "helped": result.pairing.helped,
        },
        "correlation": result.correlation,
        "on_same_seeds": result.on_same_seeds,
        "if_independent": result.if_independent,
        "on_fresh_seeds": result.on_fresh_seeds,
        "seconds_each": result.seconds_each,
    }


def _question(result: Sizing) -> str:
    return (
        f"To find a change of {result.max_mde:g} in any of {write.plural(result.tests, 'test')} 4 times in 5, whatever the "
        f"base rate, at q = {result.q:g}, in {write.plural(result.conditions, 'condition')}:"
    )


def _cells(result: Sizing, label: str, replicates: int) -> tuple[str, ...]:
    total = 2 * replicates * result.conditions
    seconds = None if result.seconds_each is None else total * result.seconds_each
    return label, write.integer(replicates), write.integer(total), write.duration(seconds)


def _basis(result: Sizing) -> str:
    pair = f"Runs {write.printable(result.before)} and {write.printable(result.after)} ({write.plural(result.pairs, 'pair')} a row)"
    found = result.pairing
    if found.correlation is None:
        return f"{pair} say nothing of how alike a pair's arms are: in every row one always or never had the event."
    shown = f"{pair} have correlation {write.points(found.correlation)}"
    if result.correlation == 0:
        return f"{shown}, which independent arms show as well (p {write.plain_p(found.p, LEVEL)}): it is not counted on."
    return f"{shown}. The first line holds for a pair as alike as this one; the next one's observed limit tells whether it was."


def _command(result: Sizing, store: str | None) -> str:
    words = ["pytest", "--poisson-sweep", f"--poisson-plan-from={result.before},{result.after}"]
    if result.max_mde != MAX_MDE:  # what the session takes where nothing is given
        words.append(f"--poisson-max-mde={result.max_mde:g}")
    return shlex.join([*words, *([f"--poisson-store={store}"] if store else [])])
