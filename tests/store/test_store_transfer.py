"""Carrying a run between machines."""

from __future__ import annotations

import json
import re
import shutil
import zipfile

import pytest

from poisson_store import DamagedRunError, NewerSchemaError, Store, StoreError, open_run
from tests.store.support import all_rows, full_row, make_run, sql, stem_files, write

ROWS = [*all_rows(), full_row(0, 11), full_row(1, 11)]


@pytest.fixture
def here(tmp_path):
    store = Store(tmp_path / "here")
    write(store, ROWS, make_run(name="main", planned=20, environment={"python": "3.12"}))
    return store


@pytest.fixture
def there(tmp_path):
    return Store(tmp_path / "there")


def everything(store: Store, name: str):
    with store.open(name) as reader:
        return reader.run, list(reader.episodes(spans=True)), reader.outcome_counts()


def test_a_run_arrives_as_it_left(here, there, tmp_path):
    """An exported and imported run has the same record and episodes, and can be resumed there."""
    file = here.export_run("main", tmp_path / "main.zip")
    run_id = there.import_run(file)
    assert everything(there, "main") == everything(here, "main")
    assert there.resolve("latest").name == f"{run_id}.sqlite"
    with there.reopen("main") as writer:
        assert writer.add(ROWS) == 0


def test_equal_runs_give_equal_files(here, tmp_path):
    """Exporting twice gives the same bytes."""
    first = here.export_run("main", tmp_path / "a.zip").read_bytes()
    assert here.export_run("main", tmp_path / "b.zip").read_bytes() == first


def test_the_file_is_a_zip_that_says_what_it_is(here, tmp_path):
    """Any ZIP program finds the run and a manifest with its format, schema, length and SHA-256."""
    with zipfile.ZipFile(here.export_run("main", tmp_path / "main.zip")) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        content = archive.read("run.sqlite")
    assert set(manifest) == {"format", "schema", "bytes", "sha256"}
    assert (manifest["format"], manifest["bytes"]) == ("pytest-poisson.run/1", len(content))
    assert content.startswith(b"SQLite format 3")


def test_an_export_never_overwrites(here, tmp_path):
    """An existing file is refused by name and left as it is."""
    (tmp_path / "main.zip").write_text("precious")
    with pytest.raises(StoreError, match=r"main\.zip exists already"):
        here.export_run("main", tmp_path / "main.zip")
    assert (tmp_path / "main.zip").read_text() == "precious"


def test_an_export_to_nowhere_leaves_nothing(here, tmp_path):
    """A folder that does not exist is refused by name."""
    with pytest.raises(StoreError, match=r"^Cannot write .*none.main\.zip: no such file or directory\.$"):
        here.export_run("main", tmp_path / "none" / "main.zip")


def test_a_name_that_is_taken_is_refused(here, there, tmp_path):
    """A run whose name is taken is refused; under another name it is let in."""
    file = here.export_run("main", tmp_path / "main.zip")
    other = write(there, run=make_run(name="main"))
    with pytest.raises(StoreError, match=f"'main' is taken by run {other}"):
        there.import_run(file)
    there.import_run(file, name="theirs")
    assert {run.name for run in there.runs()} == {"main", "theirs"}
    assert everything(there, "theirs")[1] == everything(here, "main")[1]


def test_the_same_run_again_is_nothing_to_do(here, there, tmp_path):
    """Under its own name or the one it has there; another name is refused with the one that it has."""
    file = here.export_run("main", tmp_path / "main.zip")
    run_id = there.import_run(file, name="base")
    assert there.import_run(file) == there.import_run(file, name="base") == run_id
    with pytest.raises(StoreError, match="already, as 'base'; it cannot be 'main' as well"):
        there.import_run(file, name="main")
    assert [run.name for run in there.runs()] == ["base"]


@pytest.mark.parametrize("change", ["UPDATE episodes SET t = 4 WHERE replicate = 0", "DELETE FROM spans"])
def test_a_run_is_never_imported_over_another(here, there, tmp_path, change):
    """A run of the same id that holds anything else is refused, and what is there stays."""
    file = here.export_run("main", tmp_path / "main.zip")
    there.import_run(file)
    sql(there.resolve("main"), change)
    held = everything(there, "main")
    with pytest.raises(StoreError, match="a run is never overwritten"):
        there.import_run(file)
    assert everything(there, "main") == held


