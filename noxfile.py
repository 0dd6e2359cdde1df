"""The matrix of versions that we claim: `nox` runs all of it on the Pythons that the machine has.

`nox -s quick` is what `.ci/run` runs: the oldest of everything in one cell, every neighbour in another.
`nox -l` lists the cells; what follows `--` goes to pytest in place of the cell's tests.
"""

from __future__ import annotations

import sys

import nox

PYTHONS = ("3.10", "3.11", "3.12", "3.13", "3.14")
PYTESTS = {"8.2": "pytest==8.2.*", "8.4": "pytest==8.4.*", "newest": "pytest"}
TOOLS = ("hypothesis>=6.100", "jsonschema>=4.18", "pytest-asyncio>=1.0", "pytest-xdist>=3.6")
NEIGHBOURS = (
    "anyio",
    "pytest-benchmark",
    "pytest-cov",
    "pytest-django",
    "pytest-randomly",
    "pytest-repeat",
    "pytest-rerunfailures",
    "pytest-timeout",
    "syrupy",
)
SESSION = (
    "tests/plugin/test_declaration.py",
    "tests/plugin/test_endings.py",
    "tests/plugin/test_options.py",
    "tests/plugin/test_seeds.py",
)
FIGURES = (
    "tests/cli/test_cli_statuses.py",
    "tests/stats/test_comparison.py",
    "tests/store/test_store_round_trips.py",
)
BESIDE = ("tests/plugin/test_async.py", "tests/plugin/test_neighbours.py")
VERSIONS = """
import platform, numpy, pluggy, pytest, scipy
print("Python", platform.python_version(), *(f"{each.__name__} {each.__version__}" for each in (pytest, pluggy, numpy, scipy)))
"""

nox.options.default_venv_backend = "uv"
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False
nox.options.reuse_venv = "yes"
nox.options.sessions = ["newest", "oldest"]


@nox.session(tags=["matrix"])
@nox.parametrize("pytest", list(PYTESTS))
@nox.parametrize("python", PYTHONS)
def newest(session: nox.Session, pytest: str) -> None:
    """Test with the newest NumPy and SciPy and every neighbour, on one pytest."""
    session.install("-e", ".", PYTESTS[pytest], *TOOLS, *NEIGHBOURS)
    _test(session, *SESSION, *BESIDE)


@nox.session(python=PYTHONS, tags=["matrix"])
def oldest(session: nox.Session) -> None:
    """Test with the oldest of every dependency that this Python has a wheel of."""
    session.install("--resolution=lowest-direct", "--only-binary=:all:", "-e", ".", *TOOLS)
    _test(session, *SESSION, *FIGURES)


@nox.session(python=False)
def quick(session: nox.Session) -> None:
    """Test in two cells of the Python that runs nox: the oldest, and the newest beside every neighbour."""
    own = f"{sys.version_info.major}.{sys.version_info.minor}"
    session.notify(f"oldest-{own}")
    session.notify(f"newest(python='{own}', pytest='newest')")


def _test(session: nox.Session, *tests: str) -> None:
    session.run("python", "-c", VERSIONS)
    session.run("pytest", "-q", "-n", "auto", "-W", "error", *(session.posargs or tests))
