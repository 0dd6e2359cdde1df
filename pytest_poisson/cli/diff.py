"""`pytest-poisson diff`: two stored runs, compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_comparison
from pytest_poisson.cli.output import Outcome
from pytest_poisson.cli.statuses import REFUSED

if TYPE_CHECKING:
    import argparse

HELP = "compare two stored runs"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_comparison(parser)
    parser.add_argument(
        "--full",
        action="store_true",
        help="also test the comparison as a whole, and walk down to the axis values and conditions that changed",
    )


def run(arguments: argparse.Namespace) -> Outcome:
    """Compare two runs; where nothing can be compared, say why and print no report."""
    from pytest_poisson.analyses.diff import diff
    from pytest_poisson.cli.comparison import as_text, two_runs
    from pytest_poisson.render.diff_documents import diff_document
    from pytest_poisson.render.documents import dump

    with two_runs(arguments) as (before, after):
        result = diff(
            before,
            after,
            events=arguments.event,
            q=arguments.q,
            max_mde=arguments.max_mde,
            method=arguments.method,
            margin=arguments.margin,
            full=arguments.full,
        )
    if result.refusal:
        return Outcome(complaint=f"{result.verdict}: {result.refusal}", status=REFUSED)
    return Outcome(dump(diff_document(result)) if arguments.json else as_text(result, arguments))
