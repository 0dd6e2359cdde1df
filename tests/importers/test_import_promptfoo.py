"""Results of promptfoo."""

import json

import pytest

from tests.importers.bring import HALF, assert_refused, axes, bring, endings, episodes, run_record, save


def result(x, *, success=True, prompt=0, provider="alpha", test=0, **more):
    """Return a result as promptfoo writes it."""
    verdict = {"pass": success, "score": int(success), "reason": 'Expected output to contain "Say"'}
    return {
        "provider": {"id": f"openai:{provider}", "label": provider},
        "prompt": {"raw": f"Say {x}", "label": ("Say {{x}}", "Shout {{x}}")[prompt]},
        "vars": {"x": x},
        "response": {
            "output": f"out {x}",
            "tokenUsage": {"total": 12, "prompt": 7, "completion": 5},
            "cached": False,
        },
        "success": success,
        "failureReason": 0 if success else 1,
        "score": int(success),
        "namedScores": {"polite": 0.75},
        "latencyMs": 8,
        "promptIdx": prompt,
        "testIdx": test,
        "testCase": {"description": f"case {x}", "vars": {"x": x}, "metadata": {"id": f"id-{x}"}},
        "gradingResult": verdict,
        **more,
    }


DOWN = {
    "success": False,
    "failureReason": 2,
    "error": "Error: provider down\n    at call",
    "gradingResult": None,
}
RESULTS = [
    result("hello"),
    result("hello", success=False, test=1),
    result("boom", **DOWN, test=2),
    result("boom", test=3),
]


def v3(results):
    """Return the JSON output of versions that write no table."""
    return {
        "evalId": "eval-1",
        "results": {"version": 3, "prompts": [], "results": results, "stats": {}},
        "config": {},
    }


def v2(results):
    """Return the JSON output of older versions: a table beside the results, no reason of failure."""
    rows = [{key: value for key, value in each.items() if key != "failureReason"} for each in results]
    return {
        "results": {"version": 2, "results": rows, "table": {"head": {}, "body": []}, "stats": {}},
        "config": {},
    }


def summary(results):
    """Return what `evaluate()` of its library gives."""
    return {"version": 3, "timestamp": "2026-01-01", "prompts": [], "results": results, "stats": {}}


EXPECTED = {
    (axes(description="case hello"), 0): "pass",
    (axes(description="case hello"), 1): "fail",
    (axes(description="case boom"), 0): "errored",
    (axes(description="case boom"), 1): "pass",
}
ARGUMENTS = {"metric": "success", "case_by": ("description",)}


@pytest.mark.parametrize("form", [v3, v2, summary, None])
def test_every_form_of_output_gives_the_same_run(tmp_path, form):
    """JSON of both versions, the library's summary and JSON Lines: repeats are replicates in file order."""
    if form is None:
        path = tmp_path / "out.jsonl"
        path.write_text("\n\n".join(map(json.dumps, RESULTS)) + "\n", encoding="utf-8")
    else:
        path = save(tmp_path / "out.json", form(RESULTS))
    bring(tmp_path, "promptfoo", [path], **ARGUMENTS)
    assert endings(tmp_path) == EXPECTED
    found = episodes(tmp_path)
    assert found[axes(description="case boom"), 0].error == "Error: provider down"
    first = found[axes(description="case hello"), 0]
    assert (first.tokens_in, first.tokens_out, first.wall_s) == (7, 5, 0.008)


@pytest.mark.parametrize(("metric", "ending"), [("score", "fail"), ("polite", "pass")])
def test_scores_are_cut(tmp_path, metric, ending):
    """The score of all assertions, or a named one, is judged by the declared cut."""
    path = save(tmp_path / "out.json", v3([result("a", success=False)]))
    bring(tmp_path, "promptfoo", [path], metric=metric, judge=HALF, case_by=("vars.x",))
    assert list(endings(tmp_path).values()) == [ending]


def test_a_result_without_the_named_score_was_skipped(tmp_path):
    """A named score that a result lacks is no outcome."""
    path = save(tmp_path / "out.json", v3([result("a"), result("b", namedScores={})]))
    bring(tmp_path, "promptfoo", [path], metric="polite", judge=HALF, case_by=("metadata.id",))
    assert endings(tmp_path)[axes(**{"metadata.id": "id-b"}), 0] == "skipped"


def test_variables_identify_by_digest_and_texts_stay_out(tmp_path):
    """Variables, prompts, outputs and reasons hold texts: the identity is a digest, and none is in the file."""
    path = save(tmp_path / "out.json", v3([result("hello", success=False)]))
    bring(tmp_path, "promptfoo", [path], metric="success", case_by=("vars", "prompt", "provider"))
    found = run_record(tmp_path).conditions[0].axes
    assert [value.startswith("sha256:") for value in found.values()] == [True, True, False]
    stored = b"".join(each.read_bytes() for each in (tmp_path / "store").glob("2*.sqlite"))
    assert b"hello" not in stored
    assert b"Expected output" not in stored


def test_a_cached_answer_is_marked(tmp_path):
    """A repeat that came from the cache says so: it is no draw of its own."""
    path = save(tmp_path / "out.json", v3([result("a", response={"output": "x", "cached": True})]))
    bring(tmp_path, "promptfoo", [path], **ARGUMENTS)
    assert episodes(tmp_path)[axes(description="case a"), 0].meta["cached"] is True


@pytest.mark.parametrize(
    ("results", "declared", "words"),
    [
        (RESULTS, {"metric": "rude"}, ["'rude'", "success, score, polite"]),
        (RESULTS, {"metric": "score"}, ["--cut"]),
        (RESULTS, {"judge": HALF}, ["promptfoo's own verdict", "no --cut"]),
        ([result("a"), result("a", prompt=1)], {}, ["result 2", "prompt differs", "--case-by"]),
        ([result("a"), result("a", provider="beta")], {}, ["provider differs ('alpha', 'beta')"]),
        ([result("a", testCase={"vars": {}})], {}, ["has no 'description'"]),
        ([{**result("a"), "success": "false"}], {}, ["result 1", "success='false' must be true or false"]),
        ([{**result("a"), "success": None}], {}, ["success=None must be true or false"]),
        ([], {}, ["holds no result"]),
        ([4], {}, ["result 1", "an object is expected"]),
        ([result("a", **DOWN)], {}, ["None of the 1 cases", "1 errored"]),
    ],
)
def test_what_is_refused(tmp_path, results, declared, words):
    """A wrong metric, a mixture of providers or prompts, or another shape is one sentence; nothing is written."""
    path = save(tmp_path / "out.json", v3(results))
    assert_refused(tmp_path, "promptfoo", [path], *words, **{**ARGUMENTS, **declared})
