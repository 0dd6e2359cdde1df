"""`pytest-poisson show RUN`: one run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_json, add_store, open_store
from pytest_poisson.cli.output import Outcome, terminal_width, use_colour

if TYPE_CHECKING:
    import argparse

HELP = "show one run: its accounting, the counts of every condition, its environment"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "run", metavar="RUN", nargs="?", default="latest", help="the run, by name or id (default: latest)"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show every condition and package")
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Show one run."""
    from pytest_poisson.analyses.show import show
    from pytest_poisson.render.documents import dump, show_document
    from pytest_poisson.render.show_text import render_show

    with open_store(arguments).open(arguments.run) as reader:
        result = show(reader)
    if arguments.json:
        return Outcome(dump(show_document(result)))
    return Outcome(
        render_show(result, width=terminal_width(), colour=use_colour(), verbose=arguments.verbose)
    )
