"""A directory of runs: names, what a name means, baselines and comparisons."""

from __future__ import annotations

import os
import re
import shutil
from datetime import datetime, timedelta, timezone
from itertools import count

import pytest

from poisson_store import NewerSchemaError, Store, StoreError, UnknownRunError
from poisson_store.errors import DamagedRunError
from tests.store.support import all_rows, make_run, sql, write

START = datetime(2026, 3, 1, 12, 0, 0, tzinfo=timezone.utc)


def ticking(folder, step=timedelta(seconds=1)):
    """Give a store whose clock goes on one step a look and whose suffixes count up."""
    ticks, suffixes = count(), count()
    return Store(folder, clock=lambda: START + next(ticks) * step, new_suffix=lambda: f"{next(suffixes):04x}")


def test_run_ids_are_time_and_four_hex_digits(tmp_path):
    """A run id is the UTC second and a suffix, is the name by default, and names the file on any system."""
    store = ticking(tmp_path)
    assert [write(store), write(store)] == ["20260301T120000Z-0000", "20260301T120001Z-0001"]
    assert re.fullmatch(r"\d{8}T\d{6}Z-[0-9a-f]{4}", write(Store(tmp_path)))
    assert (
        {run.name for run in store.runs()}
        == {run.run_id for run in store.runs()}
        == {run.path.stem for run in store.runs()}
    )


def test_a_taken_run_id_is_not_given_again(tmp_path):
    """In the same second another suffix is drawn until it is free; a clock that stands still costs nothing."""
    suffixes = iter(["aaaa", "aaaa", "aaaa", "bbbb"])
    store = Store(tmp_path, clock=lambda: START, new_suffix=lambda: next(suffixes))
    assert [write(store), write(store)] == ["20260301T120000Z-aaaa", "20260301T120000Z-bbbb"]


def test_a_directory_is_made_when_the_first_run_is(tmp_path):
    """Looking into a store that does not exist finds nothing and makes nothing."""
    store = Store(tmp_path / "a" / "b")
    assert store.runs() == []
    assert store.baselines() == {}
    with pytest.raises(UnknownRunError, match="holds no complete run"):
        store.resolve("latest")
    assert not (tmp_path / "a").exists()
    write(store)
    assert len(store.runs()) == 1


def test_a_name_is_given_once(tmp_path):
    """A name that is taken is refused with who has it, and the refused run leaves nothing."""
    store = Store(tmp_path)
    first = write(store, run=make_run(name="nightly"))
    with pytest.raises(StoreError, match=f"'nightly' is taken by run {first}"):
        store.create(make_run(name="nightly"))
    assert len(store.runs()) == 1


@pytest.mark.parametrize(
    "name", [" x", "x ", "a\nb", "\x1b[0m", "", "latest", "@main", "-x", "a.sqlite", "x" * 201]
)
def test_a_name_that_could_mislead_is_refused(tmp_path, name):
    """Names with control characters or blanks around them, and those that mean something else, are refused by value."""
    if not name:
        with pytest.raises(StoreError, match="baseline name ''"):
            Store(tmp_path).set_baseline(name, "latest")
        return
    with pytest.raises(StoreError, match=re.escape(repr(name))):
        Store(tmp_path).create(make_run(name=name))


@pytest.mark.parametrize("name", ["before", "Großer Lauf", "a/b:c*?", "20260301", "ü" * 200, "日本"])
def test_any_other_name_is_good(tmp_path, name):
    """A name is no file name: separators, blanks inside and any letters are allowed."""
    store = Store(tmp_path)
    run_id = write(store, run=make_run(name=name))
    assert store.resolve(name).stem == run_id


def test_a_run_id_is_no_name_for_another_run(tmp_path):
    """A name of the form of a run id is refused, unless it is the run's own."""
    store = ticking(tmp_path)
    with pytest.raises(StoreError, match="form of a run id"):
        store.create(make_run(name="20200101T000000Z-0000"))
    write(store, run=make_run(run_id="20200101T000000Z-0000", name="20200101T000000Z-0000"))


