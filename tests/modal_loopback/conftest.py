"""The plane for a test, and a session that finds it."""

import os
import warnings
from importlib import import_module

import pytest

NOT_INSTALLED = "Modal's client is not installed: pip install 'pytest-poisson[modal]'"


@pytest.fixture(scope="session", autouse=True)
def _client():
    """Import the client once, before any session inside this one can forget that it was."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the client's own, at import
        pytest.importorskip("modal", reason=NOT_INSTALLED)
        import_module("tests.modal_loopback.plane")


@pytest.fixture
def plane(monkeypatch):
    """Give a control plane that the client in this process, and in those it starts, takes for Modal's."""
    from tests.modal_loopback.plane import LoopbackModal

    with LoopbackModal() as plane:
        for name, value in plane.environment.items():
            monkeypatch.setenv(name, value)
        plane.container_environment = {"PYTEST_ADDOPTS": os.environ.get("PYTEST_ADDOPTS", "")}
        yield plane
        _disconnect()
        assert not plane.unserved, (
            f"the client asked for what the plane does not serve: {sorted(plane.unserved)}"
        )
        assert not plane.errors, plane.errors[0]


def _disconnect():
    """Close the client that Modal keeps for the process, which would stay connected to this plane."""
    import modal.client

    if modal.client._Client._client_from_env is not None:
        client = modal.Client.from_env()
        (client.close if hasattr(client, "close") else client._close)()  # before 1.6 it was private
        modal.client._Client._client_from_env = None
