"""`pytest-poisson forget`: saved comparisons that are not to be kept any longer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_store, open_store
from pytest_poisson.cli.output import Outcome

if TYPE_CHECKING:
    import argparse

HELP = "delete saved comparisons; the runs stay, each of which is a file of its own"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "comparisons",
        metavar="ID",
        nargs="+",
        help="a saved comparison, by its id or the unique beginning of one",
    )
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Delete all that were named, or none where one of them is none."""
    forgotten = open_store(arguments).forget_comparisons(arguments.comparisons)
    return Outcome("".join(f"Comparison {known_as} is deleted.\n" for known_as in forgotten))
