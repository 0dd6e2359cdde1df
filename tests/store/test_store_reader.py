"""Reading: counts, arrays and episodes agree with the rows that were written."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from poisson_store import Store, StoreError, open_run
from poisson_store.records import CAUSES, KINDS, Accounting, Usage
from tests.store.support import NOTHING, all_rows, full_row, key, make_run, numbers, tally, write

ROWS = all_rows()[:-4]


@pytest.fixture(params=["ended", "being written"])
def reader(request, tmp_path):
    """Give a run's reader, of an ended run and of one that is being written: what they say must not differ."""
    store = Store(tmp_path)
    with store.create(make_run(name="it")) as writer:
        writer.add(ROWS)
        if request.param == "ended":
            writer.finish()
        with store.open("it") as opened:
            yield opened


def test_counts_are_those_of_the_rows(reader):
    """Outcomes and causes are counted by condition, in the order of collection, exactly as the rows have them."""
    assert reader.outcome_counts() == tally(ROWS, reader.run)
    assert list(reader.outcome_counts()) == [key(0), key(1), key(2)]


def test_every_planned_replicate_is_accounted_for(reader):
    """Planned = with outcome + each cause + not run, for the run and for every condition."""
    counts = tally(ROWS, reader.run)
    for condition, account in reader.accounting_by_condition().items():
        assert account.with_outcome == sum(counts[condition][word] for word in reader.run.outcomes)
        assert all(getattr(account, cause) == counts[condition][cause] for cause in CAUSES)
        assert account.planned == 10 == account.stored + account.not_run
    total = reader.accounting()
    assert total == sum(reader.accounting_by_condition().values(), Accounting(0))
    assert (total.planned, total.not_run) == (30, 4)


def test_endings_are_found_by_their_words(reader):
    """What ended so, and nothing else, comes with its ending, by replicate, then condition."""
    words = {"timeout", "crashed"}
    ending = {
        (key(row[0]), row[1]): reader.run.outcomes[row[3]] if row[4] is None else CAUSES[row[4]]
        for row in ROWS
    }
    wanted = sorted((number, where, word) for (where, number), word in ending.items() if word in words)
    assert [(number, where, word) for where, number, word in reader.ended(words)] == wanted
    assert list(reader.ended(())) == []


def test_a_run_without_spans_says_so(tmp_path):
    """There are spans once one was stored, and none before."""
    with Store(tmp_path).create(make_run(name="it")) as writer:
        writer.add([numbers()])
        with Store(tmp_path).open("it") as opened:
            assert not opened.has_spans()
            writer.add([full_row(1, 0)])
            assert opened.has_spans()


def test_columns_hold_the_rows_by_condition_then_replicate(reader):
    """Arrays have every row once, ordered, with -1 or NaN for none."""
    columns = reader.columns()
    rows = sorted(ROWS)
    for name, place in {
        "condition": 0,
        "replicate": 1,
        "seed": 2,
        "t": 5,
        "horizon": 6,
        "started_ns": 7,
        "wall_s": 8,
    }.items():
        assert getattr(columns, name).tolist() == [row[place] for row in rows], name
    assert columns.outcome.tolist() == [-1 if row[3] is None else row[3] for row in rows]
    assert columns.cause.tolist() == [-1 if row[4] is None else row[4] for row in rows]
    assert columns.conditions == (key(0), key(1), key(2))
    assert columns.outcomes == ("resolved", "timeout", "violated")


def test_the_smaller_columns_are_a_part_of_the_larger(reader):
    """`outcome_columns` gives the very arrays of `columns`."""
    small, large = reader.outcome_columns(), reader.columns()
    for name in ("condition", "replicate", "outcome", "cause"):
        assert np.array_equal(getattr(small, name), getattr(large, name))
        assert getattr(small, name).dtype == getattr(large, name).dtype


def test_stored_replicates_are_listed_by_condition(reader):
    """What a resumed sweep may leave out is what is stored, rising, with an empty list where nothing is."""
    found = {name: replicates.tolist() for name, replicates in reader.replicates().items()}
    assert found == {key(c): [row[1] for row in sorted(ROWS) if row[0] == c] for c in range(3)}


@pytest.mark.parametrize(
    "held", [{0: [0, 1, 2], 1: [0, 2], 2: []}, {0: [], 1: [], 2: []}, {2: [1], 0: [0], 1: [5, 0]}]
)
def test_replicates_with_and_without_gaps_are_listed(tmp_path, held):
    """A condition that has all it counts to, one with gaps and one with nothing each list what is theirs."""
    rows = [numbers(c, r) for c, replicates in held.items() for r in replicates]
    store = Store(tmp_path)
    with store.open(write(store, rows)) as reader:
        found = {name: replicates.tolist() for name, replicates in reader.replicates().items()}
        assert found == {key(c): sorted(replicates) for c, replicates in held.items()}
        assert reader.seconds_measured() == (0.5 * len(rows), len(rows))


