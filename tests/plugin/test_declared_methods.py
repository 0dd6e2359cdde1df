"""Methods and margins that are declared before a run."""

import json

from tests.plugin.support import open_run, sweep

STEADY = """
import pytest

@pytest.mark.rollout(id="steady", outcomes=["ok", "bad"], failures=["bad"], successes=["ok"], replicates=400)
def test_steady(rollout):
    rollout.end("bad" if rollout.replicate % 20 == 0 else "ok")
"""


def test_what_is_declared_is_stored_used_and_named(pytester):
    """Method and margin go into the run's record, decide the word, and stand in the text and the JSON."""
    pytester.makepyfile(STEADY)
    sweep(pytester, "--poisson-name=base")
    result = sweep(
        pytester,
        "--poisson-compare-with=base",
        "--poisson-method=boschloo_bh",
        "--poisson-margin=0.1",
        "--poisson-json=out.json",
        "--poisson-name=after",
    )
    assert result.ret == 0
    result.stdout.fnmatch_lines(
        [
            "within the margin: of 1 test, none changed, and every change lies within 0.1.",
            "Boschloo's exact test on independent runs; *",
            "*Within the margin of 0.1*",
        ]
    )
    document = json.loads(pytester.path.joinpath("out.json").read_text())["diff"]
    assert (document["test"], document["method"]) == ("boschloo", "boschloo_bh")
    assert (document["margin"]["size"], document["margin"]["within"], document["notes"]) == (0.1, 1, [])
    with open_run(pytester, "after") as run:
        assert (run.run.settings["method"], run.run.settings["margin"]) == ("boschloo_bh", 0.1)


def test_a_configuration_file_declares_for_good(pytester):
    """Method and margin may stand in the configuration file."""
    pytester.makepyfile(STEADY)
    pytester.makeini("[pytest]\npoisson_method = fisher_dbh\npoisson_margin = 0.2\n")
    sweep(pytester, "--poisson-name=base")
    with open_run(pytester, "base") as run:
        assert (run.run.settings["method"], run.run.settings["margin"]) == ("fisher_dbh", 0.2)
