"""The two runs that `diff` and `check` are about, and how their comparison is printed."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from pytest_poisson.cli.arguments import named_store, open_store
from pytest_poisson.cli.output import terminal_width, use_colour

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from poisson_store import RunReader
    from pytest_poisson.analyses.diff_result import DiffResult


@contextmanager
def two_runs(arguments: argparse.Namespace) -> Iterator[tuple[RunReader, RunReader]]:
    """Open the two runs that were named, or those that are meant where none was.

    Raises
    ------
    UserError, StoreError
        If they cannot be found or read.
    """
    from pytest_poisson.analyses.runs import newest_pair

    store = open_store(arguments)
    before, after = arguments.runs or newest_pair(store)
    with store.open(before) as first, store.open(after) as second:
        yield first, second


def as_text(result: DiffResult, arguments: argparse.Namespace) -> str:
    """Return the comparison as text."""
    from pytest_poisson.render.diff_text import render_diff

    return render_diff(
        result,
        width=terminal_width(),
        colour=use_colour(),
        verbose=arguments.verbose,
        store=named_store(arguments),
    )
