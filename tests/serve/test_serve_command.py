"""`pytest-poisson serve` as a process: its address, its sockets, a sweep beside it, and its end."""

import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import time

import pytest

from poisson_store import Store
from pytest_poisson.cli import main
from tests.plugin.support import COIN, open_run
from tests.stored_runs import cell, endings, write_run

pytest.importorskip("waitress")
PATIENCE_S = 60


def get(port, path, host=None, method="GET"):
    """Ask over the loopback interface and return status and text."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
    try:
        connection.request(method, path, headers={} if host is None else {"Host": host})
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


@pytest.fixture
def served(pytester):
    """Start the command on a store that is not there yet; give its process and its port."""
    command = [sys.executable, "-m", "pytest_poisson", "serve", "--store=.poisson", "--port=0"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=pytester.path
    )
    try:
        line = process.stdout.readline()
        yield process, int(re.search(r"^http://127\.0\.0\.1:(\d+)/ shows the store", line)[1])
    finally:
        process.kill()
        process.communicate()


def other_addresses():
    """Return addresses of this machine beside the loopback ones."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # no packet is sent
            return [probe.getsockname()[0]]
        except OSError:
            return []


def test_a_sweep_can_be_watched(pytester, served):
    """While another process sweeps, every answer is whole, no count falls, and at the end all is there."""
    process, port = served
    assert "The store holds no run." in get(port, "/")[1]
    pytester.makepyfile(COIN.replace("replicates=12", "replicates=300").replace("horizon=100", "horizon=300"))
    sweep = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "pytest",
            "--poisson-sweep",
            "--poisson-workers=1",
            "-q",
            "-p",
            "no:cacheprovider",
        ],
        cwd=pytester.path,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "POISSON_STORE": ".poisson"},
    )
    counts, deadline = [0], time.monotonic() + PATIENCE_S
    while sweep.poll() is None and time.monotonic() < deadline:
        status, text = get(port, "/")
        assert status == 200
        time.sleep(0.05)
        counts += [int(found.replace(",", "")) for found in re.findall(r"([\d,]+) with outcome", text)]
    assert sweep.wait(PATIENCE_S) == 0
    assert counts == sorted(counts)
    assert "600 with outcome" in get(port, "/")[1]
    with open_run(pytester) as run:
        assert run.accounting().with_outcome == 600
    assert get(port, "/", host="evil.example")[0] == 403
    assert get(port, "/", method="POST")[0] == 405
    for address in other_addresses():
        with pytest.raises(OSError):
            socket.create_connection((address, port), timeout=5)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, out, err) == (130, "", "")


def test_a_port_that_is_taken_is_refused(capsys, tmp_path):
    """A port that somebody has is one sentence that names it and the way out; what is no port is a wrong command line."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["serve", f"--port={port}", f"--store={tmp_path}"]) == 1
    assert (
        f"--port={port} cannot be used (address already in use); --port=0 takes any"
        in capsys.readouterr().err
    )
    assert main(["serve", "--port=99999", f"--store={tmp_path}"]) == 2
    assert "'99999' must be a whole number from 0 to 65535" in capsys.readouterr().err
    assert main(["serve", "--port=x"]) == 2


def test_a_file_is_no_store(capsys, tmp_path):
    """A run's own file instead of its directory is refused; an empty list of runs would say that there are none."""
    (tmp_path / "run.sqlite").touch()
    assert main(["serve", f"--store={tmp_path / 'run.sqlite'}", "--port=0"]) == 1
    assert "run.sqlite' is a file; a store is a directory." in capsys.readouterr().err


@pytest.mark.parametrize("missing", ["waitress", "werkzeug"])
def test_without_the_extra_the_sentence_names_it(capsys, monkeypatch, tmp_path, missing):
    """Where a package of the extra is not installed, the refusal names the package and how to get it."""
    for name in [name for name in sys.modules if name.partition(".")[0] == missing] + [missing]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.delitem(sys.modules, "pytest_poisson.serve.app", raising=False)
    assert main(["serve", "--port=0", f"--store={tmp_path}"]) == 1
    said = capsys.readouterr().err
    assert (
        said
        == f"pytest-poisson: serve needs the package {missing}; pip install 'pytest-poisson[ui]' brings it.\n"
    )


def test_no_name_is_looked_up(tmp_path, monkeypatch):
    """Listening and answering ask no resolver for the name of any host."""
    from waitress import create_server

    from pytest_poisson.serve.app import Browser
    from pytest_poisson.serve.server import _listen

    def refuse(*_):
        raise AssertionError("a name was looked up")

    numeric = socket.getnameinfo
    for name in ("getfqdn", "gethostbyaddr", "gethostbyname", "gethostbyname_ex"):
        monkeypatch.setattr(socket, name, refuse)
    monkeypatch.setattr(
        socket,
        "getnameinfo",
        lambda where, how: numeric(where, how) if how & socket.NI_NUMERICHOST else refuse(),
    )
    write_run(Store(tmp_path), "one", [(cell(task="a"), endings(resolved=3))])
    listening = _listen(0)
    assert listening.getsockname()[0] == "127.0.0.1"
    server = create_server(Browser(Store(tmp_path), listening.getsockname()[1]), sockets=[listening])
    server.close()
