"""DeepEval's saved test runs and its cache."""

import json

import pytest

from tests.importers.bring import HALF, assert_refused, axes, bring, endings, episodes, run_record, save


def metric(name="Answer Relevancy", score=0.9, **more):
    """Return a metric's data as a test run has it."""
    data = {"name": name, "threshold": 0.5, "success": True, "strictMode": False, **more}
    return data if score is None else {**data, "score": score, "reason": "It says so."}


def case(name, *metrics, **more):
    """Return a test case as a test run has it."""
    return {
        "name": name,
        "input": f"What is {name}? \u00e9",
        "actualOutput": "An answer.",
        "success": True,
        "metricsData": list(metrics),
        "runDuration": 0.25,
        "order": 0,
        **more,
    }


CASES = [
    case("a", metric(score=0.9), metric("Toxicity", 0.1)),
    case("b", metric(score=0.4)),
    case("c", metric(score=None, error="ValueError: judge gave no JSON\nlong trace")),
    case("d", metric("Toxicity", 0.0)),
]
RUN = {
    "testCases": CASES,
    "conversationalTestCases": [],
    "metricsScores": [],
    "testPassed": 1,
    "runDuration": 1.0,
}


def cached(test):
    """Return a test case as an entry of the cache."""
    key = {
        "actual_output": test["actualOutput"],
        "context": None,
        "input": test["input"],
        "retrieval_context": None,
    }
    measured = [
        {"metric_data": each, "metric_configuration": {"threshold": 0.5}} for each in test["metricsData"]
    ]
    return json.dumps(key), {"cached_metrics_data": measured}


ARGUMENTS = {"metric": "Answer Relevancy", "judge": HALF, "case_by": ("name",)}


@pytest.mark.parametrize("wrapped", [RUN, {"testRunData": RUN, "testRunLink": None}])
def test_one_metric_of_a_test_run(tmp_path, wrapped):
    """The chosen metric decides; where it errored or was skipped there is no outcome, and the rest is counted."""
    report = bring(tmp_path, "deepeval", [save(tmp_path / "run.json", wrapped)], **ARGUMENTS)
    assert endings(tmp_path) == {
        (axes(name="a"), 0): "pass",
        (axes(name="b"), 0): "fail",
        (axes(name="c"), 0): "errored",
        (axes(name="d"), 0): "skipped",
    }
    assert (report.read, report.imported, report.outcomes) == (4, 4, {"pass": 1, "fail": 1})
    found = episodes(tmp_path)[axes(name="c"), 0]
    assert (found.error, found.wall_s) == ("ValueError: judge gave no JSON", 0.25)
    assert episodes(tmp_path)[axes(name="a"), 0].meta == {"score": 0.9, "threshold": 0.5}


def test_the_cache(tmp_path):
    """The cache names no case: its input identifies one, by a digest; a metric it lacks was skipped."""
    document = {"test_cases_lookup_map": dict(map(cached, CASES[:3:2]))}
    bring(tmp_path, "deepeval", [save(tmp_path / "c.json", document)], **{**ARGUMENTS, "case_by": ("input",)})
    (first, _), (second, _) = endings(tmp_path)
    assert json.loads(first)["input"].startswith("sha256:")
    assert first != second
    assert sorted(endings(tmp_path).values()) == ["errored", "pass"]


def test_repeated_cases_are_replicates_in_file_order(tmp_path):
    """The same case again is the next replicate, over files in the order given; a folder gives its files by name."""
    save(
        tmp_path / "r" / "test_run_1.json",
        {"testCases": [case("a", metric(score=0.1)), case("a", metric(score=0.9))]},
    )
    save(tmp_path / "r" / "test_run_2.json", {"testCases": [case("a", metric(score=0.8))]})
    bring(tmp_path, "deepeval", [tmp_path / "r"], **ARGUMENTS)
    assert list(endings(tmp_path).values()) == ["fail", "pass", "pass"]


def test_conversations(tmp_path):
    """A conversational case is a case, known by its name."""
    turns = [{"role": "user", "content": "Hi", "order": 0}]
    test = {"name": "talk", "success": True, "metricsData": [metric()], "turns": turns}
    bring(tmp_path, "deepeval", [save(tmp_path / "t.json", {"conversationalTestCases": [test]})], **ARGUMENTS)
    assert endings(tmp_path) == {(axes(name="talk"), 0): "pass"}


@pytest.mark.parametrize("keep_text", [False, True])
def test_texts_are_kept_on_request_alone(tmp_path, keep_text):
    """Prompts, answers and the judge's reason are in the file only where that was asked for; the key is the same."""
    path = save(tmp_path / "run.json", {"testCases": [case("a", metric())]})
    bring(tmp_path, "deepeval", [path], keep_text=keep_text, **{**ARGUMENTS, "case_by": ("input",)})
    stored = b"".join(each.read_bytes() for each in (tmp_path / "store").glob("2*.sqlite"))
    for text in (b"What is a?", b"An answer.", b"It says so."):
        assert (text in stored) == keep_text
    assert run_record(tmp_path).conditions[0].axes["input"].startswith("sha256:")


def test_metadata_identifies_a_case(tmp_path):
    """What a golden carried along can be the identity, with its JSON type."""
    path = save(tmp_path / "run.json", {"testCases": [case("x", metric(), metadata={"id": 7})]})
    bring(tmp_path, "deepeval", [path], **{**ARGUMENTS, "case_by": ("metadata.id",)})
    assert run_record(tmp_path).conditions[0].axes == {"metadata.id": 7}


@pytest.mark.parametrize(
    ("document", "declared", "words"),
    [
        (RUN, {"metric": "Relevance"}, ["'Relevance'", "Answer Relevancy, Toxicity"]),
        (RUN, {"case_by": ("id",)}, ["test case 1", "'id'", "name, order, input"]),
        ({"testCases": []}, {}, ["holds no test case"]),
        ({"results": [1]}, {}, ["holds no test case"]),
        ({"testCases": [3]}, {}, ["test case 1", "an object is expected"]),
        ({"testCases": [case("a", metric(), metric())]}, {}, ["'Answer Relevancy' 2 times"]),
        ({"testCases": [case("a", metric(score="high"))]}, {}, ['"high" is no number', "--pass"]),
        ({"testCases": [case("a", metric(score=None))]}, {"metric": "Answer Relevancy"}, ["1 skipped"]),
        ({"test_cases_lookup_map": {"{broken": {}}}, {}, ["test case 1", "an object is expected"]),
    ],
)
def test_what_is_refused(tmp_path, document, declared, words):
    """A wrong metric, field or shape is one sentence that names it and what there is; nothing is written."""
    path = save(tmp_path / "run.json", document)
    assert_refused(tmp_path, "deepeval", [path], *words, **{**ARGUMENTS, **declared})


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity"])
def test_a_score_that_is_no_number_is_refused(tmp_path, literal):
    """A NaN or infinite score has no side of a cut."""
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"testCases": [case("a", metric(score=float(literal)))]}), encoding="utf-8")
    assert_refused(tmp_path, "deepeval", [path], "test case 1", "is no finite number", **ARGUMENTS)
