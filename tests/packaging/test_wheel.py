"""The wheel and the sdist: what is in them, and what is not."""

import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "pytest_poisson": ROOT / "pytest_poisson",
    "poisson_stats": ROOT / "stats" / "poisson_stats",
    "poisson_store": ROOT / "store" / "poisson_store",
}
LARGEST = 1_000_000  # 2 MB of source with its docstrings; no data, nothing generated
DEPENDENCIES = ["numpy", "pluggy", "pytest", "scipy", "tomli"]


@pytest.fixture(scope="module")
def contents(wheel):
    """Return the wheel's files, text by name."""
    with zipfile.ZipFile(wheel) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


@pytest.fixture(scope="module")
def information(contents):
    """Return the wheel's directory of information, text by file name."""
    return {
        name.partition(".dist-info/")[2]: text.decode()
        for name, text in contents.items()
        if ".dist-info/" in name
    }


def test_the_wheel_holds_the_three_packages_and_nothing_else(contents):
    """Every import name is ours by prefix: no `stats`, `store` or `tests` lands in a user's site-packages."""
    assert {name.split("/")[0] for name in contents if ".dist-info/" not in name} == set(PACKAGES)


@pytest.mark.parametrize("package", list(PACKAGES))
def test_the_wheel_holds_every_file_of_a_package(contents, package):
    """What is in the tree is in the wheel, byte for byte, `py.typed` among it, and no file that the tree lacks."""
    files = (
        path for path in PACKAGES[package].rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    expected = {
        f"{package}/{path.relative_to(PACKAGES[package]).as_posix()}": path.read_bytes() for path in files
    }
    assert {name: text for name, text in contents.items() if name.startswith(f"{package}/")} == expected
    assert f"{package}/py.typed" in contents


def test_the_licence_is_in_the_wheel(information):
    """The licence's text is shipped and named."""
    assert information["licenses/LICENSE"] == (ROOT / "LICENSE").read_text(encoding="utf-8")
    assert Parser().parsestr(information["METADATA"])["License-Expression"] == "MIT"


def test_the_dependencies_are_few(information):
    """Installed without extras the package needs pytest, pluggy, NumPy, SciPy and on Python 3.10 tomli."""
    needed = [
        line
        for line in Parser().parsestr(information["METADATA"]).get_all("Requires-Dist")
        if "extra ==" not in line
    ]
    assert sorted(line.partition(">")[0] for line in needed) == DEPENDENCIES


def test_the_entry_points(information):
    """Pytest finds one plugin, the shell one command."""
    assert information["entry_points.txt"].split() == [
        *("[console_scripts]", "pytest-poisson", "=", "pytest_poisson.cli:main"),
        *("[pytest11]", "poisson", "=", "pytest_poisson.plugin"),
    ]


def test_the_wheel_is_small(wheel):
    """The download stays small."""
    assert wheel.stat().st_size < LARGEST


def test_the_sdist_holds_what_the_tests_need(unpacked):
    """Who packages the product for a distribution finds the tests, their data, the examples and the pages."""
    for name in ("tests", "examples", "docs", "benchmarks", "stats/poisson_stats", "store/poisson_store"):
        expected = {path.relative_to(ROOT) for path in (ROOT / name).rglob("*.*") if _is_kept(path)}
        assert {path.relative_to(unpacked) for path in (unpacked / name).rglob("*.*")} >= expected
    for name in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "noxfile.py", "pyproject.toml"):
        assert (unpacked / name).is_file()


def _is_kept(path):
    made = {"__pycache__", ".poisson", ".pytest_cache", ".hypothesis", "_build"}
    return path.is_file() and not made.intersection(path.parts) and path.suffix not in {".actual", ".pyc"}
