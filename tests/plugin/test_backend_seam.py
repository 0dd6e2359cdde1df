"""Backends come from a hook, so that a plugin can bring its own."""

from tests.plugin.support import COIN, endings, open_run, sweep

OWN_BACKEND = """
from pytest_poisson.backends import Outlook
from pytest_poisson.backends.inline import InlineBackend
from pytest_poisson.errors import UserError

class Cloud(InlineBackend):
    name = "cloud"

    def outlook(self, replicates, seconds_each):
        return Outlook((("cloud", f"{replicates} replicates on somebody else's computer"),))

def pytest_poisson_backend(name, session, workers):
    if name == "rain":
        raise UserError("It rains.")
    return Cloud(session) if name == "cloud" else None
"""


def test_a_plugin_can_bring_a_backend(pytester):
    """A hook in a conftest provides a name; its lines stand in the plan, its name in the run's record."""
    pytester.makeconftest(OWN_BACKEND)
    pytester.makepyfile(COIN)
    result = sweep(pytester, "--poisson-backend=cloud")
    result.stdout.fnmatch_lines(["cloud * 24 replicates on somebody else's computer"])
    assert len(endings(pytester)) == 24
    with open_run(pytester) as run:
        assert run.run.settings["backend"] == "cloud"


def test_a_backend_may_refuse_in_a_sentence(pytester):
    """What a backend's hook refuses is a usage error, and nothing is stored."""
    pytester.makeconftest(OWN_BACKEND)
    pytester.makepyfile(COIN)
    result = sweep(pytester, "--poisson-backend=rain")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: It rains."])
    assert not (pytester.path / ".poisson").exists()


def test_an_unknown_backend_is_refused_by_name(pytester):
    """A name that nobody provides is a usage error which says what would be accepted."""
    pytester.makepyfile(COIN)
    result = sweep(pytester, "--poisson-backend=fog")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --poisson-backend=fog names no backend; local*would be accepted."])
