"""Documents whose commands are run: what they show is what the product prints."""

import re
import shlex
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

from pytest_poisson.cli import main
from pytest_poisson.cli.serve import PORT

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RUN_ID = re.compile(r"\d{8}T\d{6}Z-[0-9a-f]{4}")
TOOK = re.compile(r" in \d+\.\d\ds(?: \([\d:]+\))? =+")  # how pytest's last line ends
FILE = re.compile(r"# ([\w./-]+\.py)\n")
SALT = "0" * 32


class Reader:
    """Goes through a document: writes its files, runs its commands, and compares what they print.

    A `python` block whose first line is a comment with a file's name is written to that file; any other is an excerpt
    of a file that is there. In an `sh` block each
    line is a command; `# exit 4` behind it is its status. The lines of a `text` block stand in the output of the last
    block of commands, in a row; a line of three dots stands for any others. Blocks of any other kind are only shown.
    """

    def __init__(self, pytester, monkeypatch, capsys):
        self.pytester = pytester
        self.capsys = capsys
        self.printed = ""
        monkeypatch.chdir(pytester.path)
        monkeypatch.setattr("pytest_poisson.seeds.secrets.token_hex", lambda length: SALT[: 2 * length])

    def read(self, text):
        """Read a document; return how many blocks of commands were run and how many texts were compared."""
        done = {"python": 0, "sh": 0, "text": 0}
        for kind, block in BLOCK.findall(text):
            if kind in done:
                getattr(self, kind)(block)
                done[kind] += 1
        return done["sh"], done["text"]

    def python(self, block):
        named = FILE.match(block)
        if named:
            self.pytester.path.joinpath(named[1]).write_text(block, encoding="utf-8")
            return
        files = [path.read_text(encoding="utf-8") for path in self.pytester.path.glob("*.py")]
        assert any(block in text for text in files), f"in no file, and without a file's name:\n{block}"

    def sh(self, block):
        self.printed = ""
        for line in block.splitlines():
            command, _, comment = line.partition("#")
            expected = int(comment.partition("exit ")[2] or 0)
            status, printed = self.run(shlex.split(command))
            assert status == expected, f"{line}\n{printed}"
            self.printed += self.scrub(printed).rstrip("\n") + "\n"

    def run(self, words):
        program, *arguments = words
        if program == "pytest":
            result = self.pytester.runpytest_inprocess("--poisson-workers=0", *arguments)
            return int(result.ret), result.stdout.str()
        assert program == "pytest-poisson"
        if arguments[0] == "serve":
            return self.serve(arguments)
        self.capsys.readouterr()
        status = main(arguments)
        printed = self.capsys.readouterr()
        return status, printed.out + printed.err

    def serve(self, arguments):
        """Serve on a free port until the first page has been seen, and say the port that the command would have had."""
        command = [sys.executable, "-m", "pytest_poisson", *arguments, "--port=0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
            printed = process.stdout.readline()
            try:
                with urllib.request.urlopen(printed.split()[0], timeout=60) as page:
                    assert page.status == 200
                process.send_signal(signal.SIGINT)
                status = process.wait(60)
            finally:
                process.kill()
            return status, re.sub(r"(?<=127\.0\.0\.1:)\d+", str(PORT), printed)

    def text(self, block):
        for part in re.split(r"^\.\.\.\n", self.scrub(block), flags=re.MULTILINE):
            assert part in self.printed, f"{part}\nis not in\n{self.printed}"

    def scrub(self, text):
        """Take out what no two runs have in common."""
        return TOOK.sub(" in TIME", RUN_ID.sub("RUN-ID", text))


def documents():
    """Return every Markdown file that users read, by its path from the root of the repository."""
    found = [
        *ROOT.glob("*.md"),
        *ROOT.joinpath("docs").rglob("*.md"),
        *ROOT.joinpath("examples").glob("*/*.md"),
    ]
    return {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(found)
        if "_build" not in path.parts
    }
