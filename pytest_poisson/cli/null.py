"""`pytest-poisson null RUN`: the user's own false-alarm rate."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import (
    add_events,
    add_fail_on,
    add_json,
    add_levels,
    add_store,
    open_store,
)
from pytest_poisson.cli.output import Outcome, terminal_width
from pytest_poisson.cli.reporting import MOST_DRAWS, whole_number

if TYPE_CHECKING:
    import argparse

HELP = "compare random halves of one run and say how often the gate would have failed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("run", metavar="RUN", nargs="?", default="latest", help="the run (default: latest)")
    parser.add_argument(
        "--splits",
        metavar="N",
        type=whole_number(1, MOST_DRAWS),
        default=200,
        help=f"how many splits, {MOST_DRAWS:,} at most (default: 200)",
    )
    parser.add_argument(
        "--seed", metavar="N", type=whole_number(0), default=0, help="seed of the splits (default: 0)"
    )
    add_events(parser)
    add_levels(parser)
    add_fail_on(parser)
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Split, compare and count."""
    from pytest_poisson.analyses.null import null
    from pytest_poisson.render.documents import dump
    from pytest_poisson.render.null_report import null_document, render_null

    with open_store(arguments).open(arguments.run) as reader:
        result = null(
            reader,
            events=arguments.event,
            splits=arguments.splits,
            seed=arguments.seed,
            q=arguments.q,
            max_mde=arguments.max_mde,
            fail_on=arguments.fail_on,
        )
    if arguments.json:
        return Outcome(dump(null_document(result)))
    return Outcome(render_null(result, width=terminal_width()))
