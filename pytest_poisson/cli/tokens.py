"""`pytest-poisson tokens RUN...`: what runs used and what it cost."""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_store, open_store
from pytest_poisson.cli.reporting import add_format, report_outcome
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from pytest_poisson.analyses.tokens import Price, Prices
    from pytest_poisson.cli.output import Outcome

HELP = "sum the tokens of runs by condition and model, with their cost at your prices"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "runs", metavar="RUN", nargs="*", default=["latest"], help="runs, by name or id (default: latest)"
    )
    parser.add_argument(
        "--price",
        metavar="MODEL=IN,OUT",
        type=_model_price,
        action="append",
        default=[],
        help="what one input and one output token of a model cost (repeatable)",
    )
    parser.add_argument(
        "--price-per-input-token",
        metavar="X",
        type=_amount,
        help="what one input token of any other model costs",
    )
    parser.add_argument(
        "--price-per-output-token",
        metavar="X",
        type=_amount,
        help="what one output token of any other model costs",
    )
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

    store, prices = open_store(arguments), _prices(arguments)
    with ExitStack() as stack:
        readers = [stack.enter_context(store.open(name)) for name in arguments.runs]
        result = count_tokens(readers, prices=prices, per=arguments.per)
    return report_outcome(
        arguments,
        sheet=lambda: tokens_sheet(result, verbose=arguments.verbose),
        document=lambda: tokens_document(result),
    )


def _prices(arguments: argparse.Namespace) -> Prices:
    from pytest_poisson.analyses.tokens import Price, Prices

    given = (arguments.price_per_input_token, arguments.price_per_output_token)
    if given.count(None) == 1:
        raise UserError(
            "--price-per-input-token and --price-per-output-token are given together or not at all."
        )
    return Prices(None if None in given else Price(*given), dict(arguments.price))


def _model_price(text: str) -> tuple[str, Price]:
    from pytest_poisson.analyses.tokens import Price

    model, equals, prices = text.rpartition("=")
    amounts = prices.split(",")
    if not model or not equals or len(amounts) != 2:
        raise argparse.ArgumentTypeError(f"{text!r} must have the form MODEL=IN,OUT")
    return model, Price(_amount(amounts[0]), _amount(amounts[1]))


def _amount(text: str) -> float:
    try:
        amount = float(text)
    except ValueError:
        amount = -1.0
    if not 0 <= amount < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} must be a number from 0")
    return amount
