"""Many spans, large and odd bodies, and many replicates at once, through real sweeps into the store."""

import hashlib

import pytest

from tests.plugin.support import episodes_with_spans, sweep

BODIES = r"""
import pytest

ODD = b"\xff\xfe\x00 NUL and no UTF-8 \xc3"

@pytest.mark.rollout(replicates=2, max_observation_bytes=100_000)
def test_bodies(rollout):
    with rollout.span("http", "upload\0name", input=ODD) as span:
        span.output = bytes([rollout.replicate]) + b"\x00\xff" * 500_000
        span.attrs["header\0"] = "a\0b\ud800"
        span.error = "bad\0news \udcff"
    with rollout.span("tool", "same", input="x" * 1_000_000):
        pass
"""


@pytest.mark.parametrize(("workers", "subprocess"), [(0, False), (1, True)])
def test_odd_and_large_bodies_come_back(pytester, workers, subprocess):
    """A megabyte, bytes that are no UTF-8, NUL and lone surrogates pass the wire and the store as they are."""
    pytester.makepyfile(BODIES)
    sweep(pytester, workers=workers, subprocess=subprocess)
    episodes = episodes_with_spans(pytester)
    assert [each.outcome for each in episodes] == ["passed", "passed"]
    for replicate, episode in enumerate(episodes):
        upload, same = episode.spans
        odd = b"\xff\xfe\x00 NUL and no UTF-8 \xc3"
        assert upload.input.encode("utf-8", "surrogateescape") == odd
        assert (upload.name, upload.attrs["header\0"]) == ("upload\0name", "a\0b\ud800")
        assert upload.error.startswith("bad\0news ")
        whole = (bytes([replicate]) + b"\x00\xff" * 500_000).decode("utf-8", "surrogateescape")
        stored = whole.encode("utf-8", "surrogatepass")
        assert whole.startswith(upload.output)
        assert upload.output_cut.bytes == len(stored) == 2_000_001
        assert upload.output_cut.digest == hashlib.sha256(stored).hexdigest()
        assert (len(same.input), same.input_cut.bytes) == (100_000, 1_000_000)


MANY = """
import pytest

@pytest.mark.rollout(replicates=2{cap})
def test_many(rollout):
    with rollout.span("agent", "root"):
        for number in range(999):
            with rollout.span("llm", f"call {{number}}", input=f"question {{number}}") as span:
                span.tokens = {{"in": number, "out": 1}}
"""


def test_a_thousand_spans_of_one_replicate_are_stored(pytester):
    """All of them, in order, with their parents and sums."""
    pytester.makepyfile(MANY.format(cap=""))
    sweep(pytester, workers=1, subprocess=True)
    for episode in episodes_with_spans(pytester):
        root, *calls = episode.spans
        assert [span.name for span in calls] == [f"call {number}" for number in range(999)]
        assert {span.parent_id for span in calls} == {root.span_id}
        assert len({span.span_id for span in episode.spans}) == 1000
        assert [span.start_ns for span in calls] == sorted(span.start_ns for span in calls)
        assert (episode.tokens_in, episode.tokens_out, episode.spans_left_out) == (sum(range(999)), 999, None)


def test_beyond_the_cap_the_sums_stay_whole(pytester):
    """With max_spans=10 the other 990 are counted, and every token of theirs is in the sum."""
    pytester.makepyfile(MANY.format(cap=", max_spans=10"))
    sweep(pytester)
    for episode in episodes_with_spans(pytester):
        assert (len(episode.spans), episode.spans_left_out) == (10, 990)
        assert (episode.tokens_in, episode.tokens_out) == (sum(range(999)), 999)


ASYNC = """
import asyncio
import pytest
from pytest_poisson import current_rollout, span

async def call(number, turn):
    with span("llm", f"{number}.{turn}", input=f"{number}.{turn}") as call:
        await asyncio.sleep((number * 7 + turn * 3) % 11 / 2000)
        call.tokens = {"in": number, "out": turn}

@pytest.mark.asyncio
@pytest.mark.rollout(replicates=200)
async def test_agent(rollout):
    number = rollout.replicate
    with span("agent", f"{number}.agent"):
        await call(number, 0)
        await asyncio.gather(*(asyncio.create_task(call(number, turn)) for turn in (1, 2)))
        await asyncio.to_thread(lambda: span("tool", f"{number}.thread").__enter__().__exit__(None, None, None))
    assert current_rollout() is rollout
"""


@pytest.mark.neighbours
def test_200_replicates_in_flight_keep_their_spans_apart(pytester):
    """200 asynchronous replicates in one process, with tasks and threads: every span is with its own replicate."""
    pytest.importorskip("pytest_asyncio")
    pytester.makepyfile(ASYNC)
    sweep(pytester, "--poisson-concurrency=200", workers=1, subprocess=True)
    episodes = episodes_with_spans(pytester)
    assert [each.outcome for each in episodes] == ["passed"] * 200
    for number, episode in enumerate(episodes):
        root, *rest = episode.spans
        names = {f"{number}.0", f"{number}.1", f"{number}.2", f"{number}.thread"}
        assert (root.name, {span.name for span in rest}) == (f"{number}.agent", names)
        assert {span.parent_id for span in rest} == {root.span_id}
        assert all(span.input == span.name for span in rest if span.kind == "llm")
        assert (episode.tokens_in, episode.tokens_out) == (3 * number, 3)
