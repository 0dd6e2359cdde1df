"""The files of a report on a paired replay, and on a fix-check."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_poisson import __version__
from pytest_poisson.analyses.comparison_id import short_digest
from pytest_poisson.render import formatting as write
from pytest_poisson.render.documents import dump
from pytest_poisson.render.fix_check_text import fix_check_sheet
from pytest_poisson.render.layout import Column
from pytest_poisson.render.page import plain_page, report_page
from pytest_poisson.render.page_data import FIX_COLUMNS, fix_cells, fix_data
from pytest_poisson.render.paired_documents import paired_document
from pytest_poisson.render.paired_text import paired_sheet
from pytest_poisson.render.report_extras import details_document, survival_drawings, with_details
from pytest_poisson.render.report_files import PICTURE, REPORT_SCHEMA, made_by
from pytest_poisson.render.report_parts import input_labels
from pytest_poisson.render.share_documents import fix_check_document
from pytest_poisson.render.sheet import Grid, Section, as_markdown
from pytest_poisson.render.svg.flips import flips_svg
from pytest_poisson.render.svg.heatmap import heatmap_svg
from pytest_poisson.render.tiles import input_tiles

if TYPE_CHECKING:
    from pytest_poisson.analyses.fix_check import FixCheckResult
    from pytest_poisson.analyses.paired_result import PairedResult
    from pytest_poisson.analyses.report_details import ReportDetails

FLIPS = "\n![How often each item's decision flips, against its mean score](flips.svg)\n"
INPUTS = "Inputs"


def paired_report_files(result: PairedResult) -> dict[str, str]:
    """Return the files of a paired replay's report by name."""
    report, drawing = paired_sheet(result), flips_svg(result)
    report = replace(report, parts=(*report.parts, _replayed_runs(result)))
    runs = [arm.run_id for sweep in result.sweeps for arm in sweep.arms]
    known_as = short_digest([result.declaration.digest, runs])
    written = dump(
        {"schema": REPORT_SCHEMA, "id": known_as, "kind": "paired", "paired": paired_document(result)}
    )
    foot = f"Paired replay {known_as}, declaration {result.declaration.digest}. {made_by(written)}"
    return {
        "report.md": as_markdown(report) + FLIPS,
        "report.html": plain_page(report, drawings=[("Flips", drawing)], foot=foot),
        "report.json": written,
        "flips.svg": drawing,
    }


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
    written = dump({"schema": REPORT_SCHEMA, "id": known_as, **parts})
    event = str(result.events)
    tiles = input_tiles(result.inputs, event, x, y)
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
    return {
        "report.md": as_markdown(report) + PICTURE,
        "report.html": report_page(
            report,
            tiles=tiles,
            importance=result.importance,
            data=fix_data(result, details, x=x, y=y, store=store),
            drawings=survival_drawings(details),
            foot=f"Fix-check {known_as}. {made_by(written)}",
        ),
        "report.json": written,
        "heatmap.svg": heatmap_svg(tiles, title=title, importance=result.importance, legend=False),
    }


def _replayed_runs(result: PairedResult) -> Section:
    """Return which runs were replayed, and by what declaration they are read."""
    columns = (Column("sweep"), Column("arm"), Column("run id"))
    rows = tuple(
        (write.printable(sweep.name), write.printable(arm.name), arm.run_id)
        for sweep in result.sweeps
        for arm in sweep.arms
    )
    declaration = result.declaration
    said = (
        f"Declaration {declaration.digest}; {write.plural(declaration.bootstrap_b, 'resample')}, seed "
        f"{declaration.bootstrap_seed}; pytest-poisson {__version__}."
    )
    return Section("Provenance", (Grid(columns, rows), said))


def _inputs(result: FixCheckResult) -> Section:
    """Return the table of all inputs as pages and Markdown have it."""
    labels, title = input_labels([each.condition for each in result.inputs])
    columns = (Column(title), Column("event"), *(Column(name, right=True) for name in FIX_COLUMNS))
    rows = tuple(
        (labels[each.condition.key], str(result.events), *fix_cells(each))
        for each in (result.inputs[number] for number in result.importance)
    )
    return Section(INPUTS, (Grid(columns, rows),))
