"""JSON documents: versioned, sorted, byte-identical on equal inputs."""

import json
from pathlib import Path

from poisson_store import Store
from pytest_poisson.analyses.check import check
from pytest_poisson.analyses.show import show
from pytest_poisson.render import diff_documents, documents, run_documents
from tests.golden import assert_golden
from tests.render import scenarios
from tests.stored_runs import cell, endings

GOLDEN = Path(__file__).with_name("golden")


def rounded(value):
    """Return a document with its figures cut to 9 digits."""
    if isinstance(value, dict):
        return {name: rounded(each) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each) for each in value]
    return float(f"{value:.9g}") if isinstance(value, float) else value


def test_the_document_is_as_it_was(tmp_path):
    """The document of a comparison keeps its fields and values: what scripts read does not change unseen.

    Figures are compared to 9 digits: the last ones are those of the numerical libraries.
    """
    document = diff_documents.diff_document(scenarios.too_small(tmp_path))
    assert_golden(documents.dump(rounded(document)), GOLDEN / "diff.json")


def test_equal_inputs_give_equal_bytes(tmp_path):
    """Two stores with the same runs, compared apart, give the very same text."""
    one = documents.dump(diff_documents.diff_document(scenarios.trade(tmp_path / "one")))
    other = documents.dump(diff_documents.diff_document(scenarios.trade(tmp_path / "other")))
    assert one == other


def test_the_text_is_plain_json(tmp_path):
    """The text is ASCII, sorted, ends in one line feed, and reads back as the document."""
    document = diff_documents.diff_document(scenarios.trade(tmp_path))
    text = documents.dump(document)
    assert text.isascii()
    assert text.endswith("}\n")
    assert json.loads(text) == document
    assert text == json.dumps(json.loads(text), sort_keys=True, indent=2) + "\n"


def test_each_document_names_its_schema(tmp_path):
    """Every kind of document begins with a name and a version."""
    result = scenarios.trade(tmp_path)
    store = Store(tmp_path)
    with store.open("base") as before, store.open("patched") as after:
        checked = diff_documents.check_document(check(before, after))
        shown = run_documents.show_document(show(after))
    listed = run_documents.runs_document(store.runs())
    schemas = [each["schema"] for each in (diff_documents.diff_document(result), checked, shown, listed)]
    assert schemas == [f"pytest-poisson.{name}/1" for name in ("diff", "check", "show", "runs")]


def test_check_holds_the_very_comparison(tmp_path):
    """The document of a check contains the document of the diff, and says which rows fail the gate."""
    result = scenarios.trade(tmp_path)
    store = Store(tmp_path)
    with store.open("base") as before, store.open("patched") as after:
        document = diff_documents.check_document(check(before, after))
    assert document["diff"] == diff_documents.diff_document(result)
    assert document["failing_rows"] == [i for i, row in enumerate(result.rows) if row.is_worse]
    assert (document["failed"], document["reasons"]) == (True, ["worse"])


def test_what_is_undefined_is_null(tmp_path):
    """A row without an outcome in an arm has no rate and no change: null, never 0 and never NaN."""
    lone, other = cell(task="a"), cell(task="b")
    result = scenarios.two(
        tmp_path,
        [(lone, endings(resolved=20)), (other, endings(resolved=20))],
        [(lone, endings(errored=20)), (other, endings(resolved=20))],
    )
    row = next(each for each in diff_documents.diff_document(result)["rows"] if each["axes"] == {"task": "a"})
    assert (row["after"]["rate"], row["change"], row["low"], row["high"]) == (None, None, None, None)
    assert documents.dump(diff_documents.diff_document(result))


def test_a_p_value_is_never_zero(tmp_path):
    """Where a p-value underflows it is null, and its logarithm is still there."""
    cells = [cell(task="a")]
    result = scenarios.two(
        tmp_path,
        [(each, endings(resolved=2000)) for each in cells],
        [(each, endings(timeout=2000)) for each in cells],
        events=["timeout"],
    )
    (row,) = diff_documents.diff_document(result)["rows"]
    assert row["p"] is None
    assert row["log_p"] < -1000
