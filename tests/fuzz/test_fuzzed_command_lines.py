"""Command lines at random: whatever is typed, a documented status and a sentence, never a traceback."""

import io
import json
import os
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from poisson_store import Store
from pytest_poisson.cli import main
from pytest_poisson.cli.main import build_parser
from pytest_poisson.cli.words import words_of
from tests.stored_runs import cell, endings, write_run
from tests.traced_runs import died, ended, task, write_traced

STAYS = "serve"  # a command that ends when it is interrupted
COMMANDS = {each.name: each for each in words_of(build_parser()) if each.name not in {"", STAYS}}
DOCUMENTED = {0, 1, 2, 4}
TEXTS = st.one_of(
    st.sampled_from(["", " ", "-", "--", ".", "..", "\udcff", "x" * 300, "a=b", "=", "a:b", "+", "(", "\n"]),
    st.text(st.characters(exclude_characters="/\\\x00"), max_size=6),
)
RUNS = st.sampled_from(["base", "patched", "traced", "latest", "@main", "2026", "nosuch"])
NUMBERS = st.sampled_from(
    ["0", "1", "2", "5", "-1", "0.05", "0.3", "1.5", "nan", "inf", "-inf", "1e-300", "1e400", "1,2"]
)
WORDS = st.sampled_from(
    ["timeout", "violated", "timeout+violated", "resolved", "task", "task=a:b", "m=1,2", "worse,any"]
)
FILES = st.sampled_from(["results.json", "lines.jsonl", "nosuch", "store", "folder", "empty"])
VALUES = st.one_of(RUNS, NUMBERS, WORDS, FILES, TEXTS)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=4)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.one_of(
                st.sampled_from(["schema", "results", "samples", "tests", "outcome"]), st.text(max_size=3)
            ),
            inner,
            max_size=3,
        ),
    ),
    max_leaves=8,
)
FEW = settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@st.composite
def arguments(draw, command):
    """Draw what may stand behind a command: what it takes, with values that fit and values that do not."""
    line = []
    for positional in command.positionals:
        kinds = {"run": RUNS, "file": FILES}
        fitting = (
            st.sampled_from(positional.choices) if positional.choices else kinds.get(positional.kind, VALUES)
        )
        line += draw(st.lists(st.one_of(fitting, fitting, fitting, VALUES), max_size=2))
    options = [each for each in command.options if "--help" not in each.spellings]
    for option in draw(st.lists(st.sampled_from(options), max_size=4)) if options else []:
        spelling = draw(st.sampled_from(option.spellings))
        if not option.takes_value:
            line.append(spelling)
            continue
        fitting = st.sampled_from(option.choices) if option.choices else VALUES
        value = draw(st.one_of(fitting, fitting, VALUES))
        line += (
            [f"{spelling}={value}"]
            if spelling.startswith("--") and draw(st.booleans())
            else [spelling, value]
        )
    return line


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Return a folder, deep enough for `..`, with a store and files of several kinds."""
    folder = tmp_path_factory.mktemp("typed") / "deep" / "deeper"
    folder.mkdir(parents=True)
    store = Store(folder / "store")
    for name, bad in (("base", 3), ("patched", 20)):
        cells = [(cell(task=each), endings(timeout=bad, errored=1, resolved=36 - bad)) for each in "ab"]
        write_run(store, name, cells)
    write_traced(store, "traced", [(task(i), [died(2), died(3), ended(4)]) for i in range(4)])
    (folder / "folder").mkdir()
    (folder / "empty").touch()
    (folder / "results.json").write_text(json.dumps({"schema": "pytest-poisson.diff/1", "rows": [1]}))
    (folder / "lines.jsonl").write_text('{"condition": {"task": 1}, "outcome": "resolved"}\n')
    return folder


@pytest.fixture
def typed(place, monkeypatch):
    """Return a function that types a command line there and checks what comes of it.

    The streams are as a process has them: stdout refuses what its encoding lacks, stderr escapes it.
    """
    monkeypatch.chdir(place)
    monkeypatch.setenv("POISSON_STORE", "store")

    def run(*line):
        streams = (
            io.TextIOWrapper(io.BytesIO(), "utf-8"),
            io.TextIOWrapper(io.BytesIO(), "utf-8", "backslashreplace"),
        )
        with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
            status = main(list(line))
        streams[1].seek(0)
        complaint = streams[1].read()
        assert status in DOCUMENTED, (line, status, complaint)
        assert "Traceback" not in complaint
        assert status in {0, 4} or complaint.strip(), line

    return run


@pytest.mark.parametrize("name", list(COMMANDS))
def test_a_command_with_anything_behind_it(typed, name):
    """Of each command: any options, any values, any number of arguments."""
    cheap = ["--splits=3"] if name == "null" else ["--boot=20"] if name == "where" else []

    @FEW
    @given(arguments(COMMANDS[name]))
    @example(["\udcff"])
    @example(["x" * 5000])
    @example(["base", "patched", "--store", "x" * 5000])
    @example(["base", "--store", "x" * 5000])
    @example(["--store", "x" * 5000])
    @example(["--store", "results.json"])
    def check(line):
        if STAYS not in line:
            typed(name, *cheap, *line)

    check()


@FEW
@given(st.lists(VALUES, max_size=4))
def test_anything_at_all(typed, line):
    """Of no command: any words."""
    if STAYS not in line:
        typed(*line)


KINDS = ("deepeval", "ragas", "inspect", "tau", "promptfoo", "junit", "jsonl", "prove")
DECLARED = {
    "deepeval": ["--metric=m"],
    "ragas": ["--metric=m", "--cut", "ge", "0.5", "--case-by", "id"],
    "inspect": ["--scorer=s", "--pass", "C", "--fail", "I"],
    "tau": ["--cut", "ge", "1"],
    "promptfoo": [],
    "junit": [],
    "jsonl": ["--failures", "timeout"],
    "prove": ["--failures", "timeout"],
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_with_anything_in_it(typed, kind):
    """A file of another tool, its content any JSON or any bytes, is refused in a sentence or imported."""

    @FEW
    @given(st.one_of(JSON.map(lambda value: json.dumps(value).encode()), st.binary(max_size=30)))
    @example(b"[" * 100_000)
    @example(b'{"a": ' + b"9" * 5000 + b"}")
    def check(content):
        Path("anything").write_bytes(content)
        typed(
            "import", kind, "anything", f"--name=n{os.urandom(4).hex()}", "--paired-by=none", *DECLARED[kind]
        )

    check()


@FEW
@given(st.one_of(JSON.map(lambda value: json.dumps(value).encode()), st.binary(max_size=30)))
@example(b"[" * 100_000)
def test_a_result_with_anything_in_it(typed, content):
    """A file that is given as a result, a run or a declaration is refused in a sentence, or is one."""
    Path("anything").write_bytes(content)
    typed("comment", "anything")
    typed("import-run", "anything")
    typed("recover", "anything")
    typed("paired", "--declaration", "anything")
    typed("import", "otlp", "anything", "--run=traced")
    typed("import", "litellm", "anything", "--run=traced")