def test_a_name_means_one_run(tmp_path):
    """A run id, its unique beginning, a name and a path all lead to the run's file."""
    store = ticking(tmp_path, timedelta(days=1))
    first, second = write(store, run=make_run(name="old")), write(store)
    for name in (first, first[:8], "old", str(tmp_path / f"{first}.sqlite"), f"{first}.sqlite"):
        assert store.resolve(name) == tmp_path / f"{first}.sqlite", name
    assert store.resolve(second[:8]).stem == second


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("2026", "'2026' means 2 runs in .*: 20260302T120000Z-0001.sqlite, 20260301T120000Z-0000.sqlite"),
        ("odl", "No run is called 'odl': .* holds old and 1 more"),
        ("none.sqlite", "no run file none.sqlite"),
        ("", "No run is called ''"),
        ("@main", "No baseline is called '@main'; known in .*: @first"),
    ],
)
def test_a_name_that_means_no_run_is_refused_with_candidates(tmp_path, name, said):
    """What means no run, or several, is refused with what there is."""
    store = ticking(tmp_path, timedelta(days=1))
    write(store, run=make_run(name="old"))
    write(store)
    store.set_baseline("first", "old")
    with pytest.raises(UnknownRunError, match=said):
        store.resolve(name)


def test_latest_is_the_newest_complete_run_of_everything(tmp_path):
    """Partial, interrupted, running, selected and sharded runs are passed over, however new."""
    store = ticking(tmp_path)
    write(store)
    expected = write(store)
    write(store, status="partial")
    write(store, status="interrupted")
    write(store, run=make_run(selection="-k refund"))
    write(store, run=make_run(shard=(1, 4)))
    with store.create(make_run()):
        assert store.resolve("latest").stem == expected


def test_latest_goes_by_time_not_by_name(tmp_path):
    """The newest run is the one created last, even where the clock of another machine gave it a smaller id."""
    store = Store(tmp_path)
    write(store, run=make_run(run_id="20300101T000000Z-0000", created_at="2020-01-01T00:00:00.000+00:00"))
    newest = write(
        store, run=make_run(run_id="20200101T000000Z-0000", created_at="2021-01-01T00:00:00.000+00:00")
    )
    assert store.resolve("latest").stem == newest
    assert [run.run_id for run in store.runs()] == [newest, "20300101T000000Z-0000"]


def test_a_file_dropped_in_is_a_run(tmp_path):
    """A run file copied into the directory under any name is found, without the catalog too."""
    write(Store(tmp_path / "ci"), run=make_run(name="main"))
    (source,) = (tmp_path / "ci").glob("2*.sqlite")
    (tmp_path / "here").mkdir()
    shutil.copyfile(source, tmp_path / "here" / "baseline of main.sqlite")
    store = Store(tmp_path / "here")
    assert store.resolve("main").name == "baseline of main.sqlite"
    assert store.resolve(source.stem) == store.resolve("latest") == store.resolve("main")
    with pytest.raises(StoreError, match="'main' is taken"):
        store.create(make_run(name="main"))


def test_two_files_of_one_run_are_told_apart_by_file(tmp_path):
    """The same run lying there twice is refused by name with both files; its path still names it."""
    store = Store(tmp_path)
    run_id = write(store, run=make_run(name="main"))
    shutil.copyfile(store.resolve("main"), tmp_path / "copy.sqlite")
    with pytest.raises(UnknownRunError, match=r"'main' means 2 runs in .*copy\.sqlite"):
        store.resolve("main")
    assert store.resolve("copy.sqlite").name == "copy.sqlite"
    assert store.resolve(run_id).stem == run_id


def test_summaries_say_what_the_runs_say(tmp_path):
    """A summary has the run's identity, status, counts of conditions and accounting, also the second time it is asked."""
    store = ticking(tmp_path)
    write(
        store, all_rows()[:-2], make_run(name="x", paired_with="y", variant={"model": "a"}, selection="-k z")
    )
    for _ in range(2):
        (summary,) = store.runs()
        with store.open("x") as reader:
            run, account = reader.run, reader.accounting()
        assert (summary.run_id, summary.name, summary.status) == (run.run_id, "x", "complete")
        assert (summary.created_at, summary.ended_at, summary.salt) == (
            run.created_at,
            run.ended_at,
            run.salt,
        )
        assert (summary.paired_with, summary.variant, summary.whole) == ("y", {"model": "a"}, False)
        assert (summary.conditions, summary.accounting) == (3, account)
        assert summary.problem is None


