"""`pytest-poisson baseline`: names for runs to compare with, as in `--poisson-pair-with=@main`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_json, add_store, open_store
from pytest_poisson.cli.output import Outcome
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    import argparse

HELP = "let @NAME mean a stored run: baseline set NAME RUN, baseline remove NAME, baseline list"
USES = {"set": 2, "remove": 1, "list": 0}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument("action", choices=tuple(USES), help="what to do")
    parser.add_argument(
        "words", metavar="NAME [RUN]", nargs="*", help="the baseline's name, and the run it is to mean"
    )
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Set, remove or list baselines."""
    from pytest_poisson.render.documents import dump

    store, words = open_store(arguments), arguments.words
    if len(words) != USES[arguments.action]:
        expected = {"set": "a name and a run", "remove": "a name", "list": "nothing"}[arguments.action]
        raise UserError(f"baseline {arguments.action} takes {expected}, not {' '.join(words) or 'nothing'}.")
    name = words[0].removeprefix("@") if words else ""
    if arguments.action == "set":
        store.set_baseline(name, words[1])
    elif arguments.action == "remove":
        store.remove_baseline(name)
    baselines = store.baselines()
    if arguments.json:
        return Outcome(dump({"schema": "pytest-poisson.baselines/1", "baselines": baselines}))
    lines = [f"@{each} is run {run_id}" for each, run_id in sorted(baselines.items())]
    return Outcome("\n".join(lines or ["There are no baselines."]) + "\n")
