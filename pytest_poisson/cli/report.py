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
from pytest_poisson.cli.statuses import REFUSED, USAGE

if TYPE_CHECKING:
    import argparse

    from poisson_store import Store
    from pytest_poisson.analyses.diff_result import DiffResult
    from pytest_poisson.analyses.report_details import ReportDetails
    from pytest_poisson.analyses.tokens import Prices

HELP = "write a report into a folder: Markdown, HTML, JSON and a drawing, of one run, two compared, a replay or a fix-check"
DEFAULT_OUT = "poisson-report"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "first",
        metavar="A",
        nargs="?",
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
    parser.add_argument(
        "--paired",
        metavar="DECL",
        help="report the paired replay of this declaration instead, whose arms it names",
    )
    parser.add_argument(
        "--fix-check",
        metavar="RUN",
        help="report whether B fails less than A on the inputs that failed in this third run; --q is its level",
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
    from pytest_poisson.render.report_names import REPORT_FILES

    if problem := _wrong_runs(arguments):
        return Outcome(complaint=problem, status=USAGE)
    folder = Path(arguments.out)
    check_own_folder(folder, REPORT_FILES)
    files, complaint = _files(open_store(arguments), arguments)
    if not files:
        return Outcome(complaint=complaint, status=REFUSED)
    write_all(folder, files)
    if arguments.json:
        return Outcome(files["report.json"], complaint)
    return Outcome("".join(f"{folder / name}\n" for name in files), complaint)


def _wrong_runs(arguments: argparse.Namespace) -> str:
    """Say what is wrong with the runs that were named; nothing where it is right."""
    given = [name for name in (arguments.first, arguments.second) if name is not None]
    if arguments.paired is not None:
        if given or arguments.fix_check is not None:
            return "report --paired=DECL takes neither runs nor --fix-check; the declaration names its arms."
        return ""
    if arguments.fix_check is not None and len(given) != 2:
        return (
            f"report --fix-check=RUN takes two runs, the old version's and the new one's, not {len(given)}."
        )
    return "" if given else "report takes a run, two runs, or a saved comparison; or --paired=DECL."


def _files(store: Store, arguments: argparse.Namespace) -> tuple[dict[str, str], str]:
    """Return the report's files and what else is to be said; no files where nothing can be compared."""
    from pytest_poisson.render.report_files import comparison_files
    from pytest_poisson.saved import means_saved, try_to_save

    if arguments.paired is not None:
        return _replayed(store, arguments), ""
    if arguments.fix_check is not None:
        return _fix_checked(store, arguments), ""
    if arguments.second is None and not means_saved(store, arguments.first):
        return _described(store, arguments), ""
    result = _loaded(store, arguments) if arguments.second is None else _compared(store, arguments)
    if result.refusal:
        return {}, f"{result.verdict}: {result.refusal}"
    details = _looked_into(store, result, prices_of(arguments))
    files = comparison_files(result, details, x=arguments.x, y=arguments.y, store=named_store(arguments))
    return files, "" if arguments.second is None else try_to_save(store, result)[1]


def _replayed(store: Store, arguments: argparse.Namespace) -> dict[str, str]:
    from pytest_poisson.analyses.paired import paired
    from pytest_poisson.render.paired_report import paired_report_files
    from pytest_poisson.replay.declaration import read_declaration

    return paired_report_files(paired(read_declaration(Path(arguments.paired)), store.open))


def _fix_checked(store: Store, arguments: argparse.Namespace) -> dict[str, str]:
    from contextlib import ExitStack

    from pytest_poisson.analyses.fix_check import fix_check
    from pytest_poisson.analyses.levels import levels_of
    from pytest_poisson.analyses.outcomes import carried_failures
    from pytest_poisson.analyses.report_details import fix_details
    from pytest_poisson.render.fix_check_report import fix_report_files

    names = (arguments.first, arguments.second, arguments.fix_check)
    with ExitStack() as stack:
        old, new, selecting = (stack.enter_context(store.open(name)) for name in names)
        q, max_mde = levels_of(new.run, arguments.q, arguments.max_mde)
        result = fix_check(
            old,
            new,
            events=arguments.event or carried_failures((old, new, selecting)),
            failing_from=selecting,
            max_mde=max_mde,
            alpha=q,
        )
        details = fix_details(old, new, result, prices_of(arguments))
    return fix_report_files(result, details, x=arguments.x, y=arguments.y, store=named_store(arguments))


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
