"""`pytest-poisson report A [B]`: files to look at and to keep, of one run, of two compared, or of a saved comparison."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import (
    add_full,
    add_json,
    add_levels,
    add_method,
    add_store,
    named_store,
    open_store,
    refuse_choices,
)
from pytest_poisson.cli.output import Outcome
from pytest_poisson.cli.prices import add_prices, prices_of
from pytest_poisson.cli.statuses import REFUSED

if TYPE_CHECKING:
    import argparse

    from poisson_store import Store
    from pytest_poisson.analyses.diff_result import DiffResult
    from pytest_poisson.analyses.report_details import ReportDetails
    from pytest_poisson.analyses.tokens import Prices

HELP = "write a report into a folder: Markdown, HTML, JSON and a drawing, of one run or of two compared"
DEFAULT_OUT = "poisson-report"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "first",
        metavar="A",
        help="a run, by name or id, the one before where two are compared; or a saved comparison, by its id",
    )
    parser.add_argument(
        "second", metavar="B", nargs="?", help="the run after (default: A is described alone)"
    )
    parser.add_argument(
        "--event",
        metavar="NAME",
        action="append",
        help="an outcome to report (repeatable; of a comparison several may be joined by +; default: the declared "
        "failures)",
    )
    parser.add_argument("--x", metavar="AXIS", help="the axis that stands across the drawing")
    parser.add_argument("--y", metavar="AXIS", help="the axis that stands down the drawing")
    parser.add_argument(
        "--out",
        metavar="DIR",
        default=DEFAULT_OUT,
        help=f"a new folder, or an earlier report's (default: {DEFAULT_OUT})",
    )
    add_prices(parser)
    add_method(parser)
    add_levels(parser)
    add_full(parser)
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Write the files, all or none, and say which."""
    from pytest_poisson.files import check_own_folder, write_all
    from pytest_poisson.render.report_files import comparison_files
    from pytest_poisson.render.report_names import REPORT_FILES
    from pytest_poisson.saved import means_saved, try_to_save

    folder = Path(arguments.out)
    check_own_folder(folder, REPORT_FILES)
    store, complaint = open_store(arguments), ""
    if arguments.second is not None or means_saved(store, arguments.first):
        result = _loaded(store, arguments) if arguments.second is None else _compared(store, arguments)
        if result.refusal:
            return Outcome(complaint=f"{result.verdict}: {result.refusal}", status=REFUSED)
        files = comparison_files(
            result,
            _looked_into(store, result, prices_of(arguments)),
            x=arguments.x,
            y=arguments.y,
            store=named_store(arguments),
        )
        if arguments.second is not None:
            _, complaint = try_to_save(store, result)
    else:
        files = _described(store, arguments)
    write_all(folder, files)
    if arguments.json:
        return Outcome(files["report.json"], complaint)
    return Outcome("".join(f"{folder / name}\n" for name in files), complaint)


def _described(store: Store, arguments: argparse.Namespace) -> dict[str, str]:
    from pytest_poisson.analyses.report_details import run_details
    from pytest_poisson.analyses.shares import shares
    from pytest_poisson.analyses.show import show
    from pytest_poisson.render.report_files import run_files

    with store.open(arguments.first) as reader:
        result = show(reader)
        found = shares(result, arguments.event)
        details = run_details(reader, found, prices_of(arguments))
    return run_files(result, found, details, x=arguments.x, y=arguments.y, store=named_store(arguments))


def _loaded(store: Store, arguments: argparse.Namespace) -> DiffResult:
    from pytest_poisson.saved import load_comparison

    refuse_choices(arguments, arguments.first)
    return load_comparison(store, arguments.first)


def _compared(store: Store, arguments: argparse.Namespace) -> DiffResult:
    from pytest_poisson.analyses.diff import diff

    with store.open(arguments.first) as before, store.open(arguments.second) as after:
        return diff(
            before,
            after,
            events=arguments.event,
            q=arguments.q,
            max_mde=arguments.max_mde,
            method=arguments.method,
            margin=arguments.margin,
            full=arguments.full,
        )


def _looked_into(store: Store, result: DiffResult, prices: Prices) -> ReportDetails | None:
    """Return what the runs of a comparison say besides; None where they are no longer there, or are one."""
    from poisson_store.errors import StoreError
    from pytest_poisson.analyses.report_details import comparison_details

    if result.before.run_id == result.after.run_id:
        return None
    try:
        with store.open(result.before.run_id) as before, store.open(result.after.run_id) as after:
            return comparison_details(before, after, result, prices)
    except StoreError:
        return None
