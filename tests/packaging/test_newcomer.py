"""A newcomer's walk: an empty environment, the README, and nothing else."""

import os
import re
import subprocess

import pytest

from tests.docs.commands import SALT, Reader

pytestmark = pytest.mark.fetches

CONSOLE = re.compile(r"^```console\n(.*?)\n```$", re.MULTILINE | re.DOTALL)
FIXED_SALT = f"import secrets; secrets.token_hex = lambda length: {SALT!r}[: 2 * length]\n"
KEPT = ("HOME", "LANG", "PIP_", "HTTP", "http", "no_proxy", "NO_PROXY", "SSL_")


class Newcomer(Reader):
    """Goes through the README in a folder of its own, with the programs of an environment and no others of ours."""

    def __init__(self, folder, programs):
        self.pytester = type("Folder", (), {"path": folder})
        self.programs = programs
        self.printed = ""

    def run(self, words):
        program, *arguments = words
        done = call([str(self.programs / program), *arguments], self.pytester.path)
        return done.returncode, done.stdout + done.stderr


def call(words, folder):
    """Run a command in a folder, with nothing of this environment but what reaches the registry."""
    variables = {name: value for name, value in os.environ.items() if name.startswith(KEPT)}
    path = os.pathsep.join(each for each in os.environ["PATH"].split(os.pathsep) if "venv" not in each)
    return subprocess.run(
        words,
        cwd=folder,
        env={**variables, "PATH": path},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=900,
    )


@pytest.fixture(scope="module")
def readme(unpacked):
    """Return the README's text."""
    return (unpacked / "README.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def installed(unpacked, readme):
    """Return what the README's command on a fresh machine printed, run as it stands in an unpacked sdist."""
    command, _ = CONSOLE.findall(readme)
    return call(["bash", "-c", command], unpacked)


def test_the_command_on_a_fresh_machine(installed):
    """With Python alone it installs the product, sweeps the mock agent twice and says what changed."""
    assert installed.returncode == 0, installed.stdout + installed.stderr
    assert re.search(r"^safer: of 18 tests, 6 changed for the better\.$", installed.stdout, re.MULTILINE)


def test_the_other_command_runs_the_tests(readme):
    """The second command installs the extra that has what the tests need; `.ci/run` does the same."""
    _, command = CONSOLE.findall(readme)
    assert ".venv/bin/pip install -q -e '.[dev]'" in command


def test_the_readme_is_what_happens(installed, unpacked, readme, tmp_path):
    """Its file is written, its commands are run, and every output is as printed, from what the first command installed."""
    assert installed.returncode == 0
    programs = unpacked / ".venv" / "bin"
    (packages,) = (unpacked / ".venv" / "lib").glob("python3*/site-packages")
    (packages / "fixed_salt.pth").write_text(FIXED_SALT, encoding="utf-8")
    commands, texts = Newcomer(tmp_path, programs).read(readme)
    assert commands == readme.count("```sh\n") > 0
    assert texts == readme.count("```text\n") > 0


def test_only_what_is_needed_was_installed(installed, unpacked):
    """The environment holds the product, its five dependencies and theirs: no tool of its developers."""
    assert installed.returncode == 0
    listed = call([str(unpacked / ".venv" / "bin" / "pip"), "list", "--format=freeze"], unpacked).stdout
    found = {line.partition("=")[0].lower().replace("_", "-") for line in listed.splitlines()}
    ours = {"pytest-poisson", "numpy", "scipy", "pytest", "pluggy", "tomli"}
    theirs = {"iniconfig", "packaging", "pygments", "exceptiongroup", "typing-extensions", "colorama"}
    assert ours - {"tomli"} <= found <= ours | theirs | {"pip", "setuptools"}
