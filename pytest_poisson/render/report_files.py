"""The files of a report: Markdown, JSON and a drawing, all of the same result."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, NamedTuple

from pytest_poisson import __version__
from pytest_poisson.analyses.comparison_id import comparison_id, short_digest
from pytest_poisson.analyses.report_details import comparison_details, run_details
from pytest_poisson.analyses.shares import CONFIDENCE, DESCRIBED_AS
from pytest_poisson.analyses.shares import shares as shares_of
from pytest_poisson.analyses.show import show
from pytest_poisson.render.diff_documents import diff_document
from pytest_poisson.render.documents import condition_document, count_document, dump
from pytest_poisson.render.page import report_page
from pytest_poisson.render.page_data import comparison_data, share_data
from pytest_poisson.render.report_extras import details_document, survival_drawings, with_details
from pytest_poisson.render.report_sheet import comparison_sheet, run_sheet
from pytest_poisson.render.run_documents import show_document
from pytest_poisson.render.sheet import as_markdown
from pytest_poisson.render.svg.heatmap import heatmap_svg
from pytest_poisson.render.tiles import comparison_tiles, share_tiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store import RunReader
    from pytest_poisson.analyses.check import CheckResult
    from pytest_poisson.analyses.diff_result import DiffResult
    from pytest_poisson.analyses.promises import PromisesResult
    from pytest_poisson.analyses.report_details import ReportDetails
    from pytest_poisson.analyses.shares import Share
    from pytest_poisson.analyses.show import ShowResult
    from pytest_poisson.analyses.tokens import Prices
    from pytest_poisson.decision import Decision
    from pytest_poisson.render.documents import Document
    from pytest_poisson.render.sheet import Sheet
    from pytest_poisson.render.tiles import Tile

REPORT_SCHEMA = "pytest-poisson.report/1"
PICTURE = "\n![Every condition: its change or share, as in the table](heatmap.svg)\n"


class Picture(NamedTuple):
    """The conditions as `svg.heatmap.heatmap_svg` draws them."""

    tiles: Sequence[Tile]
    title: str
    importance: Sequence[int] | None = None
    legend: bool = True


def comparison_files(
    result: DiffResult,
    details: ReportDetails | None = None,
    *,
    promises: PromisesResult | None = None,
    decision: Decision | None = None,
    x: str | None = None,
    y: str | None = None,
    store: str | None = None,
) -> dict[str, str]:
    """Return the files of a comparison by name.

    Parameters
    ----------
    result
        The comparison.
    details
        What was found out about its runs besides.
    promises, decision
        Of a session's gate.
    x, y
        The axes of the picture.
    store
        The store's directory where commands must name it.

    Raises
    ------
    UserError
        If an axis is unknown.
    """
    title = f"{result.before.name} and {result.after.name}: {result.verdict}"
    tiles = comparison_tiles(result, x, y)
    report = comparison_sheet(result, promises=promises, decision=decision, store=store)
    report = with_details(report, details, compared=result)
    document = {"kind": "comparison", "diff": diff_document(result), **details_document(details)}
    return condition_files(
        report,
        {"schema": REPORT_SCHEMA, "id": comparison_id(result), **document},
        Picture(tiles, title, result.importance),
        data=comparison_data(result, details, x=x, y=y, store=store),
        drawings=survival_drawings(details),
        known_as=f"Comparison {comparison_id(result)}",
    )


def run_files(
    result: ShowResult,
    shares: Sequence[Share],
    details: ReportDetails | None = None,
    *,
    x: str | None = None,
    y: str | None = None,
    store: str | None = None,
) -> dict[str, str]:
    """Return the files of one run alone, which they describe without a test; parameters as of `comparison_files`.

    Raises
    ------
    UserError
        If an axis is unknown.
    """
    document = {
        "schema": REPORT_SCHEMA,
        "id": short_digest([result.run.run_id, sorted({each.event for each in shares})]),
        "kind": "run",
        "description": DESCRIBED_AS,
        "show": show_document(result),
        "confidence": CONFIDENCE,
        "shares": [share_document(each) for each in shares],
        **details_document(details),
    }
    return condition_files(
        with_details(run_sheet(result, shares, store=store), details),
        document,
        Picture(share_tiles(shares, x, y), f"{result.run.name}: shares of one run"),
        data=share_data(shares, details, x=x, y=y, store=store),
        drawings=survival_drawings(details),
        known_as=f"Run {result.run.run_id}",
    )


def session_files(
    run: RunReader,
    baseline: RunReader | None,
    checked: CheckResult | None,
    *,
    prices: Prices | None = None,
    store: str | None = None,
) -> dict[str, str]:
    """Return the files of a session: its comparison and gate, or its run alone."""
    if checked is not None and baseline is not None:
        return comparison_files(
            checked.diff,
            comparison_details(baseline, run, checked.diff, prices),
            promises=checked.promises,
            decision=checked.decision,
            store=store,
        )
    result = show(run)
    found = shares_of(result)
    return run_files(result, found, run_details(run, found, prices), store=store)


def condition_files(
    report: Sheet,
    document: Document,
    picture: Picture,
    *,
    data: Document,
    drawings: Sequence[tuple[str, str]],
    known_as: str,
) -> dict[str, str]:
    """Return the files of a report whose conditions are a picture and a table.

    Parameters
    ----------
    report, document
        The report as text and as JSON.
    picture
        The picture of the conditions.
    data, drawings
        As `page.report_page` takes them.
    known_as
        What the report is about, for the foot of the page.
    """
    written = dump(document)
    return {
        "report.md": as_markdown(report) + PICTURE,
        "report.html": report_page(
            report,
            tiles=picture.tiles,
            importance=picture.importance,
            data=data,
            drawings=drawings,
            foot=f"{known_as}. {made_by(written)}",
        ),
        "report.json": written,
        "heatmap.svg": heatmap_svg(
            picture.tiles, title=picture.title, importance=picture.importance, legend=picture.legend
        ),
    }


def share_document(share: Share) -> Document:
    """Return one share with its Wilson interval."""
    return {
        **condition_document(share.condition),
        "event": share.event,
        "seen": count_document(share.count),
        "low": share.low,
        "high": share.high,
    }


def made_by(document: str) -> str:
    """Return what wrote a report, and which JSON belongs to it."""
    digest = hashlib.sha256(document.encode()).hexdigest()
    return (
        f"Written by pytest-poisson {__version__}; report.json beside it, with SHA-256 {digest}, has the same figures "
        "unrounded."
    )
