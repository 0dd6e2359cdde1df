"""`pytest-poisson compare A B`: whether the runs of one die sooner than those of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_store, open_store
from pytest_poisson.cli.reporting import (
    add_alpha,
    add_by,
    add_event,
    add_format,
    add_svg,
    add_two_runs,
    ratio,
    report_outcome,
)
from pytest_poisson.cli.statuses import PASSED, REFUSED, TOO_SMALL

if TYPE_CHECKING:
    import argparse

    from pytest_poisson.cli.output import Outcome

HELP = "compare where two runs die, input by input"
USAGE_STATUS = REFUSED


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_two_runs(parser, "A", "B")
    add_event(parser, "an outcome that counts as dying")
    parser.add_argument(
        "--max-mde-hr",
        metavar="X",
        type=ratio,
        required=True,
        help="the hazard ratio, above 1, that must not go unseen",
    )
    add_by(parser)
    add_alpha(parser, "level of the tests; bands are at 1 - A")
    add_svg(parser)
    add_format(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Report on two runs."""
    from pytest_poisson.analyses.compare import compare
    from pytest_poisson.render.compare_text import compare_sheet
    from pytest_poisson.render.survival_documents import compare_document
    from pytest_poisson.render.svg.survival import compare_svg

    store = open_store(arguments)
    with store.open(arguments.first) as first, store.open(arguments.second) as second:
        result = compare(
            first,
            second,
            events=arguments.event,
            max_hazard_ratio=arguments.max_mde_hr,
            by=arguments.by,
            at=arguments.at,
            alpha=arguments.alpha,
        )
    return report_outcome(
        arguments,
        sheet=lambda: compare_sheet(result, verbose=arguments.verbose),
        document=lambda: compare_document(result),
        drawing=lambda: compare_svg(result),
        status=TOO_SMALL if result.comparison.word == "too small to tell" else PASSED,
    )
