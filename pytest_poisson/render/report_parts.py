"""Parts that several reports have: the runs, how alike runs of one input are, steps that were never reached."""

from __future__ import annotations

from math import isnan
from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.accounting_text import accounting_line
from pytest_poisson.render.layout import Column
from pytest_poisson.render.sheet import Grid, Section, section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_stats.consistency import Consistency
    from poisson_store.records import ConditionRecord
    from pytest_poisson.analyses.placement import Landed
    from pytest_poisson.analyses.reach import Reach, StepReach
    from pytest_poisson.analyses.side import Apart, Side


STOPPABLE = (
    " It could stop early on its outcomes: levels and intervals here hold for numbers that were fixed beforehand, which its own "
    "were not."
)


def named_run(side: Side) -> str:
    """Return a run's name in quotes."""
    return f"'{write.printable(side.name)}'"


def run_line(label: str, side: Side) -> str:
    """Return what a run is and where its replicates went, in one sentence."""
    name = write.printable(side.name)
    facts = [
        f"{label}: {name}"
        if side.name == side.run_id
        else f"{label}: {name} ({write.printable(side.run_id)})"
    ]
    if side.variant:
        facts.append(
            " ".join(f"{write.value(key)}={write.value(value)}" for key, value in side.variant.items())
        )
    if side.status != "complete":
        facts.append(side.status)
    if side.selection:
        facts.append(f"a part of the suite: {write.printable(side.selection)}")
    stored = write.plural(side.accounting.stored, "row")
    return f"{', '.join(facts)}. {stored}; {accounting_line(side.accounting)}.{STOPPABLE if side.stoppable else ''}"


def inputs_compared(compared: int, left_out: int, reasons: Sequence[tuple[int, str]]) -> str:
    """Return how many inputs are compared, how many are left out, and how many of these for each reason."""
    line = f"{write.plural(compared, 'input')} compared"
    listed = ", ".join(f"{write.integer(count)} {reason}" for count, reason in reasons if count)
    return f"{line}; {write.integer(left_out)} left out: {listed}." if listed else f"{line}, none left out."


def apart_line(apart: Apart | None) -> str:
    """Return how far apart two runs began."""
    if apart is None:
        return "When they began was not recorded for both."
    if apart.overlap:
        return f"They ran at the same time; they began {write.duration(abs(apart.seconds))} apart."
    return f"They began {write.duration(abs(apart.seconds))} apart."


def draws_lines(*, same: bool) -> list[str]:
    """Say that two runs share their seeds, where they do."""
    return (
        ["Both drew the same seeds; nothing is matched by them, and the test takes runs as independent."]
        if same
        else []
    )


def apart_points(apart: Apart | None) -> list[str]:
    """Return what the time between two runs keeps a report from saying; nothing where they ran side by side."""
    if apart is None:
        return ["Whether the time between the runs made the difference: when they began was not recorded."]
    if apart.overlap:
        return []
    between = write.duration(abs(apart.seconds))
    return [
        f"Whether something else changed in the {between} between the runs: it would look like a difference."
    ]


def input_labels(conditions: Sequence[ConditionRecord]) -> tuple[dict[str, str], str]:
    """Return a label for every input by key, and what to call their column: the axes where all have the same."""
    names = write.axis_names(conditions)
    return write.condition_labels(conditions), write.printable(", ".join(names)) if names else "input"


def consistency_lines(found: Consistency, verb: str) -> tuple[str, ...]:
    """Return how alike the runs of one input are; `verb` says what a run with the event did, as in `failed`."""
    pooled = write.rate(found.share)
    first = f"{write.integer(found.events)} of {write.plural(found.runs, 'run')} {verb} ({pooled})"
    if not found.repeated:
        return (
            f"{first}. No input has a second run, so how alike the runs of one input are cannot be said.",
        )
    again = f"; where one run of an input {verb}, another did with chance {write.figure(found.again)}"
    lines = [f"{first}{'' if isnan(found.again) else again}."]
    if isnan(found.kappa):
        return (*lines, "All runs ended alike, so inputs do not differ.")
    inflation = f"{found.inflation:.2f}" if found.inflation < 1e6 else "infinite"
    lines.append(
        f"Kappa {write.figure(found.kappa)} (0: inputs do not matter, 1: they decide): variance within an input "
        f"{write.figure(found.within)} v {write.figure(found.pooled)} over all runs; a share over inputs varies "
        f"{inflation} times as much as over independent runs."
    )
    return tuple(lines)


def landed_lines(landed: Landed, event: str) -> tuple[str, ...]:
    """Return where the rows of a run landed, each counted once."""
    parts = [
        (landed.died, f"died ({event})"),
        (landed.ended, "ended otherwise"),
        (landed.timed_out, "timed out"),
        (landed.capped, "capped"),
        (landed.excluded, "excluded"),
    ]
    kept = " + ".join(f"{write.integer(count)} {what}" for count, what in parts if count)
    lines = [f"{write.plural(landed.rows, 'row')} = {kept}."]
    if landed.excluded:
        reasons = [
            (landed.no_trace, "no trace"),
            (landed.unreadable_trace, "unreadable trace"),
            (landed.no_leaves, "no leaves"),
            (landed.no_outcome, "no outcome"),
        ]
        listed = ", ".join(f"{write.integer(count)} {what}" for count, what in reasons if count)
        lines.append(f"Excluded, each under the first reason that applies: {listed}.")
    return tuple(lines)


def reach_section(reach: Sequence[StepReach], arms: Sequence[str]) -> Section | None:
    """Return how many runs never reached each declared step, a column an arm, and what that means."""
    if not reach:
        return None
    several = len(arms) > 1
    columns = [Column("step")]
    for arm in arms:
        label = f"{arm}: " if several else ""
        columns += [Column(f"{label}never", right=True), Column("died", right=True)]
        columns += [Column("cut off", right=True), Column("ended", right=True)]
    rows = [
        (
            f"{write.printable(each.step)}{' (gate)' if each.gate else ''}",
            *(cell for arm in each.arms for cell in _reach_cells(arm)),
        )
        for each in reach
    ]
    meaning = (
        "never: runs without a span of the step, of those placed; of these, how many died, were cut off (timed out or "
        "capped) or ended otherwise. A step is not reached by whoever dies before it or takes another way; that "
        "is no failure of the step."
    )
    gates = "A gate is a step that every run is to pass: those that ended without it went around it."
    return section(
        "Steps never reached",
        Grid(tuple(columns), tuple(rows)),
        meaning,
        gates if any(each.gate for each in reach) else None,
    )


def _reach_cells(arm: Reach) -> tuple[str, ...]:
    counts = (arm.died, arm.cut_off, arm.ended)
    return (f"{arm.never_reached}/{arm.placed}", *map(write.integer, counts))
