"""`pytest-poisson paired`: how often a decision flips when the same request is sent twice."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_store, open_store
from pytest_poisson.cli.output import Outcome
from pytest_poisson.cli.reporting import add_format, add_svg, report_outcome
from pytest_poisson.cli.statuses import GATE, PASSED
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    import argparse

    from pytest_poisson.analyses.paired_result import PairedResult
    from pytest_poisson.replay.declaration import ReplayDeclaration

HELP = "tell how often a decision at a threshold flips when the same request is sent twice"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("--declaration", metavar="FILE", help="the replay's declaration, in TOML")
    parser.add_argument("--out", metavar="DIR", help="also write the replay's files into this folder")
    parser.add_argument("--force", action="store_true", help="replace what the folder holds")
    parser.add_argument(
        "--cap-check",
        action="store_true",
        help="sum the arms' input tokens against the declared cap; write nothing",
    )
    parser.add_argument(
        "--init", metavar="RUN", nargs=2, help="print a declaration for two runs, with choices left open"
    )
    parser.add_argument("--check", action="store_true", help="check the declaration without reading runs")
    add_svg(parser)
    add_format(parser, verbose=False)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Do what was asked of the replay."""
    from pytest_poisson.files import check_folder
    from pytest_poisson.replay.declaration import read_declaration

    if arguments.init:
        return _init(arguments)
    if arguments.declaration is None:
        raise UserError("paired needs --declaration=FILE, or --init RUN RUN to begin one.")
    declaration = read_declaration(Path(arguments.declaration))
    if arguments.check:
        return Outcome(f"{arguments.declaration} is a declaration with digest {declaration.digest}.\n")
    if arguments.cap_check:
        return _cap_check(arguments, declaration)
    if arguments.out is not None:
        check_folder(Path(arguments.out), force=arguments.force)
    return _report(arguments, declaration)


def _report(arguments: argparse.Namespace, declaration: ReplayDeclaration) -> Outcome:
    from pytest_poisson.analyses.paired import paired
    from pytest_poisson.files import write_all
    from pytest_poisson.render.paired_documents import paired_document, paired_files
    from pytest_poisson.render.paired_text import paired_sheet
    from pytest_poisson.render.svg.flips import flips_svg

    result: PairedResult = paired(declaration, open_store(arguments).open)
    if arguments.out is not None:
        write_all(Path(arguments.out), {**paired_files(result), "flips.svg": flips_svg(result)})
    return report_outcome(
        arguments,
        sheet=lambda: paired_sheet(result),
        document=lambda: paired_document(result),
        drawing=lambda: flips_svg(result),
    )


def _cap_check(arguments: argparse.Namespace, declaration: ReplayDeclaration) -> Outcome:
    from pytest_poisson.analyses.token_cap import check_token_cap
    from pytest_poisson.render.documents import dump

    if declaration.token_cap is None:
        raise UserError(f"{arguments.declaration} declares no token_cap, which --cap-check compares with.")
    store = open_store(arguments)
    arms = dict.fromkeys(arm for sweep in declaration.sweeps for arm in sweep.arms)
    result = check_token_cap(arms, store.open, declaration.token_cap)
    status = PASSED if result.under else GATE
    if arguments.json:
        document = {
            "schema": "pytest-poisson.cap-check/1",
            "tokens_in": result.tokens_in,
            "token_cap": result.cap,
            "under": result.under,
            "unrecorded": result.unrecorded,
        }
        return Outcome(dump(document), status=status)
    side = "under" if result.under else "at or over"
    blind = (
        f"; {result.unrecorded:,} spans reported no input tokens and are not in it"
        if result.unrecorded
        else ""
    )
    return Outcome(
        f"{result.tokens_in:,} input tokens are {side} the cap of {result.cap:,}{blind}.\n", status=status
    )


def _init(arguments: argparse.Namespace) -> Outcome:
    from pytest_poisson.replay.starter import starter_declaration

    store = open_store(arguments)
    first, second = arguments.init
    with store.open(first) as a, store.open(second) as b:
        return Outcome(starter_declaration(a, b))
