"""Saved comparisons: by whom they are saved, how they are named, and what a damaged one costs."""

import json
import subprocess
import sys

import pytest

from poisson_store import Store
from poisson_store.errors import StoreError
from pytest_poisson.analyses.comparison_id import comparison_id
from pytest_poisson.result_files import read_diff
from pytest_poisson.saved import list_saved, load_comparison, save_comparison
from tests.plugin.support import DRIFTING, sweep
from tests.render import scenarios
from tests.store.support import sql


def ids(shell):
    """Return the ids of what is saved, newest first."""
    return list(Store(shell.store).comparisons())


def test_diff_saves_where_it_is_asked_to(traded):
    """`diff` alone changes nothing; `--save` keeps the very document that `--json` prints, and says under which id."""
    _, document, _ = traded("diff", "base", "patched", "--json")
    assert ids(traded) == []
    status, out, err = traded("diff", "base", "patched", "--save")
    (known_as,) = ids(traded)
    assert (status, err) == (0, "")
    assert out.endswith(f"\nSaved as comparison {known_as}.\n")
    assert Store(traded.store).comparison(known_as) == json.loads(document)
    assert traded("diff", "base", "patched", "--save", "--json") == (0, document, "")
    assert ids(traded) == [known_as]


def test_a_saved_comparison_is_named_by_its_id(traded, tmp_path):
    """`diff ID`, or a unique beginning of it, prints what `diff A B` does, and `report ID` writes what `report A B` does."""
    _, text, _ = traded("diff", "base", "patched")
    _, document, _ = traded("diff", "base", "patched", "--json")
    status, _, err = traded("report", "base", "patched", f"--out={tmp_path / 'first'}")
    assert (status, err) == (0, "")
    (known_as,) = ids(traded)
    assert known_as == json.loads((tmp_path / "first" / "report.json").read_text())["id"]
    assert traded("report", known_as, f"--out={tmp_path / 'again'}")[0] == 0
    for file in (tmp_path / "first").iterdir():
        assert (tmp_path / "again" / file.name).read_bytes() == file.read_bytes()
    for file in traded.store.glob("2*.sqlite"):
        file.unlink()
    assert traded("diff", known_as) == (0, text, "")
    assert traded("diff", known_as[:6], "--json") == (0, document, "")
    status, again, _ = traded("report", known_as, f"--out={tmp_path / 'again'}", "--json")
    assert (status, json.loads(again)["diff"]) == (0, json.loads(document))


def test_a_saved_comparison_is_deleted(traded):
    """`forget` deletes those it is named, damaged ones too, and no run; where one is none, none is deleted."""
    traded("diff", "base", "patched", "--save")
    (known_as,) = ids(traded)
    Store(traded.store).save_comparison("0" * 12, {})
    sql(
        traded.store / "catalog.sqlite",
        "UPDATE comparisons SET result = 'nonsense' WHERE id = '000000000000'",
    )
    status, out, err = traded("forget", known_as[:6], "nothing")
    assert (status, out) == (1, "")
    assert err == "pytest-poisson: 'nothing' is the beginning of 0 saved comparisons, not of one.\n"
    assert len(ids(traded)) == 2
    status, out, err = traded("forget", known_as[:6], "0000")
    assert (status, err) == (0, "")
    assert out == f"Comparison {known_as} is deleted.\nComparison 000000000000 is deleted.\n"
    assert ids(traded) == []
    assert len(Store(traded.store).runs()) == 2


def test_runs_lists_what_is_saved(traded):
    """`runs` names the newest comparisons with verdict and runs, in 80 columns as text, and as JSON."""
    traded("diff", "base", "patched", "--save")
    (known_as,) = ids(traded)
    lines = traded("runs")[1].splitlines()
    at = [line.startswith(known_as) for line in lines].index(True)
    assert lines[at].endswith("  trade")
    assert lines[at + 1] == "  of base and patched"
    assert max(map(len, lines)) <= 80
    (listed,) = json.loads(traded("runs", "--json")[1])["comparisons"]
    assert (listed["id"], listed["verdict"], listed["problem"]) == (known_as, "trade", None)


@pytest.mark.parametrize(
    "option", ["--event=timeout", "--q=0.01", "--max-mde=0.1", "--method=fisher_bh", "--full"]
)
def test_how_a_saved_comparison_was_made_stands(traded, option):
    """An option that would change the comparison is refused by name with a saved one."""
    traded("diff", "base", "patched", "--save")
    (known_as,) = ids(traded)
    status, out, err = traded("diff", known_as, option)
    assert (status, out) == (1, "")
    assert err.startswith(f"pytest-poisson: {option.partition('=')[0]} does not go with '{known_as}'")


def test_a_name_that_is_neither_is_refused(traded):
    """A name that means no run and no comparison is refused; one run is too few to compare."""
    status, _, err = traded("report", "nosuch")
    assert (status, "No run is called 'nosuch'" in err) == (1, True)
    for name in ("nosuch", "base", ""):
        status, out, err = traded("diff", name)
        assert (status, out) == (2, "")
        assert (
            err
            == f"pytest-poisson: diff takes two runs or none, not 1, and '{name}' is no saved comparison.\n"
        )


