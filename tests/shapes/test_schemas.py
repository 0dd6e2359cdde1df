"""JSON Schemas: every document has one, follows it, and cannot lose, gain or rename a field unseen.

Beside this, `tests/conftest.py` holds each document that any test of the suite writes against its schema.
"""

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from poisson_store import Store
from pytest_poisson.cli.main import COMMANDS, build_parser
from pytest_poisson.cli.words import words_of
from pytest_poisson.shapes.schema import document_types, json_schema
from tests import priced_runs as priced
from tests.cli.conftest import Shell
from tests.replay.arms import call, write_arm
from tests.schemas import faults
from tests.spans.test_span_files import names, otlp_document, otlp_span
from tests.stored_runs import cell, endings, write_run
from tests.traced_runs import died, ended, task, write_traced

SOURCES = Path(__file__).parents[2] / "pytest_poisson"
NAMED = re.compile(r'"(pytest-poisson\.[a-z-]+/\d+)"')
REPLAY = """
value_key = "grade.score"
cluster_key = "item"
stratum_key = "cut"
request_span = "request"
model_key = "model"
model_pin = "m-1"
exemptions = ["user"]
headers = "asserted"
retries = "asserted"
bootstrap_b = 200
bootstrap_seed = 0
token_cap = 100000
cuts = [{ name = "pass", threshold = 0.60, comparison = "ge" }]
sweeps = [{ name = "s1", a = "arm-a", b = "arm-b" }]
"""
COMMAND_LINES = {
    "runs": ["runs"],
    "show/1": ["show", "before"],
    "trace/1": ["show", "traced", "--failures"],
    "tokens/1": ["tokens", "traced", "--price", "small=1,2"],
    "diff": ["diff", "before", "after"],
    "check": ["check", "before", "after"],
    "where": ["where", "A", "--event=timeout", "--boot=50"],
    "compare": ["compare", "A", "sooner", "--event=timeout", "--max-mde-hr=2"],
    "fix-check": ["fix-check", "before", "after", "--event=timeout", "--inputs=all", "--max-mde=0.2"],
    "changes": ["changes", "before", "after", "--event=timeout"],
    "null": ["null", "before", "--splits=20"],
    "plan": ["plan", "before", "after"],
    "paired/1": ["paired", "--declaration=replay.toml", "--out=replay"],
    "cap-check/1": ["paired", "--declaration=replay.toml", "--cap-check"],
    "baselines/1": ["baseline", "set", "main", "before"],
    "merge": ["merge", "part-1", "part-2"],
    "recover": ["recover", "wreck.sqlite"],
    "import/1": ["import", "jsonl", "r.jsonl", "--name=r", "--failures", "timeout", "--paired-by=trial"],
    "import-spans/1": ["import", "otlp", "spans.json", "--run=traced"],
    "export": ["export", "before", "before.jsonl"],
    "import-run": ["import-run", "moved.poisson", "--name=moved"],
    "report": ["report", "before", "after", "--out=report"],
    "init": ["init", "suite"],
    "doctor": ["doctor"],
}
"""A command line of each command that writes JSON, by its document where one command has several."""


@pytest.fixture
def kept(capsys, tmp_path, monkeypatch):
    """Return a shell on a store and a folder with what every command line needs."""
    monkeypatch.chdir(tmp_path)
    store = Store(tmp_path / "store")
    for name, bad in (("before", 12), ("after", 30)):
        cells = [(cell(task=each), endings(timeout=bad, errored=1, resolved=47 - bad)) for each in "ab"]
        write_run(store, name, cells, environment={"python": "3.12"})
    for name, each in (("part-1", "a"), ("part-2", "b")):
        write_run(store, name, [(cell(task=each), endings(resolved=3))])
    priced.write_priced(store)
    for name, trails in (("A", [died(4), died(5), ended(6)]), ("sooner", [died(1), died(2), ended(3)])):
        write_traced(store, name, [(task(i), trails) for i in range(10)])
    for arm, score in (("arm-a", 0.9), ("arm-b", 0.1)):
        write_arm(store.path, arm, {each: [call(0.9), call(score)] for each in "ABC"})
    Path("replay.toml").write_text(REPLAY)
    line = {"condition": {"task": "refund"}, "outcome": "resolved"}
    Path("r.jsonl").write_text(json.dumps(line) + "\n" + json.dumps({**line, "outcome": "timeout"}) + "\n")
    Path("spans.json").write_text(json.dumps(otlp_document(otlp_span("a", **names(0)))))
    Path("wreck.sqlite").write_bytes(store.resolve("before").read_bytes())
    return Shell(capsys, store.path)


