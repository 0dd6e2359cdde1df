"""The file format: its documentation, its versions and the way between them."""

from __future__ import annotations

import re
import shutil
import sqlite3
import subprocess
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from poisson_store import NewerSchemaError, Store, open_run, schema
from poisson_store.connection import open_for_reading, open_for_writing
from poisson_store.describe import describe
from poisson_store.records import Attempt, Cut, Span, Tokens
from tests.store.machine import linux_root, tmpfs
from tests.store.support import all_rows, full_row, key, make_run, sql, write

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "tests" / "data" / "runs"


def test_the_documentation_is_made_from_the_definition():
    """docs/store.md is what `python -m poisson_store.describe` prints now."""
    assert (ROOT / "docs" / "store.md").read_text(encoding="utf-8") == describe()


def test_every_table_and_column_is_documented(tmp_path):
    """What a new file really has is what the documentation lists, each column with its table."""
    write(Store(tmp_path))
    (path,) = tmp_path.glob("2*.sqlite")
    for file in (path, tmp_path / "catalog.sqlite"):
        for (table,) in sql(file, "SELECT name FROM sqlite_master WHERE type = 'table'"):
            section = describe().split(f"### `{table}`\n")[1].split("\n### ")[0]
            columns = [row[0] for row in sql(file, "SELECT name FROM pragma_table_info(?)", table)]
            assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == columns, table


def test_a_file_says_what_it_is(tmp_path):
    """A new file carries the application id, the format version and when it reached it."""
    write(Store(tmp_path))
    (path,) = tmp_path.glob("2*.sqlite")
    assert sql(path, "PRAGMA application_id") == [(int.from_bytes(b"POIS", "big"),)]
    assert sql(path, "PRAGMA user_version") == [(schema.VERSION,)]
    assert sql(path, "SELECT version FROM history") == [(schema.VERSION,)]
    assert list(schema.HISTORY) == list(range(1, schema.VERSION + 1))
    assert set(schema.MIGRATIONS) == set(range(2, schema.VERSION + 1))


def test_a_run_can_be_read_by_hand(tmp_path):
    """The view `readable` has every episode in words."""
    store = Store(tmp_path)
    write(store, [*all_rows()[:4], full_row(2, 5)])
    rows = sql(
        store.resolve("latest"), "SELECT key, replicate, outcome, cause, error, meta, tokens_in FROM readable"
    )
    assert sorted(rows) == [
        (key(0), 0, "resolved", None, None, None, None),
        (key(0), 1, "timeout", None, None, None, None),
        (key(1), 0, "timeout", None, None, None, None),
        (key(2), 0, "violated", None, None, None, None),
        (key(2), 5, "resolved", None, "err", '{"a":1}', 12),
    ]


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.sqlite")), ids=lambda path: path.stem)
def test_a_file_of_every_version_is_read(tmp_path, sample):
    """A small run written by each version so far is migrated and reads as it was written."""
    path = shutil.copyfile(sample, tmp_path / sample.name)
    with open_run(path) as reader:
        first, *_, last = reader.episodes(spans=True)
        assert (reader.run.name, reader.run.status, len(reader.conditions)) == ("sample", "partial", 3)
        assert reader.accounting().stored == 31
        assert reader.outcome_counts()[key(0)] == {
            "resolved": 3,
            "timeout": 2,
            "violated": 1,
            "timed_out": 1,
            "errored": 1,
            "crashed": 1,
            "skipped": 1,
            "cancelled": 1,
        }
    assert (first.condition, first.replicate, first.outcome, first.t, first.horizon) == (
        key(0),
        0,
        "resolved",
        3,
        12,
    )
    assert last.condition == key(2)
    with open_run(path) as reader:
        (full,) = reader.episodes(key(0), 11, spans=True)
    assert (full.error, full.meta, full.tokens_in, full.tokens_out) == ("err", {"a": 1}, 12, 3)
    assert full.attempts == (Attempt(1, "ConnectionError", 5, 0.1),)
    assert full.spans == (
        Span(
            "s1",
            None,
            "llm",
            "ask",
            1,
            2,
            "in 11",
            "out",
            Tokens(12, 3),
            {"k": 1},
            "e",
            "plan",
            Cut(500, "ab" * 32),
        ),
    )
    assert sql(path, "PRAGMA user_version") == [(schema.VERSION,)]


def test_there_is_a_sample_of_every_version():
    """No version is released without a file of it to migrate."""
    assert [path.stem for path in sorted(SAMPLES.glob("*.sqlite"))] == [f"schema-{n}" for n in schema.HISTORY]


