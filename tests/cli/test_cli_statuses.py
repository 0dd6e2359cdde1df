"""What each way of ending returns, and that a refusal is one sentence on stderr and nothing on stdout."""

import pytest

import pytest_poisson
from poisson_store import Store
from pytest_poisson.cli import main
from tests.render import scenarios
from tests.stored_runs import cell, endings, write_run


def refused(status, out, err, *, expected=1):
    """Check that a command ended in one sentence on stderr."""
    return status == expected and out == "" and err.count("\n") == 1 and err.rstrip().endswith((".", ")"))


def test_diff_passes_whatever_the_verdict(traded):
    """A report that was printed is status 0: `diff` is no gate."""
    status, out, err = traded("diff", "base", "patched")
    assert (status, err) == (0, "")
    assert out.startswith("trade: ")


def test_check_fails_on_worse(traded):
    """The worse part of a trade fails the default gate with 4, after the report."""
    status, out, _ = traded("check", "base", "patched")
    assert status == 4
    assert out.endswith("gate: FAILED on a change for the worse (fails on worse).\n")


def test_check_passes_an_unchanged_pair(unchanged):
    """Equal runs pass, also where any change would fail."""
    for words in ("worse", "worse,any,too-small,missing"):
        status, out, _ = unchanged("check", "base", "patched", f"--fail-on={words}")
        assert status == 0
        assert f"gate: passed (fails on {words})." in out


def test_never_passes_what_was_compared(traded):
    """`never` prints the verdict and passes."""
    status, out, _ = traded("check", "base", "patched", "--fail-on=never")
    assert status == 0
    assert out.endswith("gate: never fails.\n")


def test_a_run_that_is_not_there(traded):
    """An unknown name is refused with 1 in a sentence that has the name."""
    status, out, err = traded("diff", "base", "ptached")
    assert refused(status, out, err)
    assert "ptached" in err


def test_an_event_that_no_run_carries(traded):
    """An unknown event is refused with 1 and the events there are."""
    status, out, err = traded("check", "base", "patched", "--event=tiemout")
    assert refused(status, out, err)
    assert "'tiemout'" in err
    assert "timeout" in err


def test_no_condition_in_common(shell):
    """Nothing in common: `diff` refuses with 1, `check` fails its gate with 4 and with `never` still does not pass."""
    scenarios.refused(shell.store)
    assert refused(*shell("diff", "base", "patched"))
    assert shell("check", "base", "patched")[0] == 4
    assert shell("check", "base", "patched", "--fail-on=never")[0] == 1


def test_an_empty_store(shell):
    """Without two complete runs there is nothing to compare by default; the store is named and not created."""
    status, out, err = shell("diff")
    assert refused(status, out, err)
    assert str(shell.store) in err
    assert not shell.store.exists()


def test_latest_of_an_empty_store(shell):
    """`latest` in an empty store is refused, and nothing is written."""
    status, out, err = shell("show", "latest")
    assert refused(status, out, err)
    assert "latest" in err
    assert not shell.store.exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "COMMAND"),
        (("compute",), "compute"),
        (("diff", "one"), "two runs or none, not 1"),
        (("diff", "one", "two", "three"), "two runs or none, not 3"),
        (("diff", "--q=1.5"), "'1.5' must be a number between 0 and 1"),
        (("changes", "a", "b", "--event=x", "--alpha=1e-300"), "'1e-300' must be at least 1e-15"),
        (("diff", "--max-mde=big"), "'big' must be a number between 0 and 1"),
        (("diff", "--method=t"), "mcnemar_bh"),
        (("check", "--fail-on=worst"), "holds 'worst'; it takes worse, any, too-small, missing"),
        (("check", "--fail"), "--fail"),
    ],
)
def test_a_wrong_command_line(shell, arguments, said):
    """A command line that cannot be read is 2, with the value and what would be accepted."""
    status, out, err = shell.bare(*arguments)
    assert (status, out) == (2, "")
    assert said in err


def test_version(shell):
    """`--version` prints the one version of the package."""
    assert shell.bare("--version") == (0, f"pytest-poisson {pytest_poisson.__version__}\n", "")


