"""Logs of Inspect AI."""

import json
import zipfile
import zlib

import pytest

from poisson_store.importers import Words
from poisson_store.importers.instants import nanoseconds
from tests.importers.bring import HALF, assert_refused, axes, bring, endings, episodes, run_record, save

MATCH = {"scorer": "match", "judge": Words(("C",), ("I", "P", "N"))}
USAGE = {"input_tokens": 11, "output_tokens": 5, "total_tokens": 16}


def event(kind, second, **more):
    """Return an event of a sample's transcript."""
    return {
        "event": kind,
        "timestamp": f"2026-01-02T03:04:{second:02}.5+00:00",
        "working_start": float(second),
        **more,
    }


EVENTS = [
    event("span_begin", 0, id="S", type="solvers", name="solvers"),
    event("state", 0, span_id="S"),
    event(
        "model",
        1,
        span_id="S",
        model="openai/gpt",
        input=[],
        input_refs=[[0, 1]],
        output={"completion": "attachment://aa", "usage": USAGE, "choices": []},
        completed="2026-01-02T03:04:02.500000+00:00",
    ),
    event("span_begin", 2, id="T", type="tool", name="add", parent_id="S"),
    event("model", 3, span_id="T", model="openai/inner", input=[{"role": "user", "content": "x"}], output={}),
    event(
        "tool",
        2,
        span_id="S",
        id="call",
        function="add",
        arguments={"x": 1},
        result="2",
        completed="2026-01-02T03:04:04Z",
    ),
    event("span_end", 4, id="T"),
    event("span_begin", 5, id="A", type="agent", name="helper", parent_id="S"),
    event("model", 6, span_id="A", model="openai/gpt", input=[], output={"usage": USAGE}),
    event("span_end", 6, id="A"),
    event("span_begin", 7, id="E", type="solver", name="empty", parent_id="S"),
    event("span_end", 7, id="E"),
    event("span_end", 7, id="S"),
    event("span_begin", 8, id="G", type="scorers", name="scorers"),
    event("span_begin", 8, id="H", type="scorer", name="match", parent_id="G"),
    event("model", 8, span_id="H", model="openai/judge", input=[], output={"usage": USAGE}),
]


def sample(name, epoch, value="C", **more):
    """Return a sample as a log has it."""
    return {
        "id": name,
        "epoch": epoch,
        "input": "What is 1+1?",
        "target": "2",
        "messages": [],
        "scores": {}
        if value is None
        else {"match": {"value": value, "answer": "2", "explanation": "It is 2."}},
        "metadata": {"level": 1},
        "model_usage": {"openai/gpt": USAGE, "openai/inner": {"input_tokens": 1, "output_tokens": 2}},
        "total_time": 2.5,
        "started_at": "2026-01-02T03:04:00+00:00",
        "events": EVENTS,
        "events_data": {"messages": [{"role": "user", "content": "What is 1+1?"}], "calls": []},
        "attachments": {"aa": "It is two."},
        **more,
    }


def log(*samples, status="success", epochs=2, ids=("s1", "s2"), model="openai/gpt"):
    """Return a log as a `.json` file holds it."""
    about = {
        "task": "arith",
        "model": model,
        "dataset": {"samples": len(ids), "sample_ids": list(ids)},
        "config": {"epochs": epochs},
        "packages": {"inspect_ai": "0.3.200"},
    }
    scores = [{"name": "match", "metrics": {"stderr": {"value": float("nan")}}}]
    return {
        "version": 2,
        "status": status,
        "eval": about,
        "results": {"scores": scores},
        "samples": list(samples),
    }


FOUR = (
    sample("s1", 1),
    sample("s2", 1, "I"),
    sample("s1", 2, "P"),
    sample("s2", 2, None, error={"message": "RuntimeError('boom')\nmore"}),
)


def write_eval(path, document, compression=zipfile.ZIP_DEFLATED, *, finished=True):
    """Write a log as an `.eval` file holds it."""
    with zipfile.ZipFile(path, "w", compression) as archive:
        head = {key: value for key, value in document.items() if key != "samples"}
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": head["eval"], "plan": {}}))
        for each in document["samples"]:
            archive.writestr(f"samples/{each['id']}_epoch_{each['epoch']}.json", json.dumps(each))
        archive.writestr("_journal/summaries/1.json", "[]")
        if finished:
            archive.writestr("header.json", json.dumps(head))
    return path


def write_zstd(path, document):
    """Write an `.eval` file with the compression of newer versions, whatever this Python's zipfile can."""
    pyarrow = pytest.importorskip("pyarrow")
    write_eval(path, document, zipfile.ZIP_STORED)
    with zipfile.ZipFile(path) as archive:
        entries = [(entry.filename, archive.read(entry)) for entry in archive.infolist()]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in entries:
            archive.writestr(name, pyarrow.compress(content, "zstd", asbytes=True))
            entry = archive.getinfo(name)
            entry.compress_type, entry.CRC, entry.file_size = 93, zlib.crc32(content), len(content)
    data = bytearray(path.read_bytes())
    with zipfile.ZipFile(path) as archive:
        for entry in archive.infolist():
            data[entry.header_offset + 8 : entry.header_offset + 10] = (93).to_bytes(2, "little")
    path.write_bytes(data)
    return path


