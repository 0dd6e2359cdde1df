"""From the name of a backend to the backend: one hook, which the built-in ones implement as anyone would."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    import pytest

    from pytest_poisson.backends import Backend

BUILT_IN = {"local": "pytest_poisson.backends.local", "modal": "pytest_poisson.backends.modal"}
"""The plugin that provides each name; imported only when the name is given."""


def find_backend(name: str, session: pytest.Session, workers: int | None) -> Backend:
    """Return the backend that a plugin provides under this name.

    Raises
    ------
    UserError
        If none does, or the settings are none that it can run with.
    """
    plugins = session.config.pluginmanager
    if name in BUILT_IN and not plugins.has_plugin(f"poisson-{name}"):
        plugins.register(import_module(BUILT_IN[name]), f"poisson-{name}")
    backend: Backend | None = session.config.hook.pytest_poisson_backend(
        name=name, session=session, workers=workers
    )
    if backend is None:
        raise UserError(
            f"--poisson-backend={name} names no backend; {', '.join(BUILT_IN)} and the names that installed "
            "plugins provide would be accepted."
        )
    return backend
