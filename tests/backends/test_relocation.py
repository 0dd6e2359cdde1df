"""A job's paths on another machine."""

from dataclasses import replace

import pytest

from pytest_poisson.backends.modal.relocation import anchored, relocated
from pytest_poisson.job import Job

JOB = Job((), "/home/me/app", ("", "/home/me/app/src", "/usr/lib/python3"), "run", "0" * 32, {}, (), ())


@pytest.mark.parametrize(
    ("argument", "moved"),
    [
        ("tests", "tests"),
        ("/home/me/app", "/srv/project"),
        ("/home/me/app/tests/test_it.py::test_it[/home]", "/srv/project/tests/test_it.py::test_it[/home]"),
        ("--rootdir=/home/me/app", "--rootdir=/srv/project"),
        ("--cov=/home/me/app/src,/home/me/app/lib", "--cov=/srv/project/src,/srv/project/lib"),
        ("/home/me/apple", "/home/me/apple"),
        ("/other/home/me/app", "/other/home/me/app"),
        ("-k", "-k"),
    ],
)
def test_paths_into_the_project_move_with_it(argument, moved):
    """Whole path prefixes are replaced wherever an argument has them; what only looks alike stays."""
    job = relocated(replace(JOB, arguments=(argument,)), "/home/me/app", "/srv/project", [])
    assert job.arguments == (moved,)


def test_imports_come_from_the_project_then_from_the_machine():
    """Entries of the path inside the project move; others are replaced by the other machine's own."""
    job = relocated(JOB, "/home/me/app", "/srv/project", ["/srv", "/venv"])
    assert job.import_path == ("", "/srv/project/src", "/srv", "/venv")
    assert job.directory == "/srv/project"


def test_a_session_from_outside_the_project_is_anchored_in_it(tmp_path):
    """Called from elsewhere, paths into the project become absolute and the project the directory; options stay."""
    root = tmp_path / "app"
    (root / "tests").mkdir(parents=True)
    job = replace(JOB, arguments=("app/tests::test_it", "-k", "app", "--lf"), directory=str(tmp_path))
    found = anchored(job, str(root))
    assert found.arguments == (f"--rootdir={root}", f"{root}/tests::test_it", "-k", "app", "--lf")
    assert found.directory == str(root)


def test_the_root_directory_is_said(tmp_path):
    """What decided which directory is the root may lie above it and not go along, so it is said."""
    job = replace(JOB, arguments=("tests",), directory=f"{tmp_path}/sub")
    assert anchored(job, str(tmp_path)).arguments == (f"--rootdir={tmp_path}", "tests")
