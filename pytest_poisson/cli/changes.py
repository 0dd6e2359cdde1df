"""`pytest-poisson changes A B`: which inputs changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_store, open_store
from pytest_poisson.cli.reporting import (
    add_alpha,
    add_event,
    add_format,
    add_top,
    add_two_runs,
    report_outcome,
)

if TYPE_CHECKING:
    import argparse

    from pytest_poisson.cli.output import Outcome

HELP = "say on which inputs an outcome became more or less frequent"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_two_runs(parser, "A", "B")
    add_event(parser, "an outcome that is counted")
    add_alpha(parser, "level of the flags, over all inputs together")
    add_top(parser)
    add_format(parser, verbose=False)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Report on two runs."""
    from pytest_poisson.analyses.changes import changes
    from pytest_poisson.render.changes_text import changes_sheet
    from pytest_poisson.render.share_documents import changes_document

    store = open_store(arguments)
    with store.open(arguments.first) as first, store.open(arguments.second) as second:
        result = changes(first, second, events=arguments.event, alpha=arguments.alpha)
    return report_outcome(
        arguments,
        sheet=lambda: changes_sheet(result, top=arguments.top),
        document=lambda: changes_document(result),
    )
