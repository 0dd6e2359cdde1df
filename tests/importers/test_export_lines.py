"""A run as lines and as one file: what goes out comes back."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from poisson_store import Store, StoreError
from poisson_store.export_lines import export_lines
from poisson_store.keys import condition_key
from poisson_store.records import (
    CAUSES,
    KINDS,
    Attempt,
    ConditionRecord,
    Cut,
    Episode,
    RolloutRecord,
    RunRecord,
    Span,
    Tokens,
)
from tests.importers.bring import bring

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
COUNT = st.integers(0, (1 << 63) - 1)
TOKENS = st.integers(0, 10**12)
NUMBER = st.integers(0, 10**9) | st.floats(0, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | TEXT, lambda inner: st.lists(inner, max_size=2)
)
CUT = st.none() | st.builds(Cut, COUNT, TEXT)
SPAN = st.builds(
    Span,
    span_id=TEXT,
    parent_id=st.none() | TEXT,
    kind=st.sampled_from(KINDS),
    name=TEXT,
    start_ns=COUNT,
    end_ns=COUNT,
    input=st.none() | TEXT,
    output=st.none() | TEXT,
    tokens=st.none() | st.builds(Tokens, TOKENS, st.none() | TOKENS),
    attrs=st.dictionaries(TEXT, JSON, max_size=2),
    error=st.none() | TEXT,
    step=st.none() | TEXT,
    input_cut=CUT,
    output_cut=CUT,
)
OUTCOMES = ("resolved", "timeout", "passed")


@st.composite
def runs(draw):
    """Draw a run's record and episodes."""
    values = draw(st.lists(st.dictionaries(TEXT, JSON, max_size=2), min_size=1, max_size=3))
    keys = {condition_key("r", axes): axes for axes in values}
    conditions = tuple(
        ConditionRecord(key, "r", axes, draw(TEXT), draw(st.integers(4, 9)))  # 4 rows at most
        for key, axes in keys.items()
    )
    rollout = RolloutRecord(
        "r", OUTCOMES, ("timeout",), ("resolved",), draw(st.none() | TEXT), draw(TEXT), {"a": draw(JSON)}
    )
    episodes = []
    for condition in conditions:
        for replicate in draw(st.sets(st.integers(0, 50), max_size=3)):
            t, horizon = sorted(draw(st.tuples(NUMBER, NUMBER)))
            cause = draw(st.sampled_from((None, *CAUSES)))
            episodes.append(
                Episode(
                    condition.key,
                    replicate,
                    draw(st.none() | st.integers(0, 2**32 - 1)),
                    None if cause else draw(st.sampled_from(OUTCOMES)),
                    cause,
                    t=draw(st.sampled_from((None, t))),
                    horizon=draw(st.sampled_from((None, horizon))),
                    started_ns=draw(st.none() | COUNT),
                    wall_s=draw(st.none() | st.floats(0, 1e9)),
                    error=draw(st.none() | TEXT),
                    meta=draw(st.none() | st.dictionaries(TEXT, JSON, min_size=1, max_size=2)),
                    tokens_in=draw(st.none() | TOKENS),
                    unknown_usage=draw(st.none() | COUNT),
                    spans=tuple(draw(st.lists(SPAN, max_size=2, unique_by=lambda span: span.span_id))),
                    attempts=tuple(
                        draw(
                            st.lists(st.builds(Attempt, st.just(1), TEXT, COUNT, st.floats(0, 9)), max_size=1)
                        )
                    ),
                )
            )
    first = conditions[0].key
    episodes.append(Episode(first, 99, 5, "resolved", None))
    record = RunRecord(
        "ab" * 16, (rollout,), conditions, environment={"python": "3.12"}, variant={"model": "x"}
    )
    return record, episodes


def store_run(store, record, episodes, status="complete"):
    """Store a run and return its id."""
    with store.create(record) as writer:
        writer.add(episodes)
        writer.finish(status)
    return writer.run.run_id


def read(store, name):
    """Read what a run holds, without what an import gives it anew."""
    with store.open(name) as run:
        record = run.run
        return (
            list(run.episodes(spans=True)),
            run.accounting_by_condition(),
            (
                record.salt,
                record.rollouts,
                sorted(
                    record.conditions, key=lambda condition: condition.key
                ),  # those without rows come last
                record.variant,
                record.environment,
                record.status,
            ),
        )


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(run=runs(), status=st.sampled_from(("complete", "partial", "interrupted")))
def test_what_is_exported_comes_back(tmp_path_factory, run, status):
    """Export and import with texts give the same rows, conditions, declarations, plan and draws."""
    folder = tmp_path_factory.mktemp("round")
    store = Store(folder / "store")
    run_id = store_run(store, *run, status)
    with store.open(run_id) as reader:
        export_lines(reader, folder / "r.jsonl")
    bring(folder, "jsonl", [folder / "r.jsonl"], "back", paired_by=None, keep_text=True)
    assert read(store, "back") == read(store, run_id)


