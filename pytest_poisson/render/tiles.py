"""Conditions as tiles of a picture: where each stands, how it looks, and what it says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_poisson.conditions import axis_label, canonical_json
from pytest_poisson.errors import UserError
from pytest_poisson.render import formatting as write
from pytest_poisson.render.diff_table import evidence
from pytest_poisson.render.report_sheet import interval

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poisson_store.records import ConditionRecord
    from pytest_poisson.analyses.diff_result import DiffResult, DiffRow
    from pytest_poisson.analyses.input_shares import InputShares
    from pytest_poisson.analyses.shares import Share

Look: TypeAlias = Literal["worse", "safer", "weakly worse", "weakly safer", "no change", "blind", "share"]

LABEL_WIDTH = 40


@dataclass(frozen=True, slots=True)
class Tile:
    """One condition and event in a picture.

    Attributes
    ----------
    panel, column, row
        Where it stands: the heading of its part of the picture, and its axes' values.
    event
        The event alone.
    label
        What the condition is called where it stands in a list.
    look
        What its row says; `blind` is too small to tell; `share` belongs to one run alone.
    text, tip
        What stands in it, and what it says in full.
    value, low, high
        The change, or the share, with its interval; None where nothing was measured.
    number
        Its position in the result, by which a table is linked.
    """

    panel: str
    event: str
    column: str
    row: str
    label: str
    look: Look
    text: str
    tip: str
    value: float | None
    low: float | None
    high: float | None
    number: int


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a condition stands: the part of the picture, its column, its row."""

    part: str
    column: str
    row: str


def place(
    conditions: Iterable[ConditionRecord], x: str | None = None, y: str | None = None
) -> dict[str, Placement]:
    """Return where each condition stands, by key.

    Parameters
    ----------
    conditions
        Those of the picture.
    x, y
        Axes; by default the axis with the fewest values, of several, stands across and all others down. Where both
        are named, each combination of the others has a part of the picture of its own.

    Raises
    ------
    UserError
        If no condition has an axis of that name, or both are the same.
    """
    unique = list({each.key: each for each in conditions}.values())
    names = list(dict.fromkeys(name for each in unique for name in each.axes))
    for option, axis in (("--x", x), ("--y", y)):
        if axis is not None and axis not in names:
            raise UserError(f"{option}={axis} is no axis; there are {', '.join(names) or 'none'}.")
    if x is not None and x == y:
        raise UserError(f"--x and --y are both {x}; each takes an axis of its own.")
    across = x if x is not None else _across(unique, [name for name in names if name != y])
    several = len({each.rollout for each in unique}) > 1
    return {each.key: _placed(each, across, y, several=several) for each in unique}


def _across(conditions: Sequence[ConditionRecord], names: Sequence[str]) -> str | None:
    """Return the axis with the fewest values above one, or None where a single axis is better read downwards."""
    counts = {
        name: len({canonical_json(each.axes[name]) for each in conditions if name in each.axes})
        for name in names
    }
    several = [name for name, count in counts.items() if count > 1]
    return min(several, key=lambda name: counts[name]) if len(several) > 1 else None


def _placed(condition: ConditionRecord, x: str | None, y: str | None, *, several: bool) -> Placement:
    axes = dict(condition.axes)
    column = f"{x} = {axis_label(axes.pop(x))}" if x in axes else ""
    down = {y: axes.pop(y)} if y in axes else {}
    if y is None:
        down, axes = axes, {}
    rollout = [condition.rollout] if several else []
    rest = [*rollout, *(f"{name} = {axis_label(value)}" for name, value in axes.items())]
    row = ", ".join(f"{name} = {axis_label(value)}" for name, value in down.items())
    return Placement(
        *map(write.printable, (", ".join(rest), column, row or ("" if several else condition.rollout)))
    )


