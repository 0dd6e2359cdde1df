"""`pytest-poisson check`: two stored runs, compared, and a status that says whether the change may pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_comparison, add_fail_on, add_full
from pytest_poisson.cli.output import Outcome, terminal_width
from pytest_poisson.cli.statuses import GATE, PASSED, REFUSED

if TYPE_CHECKING:
    import argparse

    from pytest_poisson.analyses.check import CheckResult

HELP = "compare two stored runs and fail on the verdicts that --fail-on names"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_comparison(parser)
    add_fail_on(parser)
    add_full(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Compare two runs and decide; a comparison that measured nothing never passes."""
    from pytest_poisson.analyses.check import check
    from pytest_poisson.cli.comparison import as_text, two_runs
    from pytest_poisson.render.check_text import render_decision
    from pytest_poisson.render.diff_documents import check_document
    from pytest_poisson.render.documents import dump
    from pytest_poisson.render.layout import wrap
    from pytest_poisson.render.promises_text import promises_lines

    with two_runs(arguments) as (before, after):
        result = check(
            before,
            after,
            events=arguments.event,
            q=arguments.q,
            max_mde=arguments.max_mde,
            method=arguments.method,
            margin=arguments.margin,
            full=arguments.full,
            fail_on=arguments.fail_on,
        )
    if arguments.json:
        return Outcome(dump(check_document(result)), status=_status(result))
    promises = promises_lines(result.promises, width=terminal_width(), verbose=arguments.verbose > 0)
    parts = [as_text(result.diff, arguments), *(["\n".join(promises) + "\n"] if promises else [])]
    gate = wrap(render_decision(result.decision, result.diff.verdict), terminal_width(), rest="  ")
    return Outcome("\n".join([*parts, *gate, ""]), status=_status(result))


def _status(result: CheckResult) -> int:
    if result.decision.failed:
        return GATE
    return REFUSED if result.diff.refusal else PASSED
