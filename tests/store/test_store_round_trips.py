"""What is written is what is read."""

from __future__ import annotations

import tempfile
from dataclasses import replace

from hypothesis import example, given, settings
from hypothesis import strategies as st

from poisson_store import Store
from poisson_store.records import Attempt, Episode
from tests.store.strategies import episodes, run_records
from tests.store.support import make_run, same

RUN = make_run()


def first_of_each(written):
    kept = {}
    for episode in written:
        kept.setdefault((episode.condition, episode.replicate), episode)
    return [kept[place] for place in sorted(kept)]


PLAIN = Episode(RUN.conditions[0].key, 0, seed=None, outcome=RUN.outcomes[0], cause=None)


@settings(max_examples=30, deadline=None)
@given(st.lists(episodes(RUN), max_size=8))
@example([PLAIN, replace(PLAIN, attempts=(Attempt(1, "", 0, 0.0),))])
@example([replace(PLAIN, meta={"of": "the first"}), PLAIN])
def test_episodes_come_back_as_they_were(written):
    """Every field of every episode, spans and attempts included, is read as written; of two with one key the first stays."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        with store.create(RUN) as writer:
            new = writer.add(written)
        with store.open("latest") as reader:
            read = list(reader.episodes(spans=True))
    kept = first_of_each(written)
    assert read == kept
    assert new == len(kept)
    assert all(same(a.t, b.t) and same(a.horizon, b.horizon) for a, b in zip(read, kept, strict=True))


@settings(max_examples=15, deadline=None)
@given(st.lists(episodes(RUN), max_size=8), st.integers(1, 8))
def test_batches_do_not_matter(written, size):
    """Episodes added in batches of any size, and each batch twice, read as if added at once."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        with store.create(RUN) as writer:
            new = 0
            for start in range(0, len(written), size):
                new += writer.add(written[start : start + size])
                assert writer.add(written[start : start + size]) == 0
        with store.open("latest") as reader:
            read = list(reader.episodes(spans=True))
    assert read == first_of_each(written)
    assert new == len(read)


@settings(max_examples=30, deadline=None)
@given(run_records())
def test_records_come_back_as_they_were(record):
    """A run's record is read as given, with id, name, time and status filled in; positions follow first mention."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(folder)
        with store.create(record) as writer:
            begun = writer.run
        with store.open(begun.run_id) as reader:
            read = reader.run
    assert begun == replace(
        record, run_id=begun.run_id, name=begun.run_id, created_at=begun.created_at, status="running"
    )
    assert read == replace(begun, status="complete", ended_at=read.ended_at)
    assert list(read.outcomes) == list(
        dict.fromkeys(word for rollout in record.rollouts for word in rollout.outcomes)
    )
