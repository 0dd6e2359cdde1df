"""What the script of a report's page shows: conditions, rows, replicates; every figure written out already.

The script draws the picture and the table from it and formats nothing, so that a figure reads the same everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from poisson_store.records import CAUSES
from pytest_poisson.analyses.shares import CONFIDENCE
from pytest_poisson.conditions import axis_label, canonical_json
from pytest_poisson.methods import METHODS
from pytest_poisson.render import formatting as write
from pytest_poisson.render.diff_table import COLUMNS, row_cells
from pytest_poisson.render.page_replicates import replicates_data
from pytest_poisson.render.report_sheet import interval
from pytest_poisson.render.tiles import look_of, said_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poisson_store.records import ConditionRecord
    from pytest_poisson.analyses.diff_result import DiffResult, DiffRow, Limit
    from pytest_poisson.analyses.fix_check import FixCheckResult
    from pytest_poisson.analyses.input_shares import InputShares
    from pytest_poisson.analyses.report_details import ArmDetails, ReportDetails
    from pytest_poisson.analyses.shares import Share
    from pytest_poisson.render.documents import Document

FIX_COLUMNS = ["failed old", "failed new", "points"]

DIGITS = 6
"""Of the figures by which rows are sorted; they are not shown."""


def comparison_data(
    result: DiffResult,
    details: ReportDetails | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
    store: str | None = None,
) -> Document:
    """Return the data of a comparison's page; `x` and `y` are the axes that the picture begins with."""
    rows = [result.rows[number] for number in result.importance]
    level = "interval" if result.level is None else f"{write.percent(result.level)} interval"
    spec = METHODS[result.method]
    flags, counts = ("e-BH", "e-BH, counts") if spec.sequential else (write.PROCEDURES[spec.fdr], "Holm")
    frame, places = _frame((row.condition for row in rows), [row.event.name for row in rows], details, store)
    return {
        **frame,
        "kind": "comparison",
        "columns": [*_columns(COLUMNS[1:4]), {"name": level}, *_columns(COLUMNS[4:])],
        "pictured": 2,
        "facts": [
            "says",
            "before",
            "after",
            "change",
            level,
            "limit on a rise",
            "limit on a fall",
            "p",
            f"p, adjusted ({flags})",
            f"p, adjusted ({counts})",
            "pairs",
            "correlation",
            "limits with it",
            "rates by the horizon",
        ],
        "rows": [
            [
                place,
                look_of(row),
                _comparison_cells(row, result.max_mde),
                _comparison_keys(row),
                _trimmed(_comparison_facts(result, row)),
                number,
            ]
            for place, row, number in zip(places, rows, result.importance, strict=True)
        ],
        "x": x,
        "y": y,
    }


def share_data(
    shares: Sequence[Share],
    details: ReportDetails | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
    store: str | None = None,
) -> Document:
    """Return the data of one run's page."""
    level = f"{write.percent(CONFIDENCE)} Wilson interval"
    frame, places = _frame(
        (each.condition for each in shares), [each.event for each in shares], details, store
    )
    return {
        **frame,
        "kind": "run",
        "columns": [
            {"name": "count", "right": True},
            {"name": "share", "right": True},
            {"name": level},
        ],
        "pictured": 1,
        "facts": ["count", "share", level],
        "rows": [
            [
                place,
                "share",
                cells,
                [each.count.events, _rounded(each.count.rate), _rounded(each.low)],
                cells,
                number,
            ]
            for number, (place, each) in enumerate(zip(places, shares, strict=True))
            for cells in [_share_cells(each)]
        ],
        "x": x,
        "y": y,
    }


def fix_data(
    result: FixCheckResult,
    details: ReportDetails | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
    store: str | None = None,
) -> Document:
    """Return the data of a fix-check's page: its inputs, of which none is tested on its own."""
    inputs = [result.inputs[number] for number in result.importance]
    frame, places = _frame(
        (each.condition for each in inputs), [str(result.events)] * len(inputs), details, store
    )
    return {
        **frame,
        "kind": "fix-check",
        "columns": [{"name": name, "right": True} for name in FIX_COLUMNS],
        "pictured": 2,
        "facts": FIX_COLUMNS,
        "rows": [
            [place, "no change", fix_cells(each), _fix_keys(each), fix_cells(each), number]
            for place, each, number in zip(places, inputs, result.importance, strict=True)
        ],
        "x": x,
        "y": y,
    }


def fix_cells(each: InputShares) -> list[str]:
    """Return how often an input failed on both versions, and its change in points."""
    counts = (f"{each.old_events}/{each.old_runs}", f"{each.new_events}/{each.new_runs}")
    return [*counts, write.percentage_points(each.change)]


def _fix_keys(each: InputShares) -> list[float | None]:
    shares = (each.old_events / each.old_runs, each.new_events / each.new_runs, each.change)
    return [_rounded(share) for share in shares]


def _columns(columns: Iterable[object]) -> list[Document]:
    return [{"name": each.header, "right": each.right} for each in columns]  # type: ignore[attr-defined]


