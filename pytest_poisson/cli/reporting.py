"""What the commands that print a report in parts have in common."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import fraction
from pytest_poisson.cli.output import Outcome, terminal_width, use_colour
from pytest_poisson.cli.statuses import PASSED
from pytest_poisson.files import write_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from pytest_poisson.render.documents import Document
    from pytest_poisson.render.sheet import Sheet


MOST_DRAWS = 100_000
"""The most resamples or splits that a command makes: far more than any figure needs, and still within a machine."""


def add_two_runs(parser: argparse.ArgumentParser, first: str, second: str) -> None:
    """Add two runs, which must be named."""
    parser.add_argument("first", metavar=first, help="the first run, by name or id")
    parser.add_argument("second", metavar=second, help="the second run, by name or id")


def add_event(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--event`, which must be given."""
    parser.add_argument(
        "--event",
        metavar="NAME",
        action="append",
        required=True,
        help=f"{what} (repeatable; several may be joined by +)",
    )


def add_by(parser: argparse.ArgumentParser) -> None:
    """Add `--by` and `--at`."""
    parser.add_argument(
        "--by",
        choices=("kind", "step"),
        default="kind",
        help="tell deaths apart by the kind of their last step, or by its name (default: kind)",
    )
    parser.add_argument(
        "--at",
        metavar="STEP",
        type=_steps,
        action="extend",
        default=[],
        help="a step at which to read the curves (repeatable; several may be joined by commas; default: the "
        "quarters of their length)",
    )


def add_alpha(parser: argparse.ArgumentParser, what: str) -> None:
    """Add `--alpha`."""
    parser.add_argument("--alpha", metavar="A", type=fraction, default=0.05, help=f"{what} (default: 0.05)")


def add_top(parser: argparse.ArgumentParser) -> None:
    """Add `--top`."""
    parser.add_argument(
        "--top",
        metavar="N",
        type=whole_number(1),
        default=10,
        help="how many inputs the table shows, the most important first (default: 10; JSON has all)",
    )


def add_svg(parser: argparse.ArgumentParser) -> None:
    """Add `--svg`."""
    parser.add_argument("--svg", metavar="FILE", help="also draw the curves as SVG into a file")


def add_format(parser: argparse.ArgumentParser, *, verbose: bool = True) -> None:
    """Add `--json`, `--markdown` and, where the table has no `--top`, `--verbose`."""
    formats = parser.add_mutually_exclusive_group()
    formats.add_argument("--json", action="store_true", help="print JSON instead of text")
    formats.add_argument("--markdown", action="store_true", help="print Markdown instead of text")
    if verbose:
        parser.add_argument("-v", "--verbose", action="store_true", help="show every input")


def report_outcome(
    arguments: argparse.Namespace,
    *,
    sheet: Callable[[], Sheet],
    document: Callable[[], Document],
    drawing: Callable[[], str] | None = None,
    status: int = PASSED,
) -> Outcome:
    """Return a report in the form that was asked for, and write its drawing where one was.

    Raises
    ------
    UserError
        If the file cannot be written.
    """
    from pytest_poisson.render.documents import dump
    from pytest_poisson.render.sheet import as_markdown, as_text

    if drawing is not None and arguments.svg is not None:
        write_file(Path(arguments.svg), drawing())
    if arguments.json:
        return Outcome(dump(document()), status=status)
    if arguments.markdown:
        return Outcome(as_markdown(sheet()), status=status)
    return Outcome(as_text(sheet(), columns=terminal_width(), colour=use_colour()), status=status)


def whole_number(least: int, most: int | None = None) -> Callable[[str], int]:
    """Return a reader of whole numbers from `least`, and to `most` where there is one."""
    span = f"from {least}" if most is None else f"from {least} to {most}"

    def read(text: str) -> int:
        whole = text.isascii() and text.isdecimal()
        if not whole or int(text) < least or (most is not None and int(text) > most):
            raise argparse.ArgumentTypeError(f"{text!r} must be a whole number {span}")
        return int(text)

    return read


def ratio(text: str) -> float:
    """Read a finite number above 1."""
    number = _number(text)
    if not 1 < number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} must be a number above 1")
    return number


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _steps(text: str) -> list[int]:
    return [whole_number(1)(part.strip()) for part in text.split(",")]
