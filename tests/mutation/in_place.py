"""Puts a change in the place of what is loaded, so that tests that were collected before run it."""

from __future__ import annotations

import contextlib
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.mutation.changes import Change


def put_in_place(module: str, change: Change) -> None:
    """Make the module's functions do what the changed ones do, whoever holds them, and forget what was computed."""
    loaded = sys.modules[module]
    source = Path(loaded.__file__).read_text(encoding="utf-8")
    fresh = types.ModuleType(module)
    fresh.__dict__.update({name: value for name, value in vars(loaded).items() if name.startswith("__")})
    exec(compile(change.made(source), loaded.__file__, "exec"), vars(fresh))
    ours = [
        each
        for name, each in list(sys.modules.items())
        if name.startswith(("poisson_", "pytest_poisson", "tests"))
    ]
    for name, new in vars(fresh).items():
        old = vars(loaded).get(name)
        if name.startswith("__") or new is old or _adopted(old, new, module):
            continue
        for other in ours:
            if vars(other).get(name) is old:
                setattr(other, name, new)
    for other in ours:
        for value in list(vars(other).values()):
            if hasattr(value, "cache_clear"):
                value.cache_clear()


def _adopted(old: object, new: object, module: str) -> bool:
    if isinstance(new, type):
        for name, attribute in vars(new).items():
            if not name.startswith("__") or isinstance(attribute, types.FunctionType):
                before = vars(old).get(name)
                if isinstance(attribute, types.MemberDescriptorType):  # a slot: the new class's alone
                    continue
                if not _adopted(before, attribute, module) and before is not attribute:
                    with contextlib.suppress(AttributeError):
                        setattr(old, name, attribute)
        return new.__module__ == module
    old, new = (
        getattr(getattr(each, "fget", each), "__func__", getattr(each, "fget", each)) for each in (old, new)
    )
    old, new = getattr(old, "__wrapped__", old), getattr(new, "__wrapped__", new)
    if not isinstance(old, types.FunctionType) or not isinstance(new, types.FunctionType):
        return False
    old.__code__, old.__defaults__, old.__kwdefaults__ = new.__code__, new.__defaults__, new.__kwdefaults__
    return True