@pytest.mark.parametrize("stated", list(document_types()))
def test_a_schema_is_a_schema(stated):
    """Each is valid JSON Schema of the draft it names, and plain JSON."""
    schema = json.loads(json.dumps(json_schema(stated)))
    Draft202012Validator.check_schema(schema)
    assert schema["title"] == stated


def test_every_document_has_a_schema():
    """What the product's code writes into a `schema` field, and no more, has a type."""
    written = {
        name
        for file in SOURCES.rglob("*.py")
        if "shapes" not in file.parts
        for name in NAMED.findall(file.read_text(encoding="utf-8"))
    }
    replay = {f"pytest-poisson.{each}/1" for each in REPLAY_FILES}
    assert set(document_types()) == written | replay


REPLAY_FILES = (
    "contingency_by_cut",
    "cost",
    "intervals_by_cut",
    "pair_assertion",
    "replicates_by_cut",
    "windows",
)


def test_every_command_that_writes_json_is_tried():
    """The command lines below cover each command that takes `--json`."""
    takes = {
        each.name for each in words_of(build_parser()) if any("--json" in o.spellings for o in each.options)
    }
    assert {line[0] for line in COMMAND_LINES.values()} == takes
    assert takes < set(COMMANDS)


@pytest.mark.parametrize("name", list(COMMAND_LINES))
def test_a_document_follows_its_schema(kept, name):
    """What each command writes is as its schema says, and of the name that is expected."""
    if name == "import-run":
        assert kept("export", "before", "moved.poisson")[0] == 0
        kept = Shell(kept.capsys, "another")
    command, *words = COMMAND_LINES[name]
    line = [command, *words, "--json"]
    status, out, err = kept.bare(*line) if command == "init" else kept(*line)
    assert err == ""
    assert status in {0, 2, 4}
    document = json.loads(out)
    if "/" in name:
        assert document["schema"] == f"pytest-poisson.{name}"
    assert faults(document) == []


def fields_of(value, path=()):
    """Yield the path of every field of a document."""
    if isinstance(value, dict):
        for name, each in value.items():
            yield (*path, name)
            yield from fields_of(each, (*path, name))
    elif value and isinstance(value, list):
        yield from fields_of(value[0], (*path, 0))


FREE = {"axes", "variant", "environment", "settings", "outcomes"}


def test_a_field_that_is_renamed_dropped_or_added_is_a_fault(kept):
    """Of every field that is no name of the user's: without it, or with another beside it, the document is wrong."""
    text = kept("check", "before", "after", "--json")[1]
    paths = [path for path in fields_of(json.loads(text)) if not FREE.intersection(path[:-1])]
    assert len(paths) > 100
    for path in paths:
        *parents, name = path
        if name == "schema" and not parents:
            continue
        document = json.loads(text)
        place = document
        for step in parents:
            place = place[step]
        value = place.pop(name)
        assert faults(document), path
        place[name] = place[f"{name}_"] = value
        assert faults(document), path


def test_the_schemas_are_printed(kept):
    """`pytest-poisson schema` lists every document; with a name it prints that schema; another name is refused."""
    names = kept.bare("schema")[1].split()
    assert [f"pytest-poisson.{each}" for each in names] == list(document_types())
    for name in ("diff/1", "pytest-poisson.diff/1"):
        assert json.loads(kept.bare("schema", name)[1]) == json_schema("pytest-poisson.diff/1")
    status, out, err = kept.bare("schema", "diff")
    assert (status, out) == (1, "")
    assert "'diff' is no document; there are" in err
