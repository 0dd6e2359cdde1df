"""Writing: what is kept, what is refused and what is left on the disk."""

from __future__ import annotations

import pytest

from poisson_store import Store, StoreError
from poisson_store.records import ConditionRecord, Episode, EpisodeRow, RolloutRecord
from tests.store.support import NOTHING, all_rows, full_row, key, make_run, numbers, sql, stem_files, write


def test_the_end_of_a_run_leaves_one_plain_file(tmp_path):
    """While a run is written a log lies beside it; afterwards there is one file, in rollback mode."""
    store = Store(tmp_path)
    with store.create(make_run()) as writer:
        writer.add(all_rows())
        assert stem_files(tmp_path) == [
            writer.path.name,
            f"{writer.path.name}-shm",
            f"{writer.path.name}-wal",
        ]
    assert stem_files(tmp_path) == [writer.path.name]
    assert sql(writer.path, "PRAGMA journal_mode") == [("delete",)]
    assert writer.path.read_bytes()[18:20] == b"\x01\x01"


def test_a_batch_that_comes_twice_counts_once(tmp_path):
    """The first row of a replicate stays, whatever comes later, in its own batch or another, bare or full."""
    with Store(tmp_path).create(make_run()) as writer:
        assert writer.add([numbers(0, 0, 0), numbers(0, 0, 1)]) == 1
        assert writer.add([full_row(0, 0), full_row(0, 1), full_row(0, 1), numbers(0, 2)]) == 2
        assert writer.add([full_row(0, 2), numbers(0, 1, 1)]) == 0
    for table, rows in {"episodes": 3, "spans": 1, "notes": 1, "traces": 1, "attempts": 1, "cuts": 1}.items():
        assert sql(writer.path, f"SELECT count(*) FROM {table}") == [(rows,)], table
    assert sql(writer.path, "SELECT outcome FROM episodes WHERE replicate = 0") == [(0,)]


@pytest.mark.parametrize("amount", [0, 1, 110, 111, 112, 223])
def test_any_number_of_rows_is_stored(tmp_path, amount):
    """Rows are stored whole whether or not they fill the statements they travel in."""
    rows = [numbers(0, replicate) for replicate in range(amount)]
    with Store(tmp_path).create(make_run(planned=300)) as writer:
        assert writer.add(rows) == amount
    assert sql(writer.path, "SELECT replicate FROM episodes ORDER BY 1") == [(n,) for n in range(amount)]


BAD_ROWS = {
    "condition=3": numbers(3, 0),
    "condition=-1": numbers(-1, 0),
    "outcome=3": numbers(0, 0, 3),
    "cause=5": numbers(0, 0, None, 5),
    "outcome=0, cause=0": numbers(0, 0, 0, 0),
    "outcome=None, cause=None": numbers(0, 0, None, None),
    "replicate='x'": (0, "x", *numbers()[2:]),
    "replicate=None": (0, None, *numbers()[2:]),
    "replicate=-1": (0, -1, *numbers()[2:]),
    "8 items": numbers()[:8],
    "18 items": (*numbers(), None),
    "type 'set' is not supported": (*numbers()[:5], {1}, *numbers()[6:]),
    "too large": (*numbers()[:2], 2**64, *numbers()[3:]),
    "kind=7": full_row(0, 0)._replace(spans=[("s", None, 7, "n", 1, 2, *(None,) * 11)]),
    "not enough values": full_row(0, 0)._replace(spans=[("s", None, 0)]),
    "attempts": full_row(0, 0)._replace(attempts=[(1, None, 2, 0.5)]),
}


@pytest.mark.parametrize(("named", "row"), BAD_ROWS.items(), ids=list(BAD_ROWS))
def test_a_row_that_does_not_fit_is_refused_with_its_batch(tmp_path, named, row):
    """One bad row refuses the call in one sentence that names it; nothing of the call is stored, later calls are."""
    with Store(tmp_path).create(make_run()) as writer:
        with pytest.raises(StoreError) as refused:
            writer.add([numbers(1, 1), full_row(1, 2), row])
        assert writer.add([full_row(2, 2)]) == 1
    message = str(refused.value)
    assert named in message or named.split(" ")[0] in message
    assert message.endswith(".")
    assert "\n" not in message
    assert sql(writer.path, "SELECT condition, replicate FROM episodes") == [(2, 2)]
    assert sql(writer.path, "SELECT count(*) FROM spans JOIN texts ON text = input") == [(1,)]


BAD_EPISODES = {
    "condition='nowhere'": {"condition": "nowhere"},
    "outcome='won'": {"outcome": "won"},
    "cause='bored'": {"outcome": None, "cause": "bored"},
    "exactly one": {"cause": "errored"},
    "t=nan": {"t": float("nan")},
    "horizon=nan": {"horizon": float("nan")},
    "wall_s=nan": {"wall_s": float("nan")},
    "meta of replicate 4": {"meta": {"x": {1, 2}}},
    "Out of range float": {"meta": {"x": float("inf")}},
}


@pytest.mark.parametrize(("named", "changes"), BAD_EPISODES.items(), ids=list(BAD_EPISODES))
def test_an_episode_that_contradicts_its_run_is_refused(tmp_path, named, changes):
    """An episode with an unknown word, both or neither of outcome and cause, NaN or no JSON is refused by name."""
    good = {"condition": key(0), "replicate": 4, "seed": 1, "outcome": "resolved", "cause": None}
    with Store(tmp_path).create(make_run()) as writer, pytest.raises(StoreError) as refused:
        writer.add([Episode(**good | changes)])
    assert named in str(refused.value)
    assert str(refused.value).endswith(".")


