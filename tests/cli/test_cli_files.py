"""What commands say of files that cannot be read or written: the file that was named, and why, in one sentence."""

import os
import stat

import pytest

from pytest_poisson.errors import UserError
from pytest_poisson.files import write_file


def test_a_suite_below_a_file_is_not_said_to_exist(shell, tmp_path):
    """`init FILE` names no folder: nothing is there, and nothing is written."""
    file = tmp_path / "file"
    file.write_text("mine")
    status, out, err = shell.bare("init", str(file))
    assert (status, out) == (1, "")
    assert err == f"pytest-poisson: File '{file / 'test_agent.py'}' cannot be written: file exists.\n"
    assert file.read_text() == "mine"


def test_no_error_number_and_no_draft_is_named(traded, tmp_path):
    """A report that cannot be written names the folder that was asked for, and a comment and a replay their files."""
    _, _, err = traded("report", "base", "--out=/proc/report")
    assert err == "pytest-poisson: --out=/proc/report cannot be written: no such file or directory.\n"
    _, _, err = traded.bare("comment", str(tmp_path / "none.json"))
    assert (
        err == f"pytest-poisson: File '{tmp_path / 'none.json'}' cannot be read: no such file or directory.\n"
    )
    _, _, err = traded("paired", f"--declaration={tmp_path / 'none.toml'}")
    assert (
        err
        == f"pytest-poisson: Declaration {tmp_path / 'none.toml'} cannot be read: no such file or directory.\n"
    )


def test_a_port_has_its_range(shell):
    """A port that no machine has is a wrong command line."""
    status, _, err = shell("serve", "--port=65536")
    assert status == 2
    assert err.endswith("'65536' must be a whole number from 0 to 65535\n")


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    """A place that is no regular file stays what it is."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_file(pipe, "text")
    assert os.read(reader, 9) == b"text"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_refused_file_leaves_nothing_beside_it(tmp_path):
    """A directory in the file's place is refused, and no draft is left."""
    with pytest.raises(UserError, match=r"cannot be written: is a directory\.$"):
        write_file(tmp_path, "text")
    assert list(tmp_path.iterdir()) == []
