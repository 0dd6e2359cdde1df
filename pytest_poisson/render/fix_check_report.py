"""The files of a report on a fix-check."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_poisson.analyses.comparison_id import short_digest
from pytest_poisson.render.fix_check_text import fix_check_sheet
from pytest_poisson.render.layout import Column
from pytest_poisson.render.page_data import FIX_COLUMNS, fix_cells, fix_data
from pytest_poisson.render.report_extras import details_document, survival_drawings, with_details
from pytest_poisson.render.report_files import REPORT_SCHEMA, Picture, condition_files
from pytest_poisson.render.report_parts import input_labels
from pytest_poisson.render.share_documents import fix_check_document
from pytest_poisson.render.sheet import Grid, Section
from pytest_poisson.render.tiles import input_tiles

if TYPE_CHECKING:
    from pytest_poisson.analyses.fix_check import FixCheckResult
    from pytest_poisson.analyses.report_details import ReportDetails

INPUTS = "Inputs"


def fix_report_files(
    result: FixCheckResult,
    details: ReportDetails | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
    store: str | None = None,
) -> dict[str, str]:
    """Return the files of a fix-check's report by name.

    Parameters
    ----------
    result
        The fix-check.
    details
        What was found out about its runs besides.
    x, y
        The axes of the picture.
    store
        The store's directory where commands must name it.

    Raises
    ------
    UserError
        If an axis is unknown.
    """
    document = fix_check_document(result)
    chosen = None if result.selection.run is None else result.selection.run.run_id
    found = result.comparison
    known_as = short_digest(
        [result.old.run_id, result.new.run_id, chosen, list(result.events.names), found.alpha, found.max_mde]
    )
    parts = {"kind": "fix-check", "fix_check": document, **details_document(details)}
    tiles = input_tiles(result.inputs, str(result.events), x, y)
    report = fix_check_sheet(result, top=None)
    report = replace(
        report,
        parts=tuple(
            _inputs(result) if isinstance(part, Section) and part.heading == "By input" else part
            for part in report.parts
        ),
    )
    report = with_details(report, details, fix=result)
    title = f"{result.old.name} and {result.new.name}: {found.word}"
    return condition_files(
        report,
        {"schema": REPORT_SCHEMA, "id": known_as, **parts},
        Picture(tiles, title, result.importance, legend=False),
        data=fix_data(result, details, x=x, y=y, store=store),
        drawings=survival_drawings(details),
        known_as=f"Fix-check {known_as}",
    )


def _inputs(result: FixCheckResult) -> Section:
    """Return the table of all inputs as pages and Markdown have it."""
    labels, title = input_labels([each.condition for each in result.inputs])
    columns = (Column(title), Column("event"), *(Column(name, right=True) for name in FIX_COLUMNS))
    rows = tuple(
        (labels[each.condition.key], str(result.events), *fix_cells(each))
        for each in (result.inputs[number] for number in result.importance)
    )
    return Section(INPUTS, (Grid(columns, rows),))