BAD_RUNS = {
    "condition key '0000000000000000' comes twice": {
        "conditions": (ConditionRecord(key(0), "support", {}),) * 2
    },
    "rollout id 'r' comes twice": {"rollouts": (RolloutRecord("r", ("a",)),) * 2, "conditions": ()},
    "names rollout 'other'": {"conditions": (ConditionRecord(key(0), "other", {}),)},
    "environment cannot be stored": {"environment": {"x": object()}},
    f"axes of condition '{key(0)}'": {"conditions": (ConditionRecord(key(0), "support", {"x": b"y"}),)},
}


@pytest.mark.parametrize(("named", "changes"), BAD_RUNS.items(), ids=list(BAD_RUNS))
def test_a_run_that_contradicts_itself_leaves_nothing(tmp_path, named, changes):
    """A record with a doubled key or a value without JSON form is refused by name and leaves no file."""
    with pytest.raises(StoreError) as refused:
        Store(tmp_path).create(make_run(**changes))
    assert named in str(refused.value)
    assert stem_files(tmp_path) == []


def test_an_exception_ends_a_run_as_interrupted(tmp_path):
    """An exception inside the context passes on unchanged and the run keeps its rows as `interrupted`."""
    store = Store(tmp_path)
    with pytest.raises(KeyboardInterrupt), store.create(make_run()) as writer:
        writer.add([numbers()])
        raise KeyboardInterrupt
    with store.open(writer.run.run_id) as reader:
        assert reader.run.status == "interrupted"
        assert reader.accounting().with_outcome == 1
    assert stem_files(tmp_path) == [writer.path.name]


def test_an_ended_run_takes_no_rows(tmp_path):
    """After `finish` adding is refused by the run's name, and finishing again changes nothing."""
    store = Store(tmp_path)
    with store.create(make_run(name="first")) as writer:
        writer.finish("partial")
        with pytest.raises(StoreError, match="'first' has ended"):
            writer.add([numbers()])
        writer.finish("complete")
    with store.open("first") as reader:
        assert reader.run.status == "partial"


def test_only_an_end_ends_a_run(tmp_path):
    """A status that is no end is refused by name, and the run goes on."""
    with Store(tmp_path).create(make_run()) as writer:
        with pytest.raises(StoreError, match="'running' is none of complete, partial, interrupted"):
            writer.finish("running")
        assert writer.add([numbers()]) == 1


def test_more_rows_than_planned_are_part_of_the_plan(tmp_path):
    """A condition with more episodes than planned counts as planned for as many, so that accounts add up."""
    store = Store(tmp_path)
    with store.create(make_run(2, planned=1)) as writer:
        writer.add([numbers(0, replicate) for replicate in range(3)])
        with store.open(writer.run.run_id) as reader:
            assert reader.accounting().planned == 4
    with store.open("latest") as reader:
        assert [condition.planned for condition in reader.conditions] == [3, 1]
        assert reader.accounting().not_run == 1
    assert store.runs()[0].accounting.planned == 4


def test_a_reopened_run_goes_on(tmp_path):
    """More rows can be added to an ended run, planned counts rise, and each session is on record."""
    store = Store(tmp_path)
    write(store, all_rows()[:5], make_run(name="long"), "interrupted")
    with store.reopen("long") as writer:
        assert writer.add(all_rows()[:8]) == 3
        writer.plan({key(0): 12})
    with store.open("long") as reader:
        assert reader.run.status == "complete"
        assert [condition.planned for condition in reader.conditions] == [12, 10, 10]
        assert reader.accounting().stored == 8
    assert sql(writer.path, "SELECT status FROM sessions ORDER BY session") == [
        ("interrupted",),
        ("complete",),
    ]
    assert stem_files(tmp_path) == [writer.path.name]


@pytest.mark.parametrize(
    ("planned", "named"), [({key(0): 9}, "planned=9"), ({"zz": 9}, "'zz' is not in run")]
)
def test_a_plan_never_shrinks(tmp_path, planned, named):
    """Planning fewer replicates than before, or for an unknown condition, is refused and changes nothing."""
    store = Store(tmp_path)
    with store.create(make_run()) as writer:
        with pytest.raises(StoreError, match=named):
            writer.plan({key(1): 11} | planned)
        assert [condition.planned for condition in writer.run.conditions] == [10, 10, 10]


def test_trailing_items_may_be_left_off(tmp_path):
    """A row without its last Nones is the same row."""
    with Store(tmp_path).create(make_run()) as writer:
        assert (
            writer.add([numbers(0, 0)[:9], (*numbers(0, 1)[:9], "late"), full_row(0, 2)[:15], full_row(0, 3)])
            == 4
        )
        assert writer.add([numbers(0, replicate) for replicate in range(4)]) == 0
    assert sql(writer.path, "SELECT replicate, error FROM notes") == [(1, "late"), (2, "err"), (3, "err")]
    assert sql(writer.path, "SELECT replicate, leaves FROM traces") == [(2, None), (3, 1)]


def test_a_row_is_a_plain_tuple_in_a_documented_order():
    """The order of a row is fixed: workers build plain tuples of it."""
    assert EpisodeRow._fields == (
        *("condition", "replicate", "seed", "outcome", "cause", "t", "horizon", "started_ns", "wall_s"),
        *("error", "meta", "tokens_in", "tokens_out", "unknown_usage", "spans_left_out", "spans", "attempts"),
    )
    assert len(numbers()) == 9 + len(NOTHING) == len(EpisodeRow._fields)
