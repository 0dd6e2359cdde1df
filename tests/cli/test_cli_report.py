"""`pytest-poisson report`: files of one run or of two, written all or none."""

import json

import pytest

from poisson_store import Store
from tests.plugin.support import DRIFTING, sweep
from tests.render.figures import data_of

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


def test_a_fix_check_is_reported(shell, tmp_path):
    """With --fix-check the report is that of `fix-check`, with every input in the page and the Markdown."""
    from tests.fix_runs import PILOT_NEW, PILOT_OLD, cells
    from tests.stored_runs import write_run

    store, out = Store(shell.store), tmp_path / "out"
    write_run(store, "nightly", cells([(2, 4)] * 6), salt="c" * 32)
    write_run(store, "old", cells(PILOT_OLD), salt="a" * 32)
    write_run(store, "new", cells(PILOT_NEW), salt="b" * 32)
    asked = ("old", "new", "--event=timeout", "--max-mde=0.2")
    status, text, err = shell("report", *asked, "--fix-check=nightly", f"--out={out}", "--json")
    assert (status, err) == (0, "")
    document = json.loads(text)
    plain = json.loads(shell("fix-check", *asked, "--failing-from=nightly", "--json")[1])
    assert (document["kind"], document["fix_check"]) == ("fix-check", plain)
    assert {each.name for each in out.iterdir()} == NAMES
    page, markdown = ((out / f"report.{kind}").read_text(encoding="utf-8") for kind in ("html", "md"))
    data = data_of(page)
    assert [row[2][:2] for row in data["rows"]] == [
        [f"{each[side]['events']}/{each[side]['outcomes']}" for side in ("old", "new")]
        for each in (plain["inputs"][number] for number in plain["importance"])
    ]
    assert "too small to tell (p 0.269)" in markdown
    assert markdown.count("| timeout |") == len(plain["inputs"])


def test_a_paired_replay_is_reported(shell, tmp_path):
    """With --paired the report is that of `paired`, and its drawing stands in the page."""
    from tests.replay.arms import DECLARATION, call, write_arm

    scores = {f"item{n}": [call(0.5 + n / 20), call(0.9)] for n in range(6)}
    write_arm(shell.store, "a", scores)
    write_arm(shell.store, "b", {item: [call(0.7), call(0.4)] for item in scores})
    declared, out = tmp_path / "replay.toml", tmp_path / "out"
    tables = [name for name, value in DECLARATION.items() if isinstance(value, list) and name != "exemptions"]
    lines = [f"{name} = {json.dumps(value)}" for name, value in DECLARATION.items() if name not in tables]
    for name in tables:
        for each in DECLARATION[name]:
            lines += [f"[[{name}]]", *(f"{key} = {json.dumps(value)}" for key, value in each.items())]
    declared.write_text("\n".join(lines), encoding="utf-8")
    status, text, err = shell("report", f"--paired={declared}", f"--out={out}", "--json")
    assert (status, err) == (0, "")
    document = json.loads(text)
    plain = json.loads(shell("paired", f"--declaration={declared}", "--json")[1])
    assert (document["kind"], document["paired"]) == ("paired", plain)
    assert {each.name for each in out.iterdir()} == {"report.md", "report.html", "report.json", "flips.svg"}
    page = (out / "report.html").read_text(encoding="utf-8")
    assert (out / "flips.svg").read_text(encoding="utf-8").strip() in page
    assert "<script" not in page
    for name in "ab":
        with Store(shell.store).open(name) as run:
            assert run.run.run_id in page


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "report takes a run, two runs, or a saved comparison"),
        (("base", "--fix-check=patched"), "--fix-check=RUN takes two runs"),
        (("base", "--paired=replay.toml"), "--paired=DECL takes neither runs"),
    ],
)
def test_runs_that_do_not_fit_are_a_wrong_command_line(traded, tmp_path, words, said):
    """What must or must not be named beside an option is said, and nothing is written."""
    status, printed, err = traded("report", *words, f"--out={tmp_path / 'out'}")
    assert (status, printed) == (2, "")
    assert said in err
    assert not (tmp_path / "out").exists()


def test_prices_give_a_cost(shell, tmp_path):
    """Declared prices cost the tokens of the spans; without them there are tokens and no cost."""
    from tests.browser.stored import agent_report

    agent_report(shell.store)
    for words, cost in (((), False), (("--price-per-input-token=2", "--price-per-output-token=3"), True)):
        out = tmp_path / str(cost)
        document = json.loads(shell("report", "base", "patched", *words, f"--out={out}", "--json")[1])
        total = document["tokens"]["arms"][1]["total"]
        assert total["cost"] == (2 * total["tokens_in"] + 3 * total["tokens_out"] if cost else None)
        assert ("No price was declared" in (out / "report.md").read_text(encoding="utf-8")) is not cost


def test_a_saved_comparison_is_reported_with_its_runs(traded, tmp_path):
    """Reported by its id it has what its runs say; once they are gone, what was saved."""
    first = json.loads(traded("report", "base", "patched", f"--out={tmp_path / 'a'}", "--json")[1])
    second = json.loads(traded("report", first["id"], f"--out={tmp_path / 'b'}", "--json")[1])
    assert second == first
    for each in Store(traded.store).runs():
        each.path.unlink()
    third = json.loads(traded("report", first["id"], f"--out={tmp_path / 'c'}", "--json")[1])
    assert third["diff"] == first["diff"]
    assert "failing" in first
    assert "failing" not in third
