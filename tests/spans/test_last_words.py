"""A replicate that is ended for its time leaves the spans it had recorded."""

import json

from pytest_poisson.last_words import LastWords
from pytest_poisson.span_rows import UNFINISHED, trace_row
from tests.plugin.support import assert_accounted, episodes_with_spans, sweep
from tests.spans.support import new_rollout, replicate

SUITE = """
import time
import pytest
from pytest_poisson import span

@pytest.mark.rollout(replicates=3)
def test_agent(rollout):
    with span("agent", "turn"):
        with span("llm", "call") as call:
            call.tokens = {"in": 7}
        with span("tool", "wait"):
            time.sleep(60 if rollout.replicate == 1 else 0)
"""


def test_spans_of_a_replicate_that_hangs_are_stored(pytester):
    """The replicate is timed_out and has its spans, those that were open marked; its neighbours are whole."""
    pytester.makepyfile(SUITE)
    sweep(pytester, "--poisson-timeout=2", workers=1, subprocess=True)
    first, hung, last = episodes_with_spans(pytester)
    assert_accounted(pytester, planned=3)
    assert (first.outcome, hung.cause, last.outcome) == ("passed", "timed_out", "passed")
    assert [span.name for span in hung.spans] == ["turn", "call", "wait"]
    assert [span.error for span in hung.spans] == [UNFINISHED, None, UNFINISHED]
    assert hung.tokens_in == 7
    assert [span.error for span in last.spans] == [None] * 3


def watch(rollouts, times, timeout_s=10):
    """Look at what runs at each time; return what was told."""
    told = []
    running = dict(zip(times, rollouts, strict=True))
    now = [0.0]
    words = LastWords(
        timeout_s,
        lambda: running[now[0]],
        lambda number, items: told.append((now[0], number, len(items[-1]))),
    )
    for time in times:
        now[0] = time
        words.look(time)
    return told


def spanned(number):
    rollout = new_rollout(number)
    with rollout.span("tool", "step"):
        pass
    return rollout


def test_a_replicate_is_told_of_once_and_only_near_its_end():
    """Each replicate has its own time; none is told of before nine tenths of it, and each once."""
    one, two = spanned(1), spanned(2)
    assert watch([one, one, one, one], [0, 5, 9, 9.5]) == [(9, 1, 1)]
    assert watch([one, one, two, two, two], [0, 8, 9, 17, 18.5]) == [(18.5, 2, 1)]
    assert watch([None, None, one, one], [0, 20, 21, 29]) == []


def test_a_replicate_without_spans_has_nothing_to_tell():
    """Where nothing was recorded nothing is told."""
    silent = new_rollout(1)
    assert watch([silent, silent], [0, 9]) == []


def test_telling_changes_nothing_that_comes_after():
    """A replicate that ends in time after all has the row it would have had."""
    with replicate() as rollout, rollout.span("agent", "turn") as span:
        told = trace_row(rollout.trace)
        with rollout.span("tool", "late"):
            pass
    row = trace_row(rollout.trace)
    assert told[-1][0][-2] == UNFINISHED
    assert [each[-2] for each in row[-1]] == [None, None]
    assert span.end_ns == row[-1][0][5]
    assert json.dumps(row)
