"""`pytest-poisson plan A B`: how large the next sweep must be, from a stored pair."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import (
    add_events,
    add_json,
    add_levels,
    add_store,
    add_two_or_none,
    named_store,
)
from pytest_poisson.cli.output import Outcome, terminal_width

if TYPE_CHECKING:
    import argparse

HELP = "size the next sweep by the correlation that a stored pair of runs showed"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_two_or_none(parser)
    add_events(parser)
    add_levels(parser)
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Size the next sweep."""
    from pytest_poisson.analyses.sizing import size_from_pair
    from pytest_poisson.cli.comparison import two_runs
    from pytest_poisson.render.documents import dump
    from pytest_poisson.render.sizing_report import render_sizing, sizing_document

    with two_runs(arguments) as (before, after):
        result = size_from_pair(
            before, after, events=arguments.event, q=arguments.q, max_mde=arguments.max_mde
        )
    if arguments.json:
        return Outcome(dump(sizing_document(result)))
    return Outcome(render_sizing(result, width=terminal_width(), store=named_store(arguments)))