@pytest.mark.parametrize(
    ("chosen", "keeps"),
    [
        ({"condition": key(1)}, lambda row: row[0] == 1),
        ({"condition": "nowhere"}, lambda row: False),
        ({"replicate": 3}, lambda row: row[1] == 3),
        ({"condition": key(2), "replicate": 3}, lambda row: row[:2] == (2, 3)),
        ({"outcomes": {"timeout", "violated"}}, lambda row: row[3] in {1, 2}),
        ({"outcomes": {"errored"}}, lambda row: row[4] == CAUSES.index("errored")),
        ({"outcomes": {"resolved", "crashed"}}, lambda row: row[3] == 0 or row[4] == 2),
        ({"outcomes": set()}, lambda row: False),
        ({"outcomes": {"unheard of"}}, lambda row: False),
    ],
)
def test_episodes_can_be_chosen(reader, chosen, keeps):
    """Episodes are chosen by condition, replicate and outcome or cause, and come by condition, then replicate."""
    found = [(int(episode.condition, 16), episode.replicate) for episode in reader.episodes(**chosen)]
    assert found == sorted(row[:2] for row in ROWS if keeps(row))


def test_spans_are_read_on_demand(tmp_path):
    """Without `spans=True` an episode has none; errors, meta, sums and attempts are there either way."""
    store = Store(tmp_path)
    write(store, [full_row(0, 0)])
    with store.open("latest") as reader:
        (bare,), (full,) = list(reader.episodes()), list(reader.episodes(spans=True))
    assert bare.spans == ()
    assert [span.name for span in full.spans] == ["ask"]
    assert (bare.error, bare.meta, bare.tokens_in, bare.attempts) == ("err", {"a": 1}, 12, full.attempts)


def test_token_sums_need_no_spans(tmp_path):
    """Token sums by condition add what is known and count the spans whose usage is unknown; unknown is not 0 tokens."""
    rows = [
        (*numbers(0, 0)[:9], None, None, 10, 1, None, None, None, None),
        (*numbers(0, 1)[:9], None, None, 5, None, 2, None, None, None),
        (*numbers(1, 0)[:9], None, None, None, None, 4, None, None, None),
        numbers(2, 0),
    ]
    store = Store(tmp_path)
    write(store, rows)
    with store.open("latest") as reader:
        assert reader.usage() == {key(0): Usage(15, 1, 2), key(1): Usage(0, 0, 4), key(2): Usage()}


def test_traces_tell_how_far_an_episode_got(tmp_path):
    """Leaves are the spans that are parent of none; the last is the one that began last, by id among equals."""

    def span(name, parent, kind, start, step):
        return (name, parent, KINDS.index(kind), name, start, start + 1, *(None,) * 10, step)

    tree = [
        span("root", None, "agent", 0, None),
        span("b", "root", "llm", 5, "plan"),
        span("c", "root", "tool", 5, "act"),
        span("a", "root", "db", 4, "plan"),
    ]
    rows = [
        (*numbers(1, 0)[:9], *(None,) * 5, 2, tree, None),
        (*numbers(0, 0)[:9], *(None,) * 6, tree[:1], None),
        numbers(0, 1),
    ]
    store = Store(tmp_path)
    write(store, rows)
    with store.open("latest") as reader:
        traces = reader.trace_columns()
        again = reader.trace_columns()
    assert list(zip(traces.condition, traces.replicate, traces.leaves, strict=True)) == [
        (0, 0, 1),
        (0, 1, -1),
        (1, 0, 3),
    ]
    assert [KINDS[kind] if kind >= 0 else None for kind in traces.last_kind] == ["agent", None, "tool"]
    assert [traces.steps[step] if step >= 0 else None for step in traces.last_step] == [None, None, "act"]
    assert traces.spans_left_out.tolist() == [0, 0, 2]
    assert traces.outcome.tolist() == [0, 0, 0]
    assert again.steps == traces.steps == ("act",)


def test_an_empty_run_reads_as_empty(tmp_path):
    """A run without conditions or rows gives empty arrays and accounts, not errors."""
    store = Store(tmp_path)
    write(store, run=make_run(0))
    with store.open("latest") as reader:
        assert reader.accounting() == Accounting(0)
        assert reader.outcome_counts() == {} == reader.replicates()
        assert reader.columns().t.shape == (0,)
        assert reader.trace_columns().leaves.shape == (0,)
        assert list(reader.episodes(spans=True)) == []


def test_reading_does_not_change_a_run(tmp_path):
    """A complete run's file has the same bytes and time after everything was read, and nothing lies beside it."""
    store = Store(tmp_path)
    run_id = write(store, [*all_rows(), full_row(0, 11)])
    path = store.resolve(run_id)
    before = path.read_bytes(), path.stat().st_mtime_ns
    with open_run(path) as reader:
        list(reader.episodes(spans=True))
        reader.trace_columns()
        reader.outcome_counts()
    store.runs()
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert sorted(p.name for p in tmp_path.iterdir()) == [path.name, "catalog.sqlite"]


def test_a_missing_file_is_named(tmp_path):
    """Opening what is not there says so with the path."""
    with pytest.raises(StoreError, match=r"no run file .*none\.sqlite"):
        open_run(tmp_path / "none.sqlite")


def test_counting_needs_no_numpy(tmp_path):
    """Listing, counting and iterating work without importing NumPy."""
    store = Store(tmp_path)
    write(store, all_rows())
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "from poisson_store import Store\n"
        f"store = Store({str(tmp_path)!r})\n"
        "with store.open('latest') as reader:\n"
        "    print(len(store.runs()), len(list(reader.episodes())), reader.accounting().stored, len(reader.outcome_counts()))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["1", "30", "30", "3"]
    assert len(NOTHING) == 8
