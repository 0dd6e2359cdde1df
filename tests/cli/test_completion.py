"""Completion: what the shells offer is what the parser takes."""

import subprocess

import pytest

from pytest_poisson.cli import main
from pytest_poisson.cli.main import COMMANDS, build_parser
from pytest_poisson.cli.words import words_of
from tests.tools import need

OFFER = """
source ./script
COMP_WORDS=({words})
COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ))
_pytest_poisson
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def script(shell, tmp_path, monkeypatch):
    """Return a function that writes a shell's script to a file and returns its text."""
    monkeypatch.chdir(tmp_path)

    def write(name):
        status, out, err = shell.bare("completion", name)
        assert (status, err) == (0, "")
        (tmp_path / "script").write_text(out, encoding="utf-8", newline="\n")
        return out

    return write


@pytest.fixture
def offered(script):
    """Return a function that gives what bash offers for the last of some words."""
    need("bash")
    script("bash")

    def complete(words):
        done = subprocess.run(
            ["bash", "--norc", "-c", OFFER.format(words=words)], capture_output=True, text=True, check=True
        )
        assert done.stderr == ""
        return set(done.stdout.split())

    return complete


def test_bash_offers_every_command(offered):
    """At the first word every command is offered, and the options of the program."""
    assert offered("pytest-poisson ''") == {*COMMANDS, "--help", "-h", "--version", "--debug"}
    assert offered("pytest-poisson fix") == {"fix-check"}


@pytest.mark.parametrize("name", list(COMMANDS))
def test_bash_offers_every_option_of_a_command(offered, name):
    """After a command its options are offered, each as the parser spells it."""
    (command,) = (each for each in words_of(build_parser()) if each.name == name)
    expected = {spelling for each in command.options for spelling in each.spellings}
    assert offered(f"pytest-poisson {name} -") == expected
    assert {"-h", "--help"} <= expected


def test_bash_offers_values(offered):
    """What an option takes one of is offered behind it, with a blank or an equals sign between."""
    methods = offered("pytest-poisson diff --method ''")
    assert "fisher_bh" in methods
    assert offered("pytest-poisson diff --method = f") == {each for each in methods if each.startswith("f")}
    assert offered("pytest-poisson --debug completion ''") >= {"bash", "zsh", "fish"}


def test_bash_offers_the_runs_of_the_store(offered, tmp_path, monkeypatch):
    """Where a run is taken the ids in the store are offered, without a start of Python."""
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "20260101T000000Z-abcd.sqlite").touch()
    monkeypatch.setenv("POISSON_STORE", "kept")
    assert offered("pytest-poisson show 2026") == {"20260101T000000Z-abcd"}
    assert offered("pytest-poisson diff l") == {"latest"}
    (tmp_path / "kept" / "catalog.sqlite").touch()  # holds what belongs to no run
    assert offered("pytest-poisson show c") == set()


def test_bash_offers_files(offered, tmp_path):
    """Where a file is taken files are offered."""
    (tmp_path / "drawing.svg").touch()
    assert offered("pytest-poisson compare --svg draw") == {"drawing.svg"}


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_the_shell_reads_its_script(script, name):
    """Each shell finds no fault in the syntax of its script."""
    need(name)
    script(name)
    done = subprocess.run([name, "-n", "script"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("name", ["zsh", "fish"])
def test_every_option_is_in_the_script(script, name):
    """The scripts of the other shells name every command and every long option of it."""
    text = script(name)
    for command in words_of(build_parser())[1:]:
        assert command.name in text
        for option in command.options:
            long = option.spellings[-1].removeprefix("--")
            assert f"--{long}" in text or f"-l {long}" in text


def test_fish_offers_commands_and_values(script):
    """Fish, asked for completions, gives commands, options and values."""
    need("fish")
    script("fish")
    ask = "source ./script; complete -C 'pytest-poisson comp'; complete -C 'pytest-poisson diff --method fisher'"
    done = subprocess.run(["fish", "--no-config", "-c", ask], capture_output=True, text=True, check=True)
    assert {"compare", "completion", "fisher_bh"} <= {
        line.split("\t")[0] for line in done.stdout.splitlines()
    }


def test_another_shell_is_refused(capsys):
    """A shell without a script is refused with those that have one."""
    assert main(["completion", "tcsh"]) == 2
    assert "bash" in capsys.readouterr().err
