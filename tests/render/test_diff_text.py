"""A comparison as terminal text."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_poisson.render.diff_text import headline, render_diff
from pytest_poisson.render.report_sheet import comparison_sheet
from pytest_poisson.render.sheet import as_text
from tests.golden import assert_golden
from tests.render import scenarios

GOLDEN = Path(__file__).with_name("golden")
SCENARIOS = ("trade", "too_small", "missing", "within", "long_labels", "refused")
COMMANDS = ("pytest ", "pytest-poisson ")


@pytest.fixture(params=SCENARIOS)
def scenario(request):
    return request.param


@pytest.fixture
def result(scenario, tmp_path):
    return getattr(scenarios, scenario)(tmp_path)


def test_the_text_is_as_it_was_read(scenario, result):
    """The text of each scenario is the one a person found good."""
    assert_golden(render_diff(result), GOLDEN / f"diff_{scenario}.txt")


def test_no_line_but_a_command_is_wider_than_the_terminal(result):
    """At 80 columns, and at 60 where labels are short, only commands to copy go past the edge."""
    for verbose in (False, True):
        for line in render_diff(result, verbose=verbose).splitlines():
            assert len(line) <= 80 or line.strip().startswith(COMMANDS), line


def test_colours_change_nothing_but_the_colour(result):
    """Without its escape sequences the coloured text is the plain one."""
    plain = render_diff(result)
    coloured = render_diff(result, colour=True)
    assert coloured != plain
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain


def test_plain_text_is_ascii(result):
    """The renderer's own words need no encoding."""
    assert render_diff(result).isascii()


def test_the_headline_begins_with_the_verdict(result):
    """The first words are the verdict's, so that a reader need not go on."""
    assert headline(result).startswith(f"{result.verdict}: ")
    assert render_diff(result).startswith(result.verdict)


def test_every_row_is_shown_when_asked(tmp_path):
    """Verbose text has a line for each row; the short one has ten and says how many it left out."""
    result = scenarios.trade(tmp_path)
    short, full = render_diff(result), render_diff(result, verbose=True)
    rows = re.compile(r"\d+/\d+ +\d+/\d+")
    assert len(rows.findall(short)) == 10
    assert "8 more rows, less important: -v shows all." in short
    assert len(rows.findall(full)) == 18
    assert "more row" not in full


def test_verbose_text_is_as_it_was_read(tmp_path):
    """The verbose text of the main scenario is the one a person found good."""
    assert_golden(render_diff(scenarios.trade(tmp_path), verbose=True), GOLDEN / "diff_trade_verbose.txt")


def test_flagged_but_not_counted_is_told_apart(tmp_path):
    """A row that Benjamini-Hochberg flags and Holm does not stands in parentheses, with the legend."""
    from tests.stored_runs import cell, endings

    cells = [cell(n=n) for n in range(4)]
    result = scenarios.two(
        tmp_path,
        [(each, endings(resolved=190, timeout=10)) for each in cells],
        [(each, endings(resolved=177, timeout=23)) for each in cells],
        events=["timeout"],
    )
    doubtful = [row for row in result.rows if row.word == "worse" and not row.counted]
    text = render_diff(result)
    assert len(doubtful) == 4
    assert "none counts as changed (4 flagged)" in headline(result)
    assert text.count("(worse)") == len(doubtful) + 1
    assert "(worse), (safer): flagged, but too weak to count in the verdict." in text


def test_the_store_is_named_where_it_is_not_the_default(tmp_path):
    """The command to type next finds the run: it names the store that was given."""
    text = render_diff(scenarios.trade(tmp_path), store="other store")
    assert "'--poisson-store=other store'" in text


def test_no_sweep_is_advised_where_there_is_no_test_to_run(tmp_path):
    """An imported run has conditions and no test items: how many replicates it lacks is said, and no command."""
    result = scenarios.too_small(tmp_path)
    assert "\nNext:\n  pytest --poisson-sweep --poisson-replicates=" in render_diff(result)
    imported = tuple(replace(row, condition=replace(row.condition, nodeid="")) for row in result.rows)
    text = render_diff(replace(result, rows=imported))
    assert "Next:" not in text
    assert f"{result.design.needed} replicates a condition" in " ".join(text.split())


def test_labels_of_several_rollouts_are_read_with_their_axes(tmp_path):
    """Rollouts of different axes have no heading in common: a line says which axis each value of a label is of."""
    result = scenarios.trade(tmp_path)
    first, *others = result.rows
    router = replace(first.condition, rollout="tests/test_it.py::router", key="f" * 16, axes={"route": "x"})
    mixed = replace(result, rows=(replace(first, condition=router), *others))
    axes = f"condition: route of router; {', '.join(first.condition.axes)} of {first.condition.rollout}."
    assert axes in render_diff(mixed, verbose=1)
    assert axes in as_text(comparison_sheet(mixed))
    assert " of support." not in render_diff(result, verbose=1)


def test_nothing_is_advised_where_nothing_can_be_seen(tmp_path):
    """Where no row has a limit, no accepted change makes the comparison one that could have seen something."""
    result = scenarios.too_small(tmp_path)
    assert "accepts this design" in render_diff(result)
    blind = replace(result, design=replace(result.design, limit=None, largest=None, largest_row=None))
    assert "accepts" not in render_diff(blind)


def test_options_are_spelled_as_where_they_are_typed(tmp_path):
    """The way out of a small design is spelled for the command line or for pytest."""
    result = scenarios.too_small(tmp_path)
    assert re.search(r"(?<!poisson)-max-mde=0\.\d{4} accepts", render_diff(result))
    assert "--poisson-max-mde=0." in render_diff(result, in_session=True)