def comparison_tiles(result: DiffResult, x: str | None = None, y: str | None = None) -> tuple[Tile, ...]:
    """Return a tile a row, in the order of the rows; `place` says what the axes do and what is refused."""
    placed = place((row.condition for row in result.rows), x, y)
    labels = write.condition_labels(row.condition for row in result.rows)
    return tuple(
        _row_tile(result, row, placed[row.condition.key], labels[row.condition.key], number)
        for number, row in enumerate(result.rows)
    )


def _row_tile(result: DiffResult, row: DiffRow, placed: Placement, label: str, number: int) -> Tile:
    before, after = (
        f"{write.fraction(count)} = {write.rate(count.rate)}" for count in (row.before, row.after)
    )
    tip = (
        f"{label}, {write.printable(row.event.name)}: {said_of(row)}; before {before}, after {after}, change "
        f"{write.points(row.change)}; {evidence(result, row)}; limits: rise {write.limit(row.rise, result.max_mde)}, fall "
        f"{write.limit(row.fall, result.max_mde)}"
    )
    return Tile(
        panel=_panel(row.event.name, placed),
        event=write.printable(row.event.name),
        column=placed.column,
        row=placed.row,
        label=label,
        look=look_of(row),
        text=write.points(row.change),
        tip=tip,
        value=row.change,
        low=row.low,
        high=row.high,
        number=number,
    )


def said_of(row: DiffRow) -> str:
    """Return a row's word, with whether the verdict counts it."""
    weak = row.word in ("worse", "safer") and not row.counted
    return f"{row.word}, flagged but too weak to count" if weak else row.word


def look_of(row: DiffRow) -> Look:
    """Return how a row looks in a picture."""
    if row.word == "worse":
        return "worse" if row.counted else "weakly worse"
    if row.word == "safer":
        return "safer" if row.counted else "weakly safer"
    return "blind" if row.word == "too small to tell" else "no change"


def _panel(event: str, placed: Placement) -> str:
    name = write.printable(event)
    return f"{name}: {placed.part}" if placed.part else name


def share_tiles(shares: Sequence[Share], x: str | None = None, y: str | None = None) -> tuple[Tile, ...]:
    """Return a tile a share, in their order."""
    placed = place((each.condition for each in shares), x, y)
    labels = write.condition_labels(each.condition for each in shares)
    return tuple(
        Tile(
            panel=_panel(each.event, placed[each.condition.key]),
            event=write.printable(each.event),
            column=placed[each.condition.key].column,
            row=placed[each.condition.key].row,
            label=labels[each.condition.key],
            look="share",
            text=write.rate(each.count.rate),
            tip=f"{labels[each.condition.key]}, {write.printable(each.event)}: {write.fraction(each.count)} = "
            f"{write.rate(each.count.rate)}, 95 % Wilson interval {interval(each.low, each.high, write.rate)}",
            value=each.count.rate,
            low=each.low,
            high=each.high,
            number=number,
        )
        for number, each in enumerate(shares)
    )


def input_tiles(
    inputs: Sequence[InputShares], event: str, x: str | None = None, y: str | None = None
) -> tuple[Tile, ...]:
    """Return a tile an input of a fix-check, in their order; none has a verdict of its own."""
    placed = place((each.condition for each in inputs), x, y)
    labels = write.condition_labels(each.condition for each in inputs)
    return tuple(
        Tile(
            panel=_panel(event, placed[each.condition.key]),
            event=write.printable(event),
            column=placed[each.condition.key].column,
            row=placed[each.condition.key].row,
            label=labels[each.condition.key],
            look="no change",
            text=write.percentage_points(each.change),
            tip=f"{labels[each.condition.key]}, {write.printable(event)}: old {each.old_events}/{each.old_runs}, new "
            f"{each.new_events}/{each.new_runs}, change {write.percentage_points(each.change)} points",
            value=each.change,
            low=None,
            high=None,
            number=number,
        )
        for number, each in enumerate(inputs)
    )
