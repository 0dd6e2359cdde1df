"""`pytest-poisson import-run FILE`: a run that was exported, into this store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_json, add_store, open_store
from pytest_poisson.cli.output import Outcome, terminal_width

if TYPE_CHECKING:
    import argparse

HELP = "add a run that `export` wrote as one file to the store"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("file", metavar="FILE", help="what `export` wrote, or a run's own file")
    parser.add_argument("--name", metavar="NAME", help="the name to give it here (default: the one it has)")
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Check the file's checksum and add its run, all or nothing; where the same run is there already, say so."""
    from pytest_poisson.render.documents import dump
    from pytest_poisson.render.transfer import import_run_document, render_import_run

    store = open_store(arguments)
    known = {each.run_id for each in store.runs()}
    run_id = store.import_run(arguments.file, name=arguments.name)
    added = run_id not in known
    with store.open(run_id) as reader:
        found, accounting = reader.run, reader.accounting()
    if arguments.json:
        return Outcome(dump(import_run_document(found, accounting, added=added)))
    return Outcome(render_import_run(found, accounting, added=added, width=terminal_width()))
