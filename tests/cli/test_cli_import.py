"""`import`, `export` and `import-run` from the shell."""

import json
from pathlib import Path

import pytest

from poisson_store.importers import KINDS
from pytest_poisson.cli.importing import KIND_NAMES, OPTIONS

LINES = [
    {"condition": {"task": "refund"}, "outcome": "resolved"},
    {"condition": {"task": "refund"}, "outcome": "timeout"},
    {"condition": {"task": "search"}, "cause": "timed_out"},
    {"condition": {"task": "search"}, "outcome": "resolved"},
]


@pytest.fixture
def lines(tmp_path):
    """Return a file of episodes."""
    path = tmp_path / "r.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES), encoding="utf-8")
    return str(path)


@pytest.fixture
def imported(shell, lines):
    """Return a shell on a store with an imported run `first`."""
    assert (
        shell("import", "jsonl", lines, "--name=first", "--failures", "timeout", "--paired-by=trial")[0] == 0
    )
    return shell


def test_the_accounting_is_printed(shell, lines):
    """An import prints what was read, imported and left out, causes, outcomes and whether it pairs, within 80 columns."""
    status, out, err = shell(
        "import",
        "jsonl",
        lines,
        "--name=first",
        "--failures",
        "timeout",
        "--paired-by=trial",
        "--where=task=refund",
    )
    assert (status, err) == (0, "")
    assert "4 cases read = 2 imported + 2 left out (task is not refund)" in out
    assert "2 replicates planned = 2 with outcome" in out
    assert "outcomes: 1 resolved, 1 timeout" in out
    assert "paired by trial" in out
    assert all(len(line) <= 80 for line in out.splitlines())


def test_the_document_adds_up(shell, lines):
    """In JSON read is imported plus left out, and imported is what the account holds."""
    _, out, _ = shell("import", "jsonl", lines, "--name=first", "--paired-by=none", "--json")
    document = json.loads(out)
    assert document["schema"] == "pytest-poisson.import/1"
    assert document["read"] == document["imported"] + sum(document["left_out"].values())
    account = document["accounting"]
    assert document["imported"] == account["planned"] - account["not_run"]
    assert sum(document["outcomes"].values()) == account["with_outcome"]


def test_an_imported_run_is_shown_and_compared(imported, lines):
    """Every analysis reads an imported run as any other."""
    imported(
        "import",
        "jsonl",
        lines,
        "--name=second",
        "--failures",
        "timeout",
        "--paired-by=trial",
        "--variant=m=2",
    )
    assert imported("show", "first")[0] == 0
    status, out, _ = imported("diff", "first", "second", "--json")
    assert (status, json.loads(out)["method"]) == (0, "mcnemar_bh")


def test_where_imported_runs_die(shell):
    """The messages of an imported simulation are the steps by which `where` says how far runs get."""
    results = Path(__file__).parents[1] / "data" / "tau" / "results.json"
    shell("import", "tau", str(results), "--name=air", "--cut", "ge", "1", "--paired-by=trial")
    status, out, _ = shell("where", "air", "--event=fail")
    assert status == 0
    assert "48 rows = 42 died (fail) + 6 ended otherwise" in out


def test_files_that_are_not_there(shell, tmp_path):
    """A missing file, and a directory without a file of the kind, are named."""
    (tmp_path / "empty").mkdir()
    for file, words in (("none.xml", "There is no file"), ("empty", "holds no .xml file")):
        status, _, err = shell("import", "junit", str(tmp_path / file), "--name=x", "--paired-by=none")
        assert status == 1
        assert words in err
        assert file in err


def test_a_run_goes_out_and_comes_back_as_one_file(imported, tmp_path):
    """`export` writes a file with a checksum; `import-run` adds it to another store under a name of one's choice, once."""
    file = str(tmp_path / "first.run")
    assert imported("export", "first", file)[0] == 0
    _, shown, _ = imported("show", "first", "--json")
    imported.store = tmp_path / "other"
    document = json.loads(imported("import-run", file, "--json")[1])
    assert (document["name"], document["added"], document["accounting"]["with_outcome"]) == ("first", True, 3)
    imported.store = tmp_path / "third"
    status, out, _ = imported("import-run", file, "--name=copy")
    assert status == 0
    assert "Added run 'copy'" in out
    assert "4 replicates planned = 3 with outcome + 1 timed out" in " ".join(out.split())
    status, out, _ = imported("import-run", file)
    assert (status, out.startswith("Nothing added, as run 'copy'")) == (0, True)
    assert json.loads(imported("import-run", file, "--json")[1])["added"] is False
    mine, theirs = json.loads(shown), json.loads(imported("show", "copy", "--json")[1])
    assert mine["conditions"] == theirs["conditions"]
    assert mine["run"]["run_id"] == theirs["run"]["run_id"]