def test_an_unexpected_failure(shell, monkeypatch):
    """A failure of ours is 3 and one sentence; `--debug`, before or after the command, adds the traceback."""

    def fail(_):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr("pytest_poisson.cli.runs.run", fail)
    status, out, err = shell("runs")
    assert (status, out) == (3, "")
    assert err == "pytest-poisson: unexpected ZeroDivisionError: division by zero (--debug shows where)\n"
    for arguments in (("--debug", "runs"), ("runs", "--debug")):
        status, _, err = shell.bare(*arguments)
        assert status == 3
        assert "Traceback" in err


def test_ctrl_c(shell, monkeypatch):
    """An interrupt is 130 and no traceback."""

    def interrupt(_):
        raise KeyboardInterrupt

    monkeypatch.setattr("pytest_poisson.cli.runs.run", interrupt)
    status, out, err = shell("runs")
    assert (status, out) == (130, "")
    assert "Traceback" not in err


def test_a_reader_that_has_gone(traded, monkeypatch, tmp_path):
    """A closed pipe is no failure: the status is the gate's, and nothing is said."""
    with (tmp_path / "pipe").open("w") as file:

        class Broken:
            encoding = "utf-8"

            def isatty(self):
                return False

            def write(self, text):
                raise BrokenPipeError

            def fileno(self):
                return file.fileno()

        monkeypatch.setattr("sys.stdout", Broken())
        assert main(["check", "base", "patched", f"--store={traded.store}"]) == 4


def test_a_terminal_without_our_letters(shell, monkeypatch):
    """What the stream's encoding does not have is written as an escape, not refused."""
    import io

    store = Store(shell.store)
    for name, salt in (("one", "a" * 32), ("two", "b" * 32)):
        write_run(store, name, [(cell(task="\u00e9\u4e2d"), endings(resolved=20))], salt=salt)
    stream = io.TextIOWrapper(io.BytesIO(), encoding="cp1252", newline="")
    monkeypatch.setattr("sys.stdout", stream)
    assert main(["diff", "one", "two", f"--store={shell.store}"]) == 0
    assert "\u00e9\\u4e2d" in stream.buffer.getvalue().decode("cp1252")


def test_the_store_comes_from_the_environment(traded, monkeypatch):
    """Without `--store`, POISSON_STORE says where the runs are; an option wins over it."""
    monkeypatch.setenv("POISSON_STORE", str(traded.store))
    assert "patched" in traded.bare("runs")[1]
    assert "holds no run" in traded.bare("runs", "--store=elsewhere")[1]


def test_the_store_is_found_from_a_folder_below(traded, monkeypatch, tmp_path):
    """Without a name the store is the nearest one here or above, as far as the repository's folder."""
    monkeypatch.delenv("POISSON_STORE", raising=False)
    below, apart = tmp_path / "tests" / "unit", tmp_path / "other"
    below.mkdir(parents=True)
    (apart / ".git").mkdir(parents=True)
    traded.store.rename(tmp_path / ".poisson")
    for folder, found in ((tmp_path, True), (below, True), (apart, False)):
        monkeypatch.chdir(folder)
        assert ("patched" in traded.bare("runs")[1]) == found
    (below / ".poisson").mkdir()
    monkeypatch.chdir(below)
    assert "Store '.poisson' holds no run." in traded.bare("runs")[1]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pytest.ini", "[pytest]\npoisson_store = kept/runs\n"),
        ("pyproject.toml", "[tool.pytest.ini_options]\npoisson_store = 'kept/runs'\n"),
        ("pyproject.toml", "[tool.pytest]\npoisson_store = 'kept/runs'\n"),
        ("pytest.toml", "[pytest]\npoisson_store = 'kept/runs'\n"),
        ("tox.ini", "[tox]\nenvlist = a\nenvlist = b\n[pytest]\npoisson_store = kept/runs\n"),
        ("setup.cfg", "[metadata]\nname = %(x)\n[tool:pytest]\npoisson_store = kept/runs\n"),
    ],
)
def test_the_store_is_the_one_that_sessions_have(traded, monkeypatch, tmp_path, name, text):
    """The configuration that pytest reads is the commands' too, here and from a folder below; a broken one is not."""
    below = tmp_path / "tests"
    below.mkdir()
    (tmp_path / "kept").mkdir()
    traded.store.rename(tmp_path / "kept" / "runs")
    (tmp_path / name).write_text(text)
    for folder in (tmp_path, below):
        monkeypatch.chdir(folder)
        assert "patched" in traded.bare("runs")[1]
    (tmp_path / name).write_text("[[")
    assert traded.bare("runs")[1] == "Store '.poisson' holds no run.\n"
