"""Real faults: kills, damage, full and read-only disks, deletion, and several processes at once."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from poisson_store import DamagedRunError, Store, StoreError, open_run
from tests.store.machine import linux_root, start, tmpfs
from tests.store.support import all_rows, full_row, make_run, numbers, sql, stem_files, write

if TYPE_CHECKING:
    from pathlib import Path

WRITE_FOR_EVER = """
import sys
from poisson_store import Store
from tests.store.machine import linux_root, start, tmpfs
from tests.store.support import all_rows, full_row, make_run
store = Store(sys.argv[1])
writer = store.reopen("victim") if sys.argv[2] == "again" else store.create(make_run(5, 4_000, name="victim"))
rows = all_rows(5, 4_000)
for start in range(0, len(rows), 40):
    batch = rows[start : start + 40]
    batch[7] = full_row(*batch[7][:2])
    writer.add(batch)
    print(start + 40, flush=True)
"""


def kill_after(folder: Path, delay_s: float, mode: str) -> int:
    """Kill a writing process without warning and return how many rows it had been told were stored."""
    with start(WRITE_FOR_EVER, folder, mode) as process:
        told = int(process.stdout.readline())
        time.sleep(delay_s)
        os.kill(process.pid, signal.SIGKILL)
        return max([told, *map(int, process.stdout.read().split("\n")[:-1])])


def check_survivor(folder: Path, told: int) -> int:
    """Check that a killed run holds at least what was acknowledged, whole batches only, and return how much."""
    store = Store(folder)
    with store.open("victim") as reader:
        assert reader.run.status == "interrupted"
        account, stored = reader.accounting(), reader.columns()
        rich = [episode for episode in reader.episodes(spans=True) if episode.spans]
    amount = len(stored.replicate)
    assert amount >= told
    assert amount % 40 == 0
    assert len(rich) == amount // 40
    assert all(episode.error == "err" and episode.meta == {"a": 1} for episode in rich)
    assert account.planned == 20_000 == account.stored + account.not_run
    assert account.stored == amount
    found = sorted(zip(stored.replicate.tolist(), stored.condition.tolist(), strict=True))
    assert found == [(n // 5, n % 5) for n in range(amount)]
    return amount


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
@pytest.mark.parametrize(
    "seed", [*range(3), *(pytest.param(n, marks=pytest.mark.slow) for n in range(3, 20))]
)
def test_a_killed_writer_loses_nothing_it_was_told_is_stored(tmp_path, seed):
    """Killed twice at random moments, a run keeps every acknowledged batch, whole, and ends like an undisturbed one."""
    draw = random.Random(seed)
    first = check_survivor(tmp_path, kill_after(tmp_path, draw.random() * 0.3, "new"))
    second = check_survivor(tmp_path, max(first, kill_after(tmp_path, draw.random() * 0.3, "again")))
    rows = all_rows(5, 4_000)[:4000]
    for number in range(7, len(rows), 40):
        rows[number] = full_row(*rows[number][:2])
    store = Store(tmp_path)
    if second <= len(rows):
        with store.reopen("victim") as writer:
            assert writer.add(rows) == len(rows) - second
        undisturbed = write(store, rows, make_run(5, 4_000))
        assert exported(store.resolve("victim")) == exported(store.resolve(undisturbed))
    assert sorted(path.suffix for path in tmp_path.iterdir()) == [".sqlite"] * len(list(tmp_path.iterdir()))


def exported(path: Path):
    with open_run(path) as reader:
        return list(reader.episodes(spans=True))


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_run_is_one_plain_file_once_it_was_read(tmp_path):
    """The log a killed writer leaves is folded in by the first reader, and the list calls the run interrupted."""
    kill_after(tmp_path, 0, "new")
    assert len(stem_files(tmp_path)) == 3
    (run,) = Store(tmp_path).runs()
    assert run.status == "interrupted"
    assert run.problem is None
    assert stem_files(tmp_path) == [run.path.name]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """Give the bytes of a run with many pages, and what it holds."""
    folder = tmp_path_factory.mktemp("whole")
    store = Store(folder)
    rows = [*all_rows(20, 100), *(full_row(condition, 100 + n) for n in range(40) for condition in range(20))]
    write(store, rows, make_run(20, 140))
    path = store.resolve("latest")
    return path.read_bytes(), look(path)


def look(path: Path):
    with open_run(path) as reader:
        return (
            reader.run,
            reader.outcome_counts(),
            list(reader.episodes(spans=True)),
            reader.columns().t.tolist(),
        )


def look_at_damage(path: Path, before) -> bool:
    """Read a damaged file: the very same as before, or a refusal in one sentence that names it. Tell which."""
    try:
        after = look(path)
    except DamagedRunError as error:
        assert path.name in str(error)
        assert "\n" not in str(error)
        assert str(error).endswith(".")
        return True
    assert after == before
    return False


def test_a_truncated_file_is_refused_by_name(tmp_path, whole):
    """Cut anywhere, a run is refused with its name; the others of the store stay readable."""
    content, before = whole
    store = Store(tmp_path)
    good = write(store)
    lengths = [0, 1, 50, 99, 100, 4096, 5000, len(content) // 2]
    for length in [*lengths, *(len(content) - left for left in (4096, 4095, 2000, 100, 1))]:
        path = tmp_path / "torn.sqlite"
        path.write_bytes(content[:length])
        assert look_at_damage(path, before), length
        torn, healthy = sorted(store.runs(), key=lambda run: run.problem is None)
        assert "torn.sqlite" in torn.problem
        assert (torn.name, torn.status, torn.accounting) == ("torn", "unreadable", None)
        assert (healthy.run_id, healthy.problem) == (good, None)
        assert store.resolve("latest").stem == good
        with pytest.raises(StoreError, match=r"'torn' cannot be used: .*torn\.sqlite"):
            store.resolve("torn")


@pytest.mark.parametrize("fill", ["zeros", "noise"])
def test_a_lost_page_is_never_read_as_something_else(tmp_path, whole, fill):
    """With any page overwritten a run is refused in one sentence, or is read exactly as it was."""
    content, before = whole
    draw = random.Random(1)
    pages = len(content) // 4096
    refused = 0
    for page in [*range(0, pages, 3), pages - 1]:
        noise = bytes(4096) if fill == "zeros" else draw.randbytes(4096)
        path = tmp_path / "torn.sqlite"
        path.write_bytes(content[: page * 4096] + noise + content[(page + 1) * 4096 :])
        refused += look_at_damage(path, before)
    assert refused > pages // 5


@pytest.mark.parametrize(
    "change",
    [
        "conditions SET condition = 99 WHERE condition = 0",
        "run SET settings = '[]'",
        "run SET environment = '3'",
        "run SET variant = '[1]'",
        "rollouts SET outcomes = '{}'",
        "rollouts SET failures = '[1]'",
        "rollouts SET settings = 'null'",
        "conditions SET axes = '[1]' WHERE condition = 0",
        "episodes SET condition = 99 WHERE condition = 3",
        "episodes SET outcome = 99, cause = NULL WHERE replicate = 1",
        "episodes SET outcome = NULL, cause = 99 WHERE replicate = 1",
    ],
)
def test_a_value_that_stands_for_nothing_is_refused(tmp_path, whole, change):
    """A file that SQLite reads may hold what no run does: a list for an object, or a number that nothing has."""
    path = tmp_path / "odd.sqlite"
    path.write_bytes(whole[0])
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA ignore_check_constraints = 1")
        connection.execute(f"UPDATE {change}")
    with pytest.raises(DamagedRunError, match=r"odd\.sqlite"), open_run(path) as reader:
        reader.outcome_columns()
    with pytest.raises(DamagedRunError, match=r"odd\.sqlite"), open_run(path) as reader:
        reader.columns()


@pytest.mark.parametrize("content", [b"", b"hello", b"SQLite format 3\0" + bytes(84), bytes(8192)])
def test_what_is_no_run_is_refused_by_name(tmp_path, content):
    """Text, zeros and an empty database in a store are listed as unreadable with their file's name."""
    (tmp_path / "odd.sqlite").write_bytes(content)
    (run,) = Store(tmp_path).runs()
    assert "odd.sqlite" in run.problem
    with pytest.raises(DamagedRunError, match=r"odd\.sqlite"):
        open_run(tmp_path / "odd.sqlite")


