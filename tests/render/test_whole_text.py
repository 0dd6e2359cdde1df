"""A comparison as a whole, and rates by the horizon, as text and as JSON."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_poisson.analyses.over_time import OverTime
from pytest_poisson.render.diff_documents import diff_document
from pytest_poisson.render.diff_text import render_diff
from pytest_poisson.render.documents import dump
from pytest_poisson.render.over_time_text import over_time_lines
from pytest_poisson.render.sheet import Grid
from pytest_poisson.render.whole_text import whole_lines, whole_sections
from pytest_poisson.result_files import read_diff
from tests.golden import assert_golden
from tests.render import scenarios

GOLDEN = Path(__file__).with_name("golden")


@pytest.fixture
def result(tmp_path):
    """Return the main scenario, compared in full."""
    scenarios.trade(tmp_path)
    return scenarios.compare(scenarios.fixed_store(tmp_path), "base", "patched", full=True)


def test_the_whole_is_as_it_was_read(result):
    """The lines of `--full` are those a person found good."""
    assert_golden("\n".join(whole_lines(result, width=80)) + "\n", GOLDEN / "diff_whole.txt")


@pytest.mark.parametrize("verbose", [False, True])
def test_no_line_is_wider_than_the_terminal(result, verbose):
    """The tree and its legend keep within the terminal."""
    assert all(len(line) <= 80 for line in whole_lines(result, width=80, verbose=verbose))


def test_verbose_text_has_every_condition_that_was_tested(result):
    """Below a changed group the short text names the conditions that changed, the verbose one all of them."""
    short, full = (len(whole_lines(result, width=80, verbose=verbose)) for verbose in (False, True))
    tested = sum(len(group.below) for each in result.whole.events for group in each.groups)
    changed = sum(
        node.changed for each in result.whole.events for group in each.groups for node in group.below
    )
    assert full - short == tested - changed > 0


def test_the_bound_is_not_claimed(result):
    """Text and JSON say that the bound is not established for this tree."""
    text = " ".join(whole_lines(result, width=80))
    assert "not established here" in " ".join(text.split())
    events = diff_document(result)["whole"]["events"]
    assert [each["bound_established"] for each in events] == [False, False]


def test_json_has_the_tree(result):
    """The document has the root, the groups with axis and value, and below them the conditions by key; it can be dumped."""
    document = diff_document(result)
    event = document["whole"]["events"][0]
    assert event["root"]["axis"] is None
    assert {group["axis"] for group in event["groups"]} == {"task", "tool_fail_rate"}
    assert event["groups"][0]["below"][0]["conditions"][0] in {row["key"] for row in document["rows"]}
    assert dump(document)


def test_a_document_is_read_back_whole(result):
    """Text of a comparison that was read from its JSON is the text of the comparison."""
    again = read_diff(json.loads(dump(diff_document(result))))
    assert diff_document(again) == diff_document(result)
    assert render_diff(again, verbose=True) == render_diff(result, verbose=True)


def test_a_report_has_every_line_of_the_walk(result):
    """The sections of a report hold a row for the root, each group and each changed condition below, and the coverage."""
    *tables, last = whole_sections(result)
    for each, part in zip(result.whole.events, tables, strict=True):
        (grid,) = (block for block in part.blocks if isinstance(block, Grid))
        changed = sum(node.changed for group in each.groups for node in group.below)
        assert len(grid.rows) == 1 + len(each.groups) + changed
    assert "Coverage: " in last.blocks[0].sentences[-1]


def test_rates_by_the_horizon_stand_with_what_was_cut_off(result):
    """A row's rates are shown with horizon, event and how many were cut off in each arm; an unknown one as none."""
    first, *rest = result.rows
    row = replace(first, over_time=OverTime(100.0, 0.25, None, 3, 4))
    lines = " ".join(over_time_lines(replace(result, rows=(row, *rest)), width=80))
    assert f"{row.event.name} by 100: 0.250 before (3 cut off), - after (4 cut off)." in " ".join(
        lines.split()
    )
    assert "the tests use the counts" in " ".join(lines.split())
    assert "Rates by the horizon" not in render_diff(result)
