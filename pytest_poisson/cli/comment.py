"""`pytest-poisson comment RESULT.json`: a result as the comment of a pull request."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pytest_poisson.cli.output import Outcome
from pytest_poisson.errors import UserError
from pytest_poisson.files import reason

if TYPE_CHECKING:
    import argparse

HELP = "print a result that was written as JSON as a Markdown comment for a pull request"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "result",
        metavar="RESULT.json",
        help="what --poisson-json, check --json, diff --json, fix-check --json or show --json wrote; an empty file is a session that "
        "ended before it had a result",
    )


def run(arguments: argparse.Namespace) -> Outcome:
    """Read the result and print the comment; one of a failed gate is a comment too."""
    from pytest_poisson.render.comment import comment
    from pytest_poisson.result_files import read_result

    try:
        text = Path(arguments.result).read_text(encoding="utf-8")
    except OSError as problem:
        raise UserError(f"File '{arguments.result}' cannot be read: {reason(problem)}.") from None
    except UnicodeDecodeError:
        raise UserError(f"File '{arguments.result}' is not JSON: it is no UTF-8 text.") from None
    return Outcome(comment(read_result(text, arguments.result)))
