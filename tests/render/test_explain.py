"""The failure text of a worse condition."""

import re
import shlex
from pathlib import Path

from pytest_poisson.render.explain import explain_row, first_line
from tests.golden import assert_golden
from tests.render import scenarios
from tests.stored_runs import cell, endings

GOLDEN = Path(__file__).with_name("golden")


def worst(result):
    return next(result.rows[index] for index in result.importance if result.rows[index].is_worse)


def test_the_explanation_is_as_it_was_read(tmp_path):
    """Rates, change with interval and level, adjusted p, limit and command, as a person found them good."""
    result = scenarios.trade(tmp_path)
    assert_golden(explain_row(result, worst(result)) + "\n", GOLDEN / "explain_trade.txt")


def test_a_success_fell(tmp_path):
    """Of a success the text speaks of a fall and of a replicate that did not end so."""
    result = scenarios.two(
        tmp_path,
        [(cell(task="a"), endings(resolved=180, timeout=20))],
        [(cell(task="a"), endings(resolved=90, timeout=110))],
        events=["resolved"],
    )
    text = explain_row(result, worst(result))
    assert text.startswith("worse: resolved fell from 0.900 to 0.450")
    assert "that did not end as resolved after:" in text
    assert "a fall of 0." in text


def test_the_command_replays_a_replicate_that_turned(tmp_path):
    """The command names a replicate that had the event after and not before, the run, and the condition's item."""
    result = scenarios.trade(tmp_path)
    row = worst(result)
    words = shlex.split(explain_row(result, row).splitlines()[-1])
    replicate = int(words[1].removeprefix("--poisson-replicate="))
    assert words[0] == "pytest"
    assert words[2:] == ["--poisson-run=patched", row.condition.nodeid]
    cells = {each.key: ended for each, ended in scenarios.agent_cells(retry=True)}
    earlier = {each.key: ended for each, ended in scenarios.agent_cells(retry=False)}
    assert cells[row.condition.key][replicate] == row.event.name
    assert earlier[row.condition.key][replicate] != row.event.name


def test_every_figure_is_there(tmp_path):
    """Both rates with their n, the interval with its level, both adjusted p-values and the limit are in the text."""
    result = scenarios.trade(tmp_path)
    text = re.sub(r"\s+", " ", explain_row(result, worst(result)))
    assert re.search(r"before \d+/\d+ = 0\.\d{3}, after \d+/\d+ = 0\.\d{3}", text)
    assert re.search(r"change \+0\.\d{3}, 9\d\.\d+ % interval \+0\.\d{3} to \+0\.\d{3}", text)
    assert re.search(r"adjusted p \S+ \(Benjamini-Hochberg\), \S+ \(Holm\)", text)
    assert "would have been flagged 4 times in 5" in text


def test_the_first_line_stands_alone(tmp_path):
    """The line that a summary of failures shows names event, direction and both rates."""
    result = scenarios.trade(tmp_path)
    assert re.fullmatch(r"worse: timeout rose from 0\.\d{3} to 0\.\d{3}", first_line(worst(result)))
