"""`pytest-poisson recover`: save what can be read of a damaged run file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_json, add_store, open_store
from pytest_poisson.cli.stored import describe_stored

if TYPE_CHECKING:
    import argparse

    from pytest_poisson.cli.output import Outcome

HELP = "save what can be read of a damaged run file as a new, interrupted run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("file", metavar="FILE", help="the damaged run file, which is left as it is")
    parser.add_argument("--name", default="", help="name of the new run (default: its run id)")
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Recover the file."""
    store = open_store(arguments)
    return describe_stored(store, store.recover(arguments.file, name=arguments.name), json=arguments.json)
