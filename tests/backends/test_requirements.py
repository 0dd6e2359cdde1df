"""What is installed in containers."""

from importlib.metadata import version

import pytest

from pytest_poisson.backends.modal.requirements import find_requirements, session_packages
from pytest_poisson.errors import UserError

PYPROJECT = """
[project]
name = "mine"
dependencies = ["httpx>=0.27"]
[project.optional-dependencies]
agents = ["openai"]
[dependency-groups]
test = ["hypothesis", {include-group = "other"}]
other = ["rich"]
"""


@pytest.fixture
def root(tmp_path):
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    return tmp_path


def test_the_first_of_the_usual_places_is_taken(root):
    """A lock file comes before a requirements file, that before pyproject.toml; without any there is nothing."""
    assert find_requirements(root, None).lines == ("httpx>=0.27",)
    (root / "requirements.txt").write_text("requests\n")
    assert find_requirements(root, None).lines == ("requests",)
    (root / "uv.lock").write_text("")
    assert find_requirements(root, None).lock == root
    assert find_requirements(root, "none").lines == ()
    (root / "empty").mkdir()
    assert find_requirements(root / "empty", None).source == "none"


def test_a_pyproject_without_a_project_declares_nothing(tmp_path):
    """A pyproject.toml that only configures tools is no list of requirements."""
    (tmp_path / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    assert find_requirements(tmp_path, None).source == "none"


def test_extras_and_groups_are_taken_by_name(root):
    """Brackets name extras or dependency groups; one that is not there is refused with those that are."""
    lines = find_requirements(root, "pyproject.toml[agents, test]").lines
    assert lines == ("httpx>=0.27", "openai", "hypothesis", "rich")
    (root / "uv.lock").write_text("")
    assert find_requirements(root, "uv.lock[agents]").extras == ("agents",)
    with pytest.raises(
        UserError, match=r"no extra and no dependency group named 'agent'; it has test, other, agents"
    ):
        find_requirements(root, "pyproject.toml[agent]")


def test_a_requirements_file_is_read_with_those_it_includes(root):
    """Comments go, includes are followed, options stay, and what names this machine is left out and counted."""
    (root / "sub").mkdir()
    (root / "sub" / "base.txt").write_text("numpy>=1 # the arrays\n\n-e ..\n")
    (root / "requirements.txt").write_text(
        "-r sub/base.txt\n--extra-index-url https://example.org/simple\n# no\n./local\nfoo @ file:///x\nrequests \\\n  ==2.0\n"
    )
    found = find_requirements(root, "requirements.txt")
    assert found.lines == ("numpy>=1", "--extra-index-url https://example.org/simple", "requests    ==2.0")
    assert found.left_out == ("-e ..", "./local", "foo @ file:///x")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("requirements.txt", b"-r requirements.txt\n", "requirements.txt includes itself."),
        ("requirements.txt", b"-r gone.txt\n", "gone.txt cannot be read: No such file or directory."),
        ("requirements.txt", b"\xff\xfe\n", "requirements.txt cannot be read: 'utf-8' codec"),
        ("pyproject.toml", b"\xff", "pyproject.toml cannot be read: 'utf-8' codec"),
        ("pyproject.toml", b"project = 3", "in another form than a list of texts"),
        ("pyproject.toml", b"[project]\ndependencies = [3]", "in another form than a list of texts"),
        ("pyproject.toml", b"dependency-groups = 3", "in another form than a list of texts"),
        ("pyproject.toml", b"[project]\ndependencies = 'numpy'", "in another form than a list of texts"),
        ("pyproject.toml[a]", b"[dependency-groups]\na = [{include-group = 'a'}]", "includes itself: 'a'"),
        ("pyproject.toml[a]", b"[dependency-groups]\na = [{include-group = 'b'}]", "group named 'b'"),
        ("pyproject.toml[a]", b"[dependency-groups]\na = [{x = 'b'}]", "in another form"),
        ("pyproject.toml[a]", b"[dependency-groups]\na = 'numpy'", "in another form"),
    ],
)
def test_a_file_that_cannot_be_understood_is_refused(tmp_path, name, content, words):
    """One sentence that names the file, before anything is built."""
    (tmp_path / name.partition("[")[0]).write_bytes(content)
    with pytest.raises(UserError) as refusal:
        find_requirements(tmp_path, name)
    assert words in str(refusal.value)


@pytest.mark.parametrize("given", ["needs.txt", "pyproject.toml[", "uv.lock"])
def test_a_setting_that_names_no_file_is_refused(root, given):
    """The sentence has the value and what would be accepted."""
    with pytest.raises(
        UserError, match=r"poisson_modal_requirements=.* names no file .* would be accepted\."
    ):
        find_requirements(root, given)


def test_the_sessions_packages_are_pinned_as_they_are_here():
    """Our own requirements and the session's plugins come at this environment's versions, each once."""
    pins = session_packages(["pytest-timeout", "pytest_poisson", "not-installed"])
    assert f"numpy=={version('numpy')}" in pins
    assert f"pytest-timeout=={version('pytest-timeout')}" in pins
    assert len(set(pins)) == len(pins)
    assert not any("poisson" in pin or "not-installed" in pin for pin in pins)