EXPECTED = {
    (axes(sample="s1", task="arith"), 0): "pass",
    (axes(sample="s1", task="arith"), 1): "fail",
    (axes(sample="s2", task="arith"), 0): "fail",
    (axes(sample="s2", task="arith"), 1): "errored",
}


@pytest.mark.parametrize("form", ["json", "eval", "zstd"])
def test_every_form_of_a_log_gives_the_same_run(tmp_path, form):
    """Sample x epoch is condition x replicate, whether the log is JSON or an archive of either compression."""
    document = log(*FOUR)
    path = tmp_path / ("log.json" if form == "json" else "log.eval")
    writers = {"json": save, "eval": write_eval, "zstd": write_zstd}
    report = bring(tmp_path, "inspect", [writers[form](path, document)], **MATCH)
    assert endings(tmp_path) == EXPECTED
    assert (report.status, report.accounting.not_run) == ("complete", 0)
    assert episodes(tmp_path)[axes(sample="s2", task="arith"), 1].error == "RuntimeError('boom')"


def test_a_log_that_did_not_finish(tmp_path):
    """An archive without its header is read by its start; samples that did not run are counted, the run is no `complete` one."""
    path = write_eval(tmp_path / "log.eval", log(sample("s1", 1)), finished=False)
    report = bring(tmp_path, "inspect", [path], **MATCH)
    assert (report.status, report.accounting.planned, report.accounting.not_run) == ("interrupted", 4, 3)


def test_events_are_spans(tmp_path):
    """Calls and the steps around them are spans in order: no empty step, no scorer, a tool's doubled step once."""
    bring(tmp_path, "inspect", [save(tmp_path / "log.json", log(sample("s1", 1)))], keep_text=True, **MATCH)
    episode = episodes(tmp_path)[axes(sample="s1", task="arith"), 0]
    assert [(span.kind, span.name, span.parent_id, span.step) for span in episode.spans] == [
        ("other", "solvers", None, None),
        ("llm", "openai/gpt", "S", "solvers"),
        ("tool", "add", "S", "add"),
        ("llm", "openai/inner", "S", "solvers"),
        ("agent", "helper", "S", None),
        ("llm", "openai/gpt", "A", "helper"),
    ]
    _, model, tool, inner, *_ = episode.spans
    assert json.loads(model.input) == [{"role": "user", "content": "What is 1+1?"}]
    assert (model.output, model.attrs) == ("It is two.", {"gen_ai.request.model": "openai/gpt"})
    assert (model.tokens.input, model.tokens.output, inner.tokens) == (11, 5, None)
    assert model.end_ns - model.start_ns == 1_000_000_000
    assert (tool.input, tool.output, tool.end_ns - tool.start_ns) == ('{"x": 1}', "2", 1_500_000_000)
    assert (episode.tokens_in, episode.tokens_out, episode.unknown_usage) == (12, 7, 1)
    assert (episode.wall_s, episode.started_ns) == (2.5, 1_767_323_040_000_000_000)


def test_texts_are_left_out(tmp_path):
    """Without keep_text the spans have the lengths and digests of their texts, and no text is in the file."""
    bring(tmp_path, "inspect", [save(tmp_path / "log.json", log(sample("s1", 1)))], **MATCH)
    stored = b"".join(each.read_bytes() for each in (tmp_path / "store").glob("2*.sqlite"))
    assert b"1+1" not in stored
    assert b"It is" not in stored
    span = episodes(tmp_path)[axes(sample="s1", task="arith"), 0].spans[1]
    assert (span.output, span.output_cut.bytes) == (None, len("It is two."))


@pytest.mark.parametrize(
    ("more", "ending"),
    [
        ({"limit": {"type": "message", "limit": 5}}, "timed_out"),
        ({"limit": {"type": "time", "limit": 5}}, "timed_out"),
        ({"limit": {"type": "operator", "limit": 1}}, "cancelled"),
        ({"error": {"message": "x"}, "limit": {"type": "time", "limit": 5}}, "errored"),
        ({"invalidation": {"reason": "x"}}, "cancelled"),
        ({"scores": {}}, "skipped"),
        ({"scores": {"match": {"value": float("nan")}}}, "skipped"),
        ({}, "pass"),
    ],
)
def test_causes(tmp_path, more, ending):
    """A sample that errored, reached a limit, was invalidated or was not scored has no outcome, even with a score."""
    path = save(tmp_path / "log.json", log(sample("s1", 1), sample("s2", 1, **more)))
    bring(tmp_path, "inspect", [path], **MATCH)
    assert endings(tmp_path)[axes(sample="s2", task="arith"), 0] == ending


