"""Our own lines, with and without a header."""

import json

import pytest

from poisson_store.keys import condition_key
from pytest_poisson import conditions
from tests.importers.bring import assert_refused, axes, bring, endings, episodes, run_record

UNPAIRED = {"paired_by": "none"}


def write(path, *lines):
    """Write lines, each an object or text as it is."""
    text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines)
    path.write_text(text, encoding="utf-8")
    return path


def test_lines_without_a_header(tmp_path):
    """A condition is an object of axes or a text; outcomes are the words found, failures those declared."""
    path = write(
        tmp_path / "r.jsonl",
        {"condition": {"task": "refund", "rate": 0.1}, "outcome": "resolved", "t": 4},
        "",
        {"condition": {"rate": 0.1, "task": "refund"}, "outcome": "timeout", "meta": {"a": [1]}},
        {"condition": "caf\u00e9", "cause": "errored", "error": "x"},
    )
    report = bring(tmp_path, "jsonl", [path], failures=("timeout",), successes=("resolved",), t_unit="calls")
    assert endings(tmp_path) == {
        (axes(rate=0.1, task="refund"), 0): "resolved",
        (axes(rate=0.1, task="refund"), 1): "timeout",
        (axes(condition="caf\u00e9"), 0): "errored",
    }
    (rollout,) = run_record(tmp_path).rollouts
    assert (rollout.outcomes, rollout.failures, rollout.t_unit) == (
        ("resolved", "timeout"),
        ("timeout",),
        "calls",
    )
    assert report.read == 3


def test_values_that_look_alike_are_different_conditions(tmp_path):
    """1, 1.0, "1" and true are four conditions, whatever their order."""
    path = tmp_path / "r.jsonl"
    path.write_text(
        "".join(f'{{"condition": {{"x": {x}}}, "outcome": "a"}}\n' for x in ("1", "1.0", '"1"', "true") * 2),
        encoding="utf-8",
    )
    report = bring(tmp_path, "jsonl", [path], **UNPAIRED)
    assert (report.conditions, report.fewest, report.most) == (4, 2, 2)


@pytest.mark.parametrize(
    "values", [{"a": 1, "b": "\u00e9"}, {"x": {"deep": [1.5, None]}}, {}, {"s": "\ud800"}]
)
def test_keys_are_those_of_a_sweep(values):
    """An import names a condition as a sweep of the same rollout and axes does."""
    assert condition_key("r", values) == conditions.condition_key("r", values)


def test_a_line_says_its_rollout(tmp_path):
    """Lines of several rollouts become several rollouts, each with the words its cases have."""
    path = write(
        tmp_path / "r.jsonl",
        {"condition": {}, "rollout": "one", "outcome": "a"},
        {"condition": {}, "rollout": "two", "outcome": "b"},
        {"condition": {}, "outcome": "c"},
    )
    bring(tmp_path, "jsonl", [path], failures=("b",), rollout="mine")
    found = {rollout.id: (rollout.outcomes, rollout.failures) for rollout in run_record(tmp_path).rollouts}
    assert found == {"mine": (("c",), ()), "one": (("a",), ()), "two": (("b",), ("b",))}


def test_trial_pairs_and_seeds_stay(tmp_path):
    """With paired_by=trial the draw is named by its replicate number, unless the line names a seed."""
    path = write(
        tmp_path / "r.jsonl",
        {"condition": "a", "replicate": 3, "outcome": "x"},
        {"condition": "a", "replicate": 1, "outcome": "x", "seed": 77},
    )
    bring(tmp_path, "jsonl", [path])
    assert [(key[1], each.seed) for key, each in episodes(tmp_path).items()] == [(1, 77), (3, 3)]


