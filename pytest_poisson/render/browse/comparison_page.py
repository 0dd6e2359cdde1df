"""A comparison in the browser: the report, with each row linked to its replicates in both runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.browse.frame import condition_address, frame, live, run_address
from pytest_poisson.render.layout import Column
from pytest_poisson.render.markup import Html, element, grid, joined, link, part_of, sheet_html
from pytest_poisson.render.report_sheet import LEGEND, comparison_sheet
from pytest_poisson.render.sheet import Grid
from pytest_poisson.render.svg.heatmap import heatmap_svg
from pytest_poisson.render.tiles import comparison_tiles

if TYPE_CHECKING:
    from collections.abc import Container

    from pytest_poisson.analyses.diff_result import Arm, DiffResult
    from pytest_poisson.render.sheet import Sheet

CHANGES = "Changes"
ROWS_SHOWN = 500


def comparison_page(
    result: DiffResult,
    *,
    stored: Container[str],
    whole_report: str | None = None,
    running: bool = False,
    store: str | None = None,
) -> str:
    """Return the page of a comparison.

    Parameters
    ----------
    result
        The comparison; a refused one says why.
    stored
        Ids of the runs there are: those of a saved comparison may have gone.
    whole_report
        The address of the comparison's report, if it is served.
    running
        Whether one of the runs is still being swept.
    store
        The store's directory where commands must name it.
    """
    report = comparison_sheet(result, rows_shown=ROWS_SHOWN, store=store)
    arms = [
        (side, arm)
        for side, arm in (("before", result.before), ("after", result.after))
        if arm.run_id in stored
    ]
    drawn = (
        heatmap_svg(comparison_tiles(result, None, None), title=result.verdict, importance=result.importance)
        if result.rows
        else ""
    )
    return frame(
        f"{result.before.name} and {result.after.name}",
        live(
            sheet_html(report, leave_out=[CHANGES]),
            element(
                "p",
                joined([link(run_address(arm.run_id), f"{side}: {arm.name}") for side, arm in arms], ", "),
            ),
            element("p", link(whole_report, "The whole report of this comparison")) if whole_report else "",
            element("figure", Html(drawn), tabindex="0"),
            _changes(result, report, arms),
            running=running,
        ),
    )


def _changes(result: DiffResult, report: Sheet, arms: list[tuple[str, Arm]]) -> Html:
    """Return the table of the report with the replicates of each row beside it."""
    part = part_of(report, CHANGES)
    table = next((block for block in part.blocks if isinstance(block, Grid)), None) if part else None
    if table is None:
        return Html()
    columns = (*table.columns, Column("replicates"))
    rows = (
        (*cells, _replicates(result, number, arms))
        for cells, number in zip(table.rows, result.importance[:ROWS_SHOWN], strict=True)
    )
    left = len(result.rows) - len(table.rows)
    more = element("p", f"{write.plural(left, 'more row')}, less important, left out here.") if left else ""
    return element("section", element("h2", CHANGES), grid(columns, rows), more, element("p", LEGEND))


def _replicates(result: DiffResult, number: int, arms: list[tuple[str, Arm]]) -> Html:
    if result.along is not None:  # the condition of such a row stands for one of each side
        return Html()
    key = result.rows[number].condition.key
    return joined(
        [link(condition_address(arm.run_id, key), side) for side, arm in arms], ",\N{NO-BREAK SPACE}"
    )