def test_a_run_goes_out_as_lines_and_comes_back(imported, tmp_path):
    """A file that ends in .jsonl has an episode a line, which `import jsonl` reads without further declarations."""
    file = str(tmp_path / "first.jsonl")
    status, out, _ = imported("export", "first", file, "--json")
    assert (status, json.loads(out)["accounting"]["with_outcome"]) == (0, 3)
    assert imported("import", "jsonl", file, "--name=back")[0] == 0
    rows = [imported("show", name, "--json")[1] for name in ("first", "back")]
    assert json.loads(rows[0])["conditions"] == json.loads(rows[1])["conditions"]


@pytest.mark.parametrize("share", [0.2, 0.9, 0.999])
def test_a_truncated_export_is_refused(imported, tmp_path, share):
    """`import-run` of a file that ends early is refused in one sentence, and nothing is added."""
    file = tmp_path / "first.run"
    imported("export", "first", str(file))
    file.write_bytes(file.read_bytes()[: int(file.stat().st_size * share)])
    imported.store = tmp_path / "other"
    status, out, err = imported("import-run", str(file))
    assert (status, out) == (1, "")
    assert "first.run" in err
    assert json.loads(imported("runs", "--json")[1])["runs"] == []


def test_an_export_never_overwrites(imported, tmp_path):
    """A file that is there stays as it is."""
    (tmp_path / "x.jsonl").write_text("mine", encoding="utf-8")
    for name in ("x.jsonl", "r.jsonl"):
        status, _, err = imported("export", "first", str(tmp_path / name))
        assert status == 1
        assert "exists already" in err


def test_an_export_is_not_called_a_table(imported, tmp_path):
    """A name that asks for a format which export does not write is refused: the file would be something else."""
    for name in ("first.csv", "first.JSON", "first.parquet"):
        status, _, err = imported("export", "first", str(tmp_path / name))
        assert (status, (tmp_path / name).exists()) == (1, False)
        assert "export writes no" in err


def test_the_kinds_of_the_command_are_those_of_the_store():
    """The command names the readers that there are, and knows an option for all that a kind takes."""
    assert set(KIND_NAMES) == set(KINDS)
    for kind in KINDS.values():
        assert {*kind.needs, *kind.takes} <= {*OPTIONS}
        assert kind.load().cases


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["ragas", "r.csv"], "--metric"),
        (["ragas", "r.csv", "--metric=m"], "--cut SIDE X"),
        (["ragas", "r.csv", "--metric=m", "--cut", "ge", "1"], "--case-by"),
        (["ragas", "r.csv", "--metric=m", "--cut", "ge", "1", "--case-by", "id"], "--paired-by"),
        (["inspect", "r.json"], "--scorer"),
        (["junit", "r.xml", "--paired-by=none", "--metric=m"], "takes no --metric"),
        (["junit", "r.xml", "--paired-by=none", "--cut", "ge", "1"], "takes no --cut"),
        (["tau", "r.json", "--cut", "ge", "1", "--pass", "a", "--fail", "b"], "one of them"),
        (["tau", "r.json", "--pass", "a"], "--pass and --fail are given together"),
        (["tau", "r.json", "--pass", "a", "--fail", "a"], "'a' cannot both pass and fail"),
        (["tau", "r.json", "--cut", "above", "1"], "ge, gt, le, lt"),
        (["tau", "r.json", "--cut", "ge", "nan"], "'nan'"),
        (["tau", "r.json", "--where", "x"], "NAME=VALUE"),
        (["tau", "r.json", "--paired-by", "order"], "order"),
        (["excel", "r.xls"], "excel"),
        (["tau"], "FILE"),
    ],
)
def test_what_must_be_declared(shell, arguments, words):
    """Nothing is guessed: what a kind needs and does not get, or gets and has no use for, is named with status 2."""
    status, out, err = shell("import", *arguments, "--name=x")
    assert (status, out) == (2, "")
    assert words in " ".join(err.split())
    assert not shell.store.exists()


def test_a_refusal_writes_nothing(shell, tmp_path):
    """A file that cannot be imported is status 1 and one sentence; the store is not even made."""
    (tmp_path / "r.jsonl").write_text("{", encoding="utf-8")
    status, out, err = shell("import", "jsonl", str(tmp_path / "r.jsonl"), "--name=x", "--paired-by=none")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert not shell.store.exists()
