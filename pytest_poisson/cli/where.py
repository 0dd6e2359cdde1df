"""`pytest-poisson where RUN`: how far the runs get, and what they die of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_store, open_store
from pytest_poisson.cli.reporting import (
    MOST_DRAWS,
    add_by,
    add_event,
    add_format,
    add_svg,
    report_outcome,
    whole_number,
)

if TYPE_CHECKING:
    import argparse

    from pytest_poisson.cli.output import Outcome

HELP = "say where the runs of one sweep die, step by step, and what they die of"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("run", metavar="RUN", help="the run, by name or id")
    add_event(parser, "an outcome that counts as dying")
    add_by(parser)
    parser.add_argument(
        "--boot",
        metavar="B",
        type=whole_number(0, MOST_DRAWS),
        default=1000,
        help=f"resamples of the band of each cause, 0 for no band, {MOST_DRAWS:,} at most (default: 1000)",
    )
    parser.add_argument(
        "--seed", metavar="S", type=whole_number(0), default=0, help="seed of the resamples (default: 0)"
    )
    add_svg(parser)
    add_format(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Report on one run."""
    from pytest_poisson.analyses.where import where
    from pytest_poisson.render.survival_documents import where_document
    from pytest_poisson.render.svg.survival import where_svg
    from pytest_poisson.render.where_text import where_sheet

    with open_store(arguments).open(arguments.run) as reader:
        result = where(
            reader,
            events=arguments.event,
            by=arguments.by,
            at=arguments.at,
            resamples=arguments.boot,
            seed=arguments.seed,
        )
    return report_outcome(
        arguments,
        sheet=lambda: where_sheet(result, verbose=arguments.verbose),
        document=lambda: where_document(result),
        drawing=lambda: where_svg(result),
    )
