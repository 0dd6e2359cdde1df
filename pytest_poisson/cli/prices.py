"""What tokens cost, as the user declares it: no provider's prices are built in."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from pytest_poisson.analyses.tokens import Price, Prices

HIGHEST = 1_000_000_000
"""The most that a token may cost, in whatever currency, so that sums stay finite."""


def add_prices(parser: argparse.ArgumentParser) -> None:
    """Add `--price`, `--price-per-input-token` and `--price-per-output-token`."""
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


def prices_of(arguments: argparse.Namespace) -> Prices:
    """Return the prices that were given.

    Raises
    ------
    UserError
        If only one side of the price of other models was, or one model has two prices.
    """
    from pytest_poisson.analyses.tokens import Price, Prices

    given = (arguments.price_per_input_token, arguments.price_per_output_token)
    if given.count(None) == 1:
        raise UserError(
            "--price-per-input-token and --price-per-output-token are given together or not at all."
        )
    for model, price in arguments.price:
        if dict(arguments.price)[model] != price:
            raise UserError(f"--price gives {model} two prices; it takes one.")
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
    if not 0 <= amount <= HIGHEST:
        raise argparse.ArgumentTypeError(f"{text!r} must be a number from 0 to {HIGHEST:,}")
    return amount