def example(store, **more):
    """Store a small run with a text."""
    condition = ConditionRecord(condition_key("r", {"a": 1}), "r", {"a": 1}, "", 3)
    span = Span("s", None, "llm", "m", 1, 2, input="secret prompt")
    record = RunRecord("ab" * 16, (RolloutRecord("r", ("x",), ("x",)),), (condition,), name="first", **more)
    return store_run(store, record, [Episode(condition.key, 0, 7, "x", None, spans=(span,))])


def test_equal_runs_give_equal_lines(tmp_path):
    """Exporting twice gives the same bytes, ASCII only, a header and a line an episode."""
    store = Store(tmp_path / "store")
    example(store)
    for name in ("1.jsonl", "2.jsonl"):
        with store.open("first") as run:
            assert export_lines(run, tmp_path / name) == 1
    first, second = ((tmp_path / name).read_bytes() for name in ("1.jsonl", "2.jsonl"))
    assert first == second
    header, line = map(json.loads, first.decode("ascii").splitlines())
    assert (header["schema"], header["salt"]) == ("pytest-poisson.episodes/1", "ab" * 16)
    assert (line["condition"], line["outcome"], line["seed"]) == ({"a": 1}, "x", 7)


def test_texts_come_in_on_request_alone(tmp_path):
    """Without keep_text an exported prompt comes back as its length and digest."""
    store = Store(tmp_path / "store")
    example(store)
    with store.open("first") as run:
        export_lines(run, tmp_path / "r.jsonl")
    bring(tmp_path, "jsonl", [tmp_path / "r.jsonl"], "back", paired_by=None)
    with store.open("back") as run:
        (episode,) = run.episodes(spans=True)
    assert (episode.spans[0].input, episode.spans[0].input_cut.bytes) == (None, len("secret prompt"))


def test_what_an_export_refuses(tmp_path):
    """A file that is there is never overwritten, and a run that is being written is not exported."""
    store = Store(tmp_path / "store")
    example(store)
    (tmp_path / "r.jsonl").write_text("mine", encoding="utf-8")
    with store.open("first") as run, pytest.raises(StoreError, match="exists already"):
        export_lines(run, tmp_path / "r.jsonl")
    assert (tmp_path / "r.jsonl").read_text(encoding="utf-8") == "mine"
    with store.open("first") as run, pytest.raises(StoreError, match="Cannot write"):
        export_lines(run, tmp_path / "none" / "r.jsonl")
    writer = store.create(RunRecord("0" * 32, name="busy"))
    with store.open("busy") as run, pytest.raises(StoreError, match="being written"):
        export_lines(run, tmp_path / "b.jsonl")
    writer.finish()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.jsonl", "store"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rollouts": [{"id": "r", "outcomes": ["y"]}]}, "Outcome 'x' is none that the header declares"),
        ({"rollouts": [{"id": "q", "outcomes": ["x"]}]}, "Rollout 'r' is none that the header declares: q"),
        ({"rollouts": [{"id": "r"}]}, "outcomes is missing"),
        ({"shard": [1]}, r"shard=\[1\]"),
        ({"status": "done"}, "status='done'"),
        ({"planned": 3}, "'planned' is unknown"),
        ({"salt": None}, "names no draws"),
    ],
)
def test_headers_that_are_refused(tmp_path, change, words):
    """A header that contradicts its lines or says something meaningless is refused."""
    store = Store(tmp_path / "store")
    example(store)
    with store.open("first") as run:
        export_lines(run, tmp_path / "r.jsonl")
    header, line = (tmp_path / "r.jsonl").read_text(encoding="ascii").splitlines()
    changed = json.dumps({**json.loads(header), **change})
    (tmp_path / "r.jsonl").write_text(f"{changed}\n{line}\n", encoding="ascii")
    with pytest.raises(StoreError, match=words):
        bring(tmp_path, "jsonl", [tmp_path / "r.jsonl"], "back", paired_by=None)
    assert [run.name for run in store.runs()] == ["first"]


@pytest.mark.parametrize("declared", [{"paired_by": "trial"}, {"paired_by": None, "failures": ("x",)}])
def test_what_a_header_says_is_not_said_again(tmp_path, declared):
    """A file whose header names draws and outcomes takes no other declaration of them."""
    store = Store(tmp_path / "store")
    example(store)
    with store.open("first") as run:
        export_lines(run, tmp_path / "r.jsonl")
    with pytest.raises(StoreError, match="leave out --"):
        bring(tmp_path, "jsonl", [tmp_path / "r.jsonl"], "back", **declared)
