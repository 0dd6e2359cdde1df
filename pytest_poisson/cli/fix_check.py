"""`pytest-poisson fix-check OLD NEW`: whether the new version fails less on the inputs that failed."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_store, fraction, open_store
from pytest_poisson.cli.reporting import (
    add_alpha,
    add_event,
    add_format,
    add_top,
    add_two_runs,
    report_outcome,
    whole_number,
)
from pytest_poisson.cli.statuses import PASSED, REFUSED, TOO_SMALL
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    import argparse

    from pytest_poisson.cli.output import Outcome

HELP = "say whether a new version fails less on the inputs that failed"
USAGE_STATUS = REFUSED


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_two_runs(parser, "OLD", "NEW")
    add_event(parser, "an outcome that counts as failing")
    inputs = parser.add_mutually_exclusive_group(required=True)
    inputs.add_argument(
        "--failing-from",
        metavar="RUN",
        help="take the inputs that failed in this run, which is neither of the two",
    )
    inputs.add_argument("--inputs", choices=("all",), help="take all inputs of either run")
    parser.add_argument(
        "--min-failures",
        metavar="M",
        type=whole_number(1),
        help="with --failing-from: how often an input must have failed there (default: 1)",
    )
    parser.add_argument(
        "--max-mde",
        metavar="X",
        type=fraction,
        required=True,
        help="the drop of the failure share, between 0 and 1, that must not go unseen",
    )
    add_alpha(parser, "level of the test; the interval is at 1 - A")
    add_top(parser)
    add_format(parser, verbose=False)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Report on two versions."""
    from pytest_poisson.analyses.fix_check import fix_check
    from pytest_poisson.render.fix_check_text import fix_check_sheet
    from pytest_poisson.render.share_documents import fix_check_document

    if arguments.min_failures is not None and arguments.inputs:
        raise UserError(
            f"--min-failures={arguments.min_failures} goes with --failing-from, not with --inputs=all."
        )
    store = open_store(arguments)
    with ExitStack() as stack:
        old, new = (stack.enter_context(store.open(name)) for name in (arguments.first, arguments.second))
        selecting = arguments.failing_from and stack.enter_context(store.open(arguments.failing_from))
        result = fix_check(
            old,
            new,
            events=arguments.event,
            failing_from=selecting,
            min_failures=arguments.min_failures or 1,
            max_mde=arguments.max_mde,
            alpha=arguments.alpha,
        )
    return report_outcome(
        arguments,
        sheet=lambda: fix_check_sheet(result, top=arguments.top),
        document=lambda: fix_check_document(result),
        status=TOO_SMALL if result.comparison.word == "too small to tell" else PASSED,
    )