def test_a_remembered_summary_is_not_older_than_its_file(tmp_path):
    """After a run goes on, a list tells its new state, although the old one was remembered."""
    store = Store(tmp_path)
    write(store, all_rows()[:5], make_run(name="x"), "interrupted")
    assert store.runs()[0].status == store.runs()[0].status == "interrupted"
    with store.reopen("x") as writer:
        assert store.runs()[0].status == "running"
        writer.add(all_rows()[:9])
        assert store.runs()[0].accounting.stored == 9
    assert (store.runs()[0].status, store.runs()[0].accounting.stored) == ("complete", 9)


def test_a_spoilt_memory_is_made_again(tmp_path):
    """Summaries that another version wrote, or nonsense in their place, are not believed."""
    store = Store(tmp_path)
    write(store, all_rows(), make_run(name="x"))
    before = store.runs()
    for nonsense in ("{}", "[]", "not JSON", '{"accounting": {}}'):
        sql(tmp_path / "catalog.sqlite", "UPDATE summaries SET summary = ?", nonsense)
        assert store.runs() == before


def test_a_baseline_means_the_run_it_was_set_to(tmp_path):
    """`@main` stays with its run when newer ones come, until it is set anew or removed."""
    store = ticking(tmp_path)
    first = write(store)
    assert store.set_baseline("main", "latest") == first
    second = write(store)
    assert store.resolve("@main").stem == first
    assert store.set_baseline("main", second) == second
    assert Store(tmp_path).baselines() == {"main": second}
    store.remove_baseline("main")
    with pytest.raises(UnknownRunError, match=r"known in .*: none"):
        store.resolve("@main")
    with pytest.raises(UnknownRunError, match="'@main'"):
        store.remove_baseline("main")


def test_a_comparison_is_kept_by_its_id(tmp_path):
    """A saved comparison is found by its id or the unique beginning of one, and replaced under the same id."""
    store = Store(tmp_path / "new")
    assert store.comparisons() == {}
    store.save_comparison("abc123", {"verdict": "worse", "rows": [1, None, "ü\ud800"]})
    store.save_comparison("abd456", {"verdict": "safer"})
    store.save_comparison("abc123", {"verdict": "trade", "rows": [1, None, "ü\ud800"]})
    assert store.comparison("abc") == {"verdict": "trade", "rows": [1, None, "ü\ud800"]}
    assert sorted(store.comparisons()) == ["abc123", "abd456"]
    with pytest.raises(StoreError, match="'ab' is the beginning of 2 saved comparisons"):
        store.comparison("ab")
    with pytest.raises(StoreError, match="comparison x cannot be stored as JSON"):
        store.save_comparison("x", {"p": float("nan")})


def test_a_catalog_of_a_later_version_is_refused_by_name(tmp_path):
    """A catalog this version does not know is not touched; the runs stay readable."""
    store = Store(tmp_path)
    write(store, run=make_run(name="x"))
    sql(tmp_path / "catalog.sqlite", "PRAGMA user_version = 99")
    with pytest.raises(NewerSchemaError, match=r"catalog\.sqlite was written by schema 99 .* reads up to 1"):
        store.create(make_run())
    assert store.resolve("x") == store.runs()[0].path


def test_a_damaged_catalog_says_what_removing_it_costs(tmp_path):
    """What is damaged is the list of baselines alone: the sentence says so, and the runs go on without it."""
    store = Store(tmp_path)
    write(store, run=make_run(name="x"))
    (tmp_path / "catalog.sqlite").write_bytes(b"no catalog")
    for refused in (lambda: store.create(make_run()), store.baselines):
        with pytest.raises(
            DamagedRunError, match=r"catalog\.sqlite.*; remove it to go on: runs and their names stay"
        ):
            refused()
    (tmp_path / "catalog.sqlite").unlink()
    store.create(make_run(name="y")).finish("complete")
    assert {run.name for run in store.runs()} == {"x", "y"}


def test_a_live_run_is_not_reopened(tmp_path):
    """A run that is being written is refused by its name, its process and its machine."""
    store = Store(tmp_path)
    with store.create(make_run(name="x")) as writer:
        with pytest.raises(StoreError, match=rf"Run 'x' is being written by process {os.getpid()} on "):
            store.reopen("x")
        with pytest.raises(StoreError, match="is being written"):
            store.export_run("x", tmp_path / "x.zip")
    with store.reopen("x") as again:
        assert again.run == writer.run
