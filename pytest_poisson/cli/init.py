"""`pytest-poisson init`: a small rollout suite to try, which needs no key and no network."""

from __future__ import annotations

import shlex
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_json
from pytest_poisson.cli.output import Outcome
from pytest_poisson.errors import UserError
from pytest_poisson.files import reason

if TYPE_CHECKING:
    import argparse

HELP = "write a small rollout suite to try"
SUITE = "test_agent.py"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "directory", metavar="DIR", nargs="?", default=".", help="where to write (default: here)"
    )
    add_json(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Write the suite, unless a file of its name is there."""
    from pytest_poisson.render.documents import dump, init_document

    suite = Path(arguments.directory) / SUITE
    write_suite(suite)
    commands = commands_to_try(suite)
    if arguments.json:
        return Outcome(dump(init_document(str(suite), commands)))
    first, second = commands
    return Outcome(
        f"Wrote {suite}: a mock agent, and a variant of it that retries a failed call.\n\n"
        f"Measure it, then measure the variant on the same seeds and compare:\n\n  {first}\n  {second}\n"
    )


def write_suite(suite: Path) -> None:
    """Write the suite to a file that must not exist.

    Raises
    ------
    UserError
        If it exists or cannot be written.
    """
    text = files("pytest_poisson.cli").joinpath("starter", SUITE).read_text(encoding="utf-8")
    try:
        suite.parent.mkdir(parents=True, exist_ok=True)
        with suite.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as problem:
        if suite.exists():
            raise UserError(f"File '{suite}' exists; name another directory.") from None
        raise UserError(f"File '{suite}' cannot be written: {reason(problem)}.") from None


def commands_to_try(suite: Path) -> tuple[str, str]:
    """Return the two commands of the main job."""
    name = suite.as_posix()
    return (
        shlex.join(["pytest", name, "--poisson-sweep"]),
        shlex.join(["pytest", name, "--poisson-pair-with=latest", "--poisson-variant", "policy=retry"]),
    )
