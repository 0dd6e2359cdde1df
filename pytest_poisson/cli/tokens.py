"""`pytest-poisson tokens RUN...`: what runs used and what it cost."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_store, open_store
from pytest_poisson.cli.prices import add_prices, prices_of
from pytest_poisson.cli.reporting import add_format, report_outcome

if TYPE_CHECKING:
    import argparse

    from pytest_poisson.cli.output import Outcome

HELP = "sum the tokens of runs by condition and model, with their cost at your prices"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "runs", metavar="RUN", nargs="*", default=["latest"], help="runs, by name or id (default: latest)"
    )
    add_prices(parser)
    parser.add_argument(
        "--per",
        metavar="OUTCOME",
        action="append",
        default=[],
        help="divide the cost by how often an outcome came (repeatable; default: the declared successes)",
    )
    add_format(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Sum what runs used."""
    from pytest_poisson.analyses.tokens import count_tokens
    from pytest_poisson.render.tokens_sheet import tokens_sheet
    from pytest_poisson.render.usage_documents import tokens_document

    store, prices = open_store(arguments), prices_of(arguments)
    with ExitStack() as stack:
        readers = [stack.enter_context(store.open(name)) for name in arguments.runs]
        result = count_tokens(readers, prices=prices, per=arguments.per)
    return report_outcome(
        arguments,
        sheet=lambda: tokens_sheet(result, verbose=arguments.verbose),
        document=lambda: tokens_document(result),
    )
