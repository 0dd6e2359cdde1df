"""What is public: the page lists it, and it is all there is."""

import ast
import inspect
import re
from types import ModuleType

import pytest

import pytest_poisson
from poisson_store.schema import VERSION
from pytest_poisson import hookspecs
from pytest_poisson.shapes.schema import document_types
from tests.docs.commands import BLOCK, ROOT, documents

PAGE = (ROOT / "docs" / "compatibility.md").read_text(encoding="utf-8")
PUBLIC = {
    "pytest_poisson": {"span", "current_span", "current_rollout"},
    "pytest_poisson.testing": {"BackendContract"},
    "pytest_poisson.backends": {"Outlook"},
    "pytest_poisson.backends.local": {"LocalBackend"},
    "poisson_store": {"Store", "open_run"},
}
"""What users import: by the documentation and the examples, and no more."""


def test_the_package_has_no_name_that_is_not_listed():
    """`__all__` is the version and what code under test calls; each is there, and every other name is private or a module."""
    assert set(pytest_poisson.__all__) == {"__version__", *PUBLIC["pytest_poisson"]}
    for name in pytest_poisson.__all__:
        assert getattr(pytest_poisson, name)
    found = {
        name
        for name, value in vars(pytest_poisson).items()
        if not name.startswith("_")
        and not isinstance(value, ModuleType)
        and value is not pytest_poisson.annotations
    }
    assert found <= {"TYPE_CHECKING", "Any", *PUBLIC["pytest_poisson"]}


def imports_of(text):
    """Yield what a piece of Python imports of ours: a module and a name."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ImportFrom) and re.match(r"(pytest_poisson|poisson_)", node.module or ""):
            yield from ((node.module, each.name) for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (
                (each.name, "") for each in node.names if re.match(r"(pytest_poisson|poisson_)", each.name)
            )


def test_what_is_shown_to_users_is_public():
    """Whatever the pages and the examples import is on the list, and all of the list is shown to somebody."""
    shown = set()
    for page, text in documents().items():
        for kind, block in BLOCK.findall(text):
            if kind == "python" and page != "CONTRIBUTING.md":
                shown.update(imports_of(block))
    for file in ROOT.joinpath("examples").rglob("*.py"):
        shown.update(imports_of(file.read_text(encoding="utf-8")))
    listed = {(module, name) for module, names in PUBLIC.items() for name in names}
    assert shown <= listed
    assert {module for module, _ in listed - shown} <= {"pytest_poisson"}


@pytest.mark.parametrize("name", sorted(set().union(*PUBLIC.values())))
def test_what_is_public_is_on_the_page(name):
    """Each name is said to be stable."""
    assert f"`{name}`" in PAGE or f".{name}`" in PAGE


def test_every_hook_is_described():
    """The hooks are those of the specification, and the reference has each."""
    hooks = [name for name, each in vars(hookspecs).items() if inspect.isfunction(each)]
    assert hooks
    reference = (ROOT / "docs" / "reference" / "rollout.md").read_text(encoding="utf-8")
    for name in hooks:
        assert name.startswith("pytest_poisson_")
        assert name in reference


def test_the_page_names_documents_and_versions_that_are():
    """Documents named on the page are written, and the versions of packages are those that the package requires."""
    for name in re.findall(r"pytest-poisson\.[a-z-]+/\d+", PAGE):
        assert name in document_types()
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for package, least in re.findall(r"(pytest|NumPy|SciPy) from ([\d.]+\d)", PAGE):
        assert f'"{package.lower()}>={least}"' in project
    assert VERSION >= 1


def test_neighbours_on_the_page_are_those_of_the_matrix():
    """Each plugin that the page says is tested beside ours is installed in a cell."""
    cells = (ROOT / "noxfile.py").read_text(encoding="utf-8")
    listed = PAGE.rpartition("and beside\n")[2]
    short = re.findall(r"-(\w+)", listed)
    assert len(short) >= 8
    for name in (*(f"pytest-{each}" for each in short), "anyio", "hypothesis", "syrupy"):
        assert f'"{name}' in cells, name
