"""`pytest-poisson paired` and `--poisson-paired`, on the grader example."""

import json
import shutil
from pathlib import Path

import pytest

from pytest_poisson.cli import main

GRADER = Path(__file__).parents[2] / "examples" / "grader"
EXPECTED = 0.2088  # the mean over the answers of 2 p (1 - p), p = P(score rounded to 2 decimals >= 0.60)


@pytest.fixture
def graded(pytester, monkeypatch):
    """Sweep both arms of the grader in this directory and return the second session's result."""
    shutil.copytree(GRADER, pytester.path, dirs_exist_ok=True)
    monkeypatch.chdir(pytester.path)
    sweep = ["--poisson-workers=0", "--poisson-replicates=60"]
    pytester.runpytest_inprocess("--poisson-sweep", "--poisson-name=arm-a", *sweep)
    return pytester.runpytest_inprocess(
        "--poisson-pair-with=arm-a",
        "--poisson-name=arm-b",
        "--poisson-variant=arm=b",
        "--poisson-paired=replay.toml",
        "--poisson-fail-on=worse,flips",
        *sweep,
    )


def test_the_grader_flips_as_often_as_it_must(graded, pytester, capsys):
    """The measured flip rate's interval holds the expected one; the session fails on flips; files are all or none."""
    assert graded.ret == 9
    graded.stdout.fnmatch_lines(
        ["Paired replay: *", "*pass: * of 360 decisions flipped*", "*decisions flip at pass*"]
    )
    capsys.readouterr()
    assert main(["paired", "--declaration", "replay.toml", "--out", "out", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    (interval,) = document["intervals"]["sweeps"]["first"]
    assert interval["low"] <= EXPECTED <= interval["high"]
    assert document["pairs"]["first"]["eligible"] == 360
    folder = pytester.path / "out"
    assert json.loads((folder / "intervals_by_cut.json").read_text())["sweeps"]["first"] == [interval]
    assert (folder / "flips.svg").read_text().count("<circle") == 6

    stamp = sorted((file.name, file.read_bytes()) for file in folder.iterdir())
    assert main(["paired", "--declaration", "replay.toml", "--out", "out"]) == 1
    assert "is not empty" in capsys.readouterr().err
    assert main(["paired", "--declaration", "replay.toml", "--out", "out", "--force"]) == 0
    assert sorted((file.name, file.read_bytes()) for file in folder.iterdir()) == stamp

    capsys.readouterr()
    assert main(["paired", "--declaration", "replay.toml", "--cap-check"]) == 0
    assert capsys.readouterr().out == "8,640 input tokens are under the cap of 50,000.\n"
    (pytester.path / "tight.toml").write_text(
        (pytester.path / "replay.toml").read_text().replace("50000", "8640")
    )
    assert main(["paired", "--declaration", "tight.toml", "--cap-check"]) == 4
    assert main(["paired", "--declaration", "replay.toml", "--check"]) == 0

    capsys.readouterr()
    assert main(["paired", "--init", "arm-a", "arm-b"]) == 0
    (pytester.path / "begun.toml").write_text(capsys.readouterr().out)
    assert main(["paired", "--declaration", "begun.toml", "--check"]) == 1
    assert "headers = 'CHOOSE'" in capsys.readouterr().err


def test_a_bad_declaration_is_refused_before_the_sweep(pytester):
    """A session with a bad declaration ends with 4 and spends nothing."""
    shutil.copytree(GRADER, pytester.path, dirs_exist_ok=True)
    (pytester.path / "replay.toml").write_text("value_key = 3")
    result = pytester.runpytest_inprocess(
        "--poisson-sweep", "--poisson-paired=replay.toml", "--poisson-workers=0"
    )
    assert result.ret == 4
    assert not (pytester.path / ".poisson").exists()


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            'cluster_key = "answer"',
            'cluster_key = "question"',
            "ERROR: Axis 'question' is none of run 'arm-a'*",
        ),
        ('name = "pass"', 'name = "fail"', "ERROR: Run 'arm-a' has items under *, which is no declared cut*"),
        ('b = "arm-b"', 'b = "arm-c"', "ERROR: --poisson-paired: arm 'arm-c' is neither stored nor *"),
        (
            'b = "arm-b"',
            'b = "arm-a-against"',
            "ERROR: --poisson-paired: arm 'arm-a-against' is neither stored nor *",
        ),
    ],
)
def test_a_declaration_of_another_suite_is_refused_before_the_sweep(pytester, old, new, sentence):
    """An axis or a cut that there is not, or an arm that there will not be, costs nothing."""
    shutil.copytree(GRADER, pytester.path, dirs_exist_ok=True)
    (pytester.path / "replay.toml").write_text((GRADER / "replay.toml").read_text().replace(old, new, 1))
    result = pytester.runpytest_inprocess(
        "--poisson-sweep", "--poisson-paired=replay.toml", "--poisson-workers=0", "--poisson-name=arm-a"
    )
    assert result.ret == 4
    result.stderr.fnmatch_lines([sentence])
    assert not (pytester.path / ".poisson").exists()
