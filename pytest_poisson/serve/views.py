"""What each page shows: read from the store on every request, so that a sweep can be watched."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from poisson_store.names import find_run
from poisson_store.reader import RunReader
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from poisson_store import Store

COMPARISONS_SHOWN = 20
MOST_DIGITS = 9
PAGE = "report.html"


@dataclass(frozen=True, slots=True)
class Views:
    """The pages of one store.

    Attributes
    ----------
    store
        The store.
    named
        Its directory as commands must name it; None where it is the default.
    """

    store: Store
    named: str | None

    def runs(self, _: Mapping[str, str]) -> str:
        """Show what the store holds."""
        from pytest_poisson.render.browse.store_page import store_page
        from pytest_poisson.saved import list_saved

        return store_page(
            self.store.runs(), list_saved(self.store, COMPARISONS_SHOWN), store=str(self.store.path)
        )

    def run(self, query: Mapping[str, str], run: str) -> str:
        """Show one run."""
        from pytest_poisson.analyses.shares import shares
        from pytest_poisson.analyses.show import show
        from pytest_poisson.render.browse.run_page import run_page

        with self._open(run) as reader:
            result = show(reader)
        return run_page(
            result, shares(result), first=_whole_number(query.get("first", "0")), store=self.named
        )

    def condition(self, query: Mapping[str, str], run: str, key: str) -> str:
        """Show the replicates of one condition."""
        from pytest_poisson.analyses.replicates import list_replicates
        from pytest_poisson.render.browse.run_page import condition_page

        with self._open(run) as reader:
            first = _whole_number(query.get("first", "0"))
            return condition_page(list_replicates(reader, key, ending=query.get("ending"), first=first))

    def replicate(self, _: Mapping[str, str], run: str, key: str, replicate: str) -> str:
        """Show one replicate with its spans."""
        from pytest_poisson.analyses.episode_trace import trace_episode
        from pytest_poisson.analyses.replicates import condition_of
        from pytest_poisson.render.browse.replicate_page import replicate_page

        with self._open(run) as reader:
            condition = condition_of(reader, key)
            result = trace_episode(reader, condition=condition.key, replicate=_whole_number(replicate))
        return replicate_page(result, store=self.named)

    def compare(self, query: Mapping[str, str]) -> str:
        """Compare two runs, which the query names, as `pytest-poisson diff` does."""
        from pytest_poisson.analyses.diff import diff
        from pytest_poisson.render.browse.comparison_page import comparison_page
        from pytest_poisson.render.browse.frame import compare_address

        with self._open_two(query) as (before, after):
            result = diff(before, after)
            running = "running" in {before.run.status, after.run.status}
        ids = result.before.run_id, result.after.run_id
        return comparison_page(
            result,
            stored=ids,
            whole_report=None if result.refusal else compare_address(*ids, report=True),
            running=running,
            store=self.named,
        )

    def saved(self, _: Mapping[str, str], known_as: str) -> str:
        """Show a saved comparison."""
        from pytest_poisson.render.browse.comparison_page import comparison_page
        from pytest_poisson.saved import load_comparison

        result = load_comparison(self.store, known_as)
        stored = {run.run_id for run in self.store.runs() if run.problem is None}
        return comparison_page(result, stored=stored, store=self.named)

    def run_report(self, _: Mapping[str, str], run: str) -> str:
        """Show the report of one run, as `pytest-poisson report A` writes it."""
        from pytest_poisson.analyses.report_details import run_details
        from pytest_poisson.analyses.shares import shares
        from pytest_poisson.analyses.show import show
        from pytest_poisson.analyses.tokens import Prices
        from pytest_poisson.render.report_files import run_files

        with self._open(run) as reader:
            result = show(reader)
            found = shares(result)
            details = run_details(reader, found, Prices())
        return run_files(result, found, details, store=self.named)[PAGE]

    def comparison_report(self, query: Mapping[str, str]) -> str:
        """Show the report of two runs, as `pytest-poisson report A B` writes it."""
        from pytest_poisson.analyses.diff import diff
        from pytest_poisson.analyses.report_details import comparison_details
        from pytest_poisson.analyses.tokens import Prices
        from pytest_poisson.render.report_files import comparison_files

        with self._open_two(query) as (before, after):
            result = diff(before, after)
            if result.refusal:
                raise UserError(result.refusal)
            details = comparison_details(before, after, result, Prices())
        return comparison_files(result, details, store=self.named)[PAGE]

    @contextmanager
    def _open_two(self, query: Mapping[str, str]) -> Iterator[tuple[RunReader, RunReader]]:
        sides = [query.get(side, "") for side in ("before", "after")]
        if not all(sides):
            raise UserError("A comparison takes two runs, as in /compare?before=A&after=B.")
        with self._open(sides[0]) as before, self._open(sides[1]) as after:
            yield before, after

    @contextmanager
    def _open(self, name: str) -> Iterator[RunReader]:
        """Open a run of this store; a name is never taken for a path, as it is on the command line."""
        found = find_run(self.store.runs(), name, self.store.path)
        with RunReader(found.path) as reader:
            yield reader


def _whole_number(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or len(text) > MOST_DIGITS:
        raise UserError(f"{text!r} is no place in a list, nor the number of a replicate.")
    return int(text)
