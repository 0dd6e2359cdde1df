"""`pytest-poisson merge`: join shards, or selections of one suite, into one run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import add_json, add_store, open_store
from pytest_poisson.cli.stored import describe_stored
from pytest_poisson.render.formatting import printable

if TYPE_CHECKING:
    import argparse

    from poisson_store.records import RunRecord
    from pytest_poisson.cli.output import Outcome

HELP = "join parts of one design (shards, selections) into a new run"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command takes."""
    parser.add_argument(
        "runs", metavar="RUN", nargs="+", help="the parts; they must share salt and declarations"
    )
    parser.add_argument("--name", default="", help="name of the new run (default: its run id)")
    add_json(parser)
    add_store(parser)


def run(arguments: argparse.Namespace) -> Outcome:
    """Merge the parts."""
    store = open_store(arguments)
    merged = store.merge(arguments.runs, name=arguments.name)
    outcome = describe_stored(store, merged, json=arguments.json)
    with store.open(merged) as reader:
        return replace(outcome, complaint=_several_commits(reader.run))


def _several_commits(merged: RunRecord) -> str:
    """Say where parts were swept with different code, as far as git tells; empty where not."""
    from poisson_store.merge import parts_of
    from pytest_poisson.environment import commit_of

    parts = [(part["name"], commit_of(part["environment"].get("git"))) for part in parts_of(merged)]
    known = [(name, commit) for name, commit in parts if commit is not None]
    if len({commit for _, commit in known}) < 2:
        return ""
    told = ", ".join(f"{printable(name)} on {commit}" for name, commit in known)
    return f"note: the parts were swept on different commits, and the new run is of all of them: {told}."
