"""Saving what can be read of a damaged file, and continuing a run whose suite has changed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poisson_store import DamagedRunError, Store, StoreError
from poisson_store.records import CAUSES
from tests.store.support import SUPPORT, all_rows, full_row, key, make_run, numbers, sql, write

ROWS = [*all_rows(20, 100), *(full_row(condition, 100 + n) for n in range(40) for condition in range(20))]
RUN = make_run(20, 140, name="main")


def readable(store: Store, name: str):
    with store.open(name) as reader:
        return {(episode.condition, episode.replicate): episode for episode in reader.episodes(spans=True)}


def test_an_undamaged_file_is_recovered_whole(tmp_path):
    """Recovering what is not damaged gives the very episodes, as an interrupted run that says where it is from."""
    store = Store(tmp_path)
    run_id = write(store, ROWS, RUN)
    new = store.recover(store.resolve("main"), name="again")
    assert readable(store, "again") == readable(store, "main")
    with store.open(new) as reader:
        assert reader.run.status == "interrupted"
        assert reader.run.settings["recovered_from"] == run_id
        assert (reader.run.salt, reader.run.conditions) == (RUN.salt, RUN.conditions)


def last_leaf(path, table: str) -> int:
    """Find the page where the last rows of a table lie, by the file format SQLite documents (section 1.6)."""
    ((page,),) = sql(path, "SELECT rootpage FROM sqlite_master WHERE name = ?", table)
    content = path.read_bytes()
    while content[(page - 1) * 4096] in {2, 5}:
        place = (page - 1) * 4096 + 8
        page = int.from_bytes(content[place : place + 4], "big")
    return page


def damaged(path, damage: str) -> bytes:
    content = path.read_bytes()
    if damage == "second half":
        return content[: len(content) // 2]
    page = last_leaf(path, damage) - 1
    return content[: page * 4096] + bytes(4096) + content[(page + 1) * 4096 :]


@pytest.mark.parametrize(
    "damage", ["second half", "episodes", "spans", "texts", "notes", "traces", "attempts", "cuts"]
)
def test_what_is_readable_is_recovered(tmp_path, damage):
    """What is recovered was stored, and is most of it; the account says how many are missing, and the run can go on."""
    store = Store(tmp_path)
    write(store, ROWS, RUN)
    path, stored = store.resolve("main"), readable(store, "main")
    content = damaged(path, damage)
    path.write_bytes(content)
    store.recover(path, name="saved")
    saved = readable(store, "saved")
    for place, episode in saved.items():
        for name in ("seed", "outcome", "cause", "t", "horizon", "started_ns", "wall_s"):
            assert getattr(episode, name) == getattr(stored[place], name)
        for name in ("error", "meta", "tokens_in", "tokens_out", "attempts"):
            assert getattr(episode, name) in (None, ()) or getattr(episode, name) == getattr(
                stored[place], name
            )
        assert len(episode.spans) == len(stored[place].spans) or episode.spans_left_out == 1
    assert len(saved) >= (1 if damage == "second half" else len(stored) * 9 // 10)
    assert (len(saved) == len(stored)) == (damage not in {"second half", "episodes"})
    with store.open("saved") as reader:
        assert reader.accounting().not_run == 2800 - len(saved)
    with store.reopen("saved") as writer:
        assert writer.add(ROWS) == len(stored) - len(saved)
    assert path.read_bytes() == content


def test_a_file_without_declarations_is_lost(tmp_path):
    """Where not even the run's record can be read, this is said in one sentence with the file's name."""
    store = Store(tmp_path)
    write(store, ROWS, RUN)
    path = store.resolve("main")
    path.write_bytes(path.read_bytes()[:4096])
    with pytest.raises(
        DamagedRunError, match=rf"{path.name} cannot be recovered: what the run declares is lost"
    ):
        store.recover(path)
    (tmp_path / "odd.sqlite").write_bytes(b"odd")
    with pytest.raises(DamagedRunError, match=r"odd\.sqlite"):
        store.recover(tmp_path / "odd.sqlite")
    with pytest.raises(StoreError, match=r"none\.sqlite"):
        store.recover(tmp_path / "none.sqlite")


def test_a_recovered_text_that_is_lost_is_none(tmp_path):
    """A span whose body can no longer be read keeps everything else."""
    store = Store(tmp_path)
    write(store, [full_row(0, 0)], make_run(name="main"))
    path = store.resolve("main")
    sql(path, "UPDATE texts SET bytes = bytes + 1 WHERE text = (SELECT input FROM spans)")
    store.recover(path, name="saved")
    ((span,),) = [episode.spans for episode in readable(store, "saved").values()]
    assert span.input is None
    assert (span.name, span.output, span.attrs, span.step) == ("ask", "out", {"k": 1}, "plan")
    assert span.input_cut.bytes == 500


WORDS = SUPPORT.outcomes


@settings(max_examples=25, deadline=None)
@given(
    kept=st.lists(st.integers(0, 5), unique=True),
    outcomes=st.lists(st.sampled_from([*WORDS, "new", "newer"]), min_size=1, unique=True),
)
def test_a_changed_suite_keeps_what_still_exists(tmp_path_factory, kept, outcomes):
    """Of a resumed run stay the episodes whose condition and outcome are still declared, in any new order, and no others."""
    store = Store(tmp_path_factory.mktemp("store"))
    before = make_run(4, 8, name="x")
    rows = [
        full_row(c, r)._replace(outcome=r % 3) if r % 2 else numbers(c, r, None, r % 5)
        for r in range(8)
        for c in range(4)
    ]
    write(store, rows, before, "interrupted")
    stored = readable(store, "x")
    after = make_run(6, 9, rollouts=(replace(SUPPORT, outcomes=tuple(outcomes), failures=(), successes=()),))
    after = replace(after, conditions=tuple(after.conditions[number] for number in kept))
    with store.reopen("x") as writer:
        dropped = writer.redeclare(after)
        assert (writer.run.conditions, writer.run.outcomes) == (after.conditions, tuple(outcomes))
        if kept:
            assert writer.add([numbers(0, 8, len(outcomes) - 1)]) == 1
    keys = [key(number) for number in kept]
    expected = {
        place: episode
        for place, episode in stored.items()
        if place[0] in keys and (episode.outcome in outcomes or episode.cause in CAUSES)
    }
    found = readable(store, "x")
    if kept:
        assert found.pop((keys[0], 8)).outcome == outcomes[-1]
    assert found == expected
    assert dropped == len(stored) - len(expected)
    path = store.resolve("x")
    for table in ("spans", "notes", "traces", "attempts", "cuts"):
        assert sql(path, f"SELECT count(*) FROM {table}") == [
            (sum(bool(e.spans) for e in expected.values()),)
        ]
    assert sql(path, "PRAGMA foreign_key_check") == []
