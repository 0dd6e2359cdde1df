"""`--poisson-plan-from`: the replicates of a sweep, from a stored pair."""

from tests.plugin.support import open_run, sweep

FAITHFUL = """
import pytest

@pytest.fixture(params=["a", "b"])
def task(request):
    return request.param

@pytest.mark.rollout(id="faithful", outcomes=["ok", "bad"], failures=["bad"], successes=["ok"], replicates=80)
def test_faithful(task, rollout):
    share = 0.5 if rollout.variant.get("version") == "new" else 0.4
    rollout.end("bad" if rollout.random.random() < share else "ok")
"""


def test_a_sweep_is_sized_by_a_stored_pair(pytester):
    """A program that follows its seed needs fewer replicates than independent arms; the plan says from what."""
    pytester.makepyfile(FAITHFUL)
    sweep(pytester, "--poisson-name=one")
    sweep(pytester, "--poisson-pair-with=one", "--poisson-name=two", "--poisson-variant=version=new")
    result = sweep(pytester, "--poisson-plan-from=one,two", "--poisson-name=next")
    result.stdout.fnmatch_lines(
        [
            "replicates *each (computed for 0.2 from one,two), *in all",
            "* at correlation +0.*: a change of 0.??? at base rate *",
        ]
    )
    assert not next(line for line in result.outlines if "at correlation" in line).endswith(
        ","
    )  # above what is accepted
    with open_run(pytester, "next") as run:
        planned = {condition.planned for condition in run.conditions}
        assert run.run.settings["replicates_from"].startswith("computed for 0.2 from one,two")
    assert len(planned) == 1
    assert 10 < planned.pop() < 80


def test_a_pair_that_is_none_is_a_usage_error(pytester):
    """Runs on different seeds are refused before anything runs."""
    pytester.makepyfile(FAITHFUL)
    sweep(pytester, "--poisson-name=one")
    sweep(pytester, "--poisson-name=two")
    result = sweep(pytester, "--poisson-plan-from=one,two")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*Runs 'one' and 'two' are no pair: they drew from different salts*"])


def test_it_computes_what_the_number_would_give(pytester):
    """Beside a number of replicates it is a contradiction; a single run is no pair."""
    pytester.makepyfile(FAITHFUL)
    both = sweep(pytester, "--poisson-plan-from=a,b", "--poisson-replicates=5")
    one = sweep(pytester, "--poisson-plan-from=a")
    assert (both.ret, one.ret) == (4, 4)
    both.stderr.fnmatch_lines(
        ["*--poisson-plan-from computes the replicates that --poisson-replicates gives*"]
    )
    one.stderr.fnmatch_lines(["*--poisson-plan-from=a must name two runs, joined by a comma*"])


def test_a_change_too_small_to_plan_for_neither_hangs_nor_breaks(pytester):
    """Replicates for it cannot be computed, which is a usage error; given some, the comparison ends without a number."""
    pytester.makepyfile("import pytest\n@pytest.mark.rollout\ndef test_it(rollout): pass\n")
    refused = sweep(pytester, "--poisson-max-mde=0.0001")
    assert refused.ret == 4
    refused.stderr.fnmatch_lines(
        ["ERROR: --poisson-max-mde=0.0001 takes more than 500,000 replicates of every*"]
    )
    given = ("--poisson-max-mde=0.0001", "--poisson-replicates=3")
    assert sweep(pytester, *given).ret == 0
    compared = sweep(pytester, *given, "--poisson-pair-with=latest", "-v")
    compared.stdout.fnmatch_lines(["*No number of replicates that can be planned brings every limit to*"])