def test_another_database_is_no_run(tmp_path):
    """An SQLite file of some other program is refused by name and not changed."""
    path = tmp_path / "other.sqlite"
    sql(path, "CREATE TABLE run (x)")
    before = path.read_bytes()
    with pytest.raises(DamagedRunError, match=r"other\.sqlite is no pytest-poisson run"):
        open_run(path)
    assert path.read_bytes() == before


@linux_root
def test_a_full_disk_keeps_what_was_stored(tmp_path):
    """On a full disk adding fails in one sentence; every earlier batch stays, and with room again the run goes on."""
    with tmpfs(tmp_path, "size=1m") as disk:
        store, batches = Store(disk), 0
        ballast = disk / "ballast"
        ballast.write_bytes(bytes(100_000))
        writer = store.create(make_run(1, 10**6, name="full"))
        with pytest.raises(StoreError, match=rf"^Cannot write {writer.path}: the disk is full\.$"), writer:
            for batches in range(10**4):
                writer.add([numbers(0, batches * 100 + n) for n in range(100)])
        with store.open("full") as reader:
            assert reader.accounting().stored == batches * 100
        ballast.unlink()
        with store.open("full") as reader:
            assert reader.columns().replicate.tolist() == list(range(batches * 100))
    assert batches > 10


@linux_root
def test_a_run_that_cannot_begin_on_a_full_disk_leaves_nothing(tmp_path):
    """Without room for a new run it is refused in one sentence and no half file is left."""
    with tmpfs(tmp_path, "size=200k") as disk:
        (disk / "ballast").write_bytes(bytes(150_000))
        with pytest.raises(StoreError, match=r"the disk is full\.$"):
            Store(disk).create(make_run())
        assert [name for name in stem_files(disk) if "Z-" in name] == []