def test_a_truncated_file_is_refused(here, there, tmp_path):
    """Cut at any length, an exported file is refused in one sentence and nothing is imported."""
    content = here.export_run("main", tmp_path / "main.zip").read_bytes()
    cut = tmp_path / "cut.zip"
    for length in [*range(0, len(content), max(1, len(content) // 25)), len(content) - 1]:
        cut.write_bytes(content[:length])
        with pytest.raises(DamagedRunError, match=r"^\S*cut\.zip is .*\.$"):
            there.import_run(cut)
    assert there.runs() == []
    assert not [name for name in stem_files(there.path) if not name.startswith(".")]


def test_a_changed_file_is_refused(here, there, tmp_path):
    """A run inside an export that does not have the checksum it names is refused."""
    file = here.export_run("main", tmp_path / "main.zip")
    with zipfile.ZipFile(file) as archive:
        manifest, content = json.loads(archive.read("manifest.json")), archive.read("run.sqlite")
    for named, changed in {
        "checksum": (manifest, content.replace(b"main", b"mine")),
        "truncated": (manifest, content + b"x"),
        "truncated, ": (manifest, content[:-1]),
        "format": (manifest | {"format": "pytest-poisson.run/2"}, content),
        "schema 99": (manifest | {"schema": 99}, content),
        "no exported run": ({"hello": 1}, content),
    }.items():
        with zipfile.ZipFile(tmp_path / "changed.zip", "w") as archive:
            archive.writestr("manifest.json", json.dumps(changed[0]))
            archive.writestr("run.sqlite", changed[1])
        expected = NewerSchemaError if named in {"format", "schema 99"} else DamagedRunError
        with pytest.raises(expected, match=re.escape("changed.zip")) as refused:
            there.import_run(tmp_path / "changed.zip")
        assert named in str(refused.value)


@pytest.mark.parametrize("content", [b"", b"text", b"PK\x03\x04", bytes(1000)])
def test_what_is_no_export_is_refused(there, tmp_path, content):
    """Any other file is refused by name."""
    (tmp_path / "odd.zip").write_bytes(content)
    with pytest.raises(DamagedRunError, match=r"odd\.zip is truncated, damaged or no exported run\."):
        there.import_run(tmp_path / "odd.zip")


def test_a_missing_file_is_refused(there, tmp_path):
    """A file that is not there is named."""
    with pytest.raises(StoreError, match=r"^Cannot read .*none\.zip: no such file"):
        there.import_run(tmp_path / "none.zip")


def test_a_plain_run_file_is_imported_too(here, there, tmp_path):
    """A run's own file, under whatever name a CI system handed it on, is imported like an export."""
    plain = shutil.copyfile(here.resolve("main"), tmp_path / "artifact.bin")
    run_id = there.import_run(plain)
    assert there.resolve("main").name == f"{run_id}.sqlite"
    assert everything(there, "main") == everything(here, "main")


def test_a_run_of_a_dead_writer_arrives_as_interrupted(there, tmp_path):
    """A file whose writer died is exported and imported as interrupted, with its log."""
    source = Store(tmp_path / "source")
    writer = source.create(make_run(name="dead"))
    writer.add(all_rows())
    for file in tmp_path.glob("source/*"):
        shutil.copyfile(file, tmp_path / file.name)
    writer.finish()
    copied = tmp_path / writer.path.name
    with_log = copied.with_name(f"{copied.name}-wal")
    assert with_log.stat().st_size > 0
    sql(copied, "UPDATE sessions SET process_started = 'long ago'")
    there.import_run(copied)
    with there.open("dead") as reader:
        assert reader.run.status == "interrupted"
        assert reader.accounting().stored == 30
    assert sql(there.resolve("dead"), "SELECT status FROM run") == [("interrupted",)]


@pytest.mark.parametrize("run_id", ["../../evil", "evil", "", "20260101T000000Z-00001"])
def test_a_run_id_that_is_no_file_name_is_refused(here, there, tmp_path, run_id):
    """A file cannot place itself outside the store: its run id must have the form of one."""
    plain = shutil.copyfile(here.resolve("main"), tmp_path / "evil.sqlite")
    sql(plain, "UPDATE run SET run_id = ?, name = 'x'", run_id)
    with pytest.raises(StoreError, match=re.escape(f"has the run id {run_id!r}")):
        there.import_run(plain)
    assert there.runs() == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["evil.sqlite", "here", "there"]


def test_a_file_with_triggers_is_refused(here, there, tmp_path):
    """Nothing that acts comes in with a run."""
    plain = shutil.copyfile(here.resolve("main"), tmp_path / "evil.sqlite")
    sql(plain, "CREATE TRIGGER t AFTER UPDATE ON run BEGIN DELETE FROM episodes; END")
    with pytest.raises(DamagedRunError, match=r"evil\.sqlite holds triggers"):
        there.import_run(plain)


def test_a_damaged_run_is_not_exported(here, tmp_path):
    """A run with a lost page is refused, not carried on."""
    path = here.resolve("main")
    content = path.read_bytes()
    (page,) = sql(path, "SELECT rootpage FROM sqlite_master WHERE name = 'spans'")[0]
    path.write_bytes(content[: (page - 1) * 4096] + bytes(4096) + content[page * 4096 :])
    with pytest.raises(DamagedRunError, match=path.name):
        here.export_run("main", tmp_path / "main.zip")
    assert not (tmp_path / "main.zip").exists()


def test_open_run_reads_a_file_outside_any_store(here, tmp_path):
    """A run file anywhere, under a name with any characters, opens on its own."""
    odd = shutil.copyfile(here.resolve("main"), tmp_path / "100% #1? é\u65e5.sqlite")
    with open_run(odd) as reader:
        assert reader.run.name == "main"
