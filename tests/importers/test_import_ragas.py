"""Ragas' tables of scores."""

import json

import pytest

from poisson_store.importers import Cut, Words
from tests.importers.bring import HALF, assert_refused, axes, bring, endings, run_record

pyarrow = pytest.importorskip("pyarrow")
from pyarrow import parquet  # noqa: E402

ROWS = [
    {
        "id": "q1",
        "user_input": "Where is \u00e9?",
        "retrieved_contexts": ['one, "two"', "three\nfour"],
        "faithfulness": 0.75,
    },
    {"id": "q2", "user_input": "And this?", "retrieved_contexts": [], "faithfulness": 0.25},
    {"id": "q3", "user_input": "Who?", "retrieved_contexts": ["x"], "faithfulness": None},
]
EXPECTED = {(axes(id="q1"), 0): "pass", (axes(id="q2"), 0): "fail", (axes(id="q3"), 0): "errored"}
ARGUMENTS = {"metric": "faithfulness", "judge": HALF, "case_by": ("id",)}


def write_csv(path, rows=ROWS):
    """Write rows as pandas does: lists as Python writes them, none as nothing."""
    import csv

    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]))
        writer.writeheader()
        writer.writerows(
            {name: "" if value is None else value for name, value in row.items()} for row in rows
        )


def write_lines(path, rows=ROWS):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def write_json(path, rows=ROWS):
    path.write_text(json.dumps(rows), encoding="utf-8")


def write_columns(path, rows=ROWS):
    """Write rows as `DataFrame.to_json` does unless told otherwise."""
    columns = {name: {str(i): row[name] for i, row in enumerate(rows)} for name in rows[0]}
    path.write_text(json.dumps(columns), encoding="utf-8")


def write_parquet(path, rows=ROWS):
    parquet.write_table(pyarrow.Table.from_pylist(rows), path)


WRITERS = [
    ("s.csv", write_csv),
    ("s.jsonl", write_lines),
    ("s.ndjson", write_lines),
    ("s.json", write_json),
    ("columns.json", write_columns),
    ("s.parquet", write_parquet),
]


@pytest.mark.parametrize(("file", "write"), WRITERS)
def test_every_format_gives_the_same_run(tmp_path, file, write):
    """CSV, JSON Lines, JSON of rows or columns, and Parquet of one table give the same conditions and endings."""
    write(tmp_path / file)
    report = bring(tmp_path, "ragas", [tmp_path / file], **ARGUMENTS)
    assert endings(tmp_path) == EXPECTED
    assert report.accounting.errored == 1


@pytest.mark.parametrize("text", ["NaN", "null"])
def test_no_score_is_no_outcome(tmp_path, text):
    """A score that Ragas could not give is a cause, never a 0."""
    (tmp_path / "s.jsonl").write_text(f'{{"id": 1, "m": {text}}}\n{{"id": 2, "m": 1}}\n', encoding="utf-8")
    bring(tmp_path, "ragas", [tmp_path / "s.jsonl"], **{**ARGUMENTS, "metric": "m"})
    assert endings(tmp_path) == {(axes(id=1), 0): "errored", (axes(id=2), 0): "pass"}


@pytest.mark.parametrize(
    ("side", "expected"),
    [("ge", "pass"), ("le", "pass"), ("gt", "fail"), ("lt", "fail")],
)
def test_the_side_of_a_cut_decides_at_the_bound(tmp_path, side, expected):
    """A score on the bound passes for ge and le, and fails for gt and lt."""
    write_json(tmp_path / "s.json", [{"id": 1, "m": 0.5}])
    bring(tmp_path, "ragas", [tmp_path / "s.json"], metric="m", judge=Cut(side, 0.5), case_by=("id",))
    assert list(endings(tmp_path).values()) == [expected]


def test_other_judges_measure_something_else(tmp_path):
    """Imports by other cuts, however near, have no condition in common; the order of words does not matter."""
    write_json(tmp_path / "s.json")
    cuts = [Cut("ge", 0.5), Cut("gt", 0.5), Cut("ge", 0.5000001), Cut("ge", 1.0)]
    found = [
        bring(tmp_path, "ragas", [tmp_path / "s.json"], f"r{number}", **{**ARGUMENTS, "judge": cut}).rollouts[
            0
        ]
        for number, cut in enumerate(cuts)
    ]
    assert len(set(found)) == 4
    assert found[3] == "ragas:faithfulness ge 1"
    assert str(Words(("a", "b"), ("c",))) == str(Words(("b", "a"), ("c",))) == "a|b passes, c fails"


