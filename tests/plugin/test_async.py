"""Asynchronous rollouts: run by pytest-asyncio or anyio, one at a time or many in flight."""

import pytest

from tests.plugin.support import assert_accounted, endings, episodes, open_run, sweep

pytestmark = pytest.mark.neighbours

QUIET = ("-p", "no:randomly", "-p", "no:rerunfailures", "-p", "no:repeat", "-p", "no:timeout", "-W", "ignore")

SUITES = {
    "strict": "@pytest.mark.asyncio",
    "auto": "",
    "anyio": "@pytest.mark.anyio",
}

BODY = """
import asyncio, random
import pytest

@pytest.fixture
def anyio_backend():
    return "asyncio"

@pytest.fixture
def own(rollout):
    value = [rollout.replicate]
    yield value
    value.append("closed")

{mark}
@pytest.mark.rollout(replicates=30)
async def test_it(rollout, own, tmp_path):
    before = random.random()
    await asyncio.sleep(rollout.random.random() / 100)
    after = random.random()
    assert own == [rollout.replicate]
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").write_text("x")
    rollout.end("passed", meta={{"drawn": [before, after, rollout.rng.random()]}})
"""


def run(pytester, mode, *options, name, **how):
    mode_option = ["-o", "asyncio_mode=auto"] if mode == "auto" else ["-o", "asyncio_mode=strict"]
    return sweep(pytester, *QUIET, *mode_option, *options, f"--poisson-name={name}", **how)


@pytest.mark.parametrize("mode", SUITES)
def test_many_in_flight_end_as_one_at_a_time(pytester, mode):
    """With any concurrency a replicate has its own fixtures, seeds and draws, and ends the same."""
    pytester.makepyfile(BODY.format(mark=SUITES[mode]))
    run(pytester, mode, "--poisson-salt=s", name="one")
    run(pytester, mode, "--poisson-salt=s", "--poisson-concurrency=10", name="many")
    one, many = (
        [(e.replicate, e.seed, e.outcome, e.error, e.meta) for e in episodes(pytester, n)]
        for n in ("one", "many")
    )
    assert one == many
    assert endings(pytester, "one") == ["passed"] * 30


def test_asynchronous_fixtures_share_the_loop(pytester):
    """pytest-asyncio's fixtures, function- and session-scoped, are on the loop on which the replicates run."""
    pytester.makepyfile("""
        import asyncio
        import pytest, pytest_asyncio

        @pytest_asyncio.fixture(scope="session", loop_scope="session")
        async def client():
            lock = asyncio.Lock()
            await lock.acquire()
            lock.release()
            yield lock

        @pytest_asyncio.fixture(loop_scope="session")
        async def own(client):
            await asyncio.sleep(0)
            yield asyncio.Event()
            await asyncio.sleep(0)

        @pytest.mark.asyncio(loop_scope="session")
        @pytest.mark.rollout(replicates=20)
        async def test_it(rollout, client, own):
            async with client:
                await asyncio.sleep(0.001)
            asyncio.get_running_loop().call_later(0.005, own.set)
            await own.wait()
    """)
    for concurrency in (1, 5):
        run(pytester, "strict", f"--poisson-concurrency={concurrency}", name=f"c{concurrency}")
        assert [(e.outcome, e.error) for e in episodes(pytester, f"c{concurrency}")] == [
            ("passed", None)
        ] * 20


def test_an_asynchronous_fixture_draws_the_same_whatever_is_in_flight(pytester):
    """What a fixture draws from the global generators between awaits is its replicate's, and so is what follows."""
    pytester.makepyfile("""
        import asyncio
        import random
        import pytest
        import pytest_asyncio

        @pytest_asyncio.fixture
        async def drawn(rollout):
            first = random.random()
            await asyncio.sleep(0.001)
            return first, random.random()

        @pytest.mark.asyncio
        @pytest.mark.rollout(replicates=20)
        async def test_it(rollout, drawn):
            await asyncio.sleep(rollout.random.random() / 100)
            rollout.end("passed", meta={"drawn": [*drawn, random.random()]})
    """)
    run(pytester, "strict", "--poisson-salt=s", name="one")
    run(pytester, "strict", "--poisson-salt=s", "--poisson-concurrency=10", name="many")
    one, many = ([each.meta for each in episodes(pytester, name)] for name in ("one", "many"))
    assert one == many


def test_many_are_in_flight(pytester):
    """With a concurrency of 100, a hundred replicates wait at the same time, and never more."""
    pytester.makepyfile("""
        import asyncio
        import pytest

        flying = 0

        @pytest.mark.asyncio
        @pytest.mark.rollout(replicates=400)
        async def test_it(rollout):
            global flying
            flying += 1
            rollout.end("passed", meta={"flying": flying})
            await asyncio.sleep(0.2)
            flying -= 1
    """)
    run(pytester, "strict", "--poisson-concurrency=100", name="many")
    assert_accounted(pytester, "many", planned=400)
    assert max(each.meta["flying"] for each in episodes(pytester, "many")) == 100


def test_faults_in_flight_cost_one_replicate_each(pytester):
    """In flight together a hang is cancelled, a block and a death are found out and cost their replicate alone."""
    pytester.makepyfile("""
        import asyncio, os, time
        import pytest

        @pytest.mark.asyncio
        @pytest.mark.rollout(replicates=30)
        async def test_it(rollout):
            await asyncio.sleep(0.001)
            if rollout.replicate == 3:
                await asyncio.sleep(600)
            if rollout.replicate == 9:
                os._exit(1)
            if rollout.replicate == 15:
                raise OSError("no")
            if rollout.replicate == 20:
                time.sleep(600)
    """)
    run(
        pytester,
        "strict",
        "--poisson-concurrency=10",
        "--poisson-timeout=1",
        name="r",
        workers=1,
        subprocess=True,
    )
    expected = ["passed"] * 30
    expected[3] = expected[20] = "timed_out"
    expected[9], expected[15] = "crashed", "errored"
    assert endings(pytester, "r") == expected
    assert_accounted(pytester, "r", planned=30)


def test_a_coroutine_under_trio_runs_one_at_a_time(pytester):
    """Where the loop cannot be shared, concurrency is passed over and the outcomes are the same."""
    pytest.importorskip("trio")
    pytester.makepyfile(
        BODY.format(mark="@pytest.mark.anyio")
        .replace('return "asyncio"', 'return "trio"')
        .replace("asyncio.sleep", "anyio.sleep")
        .replace("import asyncio", "import anyio")
    )
    run(pytester, "strict", "--poisson-concurrency=10", name="r")
    assert endings(pytester, "r") == ["passed"] * 30


def test_wide_loops_stay_open_between_batches(pytester):
    """Two conditions that alternate keep a session-scoped client on its loop."""
    pytester.makepyfile("""
        import asyncio
        import pytest, pytest_asyncio

        @pytest_asyncio.fixture(scope="session", loop_scope="session")
        async def loop_of_client():
            return asyncio.get_running_loop()

        @pytest.mark.parametrize("task", [1, 2])
        @pytest.mark.asyncio(loop_scope="session")
        @pytest.mark.rollout(replicates=40)
        async def test_it(loop_of_client, task):
            assert asyncio.get_running_loop() is loop_of_client
    """)
    run(pytester, "strict", "--poisson-concurrency=4", name="r")
    assert set(endings(pytester, "r")) == {"passed"}
    with open_run(pytester, "r") as stored:
        assert len(stored.conditions) == 2
