"""What GitHub shows: results read back, Markdown within its limits, annotations that stay one line."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from poisson_store import Store
from pytest_poisson.analyses.check import check
from pytest_poisson.analyses.show import show
from pytest_poisson.errors import UserError
from pytest_poisson.render import diff_documents, documents, run_documents
from pytest_poisson.render.comment import comment, result_sheet
from pytest_poisson.render.diff_text import render_diff
from pytest_poisson.render.github import Annotation, annotation_lines, cut, fitted_markdown
from pytest_poisson.result_files import Nothing, read_result
from tests.render import scenarios
from tests.stored_runs import cell, endings, write_run

HOSTILE = "<script>x</script> | `b` ]]> @team https://evil.example www.evil.example </style>\n# no"
SCENARIOS = ["trade", "equal", "too_small", "missing", "within", "long_labels", "refused"]


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_comparison_read_back_is_the_comparison(tmp_path, name):
    """Writing, reading and writing again gives the same document, and the same words at the terminal."""
    result = getattr(scenarios, name)(tmp_path)
    document = diff_documents.diff_document(result)
    found = read_result(documents.dump(document), "r.json")
    assert diff_documents.diff_document(found) == document
    assert render_diff(found, verbose=True) == render_diff(result, verbose=True)


def test_a_gate_and_a_run_read_back_are_themselves(tmp_path):
    """The documents of a check and of a run survive reading, but for the pass rates that no comment shows."""
    scenarios.trade(tmp_path)
    with Store(tmp_path).open("base") as before, Store(tmp_path).open("patched") as after:
        gate, run = (
            diff_documents.check_document(check(before, after)),
            run_documents.show_document(show(after)),
        )
    assert diff_documents.check_document(read_result(json.dumps(gate), "r")) == gate
    again = run_documents.show_document(read_result(json.dumps(run), "r"))
    assert {**again, "pass_rates": run["pass_rates"]} == run


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{", "'r.json' is not JSON"),
        ("[]", "schema None"),
        ('{"schema": "x/9"}', "schema 'x/9'; it takes pytest-poisson.check/1"),
        (
            '{"schema": "pytest-poisson.diff/1"}',
            "no whole pytest-poisson.diff/1 document: it has no 'events'.",
        ),
        ('{"schema": "pytest-poisson.diff/1", "events": [3]}', "a part of it is not as it was written"),
    ],
)
def test_what_is_no_result_is_refused(text, words):
    """A file that holds something else is refused by name, with what would be accepted."""
    with pytest.raises(UserError) as refusal:
        read_result(text, "r.json")
    assert words in str(refusal.value)


def test_an_empty_result_has_a_comment_that_says_so():
    """A file without a byte is a session that ended early; silence would read as success."""
    assert read_result(" \n", "r.json") == Nothing()
    assert "There is no result" in comment(Nothing())


def test_a_refused_result_has_a_comment_that_says_why(tmp_path):
    """The comment of runs without a common condition carries the refusal's sentence."""
    result = scenarios.refused(tmp_path)
    assert result.refusal.split()[0] in comment(result)
    assert "**not comparable: " in comment(result)


def test_a_run_that_measured_nothing_says_so(tmp_path):
    """A run of errors alone has no share, and its comment says that nothing was measured."""
    write_run(Store(tmp_path), "broken", [(cell(task="a"), endings(errored=4))])
    with Store(tmp_path).open("broken") as run:
        text = comment(show(run))
    assert "Nothing was measured" in text
    assert "| a | timeout | 0/0 | - | - |" in text


def test_a_run_alone_is_a_description(tmp_path):
    """Shares of one run carry Wilson's interval (Newcombe 1998, table I: 81 of 263) and no verdict."""
    write_run(Store(tmp_path), "one", [(cell(task="a"), endings(timeout=81, resolved=182))])
    with Store(tmp_path).open("one") as run:
        text = comment(show(run))
    assert "| a | timeout | 81/263 | 0.308 | 0.255 to 0.366 |" in text
    assert "This is a description of one run: no test was made" in text


def test_the_comment_has_the_replay_and_the_limits(tmp_path):
    """A comment of a gate that failed has the verdict, the gate, the command to replay, and what was not seen."""
    scenarios.trade(tmp_path)
    with Store(tmp_path).open("base") as before, Store(tmp_path).open("patched") as after:
        text = comment(check(before, after))
    assert text.startswith("<!-- pytest-poisson -->\n\n# pytest-poisson\n\n**trade: of 18 tests")
    assert "gate: FAILED on " in text
    assert "```sh\npytest --poisson-replicate=" in text
    assert "## What this comparison could not have seen\n\n- A change of a single row below" in text
    assert "1,746 replicates planned = 1,744 with outcome + 1 timed out + 1 errored" in text


def test_hostile_words_stay_words(tmp_path):
    """Axis values, run names and outcomes cannot make an element, a cell, a heading, a mention or a link."""
    cells = [(cell(task=HOSTILE), endings(resolved=30, timeout=20))]
    result = scenarios.two(tmp_path, cells, cells, paired=True, variant={"k": HOSTILE})
    text = comment(replace(result, notes=(HOSTILE,)))
    for active in ("<script", "</style", " | `b", "@team", "https://", "www.evil", "\n# no"):
        assert active not in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len({line.replace("\\|", "").count("|") for line in rows}) == 1


def test_a_long_report_is_cut_and_says_so(tmp_path):
    """A report of many rows fits the size it is given; rows shown and rows left out are all of them."""
    cells = [
        (cell(task=f"task {number} {'x' * 60}"), endings(resolved=9, timeout=1)) for number in range(400)
    ]
    result = scenarios.two(tmp_path, cells, cells, paired=True)
    text = fitted_markdown(lambda rows: result_sheet(result, rows_shown=rows), 40_000)
    assert 15_000 < len(text.encode()) <= 40_000
    shown = text.count("| task ") - 1  # the heading names the axis
    assert f"{800 - shown} more rows, less important, left out here." in text


@given(st.text(), st.integers(100, 400))
def test_a_cut_keeps_within_its_size(text, size):
    """Whatever the text, what is left is within the size, is valid UTF-8, and a cut is stated."""
    kept = cut(text * 20, size)
    assert len(kept.encode()) <= size
    assert kept == text * 20 or "Cut here: " in kept


@given(st.text(), st.text(), st.text())
def test_an_annotation_is_one_line_that_reads_back(file, title, message):
    """Escaped texts hold no end of line and, unescaped as GitHub does it, are the texts again."""
    (line,) = annotation_lines([Annotation(file, 7, title, message)])
    assert "\n" not in line
    assert "\r" not in line
    head, _, data = line.removeprefix("::error ").partition("::")
    properties = dict(part.split("=", 1) for part in head.split(","))
    assert {name: _unescaped(each) for name, each in properties.items()} == {
        "file": file,
        "line": "7",
        "title": title,
    }
    assert _unescaped(data) == message


def test_ten_annotations_and_the_count_of_the_rest():
    """GitHub keeps ten annotations a step; the line behind them says how many have none."""
    lines = annotation_lines([Annotation("t.py", i, "t", "m") for i in range(1, 14)])
    assert sum(line.startswith("::error ") for line in lines) == 10
    assert lines[-1] == "3 more failing conditions have no annotation."


def _unescaped(text):
    for code, char in (("%2C", ","), ("%3A", ":"), ("%0A", "\n"), ("%0D", "\r"), ("%25", "%")):
        text = text.replace(code, char)
    return text
