"""The files of a report: Markdown, JSON and a drawing, all of the same result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson import __version__
from pytest_poisson.analyses.comparison_id import comparison_id, short_digest
from pytest_poisson.analyses.shares import CONFIDENCE, DESCRIBED_AS
from pytest_poisson.analyses.shares import shares as shares_of
from pytest_poisson.analyses.show import show
from pytest_poisson.render import formatting as write
from pytest_poisson.render.commands import replay_command
from pytest_poisson.render.diff_documents import diff_document
from pytest_poisson.render.documents import condition_document, count_document, dump
from pytest_poisson.render.page import page
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
    from pytest_poisson.analyses.shares import Share
    from pytest_poisson.analyses.show import ShowResult
    from pytest_poisson.decision import Decision
    from pytest_poisson.render.documents import Document

REPORT_SCHEMA = "pytest-poisson.report/1"
_MADE_BY = f"Written by pytest-poisson {__version__}; report.json beside it has the same figures unrounded."
PICTURE = "\n![Every condition: its change or share, as in the table](heatmap.svg)\n"


def comparison_files(
    result: DiffResult,
    *,
    promises: PromisesResult | None = None,
    decision: Decision | None = None,
    x: str | None = None,
    y: str | None = None,
    store: str | None = None,
) -> dict[str, str]:
    """Return the files of a comparison by name; `x` and `y` are the axes of the drawing.

    Raises
    ------
    UserError
        If an axis is unknown.
    """
    title = f"{result.before.name} and {result.after.name}: {result.verdict}"
    tiles = comparison_tiles(result, x, y)
    drawn = heatmap_svg(tiles, title=title, importance=result.importance)
    report = comparison_sheet(result, promises=promises, decision=decision, store=store)
    document = {"kind": "comparison", "diff": diff_document(result)}
    return {
        "report.md": as_markdown(report) + PICTURE,
        "report.html": page(
            report,
            drawing=drawn,
            details=[
                f"{number} {tiles[number].tip}{_replay(result, number, store)}"
                for number in result.importance
            ],
            filters=[f"{result.rows[i].event.name}: {result.rows[i].word}" for i in result.importance],
            foot=f"Comparison {comparison_id(result)}. {_MADE_BY}",
        ),
        "report.json": dump({"schema": REPORT_SCHEMA, "id": comparison_id(result), **document}),
        "heatmap.svg": drawn,
    }


def run_files(
    result: ShowResult,
    shares: Sequence[Share],
    *,
    x: str | None = None,
    y: str | None = None,
    store: str | None = None,
) -> dict[str, str]:
    """Return the files of one run alone, which they describe without a test.

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
    }
    title = f"{result.run.name}: shares of one run"
    tiles, report = share_tiles(shares, x, y), run_sheet(result, shares, store=store)
    drawn = heatmap_svg(tiles, title=title)
    return {
        "report.md": as_markdown(report) + PICTURE,
        "report.html": page(
            report,
            drawing=drawn,
            details=[f"{tile.number} {tile.tip}" for tile in tiles],
            filters=[each.event for each in shares],
            foot=f"Run {result.run.run_id}. {_MADE_BY}",
        ),
        "report.json": dump(document),
        "heatmap.svg": drawn,
    }


def session_files(run: RunReader, checked: CheckResult | None, *, store: str | None = None) -> dict[str, str]:
    """Return the files of a session: its comparison and gate, or its run alone."""
    if checked is not None:
        return comparison_files(
            checked.diff, promises=checked.promises, decision=checked.decision, store=store
        )
    result = show(run)
    return run_files(result, shares_of(result), store=store)


def share_document(share: Share) -> Document:
    """Return one share with its Wilson interval."""
    return {
        **condition_document(share.condition),
        "event": share.event,
        "seen": count_document(share.count),
        "low": share.low,
        "high": share.high,
    }


def _replay(result: DiffResult, number: int, store: str | None) -> str:
    """Return how one failing replicate of a row is run again; empty where there is none."""
    command = replay_command(result, result.rows[number], store)
    return f". Run a failing replicate again: {write.printable(command)}" if command else ""
