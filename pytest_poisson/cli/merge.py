"""`pytest-poisson merge`: join shards, or selections of one suite, into one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_json, add_store, open_store
from pytest_poisson.cli.stored import describe_stored

if TYPE_CHECKING:
    import argparse

    from pytest_poisson.cli.output import Outcome

HELP = "join parts of one design (shards, selections) into a new run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="the parts; they must share salt and declarations"
    )
    parser.add_argument("--name", default="", help="name of the new run (default: its run id)")
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Merge the parts."""
    store = open_store(arguments)
    return describe_stored(store, store.merge(arguments.runs, name=arguments.name), json=arguments.json)
