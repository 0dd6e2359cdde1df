"""Whether a document that is read back has the types that its schema says."""

from __future__ import annotations

from functools import cache
from reprlib import repr as in_short
from typing import TYPE_CHECKING, Any, Literal, get_args, get_origin, get_type_hints, is_typeddict

from pytest_poisson.shapes.schema import document_types

if TYPE_CHECKING:
    from collections.abc import Iterable


def require_types(document: Any, stated: str) -> None:
    """Require of a document that what it has is of the type that is declared for it.

    A field that it lacks, or has beyond, is its reader's business: an earlier version may have written fewer.

    Parameters
    ----------
    document
        As it was read from JSON.
    stated
        What its `schema` field says.

    Raises
    ------
    TypeError
        Naming the first place where something else stands.
    """
    misfits = [_misfit(document, shape) for shape in _types()[stated]]
    if all(misfits):
        raise TypeError(misfits[0])


_types = cache(document_types)
_fields = cache(get_type_hints)
_is_object = cache(is_typeddict)


@cache
def _origin(kind: Any) -> Any:
    return get_origin(kind)


@cache
def _arguments(kind: Any) -> tuple[Any, ...]:
    return get_args(kind)


@cache
def _plain(kind: Any) -> tuple[type, ...]:
    """Return the types without parts that a value may be of; a whole number is a number, too."""
    each = _arguments(kind) or (kind,)
    plain = tuple(
        one for one in each if isinstance(one, type) and not _is_object(one) and _origin(one) is None
    )
    return (*plain, int) if float in plain else plain


def _misfit(value: Any, kind: Any) -> str:
    """Return the first place in a value that is not of its type, and what stands there; empty where there is none."""
    if kind is Any:
        return ""
    if not _is_object(kind) and _origin(kind) not in (list, dict):
        return _misfit_of_one(value, kind)
    if not isinstance(value, list if _origin(kind) is list else dict):
        return _wrong(value)
    for place, its in _parts(value, kind):
        if misfit := _misfit(value[place], its):
            return f"/{place}{misfit}"
    return ""


def _parts(value: Any, kind: Any) -> Iterable[tuple[Any, Any]]:
    """Return the places in a list or an object, each with its type."""
    if _is_object(kind):
        return ((name, its) for name, its in _fields(kind).items() if name in value)
    its = _arguments(kind)[-1]
    return ((place, its) for place in (range(len(value)) if isinstance(value, list) else value))


def _misfit_of_one(value: Any, kind: Any) -> str:
    """Do the same for one of some words, a plain type, or one of several types."""
    if _origin(kind) is Literal:
        return "" if value in _arguments(kind) else _wrong(value)
    plain = _plain(kind)
    if isinstance(value, plain) and (not isinstance(value, bool) or bool in plain):
        return ""
    misfits = [_misfit(value, each) for each in _arguments(kind) if each not in plain] or [_wrong(value)]
    return max(misfits, key=lambda misfit: misfit.count("/")) if all(misfits) else ""


def _wrong(value: Any) -> str:
    return f" is {in_short(value)}"
