"""`pytest-poisson comment`: any result as a comment, anything else refused."""

import pytest

from poisson_store import Store
from tests.render import scenarios
from tests.stored_runs import cell, endings, write_run


def test_a_result_becomes_a_comment(traded, tmp_path):
    """What `check --json` printed becomes a comment with status 0: the gate has failed elsewhere."""
    _, text, _ = traded("check", "base", "patched", "--json")
    file = tmp_path / "result.json"
    file.write_text(text)
    status, out, err = traded.bare("comment", str(file))
    assert (status, err) == (0, "")
    assert out.startswith("<!-- pytest-poisson -->\n\n# pytest-poisson\n\n**trade: ")


def test_a_refused_comparison_becomes_a_comment(shell, tmp_path):
    """`check --json` of runs that share no condition is a comment that says not comparable."""
    scenarios.refused(shell.store)
    file = tmp_path / "result.json"
    file.write_text(shell("check", "base", "patched", "--json")[1])
    assert "**not comparable: " in shell.bare("comment", str(file))[1]


def test_an_empty_file_becomes_a_comment(shell, tmp_path):
    """The file that a workflow made before a session that ended early says that there is no result."""
    file = tmp_path / "result.json"
    file.touch()
    status, out, _ = shell.bare("comment", str(file))
    assert status == 0
    assert "There is no result" in out


def test_a_fix_check_becomes_a_comment(shell, tmp_path):
    """What `fix-check --json` printed becomes a comment with its word, and without a gate that was never asked."""
    store = Store(shell.store)
    for name, ended in (("old", endings(timeout=9, resolved=1)), ("new", endings(timeout=1, resolved=9))):
        write_run(store, name, [(cell(task=i), ended) for i in range(4)], salt=name[0] * 32)
    options = ("--event=timeout", "--inputs=all", "--max-mde=0.3", "--json")
    file = tmp_path / "result.json"
    file.write_text(shell("fix-check", "old", "new", *options)[1])
    status, out, err = shell.bare("comment", str(file))
    assert (status, err) == (0, "")
    assert out.startswith("<!-- pytest-poisson -->\n\n# Did the fix work: 'new' against 'old'\n")
    assert "**different: the new version failed less (p " in out
    assert "gate:" not in out


@pytest.mark.parametrize(
    "text", ['{"schema": "pytest-poisson.fix-check/1"}', '{"schema": "pytest-poisson.runs/1"}', "{", "[]"]
)
def test_what_is_no_result_is_refused(shell, tmp_path, text):
    """A damaged document, another kind, or no JSON is refused in one sentence that names the file."""
    file = tmp_path / "result.json"
    file.write_text(text)
    status, out, err = shell.bare("comment", str(file))
    assert (status, out) == (1, "")
    assert f"File '{file}' " in err
    assert err.count("\n") == 1


def test_a_file_that_is_not_there_is_refused(shell, tmp_path):
    """A missing file is refused by name with status 1 and nothing is printed."""
    status, out, err = shell.bare("comment", str(tmp_path / "none.json"))
    assert (status, out) == (1, "")
    assert "none.json' cannot be read" in err