SPAN = {"span_id": "s", "kind": "llm", "name": "m", "start_ns": 1, "end_ns": 2}
GOOD = {"condition": "a", "outcome": "x"}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ('{"condition": "a", "outcome": NaN}', ["literal NaN"]),
        ('{"condition": {"x": Infinity}, "outcome": "x"}', ["literal Infinity"]),
        ('{"condition": "a", "outcome": "x"', ["broken JSON"]),
        ('{"condition": "a", "outcome": "x"} {}', ["more follows"]),
        ("[1]", ["must be an object"]),
        (f'{{"condition": "a", "outcome": "x", "t": {"9" * 6000}}}', ["line 2"]),
        ("[" * 100_000, ["nested too deeply"]),
        ({**GOOD, "outcom": "x"}, ["'outcom' is unknown", "outcome"]),
        ({"outcome": "x"}, ["condition must be an object of axis values or a text"]),
        ({"condition": 3, "outcome": "x"}, ["condition must be"]),
        ({"condition": "a"}, ["exactly one of outcome and cause"]),
        ({**GOOD, "cause": "errored"}, ["exactly one of outcome and cause"]),
        ({"condition": "a", "cause": "bored"}, ["cause='bored'", "timed_out, errored"]),
        ({**GOOD, "outcome": "a\nb"}, ["outcome=", "printable word"]),
        ({**GOOD, "outcome": 1}, ["outcome=1"]),
        ({**GOOD, "replicate": -1}, ["replicate=-1", "from 0"]),
        ({**GOOD, "replicate": True}, ["replicate=True"]),
        ({**GOOD, "replicate": 1 << 63}, ["replicate="]),
        ({**GOOD, "seed": 1.5}, ["seed=1.5"]),
        ({**GOOD, "t": "4"}, ["t='4'", "finite number"]),
        ({**GOOD, "t": -1}, ["t=-1", "from 0"]),
        ({**GOOD, "t": 4, "horizon": 3}, ["t=4 exceeds horizon=3"]),
        ({**GOOD, "tokens_in": (1 << 63) - 1}, ["9223372036854775807 tokens are more than"]),
        ({**GOOD, "spans": [{**SPAN, "tokens": {"out": 1 << 62}}]}, [f"{1 << 62} tokens are more than"]),
        ('{"condition": "a", "outcome": "x", "t": 1e999}', ["t=inf"]),
        ({**GOOD, "meta": []}, ["meta=[]"]),
        ({**GOOD, "spans": [{**SPAN, "kind": "robot"}]}, ["kind='robot'", "llm, tool"]),
        ({**GOOD, "spans": [{**SPAN, "nam": 1}]}, ["a span", "'nam' is unknown"]),
        ({**GOOD, "spans": [{"span_id": "s"}]}, ["kind is missing"]),
        ({**GOOD, "spans": [4]}, ["a span must be an object"]),
        ({**GOOD, "attempts": [{"number": 1}]}, ["error is missing"]),
        ({"schema": "pytest-poisson.episodes/9"}, ["episodes/9", "pytest-poisson.episodes/1"]),
        ({"schema": "pytest-poisson.episodes/1"}, ["must be the first line"]),
    ],
)
def test_what_is_refused(tmp_path, line, words):
    """A line that is broken or says something meaningless is named by its number; nothing is written."""
    path = write(tmp_path / "r.jsonl", GOOD, line)
    assert_refused(tmp_path, "jsonl", [path], "r.jsonl line 2", *words)


@pytest.mark.parametrize(
    ("content", "declared", "words"),
    [
        (b"", {}, ["is empty"]),
        (b"\n \n", {}, ["is empty"]),
        (b'{"condition": "a", "outcome": "\xff"}\n', {}, ["not UTF-8"]),
        (b'{"condition": "a", "outcome": "x"}\n', {"paired_by": None}, ["names no draws", "--paired-by"]),
        (b'{"condition": "a", "outcome": "x"}\n', {"failures": ("y",)}, ["Outcome 'y' is in no case", "x"]),
        (
            b'{"condition": "a", "outcome": "x"}\n',
            {"failures": ("x",), "successes": ("x",)},
            ["'x' is declared a failure and a success"],
        ),
        (b'{"condition": "a", "cause": "errored"}\n', {}, ["None of the 1 cases", "1 errored"]),
        (
            b'{"schema": "pytest-poisson.episodes/1", "shard": [1, 9223372036854775808]}\n',
            {},
            ["shard=[1, 9223372036854775808] must be [part, parts]"],
        ),
    ],
)
def test_files_that_are_refused(tmp_path, content, declared, words):
    """A file that is empty, measured nothing, or declares what is not there is one sentence; nothing is written."""
    (tmp_path / "r.jsonl").write_bytes(content)
    assert_refused(tmp_path, "jsonl", [tmp_path / "r.jsonl"], *words, **declared)


