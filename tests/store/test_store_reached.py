"""Which named steps episodes got to, and when a run's episodes began."""

import numpy as np

from poisson_store import Store
from poisson_store.records import ConditionRecord, Episode, RolloutRecord, RunRecord, Span

ROLLOUT = RolloutRecord("r", ("ok",))
CONDITIONS = tuple(ConditionRecord(key * 16, "r", {"key": key}, planned=2) for key in "ab")


def span(number, step):
    """Return one span of a step."""
    return Span(str(number), None, "llm", "call", number, number + 1, step=step)


def episode(key, replicate, *steps, began=None):
    """Return an episode with a span in each of the steps."""
    spans = tuple(span(number, step) for number, step in enumerate(steps))
    return Episode(key * 16, replicate, 1, "ok", None, started_ns=began, spans=spans)


def stored(tmp_path, *episodes):
    """Store episodes and return the open run."""
    store = Store(tmp_path)
    with store.create(RunRecord("0" * 32, (ROLLOUT,), CONDITIONS)) as writer:
        writer.add(episodes)
    return store.open("latest")


def test_reached_steps_stand_in_the_order_of_the_columns(tmp_path):
    """One row an episode, by condition and then replicate, with or without spans; one column a step asked for."""
    rows = (
        episode("b", 1, "plan", "act"),
        episode("a", 1, None),
        episode("b", 0),
        episode("a", 0, "act", "act"),
    )
    with stored(tmp_path, *rows) as reader:
        reached, columns = reader.reached(["act", "plan", "rest"]), reader.trace_columns()
    assert list(zip(columns.condition, columns.replicate, strict=True)) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert reached.dtype == np.bool_
    assert reached.astype(int).tolist() == [[1, 0, 0], [0, 0, 0], [0, 0, 0], [1, 1, 0]]


def test_no_steps_asked_for(tmp_path):
    """Without steps there are rows without columns; without episodes, columns without rows."""
    with stored(tmp_path / "one", episode("a", 0, "act")) as reader:
        assert reader.reached([]).shape == (1, 0)
    with stored(tmp_path / "none") as reader:
        assert reader.reached(["act"]).shape == (0, 1)


def test_began(tmp_path):
    """The first and the last beginning; those that recorded none do not count, and none at all is None."""
    with stored(
        tmp_path / "some", episode("a", 0, began=7), episode("b", 0, began=3), episode("b", 1)
    ) as reader:
        assert reader.began() == (3, 7)
    with stored(tmp_path / "none", episode("a", 0)) as reader:
        assert reader.began() is None