def test_a_newer_file_is_refused_by_name(tmp_path):
    """A run of a later version is refused for reading, writing and importing, with both versions, and is not changed."""
    store = Store(tmp_path)
    write(store, run=make_run(name="x"))
    path = store.resolve("x")
    sql(path, "PRAGMA user_version = 99")
    before = path.read_bytes()
    said = rf"{path.name} was written by schema 99 and this version of pytest-poisson reads up to {schema.VERSION}"
    with pytest.raises(NewerSchemaError, match=said):
        open_run(path)
    with pytest.raises(NewerSchemaError, match=said):
        store.reopen(path.stem)
    with pytest.raises(NewerSchemaError, match=said):
        Store(tmp_path / "other").import_run(path)
    (run,) = store.runs()
    assert "schema 99" in run.problem
    assert path.read_bytes() == before


STEPS = {
    2: ["ALTER TABLE run ADD COLUMN note TEXT", "UPDATE run SET note = 'two'"],
    3: ["UPDATE run SET note = note || ' three'"],
}


@pytest.fixture
def old(tmp_path):
    store = Store(tmp_path)
    write(store, [*all_rows(), full_row(0, 11)], make_run(name="old"))
    return store.resolve("old")


def rows_of(path: Path):
    return (
        sql(path, "SELECT * FROM episodes"),
        sql(path, "SELECT * FROM spans"),
        sql(path, "SELECT * FROM texts"),
    )


def connect(path: Path):
    return closing(sqlite3.connect(path, isolation_level=None))


def test_migration_goes_step_by_step(old):
    """Each step is taken once, in order, and recorded; no row is lost; a file that is up to date is left alone."""
    before = rows_of(old)
    with connect(old) as connection:
        assert schema.migrate(connection, "now", migrations=STEPS, version=2) == [2]
        assert schema.migrate(connection, "later", migrations=STEPS, version=3) == [3]
        assert schema.migrate(connection, "later still", migrations=STEPS, version=3) == []
    assert sql(old, "SELECT note FROM run") == [("two three",)]
    assert sql(old, "SELECT * FROM history WHERE version > 1") == [(2, "now"), (3, "later")]
    assert rows_of(old) == before


def test_a_step_that_fails_changes_nothing(old):
    """When a step fails half way the file is as it was before the step, and can be migrated later."""
    before = old.read_bytes()
    broken = {2: [*STEPS[2], "UPDATE absent SET x = 1"]}
    with connect(old) as connection:
        with pytest.raises(sqlite3.OperationalError, match="no such table: absent"):
            schema.migrate(connection, "now", migrations=broken, version=2)
        assert not connection.in_transaction
    assert old.read_bytes() == before
    with connect(old) as connection:
        assert schema.migrate(connection, "now", migrations=STEPS, version=3) == [2, 3]


@pytest.fixture
def version_2(monkeypatch):
    """Pretend that this version writes format 2, of which format 1 is an older one."""
    monkeypatch.setitem(schema.MIGRATIONS, 2, STEPS[2])
    monkeypatch.setattr(schema, "VERSION", 2)
    monkeypatch.setattr("poisson_store.connection.VERSION", 2)


def version_of(connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def test_an_older_file_is_migrated_when_it_is_opened(old, version_2):
    """Opening for reading and for writing brings an older file up to date in place, keeping every row."""
    before = rows_of(old)
    kept = shutil.copyfile(old, old.with_name("copy.sqlite"))
    with ExitStack() as stack:
        assert version_of(open_for_reading(old, stack)) == 2
    with closing(open_for_writing(kept)) as connection:
        assert version_of(connection) == 2
    assert rows_of(old) == rows_of(kept) == before
    assert sql(old, "SELECT note FROM run") == [("two",)]


@linux_root
def test_an_older_file_that_cannot_be_changed_is_migrated_in_a_copy(tmp_path, old, version_2):
    """On a read-only disk an older file is read through a migrated copy and stays as it is."""
    (tmp_path / "disk").mkdir()
    with tmpfs(tmp_path / "disk", "size=10m") as disk:
        path = shutil.copyfile(old, disk / old.name)
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        with ExitStack() as stack:
            connection = open_for_reading(path, stack)
            assert version_of(connection) == 2
            assert connection.execute("SELECT note FROM run").fetchall() == [("two",)]
        assert path.read_bytes() == old.read_bytes()
