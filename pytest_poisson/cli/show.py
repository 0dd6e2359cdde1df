"""`pytest-poisson show RUN`: one run, or one of its replicates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_json, add_store, open_store
from pytest_poisson.cli.output import Outcome, terminal_width, use_colour
from pytest_poisson.cli.reporting import whole_number

if TYPE_CHECKING:
    import argparse

HELP = (
    "show one run: its accounting, the counts of every condition, its environment; or one replicate's spans"
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "run", metavar="RUN", nargs="?", default="latest", help="the run, by name or id (default: latest)"
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="show every condition and package")
    parser.add_argument(
        "--condition",
        metavar="CONDITION",
        help="show a replicate of this condition: its key, the beginning of it, its pytest id, or axis values as in "
        "item=refund,model=a",
    )
    parser.add_argument(
        "--replicate", metavar="N", type=whole_number(0), help="show this replicate and the tree of its spans"
    )
    parser.add_argument(
        "--failures",
        action="store_true",
        help="show the first replicate that failed, or ended without an outcome",
    )
    parser.add_argument(
        "--texts",
        action="store_true",
        help="with a replicate: print what went into each span and what came out",
    )
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Show one run, or one replicate where any of its options is given."""
    if (
        arguments.condition is not None
        or arguments.replicate is not None
        or arguments.failures
        or arguments.texts
    ):
        return _show_replicate(arguments)
    return _show_run(arguments)


def _show_run(arguments: argparse.Namespace) -> Outcome:
    from pytest_poisson.analyses.show import show
    from pytest_poisson.render.documents import dump
    from pytest_poisson.render.run_documents import show_document
    from pytest_poisson.render.show_text import render_show

    with open_store(arguments).open(arguments.run) as reader:
        result = show(reader)
    if arguments.json:
        return Outcome(dump(show_document(result)))
    return Outcome(
        render_show(result, width=terminal_width(), colour=use_colour(), verbose=arguments.verbose)
    )


def _show_replicate(arguments: argparse.Namespace) -> Outcome:
    from pytest_poisson.analyses.episode_trace import trace_episode
    from pytest_poisson.render.documents import dump
    from pytest_poisson.render.trace_text import render_trace
    from pytest_poisson.render.usage_documents import trace_document

    with open_store(arguments).open(arguments.run) as reader:
        result = trace_episode(
            reader,
            condition=arguments.condition,
            replicate=arguments.replicate,
            failures=arguments.failures,
        )
    if arguments.json:
        return Outcome(dump(trace_document(result)))
    return Outcome(render_trace(result, width=terminal_width(), colour=use_colour(), texts=arguments.texts))
