"""The HTML report: one file, whole, the numbers of the result, and text that stays text."""

import json
from dataclasses import replace

import pytest

from poisson_store import Store
from poisson_store.records import Episode, RunRecord, Span
from pytest_poisson.analyses.diff import diff
from pytest_poisson.analyses.report_details import comparison_details, run_details
from pytest_poisson.analyses.shares import shares
from pytest_poisson.analyses.show import show
from pytest_poisson.render.diff_text import render_diff
from pytest_poisson.render.report_files import comparison_files, run_files
from tests.render import scenarios
from tests.render.elements import HOSTILE, Elements
from tests.render.figures import cells_of, data_of, facts_of, label_of
from tests.stored_runs import SALT, SUPPORT, cell, endings, write_run


def test_every_row_of_the_json_is_in_the_page(tmp_path):
    """Every figure of every row that the page can show is the JSON's, rounded to 3 decimals; each tile has its row."""
    files = comparison_files(scenarios.trade(tmp_path))
    rows, data = json.loads(files["report.json"])["diff"]["rows"], data_of(files["report.html"])
    assert sorted(row[5] for row in data["rows"]) == list(range(len(rows)))
    for (condition, event), look, cells, _, facts, number in data["rows"]:
        row = rows[number]
        assert data["conditions"][condition]["label"] == label_of(row)
        assert data["events"][event] == row["event"]
        assert look.removeprefix("weakly ") in {row["word"], "blind", "no change"}
        assert cells == cells_of(row)
        assert facts_of(row).items() <= dict(zip(data["facts"], facts, strict=False)).items()
    page = Elements(files["report.html"])
    tiles = {int(attrs["data-row"]) for _, attrs in page.found if attrs.get("class") == "tile"}
    assert tiles == set(range(len(rows)))


def test_the_page_says_its_rows_without_a_script(tmp_path):
    """The most important rows stand in the page as elements, and where some are left out it says how many."""
    cells = [(cell(task=f"t{n}"), endings(resolved=30 - n % 7, timeout=n % 7)) for n in range(40)]
    page = Elements(comparison_files(scenarios.two(tmp_path, cells, cells))["report.html"])
    assert "The first 50 of 80 rows" in page.text
    assert "6/30" in page.text


def test_the_page_needs_nothing_else(tmp_path):
    """No element loads anything, and the policy forbids it."""
    text = comparison_files(scenarios.trade(tmp_path))["report.html"]
    page = Elements(text)
    loading = {"src", "href", "srcset", "action", "xlink:href", "data", "poster", "formaction"}
    assert not [tag for tag, attrs in page.found if loading & set(attrs)]
    assert not {"link", "iframe", "object", "embed", "base", "form"} & {tag for tag, _ in page.found}
    assert "default-src 'none'" in text
    assert "@import" not in text


def test_it_says_what_a_reader_needs(tmp_path):
    """Verdict, accounting, what was not seen, the command to replay, and provenance stand in the page."""
    result = scenarios.trade(tmp_path)
    text = Elements(comparison_files(result)["report.html"]).text
    for words in (
        "trade: of 18 tests",
        "1,744 with outcome + 1 timed out + 1 errored",
        "What this comparison could not have seen",
        "pytest --poisson-replicate=",
        result.before.run_id,
        result.after.salt,
        "Comparison ",
    ):
        assert words in text


def test_hostile_words_make_no_element(tmp_path):
    """Axis values, run names, variants and outcomes add no element to the page and stay readable."""
    cells = [(cell(task=HOSTILE), endings(resolved=30, timeout=20))]
    plain = [(cell(task="a"), endings(resolved=30, timeout=20))]
    hostile = scenarios.two(tmp_path / "h", cells, cells, variant={"k": HOSTILE})
    tame = scenarios.two(tmp_path / "t", plain, plain, variant={"k": "v"})
    found, expected = (Elements(comparison_files(each)["report.html"]) for each in (hostile, tame))
    assert [tag for tag, _ in found.found] == [tag for tag, _ in expected.found]
    assert not [attrs for _, attrs in found.found if "onerror" in attrs]
    assert HOSTILE in found.text


