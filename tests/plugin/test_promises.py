"""Promises on the mark: a missed one fails its condition's item, with no baseline at all."""

import json

import pytest

from tests.plugin.support import sweep

PROMISING = """
import pytest

@pytest.fixture(params=["steady", "shaky"])
def server(request):
    return request.param

@pytest.mark.rollout(
    id="serve", outcomes=["ok", "late"], failures=["late"], successes=["ok"], replicates=120,
    at_most={"late": 0.1}, at_least={"ok": 0.2},
)
def test_serve(server, rollout):
    share = 0.0 if server == "steady" else float(rollout.variant.get("share", 0.4))
    rollout.end("late" if rollout.random.random() < share else "ok")
"""


def test_a_missed_promise_fails_its_own_item(pytester):
    """Without a baseline the condition that misses its promise fails, with counts, bound, p and the command to replay."""
    pytester.makepyfile(PROMISING)
    result = sweep(pytester, "-rf")
    result.assert_outcomes(passed=1, failed=1)
    assert result.ret == 1
    result.stdout.fnmatch_lines(
        [
            "*missed: late at most 0.1 was promised, */120 = * came",
            "*one-sided * bound: a rate of at least *; adjusted p * (Holm), 4*",
            "*pytest --poisson-replicate=* --poisson-run=* *test_serve?shaky]*",
            "Promises: 1 missed, 3 met (one-sided exact bounds, Holm over all of them at*",
            "FAILED *test_serve?shaky? - *",
        ]
    )


def test_promises_that_are_kept_pass(pytester):
    """Where every promise is met the session passes, and says that they are."""
    pytester.makepyfile(PROMISING)
    result = sweep(pytester, "--poisson-variant=share=0")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["Promises: 4 met (*"])


@pytest.mark.parametrize(("fail_on", "status"), [("worse", 0), ("too-small", 9), ("never", 0)])
def test_a_promise_that_is_too_small_to_tell_fails_where_asked(pytester, fail_on, status):
    """Five replicates settle nothing: 9 where `too-small` is named, with what would settle it."""
    pytester.makepyfile(PROMISING)
    result = sweep(
        pytester, "--poisson-variant=share=0", "--poisson-replicates=5", f"--poisson-fail-on={fail_on}"
    )
    result.assert_outcomes(passed=2)
    assert result.ret == status
    result.stdout.fnmatch_lines(["*late at most 0.1*0/5*too small*"])


def test_never_fails_no_promise(pytester):
    """`never` reports a missed promise and fails nothing."""
    pytester.makepyfile(PROMISING)
    result = sweep(pytester, "--poisson-fail-on=never")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["Promises: 1 missed*"])


def test_json_has_the_promises_with_and_without_a_baseline(pytester):
    """The document of a lone sweep is that of `show`, of a compared one that of `check`; both hold the promises."""
    pytester.makepyfile(PROMISING)
    sweep(pytester, "--poisson-json=alone.json")
    sweep(pytester, "--poisson-pair-with=latest", "--poisson-json=compared.json")
    alone, compared = (
        json.loads(pytester.path.joinpath(f"{name}.json").read_text()) for name in ("alone", "compared")
    )
    words = [each["word"] for each in alone["promises"]["promises"]]
    assert sorted(words) == ["met", "met", "met", "missed"]
    assert compared["missed_promises"] == [words.index("missed")]
    assert compared["reasons"] == ["missed"]
    assert [each["k"] for each in alone["pass_rates"]] == [[1, 2, 4, 8, 16, 32, 64]]


def test_a_promise_of_an_unknown_outcome_is_refused(pytester):
    """A bound on a word that is not declared is a usage error that names it."""
    pytester.makepyfile(PROMISING.replace('at_most={"late"', 'at_most={"lost"'))
    result = sweep(pytester)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*holds 'lost', which is not among the outcomes ok, late*"])
