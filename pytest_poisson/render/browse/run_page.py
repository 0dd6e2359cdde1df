"""One run in the browser, and one of its conditions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.accounting_text import accounting_line
from pytest_poisson.render.browse.frame import (
    compare_address,
    condition_address,
    frame,
    live,
    replicate_address,
    run_address,
    with_query,
)
from pytest_poisson.render.layout import Column
from pytest_poisson.render.markup import Html, element, grid, joined, link, part_of, section_html, sheet_html
from pytest_poisson.render.report_sheet import run_sheet
from pytest_poisson.render.svg.heatmap import heatmap_svg
from pytest_poisson.render.tiles import share_tiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.records import Episode
    from pytest_poisson.analyses.replicates import ReplicateList
    from pytest_poisson.analyses.shares import Share
    from pytest_poisson.analyses.show import ShowResult

REPLICATE_COLUMNS = (
    Column("replicate", right=True),
    Column("ended"),
    Column("t", right=True),
    Column("horizon", right=True),
    Column("took", right=True),
    Column("seed", right=True),
    Column("error"),
)
ERROR_WIDTH = 160
SHARES = "Shares"
ROWS_SHOWN = 500


def run_page(result: ShowResult, shares: Sequence[Share], *, first: int = 0, store: str | None = None) -> str:
    """Return the page of one run: its account, its conditions, its shares as a picture and with intervals."""
    run = result.run
    report = run_sheet(result, shares, rows_shown=ROWS_SHOWN, store=store)
    drawn = heatmap_svg(share_tiles(shares), title=f"{run.name}: shares") if shares else ""
    pair = (
        element(
            "p", link(compare_address(run.paired_with, run.run_id), "Compare with the run it was paired with")
        )
        if run.paired_with
        else ""
    )
    return frame(
        f"Run {run.name}",
        live(
            sheet_html(report, leave_out=[SHARES]),
            pair,
            element("p", link(f"{run_address(run.run_id)}/report", "The whole report of this run")),
            element("section", element("h2", "Conditions"), *_conditions(result, first)),
            element("figure", Html(drawn), tabindex="0"),
            section_html(part_of(report, SHARES)),
            running=run.status == "running",
        ),
    )


def _conditions(result: ShowResult, first: int) -> tuple[Html, Html]:
    """Return the table of the conditions from the `first`-th, and links to the others."""
    listed = result.conditions[first : first + ROWS_SHOWN]
    labels = write.condition_labels(each.condition for each in result.conditions)
    words = list(dict.fromkeys(word for each in result.conditions for word, n in each.outcomes.items() if n))
    columns = [Column("condition"), Column("planned", right=True)]
    columns += [Column(word, right=True) for word in (*words, "without outcome", "not run")]
    rows = (
        (
            link(condition_address(result.run.run_id, each.condition.key), labels[each.condition.key]),
            write.integer(each.accounting.planned),
            *(write.integer(each.outcomes.get(word, 0)) for word in words),
            write.integer(each.accounting.without_outcome),
            write.integer(each.accounting.not_run),
        )
        for each in listed
    )
    address = run_address(result.run.run_id)
    more = first + len(listed) < len(result.conditions)
    turn = turn_page(address, {}, first, len(listed), "conditions", more=more)
    return grid(columns, rows), turn


def condition_page(result: ReplicateList) -> str:
    """Return the page of one condition: how its replicates ended, and each of them with its error."""
    run, key = result.run, result.condition.key
    label = write.condition_labels([result.condition])[key]
    rows = (_cells(result, episode) for episode in result.episodes)
    return frame(
        label,
        live(
            element(
                "p",
                f"{accounting_line(result.accounting)}. Its test is {result.condition.nodeid or 'not known'}.",
            ),
            element("p", _endings(result)),
            grid(REPLICATE_COLUMNS, rows) if result.episodes else element("p", "No replicate fits."),
            _turn(result),
            running=run.status == "running",
        ),
        trail=[(run_address(run.run_id), run.name)],
    )


def _endings(result: ReplicateList) -> Html:
    """Return links that choose how a replicate ended."""
    address = condition_address(result.run.run_id, result.condition.key)
    found = [link(address, "all", aria_current="true" if result.ending is None else None)]
    for word, count in result.counts.items():
        chosen = "true" if word == result.ending else None
        target = condition_address(result.run.run_id, result.condition.key, ending=word)
        found.append(link(target, f"{word} {write.integer(count)}", aria_current=chosen))
    return joined(found, ", ")


def _cells(result: ReplicateList, episode: Episode) -> tuple[str, ...]:
    address = replicate_address(result.run.run_id, result.condition.key, episode.replicate)
    return (
        link(address, str(episode.replicate)),
        ending(episode),
        write.NONE if episode.t is None else f"{episode.t:g}",
        write.NONE if episode.horizon is None else f"{episode.horizon:g}",
        write.duration(episode.wall_s),
        write.NONE if episode.seed is None else str(episode.seed),
        write.shorten((episode.error or "").strip().split("\n")[-1], ERROR_WIDTH),
    )


def ending(episode: Episode) -> str:
    """Return how an episode ended in a few words."""
    return episode.outcome if episode.outcome is not None else f"no outcome: {episode.cause}"


def _turn(result: ReplicateList) -> Html:
    query = {} if result.ending is None else {"ending": result.ending}
    address = condition_address(result.run.run_id, result.condition.key)
    return turn_page(address, query, result.first, len(result.episodes), "replicates", more=result.more)


def turn_page(address: str, query: dict[str, str], first: int, size: int, what: str, *, more: bool) -> Html:
    """Return links to what comes before and after the listed ones."""
    parts = [link(with_query(address, **query), f"first {what}")] if first else []
    if more:
        parts.append(link(with_query(address, **query, first=str(first + size)), f"next {what}"))
    return element("p", joined(parts, ", ")) if parts else Html()
