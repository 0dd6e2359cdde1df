"""The first page: the runs of a store, two of them to compare, and the saved comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.accounting_text import accounting_line
from pytest_poisson.render.browse.frame import comparison_address, frame, live, run_address
from pytest_poisson.render.layout import Column
from pytest_poisson.render.markup import Html, element, grid, joined, link

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.records import RunSummary
    from pytest_poisson.saved import SavedComparisons

RUN_COLUMNS = (
    Column("run"),
    Column("status"),
    Column("begun (UTC)"),
    Column("conditions", right=True),
    Column("replicates"),
    Column("variant"),
    Column("paired with"),
)
SAVED_COLUMNS = (
    Column("comparison"),
    Column("saved (UTC)"),
    Column("before"),
    Column("after"),
    Column("verdict"),
)


def store_page(runs: Sequence[RunSummary], saved: SavedComparisons, *, store: str) -> str:
    """Return the page of a store, newest first, what is damaged with its reason."""
    sound = [run for run in runs if run.problem is None]
    problems = [f"{run.path.name}: {run.problem}" for run in runs if run.problem]
    problems += [each.problem for each in saved.shown if each.problem] + (
        [saved.problem] if saved.problem else []
    )
    running = any(run.status == "running" for run in sound)
    return frame(
        f"Runs in {store}",
        live(
            _runs(sound) if sound else element("p", "The store holds no run."),
            *(element("p", each, class_="problem") for each in problems),
            _saved(saved),
            running=running,
        ),
        _choice(sound) if len(sound) > 1 else "",
        trail=None,
    )


def _runs(runs: Sequence[RunSummary]) -> Html:
    names = {run.run_id: run.name for run in runs}
    return grid(RUN_COLUMNS, (_cells(run, names) for run in runs))


def _cells(run: RunSummary, names: dict[str, str]) -> tuple[str, ...]:
    partner = run.paired_with or ""
    known = link(run_address(partner), names[partner]) if partner in names else partner
    return (
        link(run_address(run.run_id), run.name),
        run.status if run.whole else f"{run.status}, a part of the suite",
        write.moment(run.created_at).removesuffix(" UTC"),
        write.integer(run.conditions),
        accounting_line(run.accounting) if run.accounting else write.NONE,
        ", ".join(f"{write.value(name)}={write.value(given)}" for name, given in run.variant.items()),
        known,
    )


def _choice(runs: Sequence[RunSummary]) -> Html:
    """Return the form that compares any two runs; at first the newest with the one it was paired with, or before it."""
    after = runs[0]
    known = {run.run_id for run in runs}
    before = after.paired_with if after.paired_with in known else runs[1].run_id
    fields = (_select("before", runs, before or ""), _select("after", runs, after.run_id))
    form = element("form", *fields, element("button", "Compare"), action="/compare")
    return element("section", element("h2", "Compare two runs"), form)


def _select(name: str, runs: Sequence[RunSummary], chosen: str) -> Html:
    options = (
        element(
            "option",
            f"{run.name}, {write.moment(run.created_at)}",
            value=run.run_id,
            selected="" if run.run_id == chosen else None,
        )
        for run in runs
    )
    return element("label", name, element("select", *options, name=name))


def _saved(saved: SavedComparisons) -> Html:
    sound = [each for each in saved.shown if each.problem is None]
    if not sound:
        return Html()
    rows = (
        (
            link(comparison_address(each.id), each.id),
            write.moment(each.saved_at).removesuffix(" UTC"),
            each.before,
            each.after,
            each.verdict,
        )
        for each in sound
    )
    more = element("p", f"{write.plural(saved.more, 'older one')}: pytest-poisson runs --json lists all.")
    parts = [element("h2", "Saved comparisons"), grid(SAVED_COLUMNS, rows), more if saved.more else Html()]
    return element("section", joined(parts))
