"""`pytest-poisson report`: files of one run or of two, written all or none."""

import json

from tests.plugin.support import sweep
from tests.plugin.test_gate import DRIFTING

NAMES = {"report.md", "report.html", "report.json", "heatmap.svg"}


def test_a_comparison_is_written(traded, tmp_path):
    """The folder holds Markdown, JSON and a drawing; the JSON is that of `diff`, and the id is stable."""
    out = tmp_path / "out"
    status, printed, _ = traded("report", "base", "patched", f"--out={out}")
    assert status == 0
    assert {each.name for each in out.iterdir()} >= NAMES
    assert len(printed.splitlines()) == len(list(out.iterdir()))
    document = json.loads((out / "report.json").read_text())
    assert document["diff"] == json.loads(traded("diff", "base", "patched", "--json")[1])
    assert len(document["id"]) == 12
    assert "**trade: of 18 tests" in (out / "report.md").read_text(encoding="utf-8")
    first = {each.name: each.read_bytes() for each in out.iterdir()}
    assert traded("report", "base", "patched", f"--out={out}")[0] == 0
    assert {each.name: each.read_bytes() for each in out.iterdir()} == first


def test_the_comparison_as_a_whole_is_a_part_where_it_was_asked_for(traded, tmp_path):
    """With `--full` report and check hold what `diff --full` holds."""
    whole = json.loads(traded("diff", "base", "patched", "--full", "--json")[1])["whole"]
    assert whole["coverage"]["common"] == 9
    assert traded("report", "base", "patched", "--full", f"--out={tmp_path / 'out'}")[0] == 0
    assert json.loads((tmp_path / "out" / "report.json").read_text())["diff"]["whole"] == whole
    assert "## As a whole: timeout" in (tmp_path / "out" / "report.md").read_text(encoding="utf-8")
    assert json.loads(traded("check", "base", "patched", "--full", "--json")[1])["diff"]["whole"] == whole


def test_settings_change_the_id(traded, tmp_path):
    """Another level is another comparison."""
    ids = set()
    for q in ("0.05", "0.1"):
        _, text, _ = traded("report", "base", "patched", f"--out={tmp_path / q}", f"--q={q}", "--json")
        ids.add(json.loads(text)["id"])
    assert len(ids) == 2


def test_one_run_is_a_description(traded, tmp_path):
    """One run gives shares with Wilson's intervals and says that nothing was tested."""
    _, text, _ = traded("report", "patched", f"--out={tmp_path / 'out'}", "--event=timeout", "--json")
    document = json.loads(text)
    assert (document["kind"], document["confidence"]) == ("run", 0.95)
    assert "no test was made" in document["description"]
    assert {each["event"] for each in document["shares"]} == {"timeout"}
    for each in document["shares"]:
        assert each["low"] <= each["seen"]["rate"] <= each["high"]


def test_a_folder_with_something_else_is_kept(traded, tmp_path):
    """A folder that holds another file is refused by that file's name and left as it was."""
    (tmp_path / "notes.txt").write_text("mine")
    status, _, err = traded("report", "base", "patched", f"--out={tmp_path}")
    assert status == 1
    assert "holds 'notes.txt'" in err or "holds 'store'" in err
    assert (tmp_path / "notes.txt").read_text() == "mine"


def test_what_is_unknown_is_refused_and_nothing_written(traded, tmp_path):
    """An unknown axis, event or run leaves no folder behind."""
    out = tmp_path / "out"
    for words in (("base", "patched", "--x=nope"), ("base", "--event=nope"), ("base", "nope")):
        status, printed, err = traded("report", *words, f"--out={out}")
        assert (status, printed) == (1, "")
        assert "nope" in err
        assert not out.exists()


def test_the_session_writes_the_same(pytester, capsys):
    """`--poisson-report` writes a description of a first run, and of a pair the comparison that `report` writes."""
    from pytest_poisson.cli import main

    pytester.makepyfile(DRIFTING)
    sweep(pytester, "--poisson-name=base", "--poisson-report=out")
    assert json.loads((pytester.path / "out/report.json").read_text())["kind"] == "run"
    sweep(pytester, "--poisson-pair-with=base", "--poisson-name=next", "--poisson-report=out")
    written = json.loads((pytester.path / "out/report.json").read_text())
    capsys.readouterr()
    main(
        [
            "report",
            "base",
            "next",
            "--json",
            f"--store={pytester.path / '.poisson'}",
            f"--out={pytester.path / 'cli'}",
        ]
    )
    assert written == json.loads(capsys.readouterr().out)


def test_the_session_refuses_a_foreign_folder_before_it_sweeps(pytester):
    """A folder that holds something else is a usage error, and nothing is run."""
    pytester.makepyfile(DRIFTING)
    result = sweep(pytester, "--poisson-report=.")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--poisson-report=*holds *"])
    assert not (pytester.path / ".poisson").exists()
