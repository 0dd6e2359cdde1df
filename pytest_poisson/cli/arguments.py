"""Arguments that several commands take."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_poisson import fail_on
from pytest_poisson.errors import UserError
from pytest_poisson.methods import METHODS
from pytest_poisson.option import BadValueError, parse_fraction

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store import Store
    from pytest_poisson.fail_on import FailWord

DEFAULT_STORE = ".poisson"


class _UpToTwo(argparse.Action):
    """Takes two values or none; or, with a least of 1, one as well, which the command judges by its other options."""

    def __init__(self, *arguments: Any, least: int = 2, **choices: Any) -> None:
        super().__init__(*arguments, **choices)
        self.least = least

    def __call__(
        self,
        parser: argparse.ArgumentParser,  # noqa: ARG002 (argparse's signature)
        namespace: argparse.Namespace,
        values: str | Sequence[object] | None,
        option_string: str | None = None,  # noqa: ARG002 (argparse's signature)
    ) -> None:
        given = list(values or ())
        if given and not self.least <= len(given) <= 2:
            raise argparse.ArgumentError(self, f"takes two runs or none, not {len(given)}")
        setattr(namespace, self.dest, given)


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON instead of text")


def add_store(parser: argparse.ArgumentParser) -> None:
    """Add `--store`."""
    parser.add_argument(
        "--store",
        metavar="DIR",
        default=None,
        help=f"directory of stored runs (default: $POISSON_STORE, else poisson_store of pytest's configuration, else {DEFAULT_STORE}; here or in a folder above)",
    )


def add_comparison(parser: argparse.ArgumentParser, *, least: int = 2) -> None:
    """Add the two runs and how they are compared; `least` as for `add_two_or_none`."""
    add_two_or_none(parser, least=least)
    add_events(parser)
    add_method(parser)
    add_levels(parser)
    parser.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=0,
        help="show every row, flagged ones with their interval; -vv: each with its interval",
    )
    add_json(parser)
    add_store(parser)


def add_two_or_none(parser: argparse.ArgumentParser, *, least: int = 2) -> None:
    """Add two runs, or none for those that are meant by none; with a `least` of 1 a single one is not refused here."""
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="*",
        action=_UpToTwo,
        least=least,
        help="the run before and the run after, by name, id, the beginning of an id, or 'latest' (default: the "
        "newest complete run of a whole suite and the one it was paired with, else the one before it)",
    )


def add_full(parser: argparse.ArgumentParser) -> None:
    """Add `--full`."""
    parser.add_argument(
        "--full",
        action="store_true",
        help="also test the comparison as a whole, and walk down to the axis values and conditions that changed",
    )


def add_method(parser: argparse.ArgumentParser) -> None:
    """Add `--method` and `--margin`."""
    parser.add_argument(
        "--method",
        choices=tuple(METHODS),
        help="the test, and the procedure of the flags (default: what the second run was swept with, else mcnemar_bh for "
        "paired runs and fisher_bh for others)",
    )
    parser.add_argument(
        "--margin",
        metavar="X",
        type=fraction,
        help="the largest change that does not matter: say 'within the margin' where every row is (default: what the "
        "second run was swept with)",
    )


def add_events(parser: argparse.ArgumentParser) -> None:
    """Add `--event`; without it those are meant that the run was swept with, or the declared failures."""
    parser.add_argument(
        "--event",
        metavar="NAME",
        action="append",
        help="an outcome whose rate is compared, or several joined by + (repeatable; default: what the run, of two the "
        "second, was swept with, else the declared failures)",
    )


def add_levels(parser: argparse.ArgumentParser) -> None:
    """Add `--q` and `--max-mde`."""
    parser.add_argument(
        "--q",
        metavar="X",
        type=fraction,
        help="error level of flags and verdict (default: what the run, of two the second, was swept with, else 0.05)",
    )
    parser.add_argument(
        "--max-mde",
        metavar="X",
        type=fraction,
        help="the smallest change in an event's rate that matters (default: what the run, of two the second, was swept "
        "with, else 0.20)",
    )


def add_fail_on(parser: argparse.ArgumentParser) -> None:
    """Add `--fail-on`."""
    parser.add_argument(
        "--fail-on",
        metavar="WORDS",
        type=_fail_on,
        default=fail_on.DEFAULT,
        help=f"what fails: {', '.join(fail_on.FAIL_WORDS)}, joined by commas, or never (default: worse)",
    )


def refuse_choices(arguments: argparse.Namespace, known_as: str) -> None:
    """Refuse, for a saved comparison, what says how runs are compared.

    Raises
    ------
    UserError
        If any of it was given.
    """
    plain = {
        "event": None,
        "method": None,
        "margin": None,
        "q": None,
        "max_mde": None,
        "full": False,
        "save": False,
    }
    for name, default in plain.items():
        if getattr(arguments, name, default) != default:
            raise UserError(
                f"--{name.replace('_', '-')} does not go with '{known_as}', a saved comparison, which is printed as it was "
                "made; name its two runs to compare them in another way."
            )


def open_store(arguments: argparse.Namespace) -> Store:
    """Return the store that `--store`, else `POISSON_STORE`, else the default names."""
    from poisson_store import Store

    return Store(store_path(arguments))


def store_path(arguments: argparse.Namespace) -> str:
    """Return the store's directory."""
    return arguments.store or os.environ.get("POISSON_STORE") or _nearest_store()


def _nearest_store() -> str:
    """Return the store here or in a folder above, since sessions keep theirs in the root directory; else one here.

    In each folder the one that pytest's configuration names comes first; a repository's folder is the last that is
    looked into.
    """
    from pytest_poisson.cli.configured_store import configured_store

    here = Path.cwd()
    for folder in (here, *here.parents):
        if configured := configured_store(folder):
            return os.path.relpath(configured) if folder == here else str(configured)
        if (folder / DEFAULT_STORE).is_dir():
            return DEFAULT_STORE if folder == here else str(folder / DEFAULT_STORE)
        if (folder / ".git").exists():
            break
    return DEFAULT_STORE


def named_store(arguments: argparse.Namespace) -> str | None:
    """Return the store's directory where a command to type next must name it."""
    store: str | None = arguments.store
    return store


def fraction(text: str) -> float:
    """Read a number strictly between 0 and 1."""
    try:
        return parse_fraction(text)
    except BadValueError as refusal:
        raise argparse.ArgumentTypeError(f"{text!r} {refusal}") from None


def _fail_on(text: str) -> tuple[FailWord, ...]:
    try:
        return fail_on.parse_fail_on(text)
    except UserError as refusal:
        raise argparse.ArgumentTypeError(str(refusal)) from None
