"""`pytest-poisson runs`: what is in the store, runs and saved comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_json, add_store, open_store
from pytest_poisson.cli.output import Outcome, terminal_width

if TYPE_CHECKING:
    import argparse

HELP = "list the stored runs and the saved comparisons, newest first"

COMPARISONS_SHOWN = 10


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """List the runs."""
    from pytest_poisson.analyses.runs import list_runs
    from pytest_poisson.render.documents import dump
    from pytest_poisson.render.run_documents import runs_document
    from pytest_poisson.render.runs_text import render_runs
    from pytest_poisson.saved import list_saved

    store = open_store(arguments)
    runs = list_runs(store)
    if arguments.json:
        return Outcome(dump(runs_document(runs, list_saved(store))))
    saved = list_saved(store, COMPARISONS_SHOWN)
    return Outcome(render_runs(runs, saved, store=str(store.path), width=terminal_width()))
