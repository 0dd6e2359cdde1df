"""The command line: `pytest-poisson`."""

from pytest_poisson.cli.main import main

__all__ = ["main"]
