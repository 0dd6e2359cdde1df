"""Files made by the tools themselves, installed for the purpose: `pytest -m lane tests/importers`.

Each tool gets an environment of its own, below the directory that POISSON_LANE names or a temporary one, so that a
second run need not install anything.
"""

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from poisson_store.importers import Words
from tests.importers.bring import HALF, bring, endings, episodes

pytestmark = pytest.mark.lane

SCRIPTS = Path(__file__).parent / "lane"
QUIET = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "YES",
    "RAGAS_DO_NOT_TRACK": "true",
    "PROMPTFOO_DISABLE_TELEMETRY": "1",
    "PROMPTFOO_DISABLE_UPDATE": "1",
}


def run(folder, *command, check=True, **environment):
    """Run a command in a folder; a failure shows what it printed."""
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env={**os.environ, **QUIET, **environment},
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
    )
    assert not check or done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done


@pytest.fixture(scope="session")
def lane(tmp_path_factory):
    """Return the directory that holds the environments."""
    return Path(os.environ.get("POISSON_LANE") or tmp_path_factory.mktemp("lane"))


def python_with(lane, name, *requirements):
    """Return the Python of an environment with these packages, made where it is not there yet."""
    home = lane / name
    python = home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    if not (home / "made").exists():
        run(lane, sys.executable, "-m", "venv", home)
        run(lane, python, "-m", "pip", "install", "--quiet", *requirements)
        (home / "made").touch()
    return python


DEEPEVAL = {"metric": "Length", "judge": HALF, "case_by": ("name",)}
LENGTHS = ["fail", "pass", "pass"]


@pytest.fixture(params=["deepeval>=4", "deepeval>=3,<4"])
def deepeval(request, lane):
    """Return a Python with DeepEval of this major version and of the one before."""
    return python_with(lane, request.param.replace(">", "").replace("<", ""), request.param, "pytest")


def test_deepeval(deepeval, lane, tmp_path):
    """Its results folder and its last test run give one outcome a case, and its cache the same scores."""
    run(
        tmp_path, deepeval, SCRIPTS / "made_by_deepeval.py", DEEPEVAL_RESULTS_FOLDER=str(tmp_path / "results")
    )
    bring(tmp_path, "deepeval", [tmp_path / "results"], "results", **DEEPEVAL)
    bring(tmp_path, "deepeval", [tmp_path / ".deepeval" / ".latest_test_run.json"], "last", **DEEPEVAL)
    assert list(endings(tmp_path, "results").values()) == [*LENGTHS, "errored"]
    assert endings(tmp_path, "last") == endings(tmp_path, "results")
    cache = tmp_path / ".deepeval" / ".deepeval-cache.json"
    bring(tmp_path, "deepeval", [cache], "cache", **{**DEEPEVAL, "case_by": ("input",)})
    assert Counter(endings(tmp_path, "cache").values()) == Counter([*LENGTHS, "skipped"])


def test_deepeval_under_pytest(deepeval, tmp_path):
    """What its pytest integration leaves behind is imported like any test run."""
    for name, source in (("made_by_deepeval.py",) * 2, ("test_lengths.py", "test_with_deepeval.py.txt")):
        shutil.copyfile(SCRIPTS / source, tmp_path / name)
    command = (deepeval, "-m", "deepeval.cli.main", "test", "run", "test_lengths.py")
    run(tmp_path, *command, check=False, DEEPEVAL_RESULTS_FOLDER=str(tmp_path / "results"))
    bring(tmp_path, "deepeval", [tmp_path / "results"], **DEEPEVAL)
    assert Counter(endings(tmp_path).values()) == Counter(LENGTHS)


@pytest.mark.parametrize(
    "file", ["scores.csv", "scores.jsonl", "scores.json", "columns.json", "scores.parquet"]
)
def test_ragas(lane, tmp_path, file):
    """Its table, saved in every format, gives the same outcomes; a score it could not give is none."""
    pytest.importorskip("pyarrow")
    python = python_with(lane, "ragas", "ragas>=0.4", "langchain-community<0.4", "pandas", "pyarrow")
    if not (lane / "ragas" / "scores.parquet").exists():
        run(lane / "ragas", python, SCRIPTS / "made_by_ragas.py")
    given = {"case_by": ("user_input",), "judge": HALF}
    bring(tmp_path, "ragas", [lane / "ragas" / file], "exact", metric="exact_match", **given)
    assert list(endings(tmp_path, "exact").values()) == ["pass", "fail"] * 2
    bring(tmp_path, "ragas", [lane / "ragas" / file], "some", metric="sometimes", **given)
    assert list(endings(tmp_path, "some").values()) == ["pass", "errored"] * 2


@pytest.mark.parametrize("requirement", ["inspect-ai>=0.3.285", "inspect-ai==0.3.100"])
def test_inspect(lane, tmp_path, requirement):
    """Both forms of its logs give the same run: scores, errors, tokens and spans; also of a version before Zstandard."""
    pytest.importorskip("pyarrow")
    python = python_with(lane, requirement.replace(">", "").replace("=", ""), requirement)
    run(tmp_path, python, SCRIPTS / "made_by_inspect.py")
    for form in ("json", "eval"):
        given = {"scorer": "match", "judge": Words(("C",), ("I",))}
        report = bring(tmp_path, "inspect", [tmp_path / form], form, **given)
        assert (report.conditions, report.status, report.accounting.planned) == (2, "complete", 6)
        assert Counter(endings(tmp_path, form).values()) == {"pass": 3, "fail": 2, "errored": 1}
        found = [each for each in episodes(tmp_path, form).values() if each.outcome]
        assert all(each.tokens_in and each.tokens_in % 11 == 0 for each in found)
        assert all({"llm", "other"} <= {span.kind for span in each.spans} for each in found)
        bring(tmp_path, "inspect", [tmp_path / form], f"{form}-a", scorer="two", metric="a", judge=HALF)
        assert Counter(endings(tmp_path, f"{form}-a").values()) == {"pass": 5, "errored": 1}
    assert endings(tmp_path, "json") == endings(tmp_path, "eval")


@pytest.mark.skipif(shutil.which("npm") is None, reason="promptfoo is a package of Node")
def test_promptfoo(lane, tmp_path):
    """Its JSON output gives test x repeat; a provider that is down is no outcome."""
    home = lane / "promptfoo"
    home.mkdir(exist_ok=True)
    if not (home / "made").exists():
        run(home, "npm", "install", "--no-audit", "--no-fund", "promptfoo")
        (home / "made").touch()
    shutil.copyfile(SCRIPTS / "made_by_promptfoo.mjs", home / "make.mjs")
    (home / "out.json").unlink(missing_ok=True)
    run(home, "node", "make.mjs", PROMPTFOO_CONFIG_DIR=str(tmp_path / "home"))
    bring(tmp_path, "promptfoo", [home / "out.json"], metric="success", case_by=("description",))
    assert Counter(endings(tmp_path).values()) == {"pass": 2, "errored": 2}
