"""`pytest-poisson schema NAME`: the JSON Schema of a document."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from pytest_poisson.cli.output import Outcome
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    import argparse

HELP = "print the JSON Schema of a document, or without a name list the documents"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "name",
        metavar="NAME",
        nargs="?",
        help="the document, as its field `schema` says, the beginning `pytest-poisson.` left out: diff/1",
    )


def run(arguments: argparse.Namespace) -> Outcome:
    """Print the schema, or the names."""
    from pytest_poisson.shapes.schema import PREFIX, document_types, json_schema

    names = [each.removeprefix(PREFIX) for each in document_types()]
    if arguments.name is None:
        return Outcome("\n".join(names) + "\n")
    name = arguments.name.removeprefix(PREFIX)
    if name not in names:
        raise UserError(f"{arguments.name!r} is no document; there are {', '.join(names)}.")
    return Outcome(json.dumps(json_schema(PREFIX + name), indent=2) + "\n")