def _frame(
    conditions: Iterable[ConditionRecord],
    events: Sequence[str],
    details: ReportDetails | None,
    store: str | None,
) -> tuple[Document, list[list[int]]]:
    """Return what both kinds of page have, and for each row the numbers of its condition and its event."""
    of_rows = list(conditions)
    unique = list({each.key: each for each in of_rows}.values())
    place = {each.key: number for number, each in enumerate(unique)}
    names = sorted(set(events))
    axes = _axes(unique)
    rollouts = sorted({each.rollout for each in unique})
    labels = write.condition_labels(unique)
    words = [] if details is None else _words(details.arms)
    frame = {
        "arms": [] if details is None else [write.printable(arm.run.name) for arm in details.arms],
        "events": [write.printable(name) for name in names],
        "axes": [{"name": write.printable(name), "values": values} for name, values, _ in axes],
        "rollouts": [write.printable(rollout) for rollout in rollouts],
        "words": [] if details is None else [*map(write.printable, words), *CAUSES, "not_run"],
        "conditions": [
            {
                "label": labels[each.key],
                "rollout": rollouts.index(each.rollout),
                "at": [_at(each, name, numbers) for name, _, numbers in axes],
                **_ends(each.key, details, words),
            }
            for each in unique
        ],
        "replicates": _replicates(details, place, store),
    }
    places = [
        [place[condition.key], names.index(event)] for condition, event in zip(of_rows, events, strict=True)
    ]
    return frame, places


def _axes(conditions: Sequence[ConditionRecord]) -> list[tuple[str, list[str], dict[str, int]]]:
    """Return each axis' name, its values as they are read, and the number of each value by its JSON."""
    found: dict[str, dict[str, str]] = {}
    for each in conditions:
        for name, value in each.axes.items():
            found.setdefault(name, {})[canonical_json(value)] = axis_label(value)
    axes = []
    for name, values in found.items():
        alike = len(set(values.values())) < len(values)
        shown = [write.printable(exact if alike else read) for exact, read in values.items()]
        axes.append((name, shown, {exact: number for number, exact in enumerate(values)}))
    return axes


def _at(condition: ConditionRecord, axis: str, numbers: dict[str, int]) -> int:
    return numbers[canonical_json(condition.axes[axis])] if axis in condition.axes else -1


def _words(arms: Iterable[ArmDetails]) -> list[str]:
    return list(dict.fromkeys(word for arm in arms for word in arm.run.outcomes))


def _ends(key: str, details: ReportDetails | None, words: Sequence[str]) -> Document:
    """Return how often a condition's replicates ended how, an arm each, and how many of them failed."""
    if details is None:
        return {}
    return {
        "ends": [
            [arm.outcomes.get(key, {}).get(word, 0) for word in words]
            + [
                getattr(arm.accounts[key], cause) if key in arm.accounts else 0
                for cause in (*CAUSES, "not_run")
            ]
            for arm in details.arms
        ],
        "failed": list(details.failing.total.get(key, ())),
    }


def _replicates(details: ReportDetails | None, place: dict[str, int], store: str | None) -> list[Document]:
    if details is None:
        return []
    return [
        {"condition": place[each.trace.condition.key], **data}
        for each, data in zip(details.failing.shown, replicates_data(details.failing, store), strict=True)
    ]


def _comparison_cells(row: DiffRow, max_mde: float) -> list[str]:
    _, before, after, change, word, rise, fall = row_cells(row, max_mde)
    return [before, after, change, interval(row.low, row.high, write.points), word, rise, fall]


def _comparison_keys(row: DiffRow) -> list[float | str | None]:
    figures = (row.before.rate, row.after.rate, row.change, row.low)
    return [*map(_rounded, figures), row.word, _size(row.rise), _size(row.fall)]


def _comparison_facts(result: DiffResult, row: DiffRow) -> list[str]:
    pairs, seen = row.pairs, row.observed
    correlated = seen is not None and seen.correlation is not None
    return [
        said_of(row),
        f"{write.fraction(row.before)} = {write.rate(row.before.rate)}",
        f"{write.fraction(row.after)} = {write.rate(row.after.rate)}",
        write.points(row.change),
        interval(row.low, row.high, write.points),
        write.limit(row.rise, result.max_mde),
        write.limit(row.fall, result.max_mde),
        write.p_value(row.p, row.log_p),
        write.p_value(row.p_bh, row.log_p_bh, result.q),
        write.p_value(row.p_holm, row.log_p_holm, result.q),
        ""
        if pairs is None
        else f"{pairs.only_before} only before, {pairs.only_after} only after, {pairs.both} both, {pairs.neither} neither",
        write.points(seen.correlation) if seen is not None and correlated else "",
        f"rise {write.limit(seen.rise)}, fall {write.limit(seen.fall)}"
        if seen is not None and correlated
        else "",
        ""
        if row.over_time is None
        else f"{write.rate(row.over_time.before)} before, {write.rate(row.over_time.after)} after, by {row.over_time.horizon:g}",
    ]


def _share_cells(each: Share) -> list[str]:
    return [
        write.fraction(each.count),
        write.rate(each.count.rate),
        interval(each.low, each.high, write.rate),
    ]


def _trimmed(facts: list[str]) -> list[str]:
    """Drop empty facts from the end: there are thousands of rows."""
    while facts and not facts[-1]:
        facts.pop()
    return facts


def _size(limit: Limit) -> float | None:
    return _rounded(limit.size)


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")
