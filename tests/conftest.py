"""What every test may use."""

import asyncio
import contextlib
import signal
import warnings
from importlib import import_module

import pytest
from hypothesis import settings

from tests.schemas import check_every_document

check_every_document()

# Where the suite itself runs behind a shell's `&` or `nohup`, Ctrl-C or a hang-up is ignored, and so it would be by what
# the tests start.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)

# Sessions inside this one forget what they import: NumPy cannot be imported twice, and what every sweep needs would be
# imported anew by each.
for name in (
    "numpy",
    "scipy.special",
    "pytest_poisson.backends.inline",
    "pytest_poisson.gate",
    "pytest_poisson.render.properties",
    "pytest_poisson.render.session",
    "pytest_poisson.session",
    "pytest_poisson.single",
):
    import_module(name)

# Examples are the same in every run, and none is failed for being slow on a busy machine.
settings.register_profile("tests", deadline=None, derandomize=True)
settings.load_profile("tests")

pytest_plugins = ["pytester"]

NEIGHBOURS = (
    "asyncio",
    "anyio",
    "randomly",
    "rerunfailures",
    "repeat",
    "timeout",
    "xdist",
    "hypothesispytest",
)

ELSEWHERE = (
    "BUILD_NUMBER",
    "CI",
    "COLUMNS",
    "FORCE_COLOR",
    "GITHUB_ACTIONS",
    "GITHUB_STEP_SUMMARY",
    "GITHUB_WORKSPACE",
    "NO_COLOR",
    "POISSON_STORE",
    "PY_COLORS",
)


@pytest.fixture(autouse=True)
def _alone(request, monkeypatch):
    """Keep other plugins out of the sessions that a test starts, unless it is about them.

    Beside them pytest-asyncio is told what it warns of not being told, since any warning is an error; and the loop is
    closed that it asks for, which is made where there is none, and leaves.
    """
    if "pytester" not in request.fixturenames:
        yield
        return
    request.getfixturevalue("pytester")  # it clears the variable when it is set up
    words = [word for name in NEIGHBOURS for word in ("-p", f"no:{name}")]
    beside = request.node.get_closest_marker("neighbours") is not None
    if beside:
        words = ["-o", "asyncio_default_fixture_loop_scope=function"]
    monkeypatch.setenv("PYTEST_ADDOPTS", " ".join(words))
    yield
    if beside:
        with warnings.catch_warnings(), contextlib.suppress(RuntimeError):
            warnings.simplefilter("ignore")
            asyncio.get_event_loop().close()
            asyncio.set_event_loop(None)


@pytest.fixture(autouse=True)
def _nowhere_in_particular(monkeypatch):
    """Keep what a CI service and a terminal say of themselves from the sessions and commands that a test starts.

    pytest cuts no line of its summary where CI is set, GitHub's summary is that of the session that runs the tests, and
    a colour or a store that is asked for in the environment is nobody's here.
    """
    for name in ELSEWHERE:
        monkeypatch.delenv(name, raising=False)
