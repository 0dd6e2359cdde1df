"""The table of a comparison: one line a row, the most important first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.methods import METHODS
from pytest_poisson.render import formatting as write
from pytest_poisson.render.layout import GAP, INDENT, Column, Paint, column_widths, table, wrap

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pytest_poisson.analyses.diff_result import DiffResult, DiffRow

ROWS_SHOWN = 10
COLOURS = {"worse": ("red",), "safer": ("green",), "too small to tell": ("yellow",)}
SHORT_WORDS = {"no significant change": "no change", "too small to tell": "too small"}
COLUMNS = (
    Column("event"),
    Column("before", right=True),
    Column("after", right=True),
    Column("change", right=True),
    Column("verdict"),
    Column("rise", right=True),
    Column("fall", right=True),
)


def diff_table(result: DiffResult, *, width: int, paint: Paint, verbose: int) -> list[str]:
    """Return the lines of the table and of its legend: 10 rows; from 1 all, flagged ones with their evidence; from 2 all with it."""
    shown = [result.rows[i] for i in result.importance[: None if verbose else ROWS_SHOWN]]
    if not shown:
        return []
    names = write.axis_names(row.condition for row in result.rows)
    axes = write.printable(", ".join(names)) if names else ""
    several = write.axes_of_rollouts((row.condition for row in result.rows), (row.condition for row in shown))
    labels = write.condition_labels(row.condition for row in result.rows)
    head, body = _laid_out(shown, [labels[row.condition.key] for row in shown], axes, width, result.max_mde)
    for row, (*above, line) in zip(shown, body, strict=True):
        head += [*above, _painted(line, row, paint)]
        if verbose:
            head += [
                line
                for text in _details(result, row, every=verbose > 1)
                for line in wrap(text, width, first=INDENT * 2)
            ]
    return head + _legend(result, shown, width, axes=several or ("" if head[0].startswith(axes) else axes))


def _laid_out(
    rows: Sequence[DiffRow], labels: Sequence[str], axes: str, width: int, max_mde: float
) -> tuple[list[str], list[list[str]]]:
    """Return the lines above the rows and those of each row: one, or two where the labels leave no room for one."""
    cells = [row_cells(row, max_mde) for row in rows]
    room = width - sum(column_widths(COLUMNS, cells)) - len(GAP) * len(COLUMNS)
    title = axes if axes and write.width(axes) <= room else "condition"
    if max(map(write.width, labels)) <= room:
        first, rule, *lines = table(
            (Column(title), *COLUMNS), [(label, *row) for label, row in zip(labels, cells, strict=True)]
        )
        return [first, rule], [[line] for line in lines]
    first, rule, *lines = table(COLUMNS, cells)
    body = [[write.shorten(label, width), INDENT + line] for label, line in zip(labels, lines, strict=True)]
    return [title, INDENT + first, INDENT + rule], body


def _details(result: DiffResult, row: DiffRow, *, every: bool) -> Iterator[str]:
    """Return what a word rests on, and the limits at the correlation that the row's pairs had."""
    if every or row.word in ("worse", "safer"):
        yield evidence(result, row)
    observed = row.observed
    if observed is not None and observed.correlation is not None:
        yield (
            f"correlation {write.points(observed.correlation)}, with it rise {write.limit(observed.rise)} and fall "
            f"{write.limit(observed.fall)}"
        )


def evidence(result: DiffResult, row: DiffRow) -> str:
    """Return what a row's word rests on: interval with its level, adjusted p-values, discordant pairs."""
    parts = []
    if row.low is not None and row.high is not None and result.level is not None:
        parts.append(
            f"{write.percent(result.level)} interval {write.points(row.low)} to {write.points(row.high)}"
        )
    spec = METHODS[result.method]
    if spec.sequential:
        return (
            f"adjusted p {write.p_value(row.p_bh, row.log_p_bh, result.q)} (e-BH), valid whenever one looks"
        )
    flags = write.PROCEDURES[spec.fdr]
    parts.append(f"adjusted p {write.p_value(row.p_bh, row.log_p_bh, result.q)} ({flags})")
    parts.append(f"{write.p_value(row.p_holm, row.log_p_holm, result.q)} (Holm)")
    if row.pairs:
        parts.append(f"{row.pairs.only_before} pairs only before, {row.pairs.only_after} only after")
    return ", ".join(parts)


def row_cells(row: DiffRow, max_mde: float) -> tuple[str, ...]:
    """Return the cells of a row, one for each of `COLUMNS`; limits read as they compare with the accepted change."""
    word = SHORT_WORDS.get(row.word, row.word)
    return (
        write.printable(row.event.name),
        write.fraction(row.before),
        write.fraction(row.after),
        write.points(row.change),
        f"({word})" if row.word in ("worse", "safer") and not row.counted else word,
        write.limit(row.rise, max_mde),
        write.limit(row.fall, max_mde),
    )


def _painted(line: str, row: DiffRow, paint: Paint) -> str:
    """Paint the row's word, which stands right of everything it could be mistaken for."""
    word = SHORT_WORDS.get(row.word, row.word)
    before, found, after = line.rpartition(word)
    return before + paint(found, *COLOURS[row.word]) + after if row.word in COLOURS else line


def _legend(result: DiffResult, shown: Sequence[DiffRow], width: int, *, axes: str) -> list[str]:
    texts = []
    hidden = len(result.rows) - len(shown)
    if hidden:
        texts.append(f"{write.plural(hidden, 'more row')}, less important: -v shows all.")
    if axes:
        texts.append(f"condition: {axes}.")
    limits = "" if METHODS[result.method].sequential else _legend_of_limits(shown)
    texts.append(f"change: after minus before.{limits}")
    if any(row.word in ("worse", "safer") and not row.counted for row in shown):
        texts.append("(worse), (safer): flagged, but too weak to count in the verdict.")
    return [line for text in texts for line in wrap(text, width)]


def _legend_of_limits(shown: Sequence[DiffRow]) -> str:
    """Say what the last two columns hold, and each word that stands there in place of a number."""
    words = {write.limit(limit) for row in shown for limit in (row.rise, row.fall)}
    text = " rise, fall: the smallest change from the before rate that would have been flagged 4 times in 5"
    if "no room" in words:
        text += "; no room: it is at 0 or 1 already"
    if "none" in words:
        text += "; none: not even one all the way to 0 or 1 would have been"
    return f"{text}."
