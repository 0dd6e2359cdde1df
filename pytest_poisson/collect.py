"""From collected pytest items to conditions: what is a rollout, and what is refused as one."""

from __future__ import annotations

import inspect
import unittest
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_poisson.conditions import Condition, condition_key, encode_axis
from pytest_poisson.declaration import Declaration, declare
from pytest_poisson.errors import UserError
from pytest_poisson.pytest_internals import AxisReader, fixture_module, has_foreign_hooks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

MARK = "rollout"
FIXTURE = "rollout"
REPETITION = "__pytest_repeat_step_number"
"""What pytest-repeat parametrizes a test with."""

SOFT_FAILURES = ("_pytest.subtests", "pytest_subtests", "pytest_check")
"""Modules whose fixtures catch what fails and tell pytest afterwards: the test function itself returns."""


@dataclass(frozen=True)
class CollectedCondition:
    """One condition: the item that runs it, its axes and key, what its rollout declares, and where it is defined."""

    item: pytest.Function
    condition: Condition
    declaration: Declaration
    place: tuple[str, int, tuple[int, ...], str]


def is_rollout(item: pytest.Item) -> bool:
    """Tell whether an item carries the mark."""
    return item.get_closest_marker(MARK) is not None


def collect_conditions(items: Iterable[pytest.Item]) -> list[CollectedCondition]:
    """Return the conditions among items, in the order of their definition, whatever has reordered the items.

    Raises
    ------
    UserError
        If a marked item cannot be a rollout, a declaration or an axis value cannot be used, or two items
        are the same condition.
    """
    reader = AxisReader()
    found = sorted(
        (_collect(item, reader) for item in items if is_rollout(item)), key=lambda each: each.place
    )
    _refuse_twins(found)
    return found


def _collect(item: pytest.Item, reader: AxisReader) -> CollectedCondition:
    function = _refuse_what_is_no_rollout(item)
    marks = []
    for mark in item.iter_markers(MARK):
        if mark.args:
            raise UserError(
                f"The rollout mark of {item.nodeid} takes keyword arguments only, not {mark.args[0]!r}."
            )
        marks.append(mark.kwargs)
    declaration = declare(marks, default_id=_default_id(function), where=item.nodeid)
    values = reader.read(function)
    try:
        axes = {name: encode_axis(name, each.value, each.given_id) for name, each in values.items()}
    except UserError as refusal:
        raise UserError(f"{item.nodeid}: {refusal}") from None
    key = condition_key(declaration.id, axes)
    path, line, _ = item.location
    place = (path, line or 0, tuple(each.place for each in values.values()), key)
    shared = _shared_seed_axes(item, declaration, axes)
    condition = Condition(key, declaration.id, axes, item.nodeid, shared)
    return CollectedCondition(function, condition, declaration, place)


def _shared_seed_axes(item: pytest.Item, declaration: Declaration, axes: Collection[str]) -> tuple[str, ...]:
    """Return the axes that are left out of the seed; a name that is no axis would pair nothing, unseen."""
    for name in declaration.shared_seed_axes:
        if name not in axes:
            raise UserError(
                f"shared_seed_axes={list(declaration.shared_seed_axes)!r} on the rollout mark of {item.nodeid} holds "
                f"{name!r}, which is none of its axes: {', '.join(axes) or 'it has none'}."
            )
    return declaration.shared_seed_axes


def _default_id(item: pytest.Function) -> str:
    """Return the path relative to the root directory and the qualified name, without parameters."""
    parent = item.parent.nodeid if item.parent is not None else ""
    return f"{parent}::{item.originalname}"


def _refuse_what_is_no_rollout(item: pytest.Item) -> pytest.Function:
    cls = getattr(item, "cls", None)
    if cls is not None and issubclass(cls, unittest.TestCase):
        raise UserError(
            f"{item.nodeid} is a method of a unittest.TestCase, which takes no fixtures and cannot be a rollout; "
            "make it a function or a method of a plain class."
        )
    if not isinstance(item, pytest.Function):
        raise UserError(f"{item.nodeid} is of type {type(item).__name__}; a rollout is a test function.")
    if item.get_closest_marker("xfail") is not None:
        raise UserError(
            f"{item.nodeid} is marked xfail, which has no meaning for a rollout; declare the outcome it may end with."
        )
    if REPETITION in getattr(getattr(item, "callspec", None), "params", {}):
        raise UserError(
            f"{item.nodeid} is marked to be repeated by pytest-repeat; --poisson-replicates, or replicates on the rollout "
            "mark, says how often a condition runs."
        )
    owner = fixture_module(item, FIXTURE)
    if FIXTURE in item.fixturenames and owner != "pytest_poisson.plugin":
        raise UserError(
            f"{item.nodeid} takes the fixture 'rollout' that {owner} defines, which hides the one of "
            "pytest-poisson; rename it."
        )
    if inspect.iscoroutinefunction(item.function) and not _has_runner(item):
        raise UserError(
            f"{item.nodeid} is a coroutine that nothing would await; install pytest-asyncio or anyio and mark it."
        )
    for name in item.fixturenames:
        if (fixture_module(item, name) or "").startswith(SOFT_FAILURES):
            raise UserError(
                f"{item.nodeid} takes the fixture {name!r}, which catches what fails, so that every replicate would pass; "
                "let assertions end it, or rollout.end."
            )
    if getattr(item.function, "is_hypothesis_test", False):
        raise UserError(
            f"{item.nodeid} is a @given test, whose examples are no replicates; draw from rollout.rng instead."
        )
    return item


def _has_runner(item: pytest.Function) -> bool:
    """Tell whether a plugin runs this coroutine function: its own item class, or anyio's or another's mark."""
    if type(item) is not pytest.Function or "anyio_backend" in item.fixturenames:
        return True
    return has_foreign_hooks(item, "pytest_pyfunc_call")


def _refuse_twins(found: list[CollectedCondition]) -> None:
    by_key: dict[str, CollectedCondition] = {}
    by_rollout: dict[str, CollectedCondition] = {}
    for each in found:
        twin = by_key.setdefault(each.condition.key, each)
        if twin is not each:
            raise UserError(
                f"{each.item.nodeid} and {twin.item.nodeid} are the same condition: the same rollout "
                f"{each.declaration.id!r} with the same axis values; remove one or give its rollout an id of its own."
            )
        first = by_rollout.setdefault(each.declaration.id, each)
        if first.declaration != each.declaration:
            raise UserError(
                f"{each.item.nodeid} and {first.item.nodeid} name their rollout {each.declaration.id!r} but declare "
                "different things; give one of them an id of its own."
            )
