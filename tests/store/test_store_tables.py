"""A run as a table of Arrow or pandas holds what `episodes()` yields."""

import json
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_store import Store, StoreError
from poisson_store.records import ConditionRecord, Cut, Episode, RolloutRecord, RunRecord, Span, Tokens
from tests.store import strategies

pa = pytest.importorskip("pyarrow")
pd = pytest.importorskip("pandas")

ROLLOUT = RolloutRecord("demo", ("yes", "no"), ("no",), ("yes",))
CELLS = (
    ConditionRecord("a" * 16, "demo", {"model": "small", "size": 1, "odd": [1], "flag": True}, planned=2),
    ConditionRecord("b" * 16, "demo", {"model": "large", "size": 2.5, "odd": "x", "extra": None}, planned=2),
)
SPAN = Span(
    "0001",
    None,
    "llm",
    "call",
    5,
    9,
    input="in\udcff",
    tokens=Tokens(3, None),
    attrs={"a": 1},
    step="plan",
    input_cut=Cut(99, "ab" * 32),
)
EPISODES = [
    Episode(
        "a" * 16,
        0,
        7,
        "yes",
        None,
        t=2,
        horizon=9,
        started_ns=5,
        wall_s=0.5,
        meta={"score": 1},
        tokens_in=3,
        spans=(SPAN,),
    ),
    Episode("a" * 16, 1, 2**32 - 1, None, "errored", started_ns=6, wall_s=0.25, error="bad\udc80"),
    Episode("b" * 16, 0, 8, "no", None, t=1.5, started_ns=7, wall_s=0.5),
]


@pytest.fixture
def reader(tmp_path):
    store = Store(tmp_path)
    with store.create(RunRecord(salt="0" * 32, name="run", rollouts=(ROLLOUT,), conditions=CELLS)) as writer:
        writer.add(EPISODES)
    with store.open("run") as reader:
        yield reader


def test_episodes_as_arrow(reader):
    """Every number, word and text of every episode, with nulls where there is none, and typed axes."""
    rows = reader.to_arrow().to_pylist()
    assert [row["outcome"] or row["cause"] for row in rows] == ["yes", "errored", "no"]
    first, second, third = rows
    assert (first["key"], first["replicate"], first["seed"], first["t"], first["horizon"]) == (
        "a" * 16,
        0,
        7,
        2.0,
        9.0,
    )
    assert (first["meta"], first["tokens_in"], first["tokens_out"]) == ('{"score":1}', 3, None)
    assert (second["seed"], second["error"], second["t"]) == (2**32 - 1, r"bad\udc80", None)
    assert [row["axis.model"] for row in rows] == ["small", "small", "large"]
    assert [row["axis.size"] for row in rows] == [1.0, 1.0, 2.5]
    assert [row["axis.odd"] for row in rows] == ["[1]", "[1]", '"x"']
    assert [row["axis.flag"] for row in rows] == [True, True, None]
    assert third["axis.extra"] is None


def test_episodes_as_pandas(reader):
    """The same as a data frame: whole numbers stay whole where some are missing."""
    frame = reader.to_pandas()
    assert frame["tokens_in"].tolist()[0] == 3
    assert frame["tokens_in"].isna().tolist() == [False, True, True]
    assert str(frame["seed"].dtype) == "Int64"
    assert frame.groupby("outcome", dropna=True).size().to_dict() == {"no": 1, "yes": 1}
    assert list(frame.columns) == reader.to_arrow().column_names


def test_spans_as_tables(reader):
    """One row a span, with its episode's key and replicate, its texts, and how long a cut one was."""
    (row,) = reader.to_arrow("spans").to_pylist()
    assert (row["key"], row["replicate"], row["kind"], row["name"], row["step"]) == (
        "a" * 16,
        0,
        "llm",
        "call",
        "plan",
    )
    assert (row["input"], row["input_bytes"], row["output"], row["output_bytes"]) == (
        r"in\udcff",
        99,
        None,
        None,
    )
    assert (row["tokens_in"], row["tokens_out"], row["attrs"]) == (3, None, '{"a":1}')
    assert len(reader.to_pandas("spans")) == 1


def test_an_unknown_table_is_refused(reader):
    """The sentence names what was asked for and what there is."""
    with pytest.raises(StoreError, match="what='rows' must be one of episodes, spans"):
        reader.to_arrow("rows")


def test_a_run_without_episodes_has_empty_tables(tmp_path):
    """Columns are there, rows are not."""
    store = Store(tmp_path)
    store.create(RunRecord(salt="0" * 32, name="run", rollouts=(ROLLOUT,), conditions=CELLS)).finish()
    with store.open("run") as reader:
        for table in (
            reader.to_arrow(),
            reader.to_arrow("spans"),
            reader.to_pandas(),
            reader.to_pandas("spans"),
        ):
            assert len(table) == 0
        assert "axis.model" in reader.to_arrow().column_names


def _shown(text):
    return None if text is None else text.encode("utf-8", "backslashreplace").decode()


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_any_run_reads_alike_as_a_table_and_as_episodes(data):
    """Whatever is stored, the table has the numbers and words that `episodes()` yields, in the same order."""
    run = data.draw(strategies.run_records().filter(lambda run: run.conditions))
    drawn = data.draw(st.lists(strategies.episodes(run), max_size=4))
    with TemporaryDirectory() as place:
        store = Store(place)
        with store.create(run) as writer:
            writer.add(drawn)
        with store.open(writer.run.run_id) as reader:
            rows, frame = reader.to_arrow().to_pylist(), reader.to_pandas()
            spans = reader.to_arrow("spans").to_pylist()
            stored = list(reader.episodes(spans=True))
    assert len(rows) == len(frame) == len(stored)
    for row, episode in zip(rows, stored, strict=True):
        for name in (
            "replicate",
            "seed",
            "outcome",
            "cause",
            "started_ns",
            "wall_s",
            "tokens_in",
            "unknown_usage",
        ):
            assert row[name] == getattr(episode, name)
        assert row["key"] == episode.condition
        assert row["t"] == (None if episode.t is None else float(episode.t))
        assert (row["meta"] and json.loads(row["meta"])) == (
            None if episode.meta is None else dict(episode.meta)
        )
    every = [span for episode in stored for span in episode.spans]
    assert [(row["span_id"], row["kind"], row["input"]) for row in spans] == [
        (span.span_id, span.kind, _shown(span.input)) for span in every
    ]
    assert [row["input_bytes"] for row in spans] == [
        span.input_cut and span.input_cut.bytes for span in every
    ]