@linux_root
def test_a_read_only_store_can_be_read(tmp_path):
    """Where nothing can be written runs are listed and read, an interrupted one with its log too; writing is refused."""
    with tmpfs(tmp_path, "size=20m") as disk:
        store = Store(disk)
        run_id = write(store, all_rows())
        kill_after(disk, 0, "new")
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        files = stem_files(disk)
        assert {run.status for run in store.runs()} == {"complete", "interrupted"}
        with store.open(run_id) as reader:
            assert len(list(reader.episodes())) == 30
        with store.open("victim") as reader:
            assert reader.accounting().stored >= 40
        for act in (
            lambda: store.create(make_run()),
            lambda: store.reopen("victim"),
            lambda: store.set_baseline("m", run_id),
        ):
            with pytest.raises(StoreError, match=rf"^Cannot (write|create) {disk}/.*: .*read-only"):
                act()
        assert stem_files(disk) == files


@linux_root
def test_a_log_that_cannot_be_opened_is_read_from_a_copy(tmp_path):
    """An interrupted run whose shared memory file is lost is still read, with its log, on a read-only disk."""
    with tmpfs(tmp_path, "size=20m") as disk:
        told = kill_after(disk, 0.05, "new")
        (shm,) = disk.glob("*-shm")
        shm.unlink()
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        check_survivor(disk, told)


def test_a_deleted_run_is_noticed(tmp_path):
    """When a run's file is deleted under its writer the next rows are refused by the file's name."""
    writer = Store(tmp_path).create(make_run())
    writer.add([numbers(0, 0)])
    writer.path.unlink()
    with pytest.raises(
        StoreError, match=rf"{writer.path.name} was deleted or replaced while it was being written"
    ):
        writer.add([numbers(0, 1)])
    with pytest.raises(StoreError, match="was deleted"):
        writer.finish()


def test_a_deleted_store_is_noticed(tmp_path):
    """When the whole directory goes, the error of the writer leaves the context as it was raised."""
    store = Store(tmp_path / "store")
    with pytest.raises(StoreError, match="was deleted"), store.create(make_run()) as writer:
        shutil.rmtree(tmp_path / "store")
        writer.add([numbers(0, 1)])
    assert not (tmp_path / "store").exists()


def test_a_file_where_the_store_should_be_is_named(tmp_path):
    """A store whose path is a file is refused with that path."""
    (tmp_path / "store").write_text("x")
    with pytest.raises(StoreError, match=r"^Cannot write .*store.*: "):
        Store(tmp_path / "store" / "deeper").create(make_run())


CREATE_AT_ONCE = """
import sys
from poisson_store import Store, StoreError
from tests.store.machine import linux_root, start, tmpfs
from tests.store.support import make_run, numbers
store = Store(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
try:
    with store.create(make_run(name=sys.argv[2], planned=1000)) as writer:
        for replicate in range(200):
            writer.add([numbers(condition, replicate) for condition in range(3)])
    print("stored")
except StoreError as error:
    print(error)
"""


def at_once(folder: Path, *names: str) -> list[str]:
    """Let one process a name create and fill a run, all at the same moment; return what they say."""
    processes = [start(CREATE_AT_ONCE, folder, name) for name in names]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    return sorted(process.communicate(timeout=60)[0].strip() for process in processes)


def test_a_name_is_given_to_one_of_two_processes(tmp_path):
    """Of three processes that create the same name at once one succeeds; the others are told that it is taken."""
    *refused, stored = sorted(at_once(tmp_path, "same", "same", "same"), key=lambda said: said == "stored")
    assert stored == "stored"
    assert all("'same' is taken" in said for said in refused)
    (run,) = Store(tmp_path).runs()
    assert (run.status, run.accounting.stored) == ("complete", 600)


def test_several_sessions_share_a_store(tmp_path):
    """Three processes that write and one that lists meanwhile never meet a locked database."""
    names = ("a", "b", "c")
    processes = [start(CREATE_AT_ONCE, tmp_path, name) for name in names]
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    store = Store(tmp_path)
    while any(process.poll() is None for process in processes):
        assert all(run.problem is None for run in store.runs())
    for process in processes:
        assert process.communicate()[0] == "ready\nstored\n"
    assert {run.name: run.accounting.stored for run in store.runs()} == dict.fromkeys(names, 600)


def test_a_reader_does_not_keep_a_run_from_ending(tmp_path, monkeypatch):
    """A run that is read while it ends keeps its log; the next reader folds it in."""
    monkeypatch.setattr("poisson_store.writer.SETTLE_S", 0.05)
    store = Store(tmp_path)
    writer = store.create(make_run(name="x"))
    writer.add(all_rows())
    with store.open("x") as reader, closing(iter(reader.episodes())) as episodes:
        next(episodes)
        writer.finish()
        assert len(list(episodes)) == 29
    assert store.runs()[0].status == "complete"
    assert stem_files(tmp_path) == [writer.path.name]
