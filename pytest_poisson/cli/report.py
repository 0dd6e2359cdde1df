"""`pytest-poisson report A [B]`: files to look at and to keep, of one run or of two compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_json, add_levels, add_method, add_store, named_store, open_store
from pytest_poisson.cli.output import Outcome
from pytest_poisson.cli.statuses import REFUSED

if TYPE_CHECKING:
    import argparse

    from poisson_store import Store

HELP = "write a report into a folder: Markdown, HTML, JSON and a drawing, of one run or of two compared"
DEFAULT_OUT = "poisson-report"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "first", metavar="A", help="a run, by name or id; the one before where two are compared"
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
    add_method(parser)
    add_levels(parser)
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Write the files, all or none, and say which."""
    from pytest_poisson.files import check_own_folder, write_all
    from pytest_poisson.render.report_names import REPORT_FILES

    folder = Path(arguments.out)
    check_own_folder(folder, REPORT_FILES)
    store = open_store(arguments)
    files = _described(store, arguments) if arguments.second is None else _compared(store, arguments)
    if isinstance(files, Outcome):
        return files
    write_all(folder, files)
    if arguments.json:
        return Outcome(files["report.json"])
    return Outcome("".join(f"{folder / name}\n" for name in files))


def _described(store: Store, arguments: argparse.Namespace) -> dict[str, str]:
    from pytest_poisson.analyses.shares import shares
    from pytest_poisson.analyses.show import show
    from pytest_poisson.render.report_files import run_files

    with store.open(arguments.first) as reader:
        result = show(reader)
    found = shares(result, arguments.event)
    return run_files(result, found, x=arguments.x, y=arguments.y, store=named_store(arguments))


def _compared(store: Store, arguments: argparse.Namespace) -> dict[str, str] | Outcome:
    from pytest_poisson.analyses.diff import diff
    from pytest_poisson.render.report_files import comparison_files

    with store.open(arguments.first) as before, store.open(arguments.second) as after:
        result = diff(
            before,
            after,
            events=arguments.event,
            q=arguments.q,
            max_mde=arguments.max_mde,
            method=arguments.method,
            margin=arguments.margin,
        )
    if result.refusal:
        return Outcome(complaint=f"{result.verdict}: {result.refusal}", status=REFUSED)
    return comparison_files(result, x=arguments.x, y=arguments.y, store=named_store(arguments))