def test_a_version_that_never_failed_is_imported_as_one_that_could_have(tmp_path):
    """A declared word that no case has is fine where every case has a declared one; only else may it be a slip."""
    path = write(tmp_path / "r.jsonl", {**GOOD, "outcome": "pass"})
    bring(tmp_path, "jsonl", [path], failures=("fail",), successes=("pass",))
    (rollout,) = run_record(tmp_path).rollouts
    assert (rollout.outcomes, rollout.failures, rollout.successes) == (("pass", "fail"), ("fail",), ("pass",))


def test_a_duplicate_far_apart_is_found(tmp_path):
    """A replicate that comes again after thousands of lines is named with the line it repeats."""
    lines = [{"condition": "a", "replicate": i, "outcome": "x"} for i in range(12_000)]
    path = write(tmp_path / "r.jsonl", *lines, {"condition": "a", "replicate": 4, "outcome": "y"})
    assert_refused(tmp_path, "jsonl", [path], "line 12001 is replicate 4", "line 5")
    report = bring(tmp_path, "jsonl", [path], duplicates="keep-first")
    assert (report.read, report.imported, report.left_out) == (12_001, 12_000, {"duplicate": 1})
    assert endings(tmp_path)[axes(condition="a"), 4] == "x"


def test_a_byte_order_mark_and_windows_line_ends(tmp_path):
    """A file as Windows tools write it is read."""
    text = "".join(json.dumps(GOOD) + "\r\n" for _ in range(2))
    (tmp_path / "r.jsonl").write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert bring(tmp_path, "jsonl", [tmp_path / "r.jsonl"]).imported == 2


def test_cases_are_chosen_and_counted(tmp_path):
    """What --where leaves out is counted by its reason, and read = imported + left out."""
    path = write(tmp_path / "r.jsonl", *({"condition": {"x": x}, "outcome": "a"} for x in (1, 2, 2)))
    report = bring(tmp_path, "jsonl", [path], where=(("x", "1"),))
    assert (report.read, report.imported, report.left_out) == (3, 1, {"x is not 1": 2})
    assert_refused(tmp_path, "jsonl", [path], "has no 'y'", where=(("y", "1"),), name="other")


def test_an_interruption_leaves_nothing(tmp_path, monkeypatch):
    """An import that is stopped while it writes leaves no run and no half-written file."""
    from poisson_store.importers.jsonl import JsonlReader

    path = write(tmp_path / "r.jsonl", *({"condition": "a", "outcome": "x"} for _ in range(12_000)))
    whole, readings = JsonlReader.cases, []

    def cases(reader):
        readings.append(reader)
        for number, case in enumerate(whole(reader)):
            if len(readings) == 2 and number == 11_000:
                raise KeyboardInterrupt
            yield case

    monkeypatch.setattr(JsonlReader, "cases", cases)
    with pytest.raises(KeyboardInterrupt):
        bring(tmp_path, "jsonl", [path])
    assert [entry.name for entry in (tmp_path / "store").iterdir()] == ["catalog.sqlite"]


def test_a_file_that_changes_meanwhile_is_refused(tmp_path, monkeypatch):
    """Cases that were not there at the first reading stop an import."""
    path = write(tmp_path / "r.jsonl", GOOD)
    from poisson_store.importers import assemble

    def survey(*arguments):
        found = take_survey(*arguments)
        write(path, GOOD, {"condition": "b", "outcome": "x"})
        return found

    take_survey = assemble.take_survey
    monkeypatch.setattr(assemble, "take_survey", survey)
    assert_refused(tmp_path, "jsonl", [path], "line 2 changed while it was being imported")


def test_a_name_is_taken_once(tmp_path):
    """A second import of a name is refused before anything is read, and the first stays."""
    path = write(tmp_path / "r.jsonl", GOOD)
    bring(tmp_path, "jsonl", [path])
    with pytest.raises(Exception, match="'run' is taken"):
        bring(tmp_path, "jsonl", [tmp_path / "missing.jsonl"])
    assert len(endings(tmp_path)) == 1


def test_the_files_are_recorded(tmp_path):
    """The run says what it was made of: names, sizes and digests of the files, and what was declared; no path."""
    import hashlib

    path = write(tmp_path / "r.jsonl", GOOD)
    bring(tmp_path, "jsonl", [path])
    imported = run_record(tmp_path).settings["imported"]
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    assert imported["files"] == [{"name": "r.jsonl", "bytes": path.stat().st_size, "sha256": digest}]
    assert str(tmp_path) not in json.dumps(imported)
