"""`-q`, `-v`, `-vv`: how much a sweep's section says; 80 columns, with and without colour, and on a terminal of ASCII."""

import re
import sys

import pytest

from tests.plugin.support import sweep

WIDE = """
import pytest

@pytest.mark.rollout(id="drift", outcomes=["ok", "bad"], failures=["bad"], successes=["ok"], replicates=40)
@pytest.mark.parametrize("task", [f"a customer writes about parcel number {n:03} that never came" for n in range(13)])
def test_drift(task, rollout):
    worse = rollout.variant.get("worse") and "number 001" in task
    rollout.end("bad" if rollout.random.random() < (1 if worse else 0.3) else "ok")
"""
COLOUR = re.compile(r"\x1b\[[\d;]*m")
COMMAND = re.compile(r"\s*pytest(-poisson)? --?\w")
LEVELS = ("-q", "", "-v", "-vv")


def section(result):
    """Return the lines of the sweep's section, without run ids."""
    text = COLOUR.sub("", result.stdout.str())
    body = text.split("= pytest-poisson =", 1)[1].split("\n", 1)[1]
    ended = re.split(r"\n(?:=+ short test summary|=+ \d+ (?:passed|failed)|\d+ (?:passed|failed))", body)[0]
    return re.sub(r"\d{8}T\d{6}Z-[0-9a-f]{4}|report [0-9a-f]{12}", "RUN-ID", ended).split("\n")


@pytest.fixture
def suite(pytester):
    """Return a suite with a stored baseline."""
    pytester.makepyfile(WIDE)
    sweep(pytester, "--poisson-name=base", "--poisson-salt=0")
    return pytester


def compared(suite, *options):
    """Sweep the worse variant against the baseline."""
    return sweep(suite, "--poisson-pair-with=base", "--poisson-variant=worse=1", *options)


def test_each_level_says_more(suite):
    """From `-q` to `-vv` the section grows, no line wider than 80 columns but a command to copy; `-v` has every row, `-vv` the interval of every row."""
    said = {level: section(compared(suite, *([level] if level else []))) for level in LEVELS}
    lengths = [len(said[level]) for level in LEVELS]
    assert lengths == sorted(set(lengths))
    assert len([line for line in said["-q"] if line]) == 2
    rows = {level: sum("bad " in line and "/40" in line for line in said[level]) for level in LEVELS}
    assert rows == {"-q": 0, "": 10, "-v": 13, "-vv": 13}
    intervals = {level: sum("% interval" in line for line in said[level]) for level in LEVELS}
    assert intervals == {"-q": 0, "": 0, "-v": 1, "-vv": 13}
    for lines in said.values():
        assert "worse: of 13 tests, 1 changed for the worse." in lines
        assert [line for line in lines if len(line) > 80 and not COMMAND.match(line)] == []


def test_quiet_plans_in_a_line(suite):
    """`-q` has the plan in one line with its limit; a dry run has it whole, since it is what was asked for."""
    out = compared(suite, "-q").stdout.str()
    assert re.search(
        r"^plan: 13 conditions, 40 each, 520 replicates in all, limit 0\.\d{3}$", out, re.MULTILINE
    )
    assert "pytest-poisson plan" not in out
    assert "pytest-poisson plan" in sweep(suite, "--poisson-dry-run", "-q").stdout.str()


def test_colour_changes_no_word(suite):
    """With colours the section says the same; on a pipe there are none."""
    plain, coloured = compared(suite, "-v"), compared(suite, "-v", "--color=yes")
    assert section(plain) == section(coloured)
    assert not COLOUR.search(plain.stdout.str())
    assert COLOUR.search(coloured.stdout.str().split("= pytest-poisson =", 1)[1])


def test_a_terminal_of_ascii(pytester, monkeypatch):
    """Where the terminal takes ASCII alone, names with other letters are escaped, and the session ends as elsewhere."""
    monkeypatch.setenv("PYTHONIOENCODING", "ascii")
    pytester.makepyfile(
        """
        import pytest

        @pytest.mark.rollout(id="r", outcomes=["gut", "schl\\u00e4cht\\u2713"], failures=["schl\\u00e4cht\\u2713"], replicates=8)
        @pytest.mark.parametrize("text", ["\\u00fcber", "\\u65e5\\u672c", "\\U0001f600"])
        def test_it(text, rollout):
            rollout.end("schl\\u00e4cht\\u2713" if rollout.replicate % 2 else "gut")
        """
    )
    for options in (["--poisson-name=base"], ["--poisson-pair-with=base"]):
        command = [
            sys.executable,
            "-m",
            "pytest",
            "--poisson-sweep",
            "--poisson-workers=0",
            "-p",
            "no:cacheprovider",
        ]
        result = pytester.run(*command, "-v", *options)
        assert result.ret == 0
        assert result.stdout.str().isascii()
    assert "schl\\xe4cht\\u2713" in result.stdout.str()
    assert "\\u65e5\\u672c" in result.stdout.str()
