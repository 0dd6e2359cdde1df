"""The suite that `init` writes."""

import json
import shlex


def test_init_writes_one_file_and_says_what_to_type(shell, tmp_path):
    """The suite is written, and the two commands that are printed name it."""
    status, out, err = shell.bare("init", str(tmp_path / "demo"))
    suite = tmp_path / "demo" / "test_agent.py"
    assert (status, err) == (0, "")
    assert [each.name for each in (tmp_path / "demo").iterdir()] == ["test_agent.py"]
    commands = [shlex.split(line) for line in out.splitlines() if line.startswith("  pytest ")]
    assert commands == [
        ["pytest", suite.as_posix(), "--poisson-sweep"],
        ["pytest", suite.as_posix(), "--poisson-pair-with=latest", "--poisson-variant", "policy=retry"],
    ]


def test_init_overwrites_nothing(shell, tmp_path):
    """A file of that name is left as it is, and the command refused."""
    suite = tmp_path / "test_agent.py"
    suite.write_text("mine")
    status, out, err = shell.bare("init", str(tmp_path))
    assert (status, out) == (1, "")
    assert str(suite) in err
    assert suite.read_text() == "mine"


def test_init_as_json(shell, tmp_path):
    """The JSON names the file and the commands."""
    document = json.loads(shell.bare("init", str(tmp_path), "--json")[1])
    assert document["schema"] == "pytest-poisson.init/1"
    assert document["file"] == str(tmp_path / "test_agent.py")
    assert len(document["commands"]) == 2


def test_the_two_commands_lead_to_a_verdict(shell, pytester):
    """The main job from the printed commands: sweep, pair with the variant, `safer`; stored runs say the same."""
    shell.bare("init", str(pytester.path))
    options = ("test_agent.py", "--poisson-workers=0", "-p", "no:cacheprovider")
    assert pytester.runpytest_inprocess(*options, "--poisson-sweep", "--poisson-name=plain").ret == 0
    paired = pytester.runpytest_inprocess(
        *options,
        "--poisson-pair-with=latest",
        "--poisson-variant",
        "policy=retry",
        "--poisson-name=retry",
        "--poisson-json=result.json",
    )
    assert paired.ret == 0
    paired.stdout.fnmatch_lines(["safer: of 8 tests, * changed for the better."])
    status, out, _ = shell.bare("check", "plain", "retry", "--json", f"--store={pytester.path / '.poisson'}")
    assert status == 0
    assert out == (pytester.path / "result.json").read_text()
