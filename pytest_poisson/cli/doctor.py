"""`pytest-poisson doctor`: what is installed, and what is wrong with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_json, add_store, open_store
from pytest_poisson.cli.output import Outcome, terminal_width
from pytest_poisson.cli.statuses import GATE, PASSED

if TYPE_CHECKING:
    import argparse

HELP = "say what is installed, what each extra lacks, and what is wrong with plugins or the store"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Look at the installation and the store; a problem is a gate that fails."""
    from pytest_poisson.analyses.doctor import examine
    from pytest_poisson.render.doctor_report import doctor_document, render_doctor
    from pytest_poisson.render.documents import dump

    result = examine(open_store(arguments))
    status = GATE if result.problems else PASSED
    if arguments.json:
        return Outcome(dump(doctor_document(result)), status=status)
    return Outcome(render_doctor(result, width=terminal_width()), status=status)
