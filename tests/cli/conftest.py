"""The command line, run in this process."""

import pytest

from pytest_poisson.cli import main
from tests.render import scenarios


class Shell:
    """Runs `pytest-poisson` on one store and keeps what it printed."""

    def __init__(self, capsys, store):
        self.capsys = capsys
        self.store = store

    def __call__(self, command, *arguments):
        """Run a command with `--store` and return (status, stdout, stderr)."""
        return self.bare(command, *arguments, f"--store={self.store}")

    def bare(self, *arguments):
        """Run a command line as it is."""
        self.capsys.readouterr()
        status = main(list(arguments))
        printed = self.capsys.readouterr()
        return status, printed.out, printed.err


@pytest.fixture
def shell(capsys, tmp_path):
    """Return a shell on an empty store."""
    return Shell(capsys, tmp_path / "store")


@pytest.fixture
def traded(shell):
    """Return a shell on a store with a base and a patched run whose comparison is a trade."""
    scenarios.trade(shell.store)
    return shell


@pytest.fixture
def unchanged(shell):
    """Return a shell on a store with two equal runs that are large enough."""
    scenarios.equal(shell.store)
    return shell
