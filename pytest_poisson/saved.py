"""Comparisons that a store keeps by their id: saved, listed, and read back without the runs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from poisson_store.errors import StoreError, UnknownRunError
from pytest_poisson.analyses.comparison_id import comparison_id
from pytest_poisson.errors import not_whole
from pytest_poisson.render.diff_documents import DIFF_SCHEMA, diff_document

if TYPE_CHECKING:
    from poisson_store import Store
    from pytest_poisson.analyses.diff_result import DiffResult


@dataclass(frozen=True, slots=True)
class SavedComparison:
    """One saved comparison in a few words.

    Attributes
    ----------
    id
        Its id.
    saved_at
        When it was saved last, ISO 8601, UTC.
    before, after
        The names of its runs; empty where it cannot be read.
    verdict
        Its word; empty where it cannot be read.
    problem
        Why it cannot be read; else None.
    """

    id: str
    saved_at: str
    before: str = ""
    after: str = ""
    verdict: str = ""
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class SavedComparisons:
    """What a store keeps of comparisons, newest first.

    Attributes
    ----------
    shown
        Those that were looked at.
    more
        How many older ones there are.
    problem
        Why none can be listed; else None.
    """

    shown: tuple[SavedComparison, ...] = ()
    more: int = 0
    problem: str | None = None


def save_comparison(store: Store, result: DiffResult) -> str:
    """Keep a comparison in its store and return its id; the same comparison again replaces it.

    Raises
    ------
    StoreError
        If the store cannot be written.
    """
    known_as = comparison_id(result)
    store.save_comparison(known_as, diff_document(result))
    return known_as


def try_to_save(store: Store, result: DiffResult) -> tuple[str, str]:
    """Save a comparison and return its id and nothing, or nothing and the sentence that says why it was not saved."""
    try:
        return save_comparison(store, result), ""
    except StoreError as refusal:
        return "", f"The comparison was not saved: {refusal}"


def load_document(store: Store, known_as: str) -> dict[str, Any]:
    """Return the JSON document of a saved comparison, found by its id or the unique beginning of one.

    Raises
    ------
    StoreError
        If there is none or more than one, or it cannot be read.
    """
    document = dict(store.comparison(known_as))
    if document.get("schema") != DIFF_SCHEMA:
        raise StoreError(
            f"Comparison {known_as} has the schema {document.get('schema')!r}; this version reads {DIFF_SCHEMA}."
        )
    return document


def load_comparison(store: Store, known_as: str) -> DiffResult:
    """Return a saved comparison, found by its id or the unique beginning of one.

    Raises
    ------
    StoreError
        If there is none or more than one, or it cannot be read.
    """
    from pytest_poisson.result_files import read_diff
    from pytest_poisson.shapes.fit import require_types

    document = load_document(store, known_as)
    try:
        require_types(document, DIFF_SCHEMA)
        return read_diff(document)
    except (LookupError, TypeError, ValueError, AttributeError) as problem:
        raise StoreError(not_whole(f"Comparison {known_as}", DIFF_SCHEMA, problem)) from None


def list_saved(store: Store, most: int | None = None) -> SavedComparisons:
    """List the newest saved comparisons, at most so many; one that cannot be read says why."""
    try:
        known = store.comparisons()
    except StoreError as refusal:
        return SavedComparisons(problem=str(refusal))
    shown = tuple(_in_short(store, *each) for each in islice(known.items(), most))
    return SavedComparisons(shown, len(known) - len(shown))


def means_saved(store: Store, name: str) -> bool:
    """Tell whether a name means a saved comparison, by its id or the unique beginning of one; a run goes before it."""
    try:
        store.resolve(name)
    except UnknownRunError:
        return bool(name) and sum(each.startswith(name) for each in store.comparisons()) == 1
    return False


def _in_short(store: Store, known_as: str, saved_at: str) -> SavedComparison:
    try:
        document = load_document(store, known_as)
        before, after, verdict = document["before"]["name"], document["after"]["name"], document["verdict"]
        return SavedComparison(known_as, saved_at, str(before), str(after), str(verdict))
    except StoreError as refusal:
        return SavedComparison(known_as, saved_at, problem=str(refusal))
    except (LookupError, TypeError) as problem:
        return SavedComparison(
            known_as, saved_at, problem=not_whole(f"Comparison {known_as}", DIFF_SCHEMA, problem)
        )
