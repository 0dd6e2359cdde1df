"""`pytest-poisson comment`: any result as a comment, anything else refused."""

from tests.render import scenarios


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


def test_a_file_that_is_not_there_is_refused(shell, tmp_path):
    """A missing file is refused by name with status 1 and nothing is printed."""
    status, out, err = shell.bare("comment", str(tmp_path / "none.json"))
    assert (status, out) == (1, "")
    assert "none.json' cannot be read" in err
