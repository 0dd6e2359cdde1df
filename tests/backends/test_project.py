"""What leaves the machine: the project's source, and nothing that git or the user keeps back."""

import re
import subprocess
from pathlib import Path

import pytest

from pytest_poisson.backends.modal import project
from pytest_poisson.backends.modal.project import copy_files, select_files
from pytest_poisson.errors import UserError

FILES = {
    "src/mine/__init__.py": "x = 1",
    "tests/test_it.py": "",
    "tests/data/a.json": "{}",
    "data/large.bin": "0" * 100,
    "notes.txt": "",
    ".env": "KEY=sesame",
    ".envrc": "export KEY=sesame",
    "config/prod.env": "KEY=sesame",
    "src/mine/__pycache__/a.pyc": "",
    "node_modules/a/b.js": "",
    ".venv/pyvenv.cfg": "",
    "env/pyvenv.cfg": "",
    "env/lib/a.py": "",
    "cache/CACHEDIR.TAG": "",
    "cache/a.json": "",
    ".hidden/a.py": "",
    ".poisson/run.sqlite": "",
}


@pytest.fixture
def root(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return tmp_path


def git(root, ignored):
    (root / ".gitignore").write_text(ignored)
    subprocess.run(["git", "init", "-q", str(root)], check=True)


def names(root, **choices):
    return [path.as_posix() for path in select_files(root, **choices).files]


def test_without_git_hidden_files_caches_and_environments_stay(root):
    """Where git has no say, what is hidden, a cache or a virtual environment is no source."""
    assert names(root) == [
        "data/large.bin",
        "notes.txt",
        "src/mine/__init__.py",
        "tests/data/a.json",
        "tests/test_it.py",
    ]


def test_what_git_ignores_stays(root):
    """With git, tracked and untracked files go, ignored ones stay; a file of secrets stays though git would have it."""
    git(root, "/data/\ncache/\n.hidden/\nenv/\n.venv/\n*.txt\n")
    assert names(root, without=root / ".poisson") == [
        ".gitignore",
        "src/mine/__init__.py",
        "tests/data/a.json",
        "tests/test_it.py",
    ]


def test_included_and_excluded(root):
    """An included glob goes although it is ignored, or secret; an excluded pattern stays, also a whole directory."""
    git(root, "data/\ncache/\n.hidden/\nenv/\n.venv/\n.poisson/\nnode_modules/\n")
    found = names(root, include=["data", ".env"], exclude=["tests/data", "*.txt"])
    assert found == [".env", ".gitignore", "data/large.bin", "src/mine/__init__.py", "tests/test_it.py"]


@pytest.mark.parametrize(
    ("pattern", "goes"),
    [
        ("data", False),
        ("**/*", False),
        ("data/*.*", False),
        ("data/.env", True),
        ("**/.env", True),
        ("data/.env*", True),
    ],
)
def test_secrets_go_only_where_they_are_spelled_out(root, pattern, goes):
    """A directory or a wildcard that has a file of secrets in it does not take that along."""
    git(root, "data/\n")
    (root / "data" / ".env").write_text("KEY=sesame")
    assert ("data/.env" in names(root, include=[pattern])) == goes


@pytest.mark.parametrize("pattern", ["dato/*", "/etc/hostname", "../*", "**x", "."])
def test_an_include_that_matches_nothing_is_refused(root, pattern):
    """A glob with a slip in it, or that leads out of the project, is named rather than found missing in a container."""
    with pytest.raises(UserError, match=rf"poisson_modal_include={re.escape(pattern)} matches nothing below"):
        select_files(root, include=[pattern])


def test_a_project_that_is_too_large_is_refused_with_its_size(root, monkeypatch):
    """A root that holds far more than a project says so before anything is sent."""
    monkeypatch.setattr(project, "MOST_FILES", 3)
    with pytest.raises(
        UserError, match=r"has 5 files of 0 MB in all, more than the 3 files .*poisson_modal_exclude"
    ):
        select_files(root)


def test_the_copy_holds_the_files_and_follows_links(root, tmp_path_factory):
    """What is copied is what was selected, links to files as files; the size is that of their content."""
    (root / "linked.txt").symlink_to(root / "data" / "large.bin")
    target = tmp_path_factory.mktemp("target")
    selected = select_files(root, exclude=["data"])
    copy_files(selected, target)
    copied = sorted(path.relative_to(target) for path in target.rglob("*") if path.is_file())
    assert copied == list(selected.files)
    assert (target / "linked.txt").read_text() == "0" * 100
    assert not (target / "linked.txt").is_symlink()
    assert selected.bytes == sum((target / path).stat().st_size for path in copied)
    assert Path("linked.txt") in selected.files


def test_a_file_that_has_gone_is_named(root, tmp_path_factory):
    """What is selected may be gone when it is copied: one sentence, not a sweep that fails inside."""
    selected = select_files(root)
    (root / "notes.txt").unlink()
    with pytest.raises(UserError, match=r"^notes\.txt of the project cannot be copied .*: No such file"):
        copy_files(selected, tmp_path_factory.mktemp("target"))
