"""`pytest-poisson serve`: the store in a browser on this machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_store, named_store, open_store
from pytest_poisson.cli.output import Outcome
from pytest_poisson.cli.reporting import whole_number
from pytest_poisson.cli.statuses import INTERRUPTED

if TYPE_CHECKING:
    import argparse

HELP = "show the store in a browser on this machine, also while a sweep runs; Ctrl-C ends it"
PORT = 8377


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "--port",
        metavar="N",
        type=whole_number(0, 65535),
        default=PORT,
        help=f"where to listen on 127.0.0.1; 0 takes any port that is free (default: {PORT})",
    )
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Serve until Ctrl-C."""
    from pytest_poisson.serve.server import serve

    serve(open_store(arguments), arguments.port, named=named_store(arguments), announce=_announce)
    return Outcome(status=INTERRUPTED)


def _announce(address: str) -> None:
    sys.stdout.write(f"{address} shows the store; Ctrl-C ends it.\n")
    sys.stdout.flush()
