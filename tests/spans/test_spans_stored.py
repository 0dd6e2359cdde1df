"""Spans of a sweep reach the store."""

from pathlib import Path

from poisson_store.records import Tokens
from tests.plugin.support import open_run, sweep

AGENT = """
import pytest
from pytest_poisson import current_rollout, span

def answer(question):
    with span("llm", "model.request", input=question) as request:
        request.tokens = {"in": len(question), "out": 2}
        request.output = b"\\xff\\x00 yes"
    with span("llm", "silent"):
        pass

@pytest.mark.rollout(replicates=3)
def test_agent(rollout):
    rollout.step("ask")
    with rollout.span("agent", "turn"):
        answer("why? " * rollout.replicate)
    assert current_rollout() is rollout
    assert rollout.replicate != 2
"""


def test_spans_and_token_sums_are_stored(pytester):
    """Every replicate's spans come back as they were recorded, with sums in the episode, in a worker as here."""
    pytester.makepyfile(AGENT)
    for workers, subprocess in ((0, False), (1, True)):
        sweep(pytester, f"--poisson-name=run{workers}", workers=workers, subprocess=subprocess)
        with open_run(pytester, f"run{workers}") as run:
            episodes = list(run.episodes(spans=True))
            (usage,) = run.usage().values()
        assert [each.outcome for each in episodes] == ["passed", "passed", "failed"]
        assert [(each.tokens_in, each.tokens_out, each.unknown_usage) for each in episodes] == [
            (0, 2, 1),
            (5, 2, 1),
            (10, 2, 1),
        ]
        assert (usage.tokens_in, usage.tokens_out, usage.unknown) == (15, 6, 3)
        turn, request, silent = episodes[1].spans
        assert (turn.kind, turn.step, turn.parent_id) == ("agent", "ask", None)
        assert (request.parent_id, request.input, request.tokens) == (turn.span_id, "why? ", Tokens(5, 2))
        assert request.output.encode("utf-8", "surrogateescape") == b"\xff\x00 yes"
        assert silent.tokens is None
    assert Path(pytester.path, ".poisson").is_dir()


def test_replicates_without_spans_store_no_sums(pytester):
    """An episode that recorded nothing has no sums: unknown is not 0."""
    pytester.makepyfile("import pytest\n@pytest.mark.rollout(replicates=2)\ndef test_it(rollout): pass")
    sweep(pytester)
    with open_run(pytester) as run:
        for episode in run.episodes(spans=True):
            assert (episode.tokens_in, episode.unknown_usage, episode.spans) == (None, None, ())


def test_one_replicate_again_has_its_own_spans(pytester):
    """With --poisson-replicate the program's spans belong to that replicate, and to none after it."""
    pytester.makepyfile(AGENT)
    sweep(pytester)
    pytester.runpytest_inprocess("--poisson-replicate=1").assert_outcomes(passed=1)


RETRIED = """
import pytest
from pytest_poisson import span

class ProviderDown(Exception): pass
TRIES = []

@pytest.mark.rollout(replicates=1, retries=3, retry_on=[ProviderDown])
def test_agent(rollout):
    TRIES.append(1)
    with span("llm", "call") as call:
        call.tokens = {"in": 10, "out": len(TRIES)}
        if len(TRIES) < 3:
            raise ProviderDown
    assert True
"""


def test_what_failed_attempts_used_is_in_the_sums(pytester):
    """Spans are those of the attempt that counted; the tokens of those before were paid for as well."""
    pytester.makepyfile(RETRIED)
    sweep(pytester)
    with open_run(pytester) as run:
        (episode,) = run.episodes(spans=True)
    assert (len(episode.attempts), len(episode.spans)) == (2, 1)
    assert (episode.tokens_in, episode.tokens_out) == (30, 1 + 2 + 3)