def test_a_run_goes_before_a_comparison(traded, tmp_path):
    """Where a run has the name of a comparison's id, the name means the run."""
    traded("diff", "base", "patched", "--save")
    (known_as,) = ids(traded)
    for file in traded.store.glob("2*.sqlite"):
        sql(file, "UPDATE run SET name = ? WHERE name = 'base'", known_as)
    _, text, _ = traded("report", known_as, f"--out={tmp_path / 'out'}", "--json")
    assert json.loads(text)["kind"] == "run"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is no JSON object"),
        ("[1]", "is no JSON object"),
        ("{}", "has the schema None"),
        ('{"schema": "pytest-poisson.diff/9"}', "has the schema 'pytest-poisson.diff/9'"),
        ('{"schema": "pytest-poisson.diff/1"}', "is no whole pytest-poisson.diff/1 document"),
    ],
)
def test_a_damaged_one_is_listed_by_name(traded, text, said):
    """What cannot be read of one comparison is said of it by its id; the others and the runs are listed as ever."""
    traded("diff", "base", "patched", "--save")
    (sound,) = ids(traded)
    traded("diff", "base", "patched", "--q=0.1", "--save")
    (other,) = set(ids(traded)) - {sound}
    sql(traded.store / "catalog.sqlite", "UPDATE comparisons SET result = ? WHERE id = ?", text, other)
    status, out, _ = traded("runs")
    flat = " ".join(out.split())
    assert status == 0
    assert f"Comparison {other} " in flat
    assert said in flat
    assert any(line.startswith(sound) for line in out.splitlines())
    status, _, err = traded("diff", other)
    assert status == 1
    assert said in err


def test_a_damaged_catalog_is_a_sentence(traded):
    """Where the catalog itself cannot be read, the runs are listed and the reason is said."""
    (traded.store / "catalog.sqlite").write_bytes(b"no database" * 100)
    status, out, _ = traded("runs")
    assert status == 0
    assert "patched" in out
    assert "catalog.sqlite: the file is damaged" in " ".join(out.split())


def test_a_store_that_cannot_be_written_is_a_sentence(traded, tmp_path, monkeypatch):
    """The comparison is printed and the report written, with status 0 and one sentence about the store."""
    plain = traded("diff", "base", "patched")[1]

    def refuse(*_):
        raise StoreError("Cannot write here: it is read-only.")

    monkeypatch.setattr("poisson_store.catalog.Store.save_comparison", refuse)
    said = "pytest-poisson: The comparison was not saved: Cannot write here: it is read-only.\n"
    assert traded("diff", "base", "patched", "--save") == (0, plain, said)
    status, out, err = traded("report", "base", "patched", f"--out={tmp_path / 'out'}")
    assert (status, err) == (0, said)
    assert len(out.splitlines()) == len(list((tmp_path / "out").iterdir()))


def test_an_id_survives_being_read_back(tmp_path):
    """The id follows from runs and settings alone, so that the document gives the id it was saved under."""
    result = scenarios.trade(tmp_path / "store")
    store = Store(tmp_path / "store")
    known_as = save_comparison(store, result)
    assert comparison_id(load_comparison(store, known_as)) == comparison_id(result) == known_as
    assert read_diff(dict(store.comparison(known_as))).verdict == result.verdict
    assert len(known_as) == 12
    assert int(known_as, 16) >= 0


def test_values_of_an_axis_are_another_comparison(traded):
    """Comparisons along an axis of one run have ids of their own, though their runs are the same."""
    for values in ("refund:search", "search:refund", "refund:checkout"):
        status, _, err = traded("diff", "base", f"--along=task={values}", "--save")
        assert (status, err) == (0, "")
    assert len(ids(traded)) == 3


SAVE = """
import sys
from poisson_store import Store
store, mine = Store(sys.argv[1]), sys.argv[2]
for number in range(40):
    store.save_comparison(f"{mine}{number:011x}", {"schema": "pytest-poisson.diff/1", "number": number})
    store.save_comparison("f" * 12, {"schema": "pytest-poisson.diff/1", "by": mine, "more": mine * 5000})
"""


def test_two_processes_save_at_once(tmp_path):
    """Two processes that save into one store lose nothing, and what both wrote is one of the two, whole."""
    writers = [
        subprocess.Popen([sys.executable, "-c", SAVE, str(tmp_path), mine], stderr=subprocess.PIPE, text=True)
        for mine in "ab"
    ]
    for writer in writers:
        assert writer.communicate(timeout=120)[1] == ""
        assert writer.returncode == 0
    store = Store(tmp_path)
    expected = {f"{mine}{number:011x}" for mine in "ab" for number in range(40)} | {"f" * 12}
    assert set(store.comparisons()) == expected
    both = store.comparison("f" * 12)
    assert both["more"] == both["by"] * 5000
    assert len(list_saved(store, 10).shown) == 10
    assert list_saved(store, 10).more == 71


def test_a_session_saves_its_comparison(pytester):
    """A session that compares saves what `diff` would; without a baseline there is nothing to save."""
    pytester.makepyfile(DRIFTING)
    sweep(pytester, "--poisson-name=base", "--poisson-replicates=12")
    store = Store(pytester.path / ".poisson")
    assert store.comparisons() == {}
    result = sweep(pytester, "--poisson-pair-with=base", "--poisson-name=new", "-v")
    (known_as,) = store.comparisons()
    result.stdout.fnmatch_lines([f"The comparison is saved: pytest-poisson report {known_as}"])
    listed = list_saved(store).shown[0]
    assert (listed.before, listed.after, listed.problem) == ("base", "new", None)


def test_a_session_whose_store_refuses_is_judged_all_the_same(pytester, monkeypatch):
    """A comparison that cannot be saved is a note; the verdict and the status are what they are."""
    pytester.makepyfile(DRIFTING)
    sweep(pytester, "--poisson-name=base", "--poisson-replicates=12")

    def refuse(*_):
        raise StoreError("Cannot write here: the disk is full.")

    monkeypatch.setattr("poisson_store.catalog.Store.save_comparison", refuse)
    result = sweep(pytester, "--poisson-pair-with=base")
    assert result.ret == 0
    assert "note: The comparison was not saved: Cannot write here: the disk is full." in " ".join(
        result.stdout.str().split()
    )