def test_limits_count_by_their_score_on_request(tmp_path):
    """With limits_score a sample that reached a limit is judged, and the rollout's id says so."""
    path = save(tmp_path / "log.json", log(sample("s1", 1, "I", limit={"type": "message", "limit": 5})))
    report = bring(tmp_path, "inspect", [path], limits_score=True, **MATCH)
    assert list(endings(tmp_path).values()) == ["fail"]
    assert report.rollouts[0].endswith("limits score")


def test_a_metric_of_several(tmp_path):
    """Where a scorer gives several values the metric picks one."""
    path = save(tmp_path / "log.json", log(sample("s1", 1, {"a": 0.7, "b": 0.2})))
    for metric, ending in (("a", "pass"), ("b", "fail")):
        bring(tmp_path, "inspect", [path], metric, scorer="match", metric=metric, judge=HALF)
        assert list(endings(tmp_path, metric).values()) == [ending]


def test_several_logs(tmp_path):
    """Logs of one task hold the same epochs: refused as duplicates, or numbered on in file order."""
    paths = [save(tmp_path / f"{name}.json", log(sample("s1", 1), ids=("s1",), epochs=1)) for name in "ab"]
    assert_refused(tmp_path, "inspect", paths, "b.json", "a.json", "--renumber", **MATCH)
    report = bring(tmp_path, "inspect", paths, renumber=True, **MATCH)
    assert (report.conditions, report.most, report.accounting.not_run) == (1, 2, 0)


def test_models_are_not_mixed(tmp_path):
    """Logs of two models do not become replicates of one condition; the user says which, or makes it an axis."""
    paths = [
        save(tmp_path / f"{epoch}.json", log(sample("s1", epoch), ids=("s1",), model=f"m{epoch}"))
        for epoch in (1, 2)
    ]
    assert_refused(tmp_path, "inspect", paths, "model differs ('m1', 'm2')", "--where model=", **MATCH)
    report = bring(tmp_path, "inspect", paths, "one", where=(("model", "m1"),), **MATCH)
    assert report.left_out == {"model is not m1": 1}
    report = bring(tmp_path, "inspect", paths, "both", case_by=("task", "sample", "model"), **MATCH)
    assert report.conditions == 2


@pytest.mark.parametrize(
    ("document", "declared", "words"),
    [
        (log(*FOUR), {"scorer": "model_graded"}, ["'model_graded'", "match"]),
        (log(*FOUR), {"judge": HALF}, ['"C" is no number', "--pass"]),
        (log(*FOUR), {"judge": Words(("C",), ("I",))}, ["'P' is none of those declared: C, I"]),
        (log(*FOUR), {"metric": "a"}, ["gives one value", "'a'"]),
        (log(sample("s1", 1, {"a": 1})), {}, ["gives a", "--metric"]),
        (log(sample("s1", "x")), {}, ["epoch is no number"]),
        ({"samples": [sample("s1", 1)]}, {}, ["no log of Inspect"]),
        ({"a": 1}, {}, ["no log of Inspect"]),
        ([], {}, ["no log of Inspect"]),
        (log(), {}, ["holds no case"]),
    ],
)
def test_what_is_refused(tmp_path, document, declared, words):
    """A wrong scorer, judge or shape is one sentence; nothing is written."""
    assert_refused(
        tmp_path, "inspect", [save(tmp_path / "log.json", document)], *words, **{**MATCH, **declared}
    )


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 0.99])
def test_a_truncated_archive_is_refused(tmp_path, share):
    """An `.eval` that ends early is one sentence."""
    path = write_eval(tmp_path / "log.eval", log(*FOUR))
    path.write_bytes(path.read_bytes()[: int(path.stat().st_size * share)])
    assert_refused(tmp_path, "inspect", [path], "truncated", **MATCH)


def test_a_damaged_entry_is_refused(tmp_path):
    """A byte that changed inside a compressed sample is found, in either compression."""
    for name, write in (("deflate.eval", write_eval), ("zstd.eval", write_zstd)):
        path = write(tmp_path / name, log(*FOUR))
        data = bytearray(path.read_bytes())
        with zipfile.ZipFile(path) as archive:
            entry = archive.getinfo("samples/s1_epoch_1.json")
        data[entry.header_offset + 30 + len(entry.filename) + 40] ^= 0xFF
        path.write_bytes(data)
        assert_refused(tmp_path, "inspect", [path], "damaged", **MATCH)


def test_the_environment_names_what_was_evaluated(tmp_path):
    """Model, task and packages are in the environment, so that a comparison names what changed."""
    bring(tmp_path, "inspect", [save(tmp_path / "log.json", log(*FOUR))], **MATCH)
    environment = run_record(tmp_path).environment
    assert (environment["model"], environment["packages"]) == ("openai/gpt", {"inspect_ai": "0.3.200"})


@pytest.mark.parametrize(
    ("instant", "expected"),
    [
        ("2025-01-01T00:00:00.123456789+02:00", 1_735_682_400_123_456_000),
        ("9999-12-31T23:59:59Z", None),
        ("0001-01-01T00:00:00+14:00", None),
    ],
)
def test_a_time_that_no_store_holds_is_none(instant, expected):
    """What a tool writes where it has no time must not end an import in an overflow."""
    assert nanoseconds(instant) == expected