def texts_of(value):
    """Yield every text in a document."""
    if isinstance(value, str):
        yield value
    for each in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_of(each)


def test_what_no_reader_would_see_is_written_out(tmp_path):
    """Escapes and directions in a text are spelled, in what the page's script shows and in a command for a terminal."""
    unseen, store = "\x1b[31m\u202e\u2066\x00\u2028", Store(tmp_path)
    place = replace(cell(task=unseen), nodeid=f"t.py::t[{unseen}]", planned=60)
    span = Span("1", None, "llm", unseen, 1, 2, input=unseen, output=unseen, error=unseen, step=unseen)
    for name, outcome in (("before", "resolved"), ("after", "timeout")):
        with store.create(RunRecord(salt=SALT, name=name, rollouts=(SUPPORT,), conditions=(place,))) as run:
            run.add(
                Episode(
                    place.key,
                    number,
                    number,
                    outcome,
                    None,
                    error=unseen,
                    meta={unseen: unseen},
                    spans=(span,),
                )
                for number in range(60)
            )
    with store.open("before") as before, store.open("after") as after:
        result = diff(before, after)
        details = comparison_details(before, after, result)
    shown = data_of(comparison_files(result, details)["report.html"])
    assert shown["replicates"][0]["spans"]
    for text in (*texts_of(shown), *render_diff(result).splitlines()):
        assert text.replace("\n", "").isprintable(), text


def test_a_run_alone_has_a_page(tmp_path):
    """The page of one run has its shares and says that it is a description."""
    write_run(Store(tmp_path), "one", [(cell(task="a"), endings(timeout=81, resolved=182))])
    with Store(tmp_path).open("one") as run:
        result = show(run)
    page = Elements(run_files(result, shares(result))["report.html"])
    assert "0.255 to 0.366" in page.text
    assert "This is a description of one run" in page.text


def test_a_thousand_conditions_stay_light(tmp_path):
    """A thousand conditions with two events are under 2 MB."""
    cells = [(cell(task=f"task {n}", model="large"), endings(resolved=8, timeout=n % 3)) for n in range(1000)]
    files = comparison_files(scenarios.two(tmp_path, cells, cells, paired=True))
    assert json.loads(files["report.json"])["diff"]["rows"][1999]
    assert len(files["report.html"].encode()) < 2_000_000


def test_a_run_of_hundreds_of_conditions_has_a_page(tmp_path):
    """Ranked dots stand for them, of every event: the second event's conditions are numbered after the first's."""
    cells = [(cell(task=n), endings(resolved=2, timeout=1)) for n in range(450)]
    write_run(Store(tmp_path), "one", cells)
    with Store(tmp_path).open("one") as run:
        result = show(run)
    assert "300 of 450 conditions, ranked" in run_files(result, shares(result))["report.html"]


@pytest.mark.parametrize("conditions", [10, 1000])
def test_long_texts_do_not_make_a_page_heavy(tmp_path, conditions):
    """Fifty replicates with forty spans of long texts leave a page under 2 MB, and what was cut is stated."""
    text, cells = "<\N{PILE OF POO}" * 2000, [cell(planned=5, task=n) for n in range(conditions)]
    spans = [Span(str(n), None, "llm", "plan", n, n + 1, input=text, output=text) for n in range(60)]
    record = RunRecord(salt=SALT, name="long", rollouts=(SUPPORT,), conditions=tuple(cells))
    with Store(tmp_path).create(record) as writer:
        writer.add(
            Episode(each.key, number, number, "timeout", None, error=text, spans=tuple(spans))
            for each in cells[:50]
            for number in range(5 if conditions == 10 else 1)
        )
        writer.finish("complete")
    with Store(tmp_path).open("long") as run:
        result = show(run)
        page = run_files(result, shares(result), run_details(run, shares(result)))["report.html"]
    assert len(page.encode()) < 2_000_000
    shown = data_of(page)["replicates"]
    assert len(shown) == 50
    for each in shown:
        assert each["cut"] == f"{len(each['spans'])} of 60 spans are shown."
        kept = len(each["spans"][0]["input"].removesuffix(" [cut]"))
        assert each["spans"][0]["cut"].startswith(f"input: the first {kept} characters of 4,000 characters")
