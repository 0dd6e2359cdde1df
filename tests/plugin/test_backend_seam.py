"""Backends come from a hook, so that a plugin can bring its own."""

import pytest

from tests.plugin.support import COIN, endings, open_run, sweep

OWN_BACKEND = """
from math import nan
from pytest_poisson.backends import Outlook
from pytest_poisson.backends.inline import InlineBackend
from pytest_poisson.errors import UserError

class Cloud(InlineBackend):
    name = "cloud"

    def outlook(self, replicates, seconds_each):
        cost = nan if seconds_each is None else replicates * seconds_each
        return Outlook((("cloud", f"{replicates} replicates on somebody else's computer"),), cost)

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


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ([], "what it will cost cannot be told"),
        (["--poisson-est-seconds=2"], "it should cost 48"),
        (["--poisson-est-seconds=2", "--poisson-dry-run"], "it should cost 48"),
    ],
)
def test_a_sweep_that_should_cost_too_much_is_refused_before_it_starts(pytester, options, words):
    """Above `--poisson-max-cost`, or where the cost cannot be told, nothing is run or stored; the plan is printed."""
    pytester.makeconftest(OWN_BACKEND)
    pytester.makepyfile(COIN)
    result = sweep(pytester, "--poisson-backend=cloud", "--poisson-max-cost=40", *options)
    assert result.ret == 4
    result.stdout.fnmatch_lines(["replicates * 24 in all"])
    result.stderr.fnmatch_lines([f"ERROR: --poisson-max-cost=40 forbids this sweep: {words}; plan fewer*"])
    assert not (pytester.path / ".poisson").exists()


def test_a_sweep_within_its_cost_runs(pytester):
    """Up to `--poisson-max-cost` the sweep runs, and the estimate of its time is what the option says."""
    pytester.makeconftest(OWN_BACKEND)
    pytester.makepyfile(COIN)
    result = sweep(pytester, "--poisson-backend=cloud", "--poisson-max-cost=48", "--poisson-est-seconds=2")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["time * about 48 s, from 2 s each"])


def test_a_cap_on_what_has_no_price_is_refused(pytester):
    """A cost cap where neither the backend nor tokens have a price would be no cap."""
    pytester.makepyfile(COIN)
    result = sweep(pytester, "--poisson-max-cost=40")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: --poisson-max-cost needs poisson_price_per_input_token*"])
