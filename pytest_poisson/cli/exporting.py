"""`pytest-poisson export RUN FILE`: one run as one file, to carry to another machine or to read elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_json, add_store, open_store
from pytest_poisson.cli.output import Outcome, terminal_width
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    import argparse

HELP = "write one run as one file: with a checksum for import-run, or as JSON Lines where it ends in .jsonl"
LINES = (".jsonl", ".ndjson")
TABLES = (".csv", ".tsv", ".json", ".parquet", ".feather", ".arrow", ".xlsx")
"""What a file of ours would not be, whatever its name says."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("run", metavar="RUN", help="the run, by name or id, or 'latest'")
    parser.add_argument(
        "file", metavar="FILE", help=f"a new file; one that ends in {LINES[0]} gets an episode a line"
    )
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Write the file, all or nothing."""
    from pytest_poisson.render.documents import dump
    from pytest_poisson.render.transfer import export_document, render_export

    store, file = open_store(arguments), Path(arguments.file)
    suffix = file.suffix.lower()
    if suffix in TABLES:
        raise UserError(
            f"export writes no {suffix} file, as the name {file.name} asks for: give one that ends in {LINES[0]}, or in "
            "anything else for a file that import-run reads; open_run(…).to_pandas() gives tables."
        )
    with store.open(arguments.run) as reader:
        found = reader.run
        if suffix in LINES:
            from poisson_store.export_lines import export_lines

            export_lines(reader, file)
        else:
            store.export_run(found.run_id, file)
        accounting = reader.accounting()
    if arguments.json:
        return Outcome(dump(export_document(found, accounting, str(file))))
    return Outcome(render_export(found, accounting, str(file), width=terminal_width()))
