"""`pytest-poisson doctor`: what it says of an installation is what is so."""

import json
import os
import platform
from importlib.metadata import version

import pytest

from poisson_store import Store
from pytest_poisson.analyses import doctor
from tests.stored_runs import cell, endings, write_run


def asked(shell):
    """Return the status and the document."""
    status, out, _ = shell("doctor", "--json")
    return status, json.loads(out)


def test_a_sound_installation(shell):
    """Versions are those of the packages, no problem is found, and the store is not made by looking."""
    status, document = asked(shell)
    assert (status, document["problems"]) == (0, [])
    assert document["versions"]["numpy"] == version("numpy")
    assert document["versions"]["Python"] == platform.python_version()
    assert not document["store"]["exists"]
    assert not shell.store.exists()


def test_the_text_says_the_same(shell):
    """The text has every version and begins with the verdict."""
    status, out, _ = shell("doctor")
    assert status == 0
    assert out.startswith("No problem found.\n")
    assert f"scipy {version('scipy')}" in out
    assert "not there yet" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80


def test_a_damaged_run_is_a_problem(shell):
    """A file that is no run is named with its reason, beside the sound ones; the status is that of a failed gate."""
    write_run(Store(shell.store), "sound", [(cell(task="a"), endings(resolved=3))])
    (shell.store / "20260101T000000Z-abcd.sqlite").write_bytes(b"no run")
    status, document = asked(shell)
    assert status == 4
    assert document["store"]["runs"] == 1
    (problem,) = document["problems"]
    assert "20260101T000000Z-abcd.sqlite" in problem


def test_a_run_that_decayed_on_the_disk_is_a_problem(shell):
    """A page that is no longer what was written is found, though the file's size and time are as they were."""
    write_run(Store(shell.store), "sound", [(cell(task="a"), endings(resolved=3))])
    run_id = write_run(Store(shell.store), "decayed", [(cell(task="a"), endings(resolved=900))])
    assert asked(shell)[0] == 0
    file = shell.store / f"{run_id}.sqlite"
    stamp = file.stat()
    content = file.read_bytes()
    file.write_bytes(content[:-4096] + b"\xff" * 4096)
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    status, document = asked(shell)
    assert (status, document["store"]["runs"]) == (4, 1)
    (problem,) = document["problems"]
    assert f"{file.name}: " in problem
    assert "damaged" in problem


def test_a_damaged_catalog_is_a_problem(shell):
    """A catalog that no session could write is named before one tries, with the way out."""
    write_run(Store(shell.store), "sound", [(cell(task="a"), endings(resolved=3))])
    (shell.store / "catalog.sqlite").write_bytes(b"no catalog")
    status, document = asked(shell)
    assert (status, document["store"]["runs"]) == (4, 1)
    (problem,) = document["problems"]
    assert "catalog.sqlite: the file is damaged" in problem
    assert "remove it" in problem


def test_a_store_that_is_a_file(shell):
    """A file in the place of the store is a problem, not a traceback."""
    shell.store.write_text("")
    status, document = asked(shell)
    assert status == 4
    assert document["problems"] == [f"Store '{shell.store}' cannot be written."]


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, "-p pytest_poisson.plugin"),
        ({"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "pytest_poisson.plugin"}, None),
        ({"PYTEST_ADDOPTS": "-q -p no:poisson"}, "-p no:poisson"),
        ({"PYTEST_ADDOPTS": "-q -pno:poisson"}, "-p no:poisson"),
        ({"PYTEST_ADDOPTS": "-q 'unclosed"}, "PYTEST_ADDOPTS"),
    ],
)
def test_what_keeps_the_plugin_from_being_loaded(tmp_path, variables, said):
    """Each setting of the environment that keeps pytest from loading the plugin is said."""
    problems = doctor.examine(Store(tmp_path), variables).problems
    assert [said in each for each in problems] == ([True] if said else [])


def test_an_extra_says_what_it_lacks(monkeypatch):
    """An extra lists the requirements that are missing or too old, and those alone; the developers' are left out."""
    found = {"pandas": "1.5.0", "pyarrow": None}
    monkeypatch.setattr(doctor, "_version", lambda name: found.get(name, "999"))
    lacking = {each.name: each.missing for each in doctor.extras()}
    assert lacking["tables"] == ("pandas>=2", "pyarrow>=15")
    assert lacking["arrow"] == ("pyarrow>=15",)
    assert lacking["otel"] == ()
    assert not lacking.keys() & {"dev", "docs"}


def test_a_requirement_that_is_not_met_is_a_problem(monkeypatch, tmp_path):
    """A package that every installation needs and that is too old or missing is a problem with what is required."""
    found = {"numpy": "1.20", "scipy": None}
    monkeypatch.setattr(doctor, "_version", lambda name: found.get(name, "999"))
    said = doctor.examine(Store(tmp_path), {}).problems
    assert said == (
        "numpy>=1.24 is required; 1.20 is installed.",
        "scipy>=1.10 is required; none is installed.",
    )
