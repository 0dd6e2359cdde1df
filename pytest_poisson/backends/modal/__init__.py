"""The Modal backend, as the plugin that answers to its name; Modal itself is imported when a sweep starts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from pytest_poisson.backends import Backend


def pytest_poisson_backend(name: str, session: pytest.Session) -> Backend | None:
    """Provide `modal`: containers on the user's own account."""
    if name != "modal":
        return None
    from pytest_poisson.backends.modal.backend import modal_backend

    return modal_backend(session.config)
