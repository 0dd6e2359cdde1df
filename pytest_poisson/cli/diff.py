"""`pytest-poisson diff`: two stored runs, or two values of an axis of one, compared; or a saved comparison again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_poisson.cli.arguments import add_comparison, add_full, open_store, refuse_choices
from pytest_poisson.cli.output import Outcome
from pytest_poisson.cli.statuses import REFUSED, USAGE

if TYPE_CHECKING:
    import argparse

    from pytest_poisson.analyses.diff_result import DiffResult

HELP = "compare two stored runs, or two values of an axis of one, or print a saved comparison by its id"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_comparison(parser, least=1)
    add_full(parser)
    parser.add_argument(
        "--along",
        metavar="AXIS=A:B",
        help="compare, in one run (default: latest), the conditions with value A of an axis with those with value B",
    )
    parser.add_argument("--save", action="store_true", help="keep the comparison in the store, by its id")


def run(arguments: argparse.Namespace) -> Outcome:
    """Compare; where nothing can be compared, say why and print no report."""
    from pytest_poisson.cli.comparison import as_text
    from pytest_poisson.render.diff_documents import diff_document
    from pytest_poisson.render.documents import dump
    from pytest_poisson.saved import try_to_save

    if arguments.along and len(arguments.runs) > 1:
        return Outcome(complaint="diff takes one run or none with --along, not 2.", status=USAGE)
    if len(arguments.runs) == 1 and not arguments.along:
        return _saved(arguments)
    result = _along(arguments) if arguments.along else _runs(arguments)
    if result.refusal:
        return Outcome(complaint=f"{result.verdict}: {result.refusal}", status=REFUSED)
    text = dump(diff_document(result)) if arguments.json else as_text(result, arguments)
    if not arguments.save:
        return Outcome(text)
    known_as, complaint = try_to_save(open_store(arguments), result)
    said = f"\nSaved as comparison {known_as}.\n" if known_as and not arguments.json else ""
    return Outcome(f"{text}{said}", complaint)


def _saved(arguments: argparse.Namespace) -> Outcome:
    """Print a saved comparison as it was saved; how it was made cannot be asked for again."""
    from pytest_poisson.cli.comparison import as_text
    from pytest_poisson.render.documents import dump
    from pytest_poisson.saved import load_comparison, load_document, means_saved

    (name,), store = arguments.runs, open_store(arguments)
    if not means_saved(store, name):
        return Outcome(
            complaint=f"diff takes two runs or none, not 1, and '{name}' is no saved comparison.",
            status=USAGE,
        )
    refuse_choices(arguments, name)
    if arguments.json:
        return Outcome(dump(load_document(store, name)))
    return Outcome(as_text(load_comparison(store, name), arguments))


def _runs(arguments: argparse.Namespace) -> DiffResult:
    from pytest_poisson.analyses.diff import diff
    from pytest_poisson.cli.comparison import two_runs

    with two_runs(arguments) as (before, after):
        return diff(before, after, **_choices(arguments))


def _along(arguments: argparse.Namespace) -> DiffResult:
    from pytest_poisson.analyses.along import diff_along

    (name,) = arguments.runs or ("latest",)
    with open_store(arguments).open(name) as reader:
        return diff_along(reader, arguments.along, **_choices(arguments))


def _choices(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return how a comparison was asked for."""
    return {
        "events": arguments.event,
        "q": arguments.q,
        "max_mde": arguments.max_mde,
        "method": arguments.method,
        "margin": arguments.margin,
        "full": arguments.full,
    }