def test_prompts_identify_by_digest(tmp_path):
    """A column that Ragas fills with prompts or contexts is an axis by its digest."""
    write_json(tmp_path / "s.json")
    bring(
        tmp_path,
        "ragas",
        [tmp_path / "s.json"],
        **{**ARGUMENTS, "case_by": ("user_input", "retrieved_contexts")},
    )
    for condition in run_record(tmp_path).conditions:
        assert all(value.startswith("sha256:") for value in condition.axes.values())


def test_a_long_text_is_known_by_its_digest_whatever_its_column(tmp_path):
    """No text of more than 200 characters becomes an axis value."""
    write_json(
        tmp_path / "s.json", [{"question_text": "x" * 201, "m": 1}, {"question_text": "x" * 200, "m": 1}]
    )
    bring(tmp_path, "ragas", [tmp_path / "s.json"], metric="m", judge=HALF, case_by=("question_text",))
    long, short = (condition.axes["question_text"] for condition in run_record(tmp_path).conditions)
    assert (long[:7], len(short)) == ("sha256:", 200)


@pytest.mark.parametrize(
    ("file", "content", "words"),
    [
        ("s.csv", b"", ["is empty"]),
        ("s.csv", b"id,m\n", ["holds no row"]),
        ("s.csv", b"id,faithfulness\n1\n", ["line 2 has 1 values", "2 columns"]),
        ("s.csv", b'id,faithfulness\n"1,0.5\n', ["broken CSV"]),
        ("s.csv", b"id,id,faithfulness\n1,2,3\n", ["two columns 'id'"]),
        ("s.csv", b"id,faithfulnes\n1,0.5\n", ["'faithfulness'", "id, faithfulnes"]),
        ("s.csv", b"id,faithfulness\n1,good\n", ['"good" is no number']),
        ("s.csv", b"id,faithfulness\n1,inf\n", ["no finite number"]),
        ("s.csv", b"id,faithfulness\n\xff,1\n", ["not UTF-8"]),
        ("s.json", b"[{]", ["broken JSON at character 3"]),
        ("s.json", b"3", ["neither an array of rows nor an object of columns"]),
        ("s.json", b'{"id": 1}', ["column 'id'", "an object is expected"]),
        ("s.jsonl", b'{"id": 1, "faithfulness": 1}\n{"id": 2,\n', ["line 2", "broken JSON"]),
        ("s.jsonl", b'{"id": 1, "faithfulness": Infinity}\n', ["no finite number"]),
        ("s.jsonl", b"[1]\n", ["line 1", "an object is expected"]),
        ("s.parquet", b"PAR1 and nothing", ["truncated, damaged or no Parquet"]),
        ("s.xlsx", b"x", [".csv, .json, .jsonl, .ndjson, .parquet"]),
    ],
)
def test_what_is_refused(tmp_path, file, content, words):
    """A file that is empty, broken or of another shape is one sentence; nothing is written."""
    (tmp_path / file).write_bytes(content)
    assert_refused(tmp_path, "ragas", [tmp_path / file], file, *words, **ARGUMENTS)


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_truncated_parquet_is_refused(tmp_path, share):
    """A Parquet file that ends early is refused wherever it was cut."""
    write_parquet(tmp_path / "s.parquet", ROWS * 500)
    whole = (tmp_path / "s.parquet").read_bytes()
    (tmp_path / "s.parquet").write_bytes(whole[: int(len(whole) * share)])
    assert_refused(tmp_path, "ragas", [tmp_path / "s.parquet"], "truncated", **ARGUMENTS)


def test_without_pyarrow_the_extra_is_named(tmp_path, monkeypatch):
    """Where PyArrow is not installed the sentence says what to install."""
    import sys

    write_parquet(tmp_path / "s.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert_refused(tmp_path, "ragas", [tmp_path / "s.parquet"], "pytest-poisson[arrow]", **ARGUMENTS)
