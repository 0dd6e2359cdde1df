"""Retries: for listed exceptions only, on the same seed, every attempt kept."""

import pytest

from pytest_poisson.retries import RetryPolicy
from tests.plugin.support import endings, episodes, open_run, sweep

FLAKY = """
import pytest

tries = {}

@pytest.fixture
def fresh():
    return []

@pytest.mark.rollout(outcomes=["ok", "bad"], failures=["bad"], replicates=4, retries=2, retry_on=[ConnectionError])
def test_it(rollout, fresh):
    tries[rollout.replicate] = tries.get(rollout.replicate, 0) + 1
    assert fresh == []
    fresh.append(1)
    if rollout.replicate == 1 and tries[1] < 3:
        raise ConnectionResetError(f"try {tries[1]} seed {rollout.seed}")
    if rollout.replicate == 2:
        raise ConnectionError("always")
    if rollout.replicate == 3:
        raise ValueError("a defect")
    rollout.end("bad", meta={"tries": tries[rollout.replicate], "draw": rollout.random.random()})
"""


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch):
    monkeypatch.setattr("pytest_poisson.retries.FIRST_PAUSE_S", 0.0)


def test_a_listed_exception_is_tried_again_on_the_same_seed(pytester):
    """The attempts before the last are kept with their errors; the outcome is the last one's; outcomes are final."""
    pytester.makepyfile(FLAKY)
    sweep(pytester)
    assert endings(pytester) == ["bad", "bad", "errored", "errored"]
    first, second, third, fourth = episodes(pytester)
    assert first.meta["tries"] == 1
    assert second.meta["tries"] == 3
    assert [each.number for each in second.attempts] == [1, 2]
    assert all(f"seed {second.seed}" in each.error for each in second.attempts)
    assert len(third.attempts) == 2
    assert fourth.attempts == first.attempts == ()


def test_the_option_sets_the_number_for_what_the_mark_lists(pytester):
    """`--poisson-retries` overrides the mark's number, 0 included, and changes nothing for unlisted exceptions."""
    pytester.makepyfile(FLAKY)
    sweep(pytester, "--poisson-retries=0")
    assert endings(pytester) == ["bad", "errored", "errored", "errored"]
    assert all(each.attempts == () for each in episodes(pytester))


def test_replicates_in_flight_are_retried_too(pytester):
    """An asynchronous rollout is tried again beside the others in flight."""
    pytester.makepyfile("""
        import asyncio
        import pytest

        tries = {}

        @pytest.mark.rollout(replicates=9, retries=1, retry_on=[ConnectionError])
        async def test_it(rollout):
            tries[rollout.replicate] = tries.get(rollout.replicate, 0) + 1
            await asyncio.sleep(0.001)
            if rollout.replicate % 3 == 0 and tries[rollout.replicate] == 1:
                raise ConnectionError("once")
    """)
    pytester.makeconftest("""
        import asyncio

        def pytest_pyfunc_call(pyfuncitem):
            arguments = {name: pyfuncitem.funcargs[name] for name in ["rollout"]}
            asyncio.run(pyfuncitem.obj(**arguments))
            return True
    """)
    for concurrency in (1, 4):
        sweep(pytester, f"--poisson-concurrency={concurrency}")
        assert endings(pytester) == ["passed"] * 9
        assert [len(each.attempts) for each in episodes(pytester)] == [1, 0, 0] * 3


@pytest.mark.neighbours
def test_a_pause_is_none_of_a_replicates_time(pytester):
    """A replicate that waits to be tried again is not ended as timed_out, alone or in flight beside others."""
    pytester.makepyfile("""
        import pytest

        tries = {}

        def fail_twice(key):
            tries[key] = tries.get(key, 0) + 1
            if tries[key] < 3:
                raise ConnectionError("down")

        @pytest.mark.rollout(replicates=1, retries=2, retry_on=[ConnectionError])
        def test_alone(rollout):
            fail_twice("alone")

        @pytest.mark.rollout(replicates=1, retries=2, retry_on=[ConnectionError])
        @pytest.mark.asyncio
        async def test_in_flight(rollout):
            fail_twice("in flight")
    """)
    sweep(
        pytester,
        "-W",
        "ignore",
        "--poisson-timeout=0.9",
        "--poisson-concurrency=4",
        workers=1,
        subprocess=True,
    )
    assert [each.outcome for each in episodes(pytester)] == ["passed", "passed"]


def test_pauses_double_up_to_a_bound(monkeypatch):
    """Half a second, then twice as long each time, at most 30 s."""
    monkeypatch.undo()
    assert [RetryPolicy.pause_s(made) for made in (1, 2, 3, 7, 5000)] == [0.5, 1, 2, 30, 30]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("retries=2", "*retries=2 *needs retry_on=*"),
        (
            "retries=2, retry_on=[AssertionError]",
            "*AssertionError, an outcome; retrying outcomes would bias the rate*",
        ),
        ("retries=2, retry_on=[Exception]", "*Exception, which covers AssertionError*"),
        (
            "retries=2, retry_on=[TimeoutError], raises={OSError: 'failed'}",
            "*TimeoutError, which covers OSError*",
        ),
        ("retry_on=['x']", "*must list exception classes*"),
    ],
)
def test_retrying_outcomes_is_refused(pytester, arguments, sentence):
    """What is an outcome cannot be listed: a retried outcome would bias the rate."""
    pytester.makepyfile(f"import pytest\n@pytest.mark.rollout({arguments})\ndef test_it(): pass\n")
    result = sweep(pytester)
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])


def test_reruns_of_pytest_rerunfailures_multiply_nothing(pytester):
    """The stored settings name the retries; an item is reported once whatever happened in its replicates."""
    pytester.makepyfile(FLAKY)
    sweep(pytester).assert_outcomes(passed=1)
    with open_run(pytester) as run:
        assert run.run.rollouts[0].settings["retries"] == 2
        assert run.run.rollouts[0].settings["retry_on"] == ["ConnectionError"]
