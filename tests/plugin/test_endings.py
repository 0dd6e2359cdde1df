"""How a replicate ends: what is an outcome, what is a cause of having none, and what is kept of it."""

import sys

import pytest

from tests.plugin.support import assert_accounted, endings, episodes, sweep

HEAD = "import pytest, datetime, decimal, enum\nimport numpy as np\n"


def run_body(pytester, body, mark="replicates=1", signature="rollout"):
    """Sweep one rollout with this body and return its first episode."""
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    pytester.makepyfile(f"{HEAD}\n@pytest.mark.rollout({mark})\ndef test_it({signature}):\n{lines}\n")
    sweep(pytester)
    return episodes(pytester)[0]


@pytest.mark.parametrize(
    ("body", "ending"),
    [
        ("pass", "passed"),
        ("assert 0, 'no'", "failed"),
        ("pytest.fail('no')", "failed"),
        ("raise ValueError('no')", "errored"),
        ("raise SystemExit(3)", "errored"),
        ("pytest.skip('no')", "skipped"),
        ("pytest.xfail('no')", "errored"),
        ("rollout.end('passed'); raise ValueError('no')", "errored"),
        ("rollout.end('passed'); assert 0, 'no'", "errored"),
    ],
)
def test_what_a_test_does_decides_its_ending(pytester, body, ending):
    """Returning passes, an assertion or pytest.fail fails, anything else raised leaves no outcome."""
    episode = run_body(pytester, body)
    assert (episode.outcome or episode.cause) == ending
    assert (episode.error is None) == (ending == "passed")


def test_raises_maps_an_exception_to_an_outcome(pytester):
    """`raises` turns an exception, or one derived from it, into a declared outcome and keeps its text."""
    mark = "replicates=1, outcomes=['slow', 'ok'], failures=['slow'], raises={OSError: 'slow'}"
    episode = run_body(pytester, "raise TimeoutError('after 3 s')", mark)
    assert episode.outcome == "slow"
    assert episode.error.startswith("TimeoutError: after 3 s (test_raises_maps")


def test_what_a_group_of_exceptions_holds_is_kept(pytester):
    """The error of a task group says what its tasks raised, however deep, and where."""
    inner = "ExceptionGroup('inner', [OSError('no key')])"
    body = f"raise ExceptionGroup('outer', [ValueError('no city'), {inner}])"
    if sys.version_info < (3, 11):
        body = f"from exceptiongroup import ExceptionGroup\n{body}"
    error = run_body(pytester, body).error
    assert "outer (2 sub-exceptions): ValueError: no city; " in error
    assert "inner (1 sub-exception): OSError: no key (test_what_a_group" in error


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        ("rollout.end('won')", "outcome 'won' is not declared; the rollout declares passed, failed."),
        (
            "rollout.end('passed'); rollout.end('failed')",
            "rollout.end('failed') came after rollout.end('passed').",
        ),
        ("rollout.end('passed', t=float('nan'))", "t=nan must be a finite number from 0."),
        ("rollout.end('passed', t=-1)", "t=-1 must be a finite number from 0."),
        ("rollout.end('passed', t=True)", "t=True must be a finite number from 0."),
        (
            "rollout.end('passed', t=2**63)",
            "t is larger than 2**63 - 1, the largest whole number that is stored.",
        ),
        ("rollout.end('passed', horizon=10**5000)", "horizon is larger than 2**63 - 1"),
        ("rollout.end('passed', t=3, horizon=2)", "t=3 exceeds horizon=2."),
        ("rollout.horizon = 2; rollout.t = 3", "t=3 exceeds horizon=2."),
        ("rollout.t = 'long'", "t='long' must be a finite number from 0."),
        ("rollout.end('passed', meta={'a': float('inf')})", "meta['a'] is inf, which JSON cannot hold."),
        (
            "rollout.end('passed', meta={'a': [1, b'x']})",
            "meta['a'][1] is of type bytes, which JSON cannot hold.",
        ),
        ("rollout.end('passed', meta={'a': {1, 2}})", "meta['a'] is of type set, which JSON cannot hold."),
        (
            "rollout.end('passed', meta={'a': datetime.date(2020, 1, 1)})",
            "meta['a'] is of type date, which JSON",
        ),
        ("rollout.end('passed', meta={'a': decimal.Decimal(1)})", "meta['a'] is of type Decimal, which JSON"),
        ("rollout.end('passed', meta={'a': ValueError()})", "meta['a'] is of type ValueError, which JSON"),
        ("rollout.end('passed', meta={1: 2})", "meta has the key 1, which is not text."),
        ("x = {}; x['x'] = x; rollout.end('passed', meta=x)", "meta nests too deeply."),
        ("rollout.end('passed', meta=[1])", "meta=[1] must be a mapping."),
        (
            "rollout.end('passed', meta=type('Lazy', (dict,), {'items': lambda self: 1 / 0})())",
            "meta cannot be read: ZeroDivisionError: division by zero.",
        ),
    ],
)
@pytest.mark.parametrize("swallowed", [False, True])
def test_misuse_is_an_error_of_that_replicate_alone(pytester, call, sentence, swallowed):
    """A value that cannot be stored, or a second end, is errored with a clear sentence, even if it is swallowed."""
    body = f"try:\n    {call}\nexcept Exception:\n    pass" if swallowed else call
    episode = run_body(
        pytester,
        "if rollout.replicate == 0:\n" + "\n".join(f"    {x}" for x in body.splitlines()),
        "replicates=2",
    )
    assert episode.cause == "errored"
    assert sentence in episode.error
    assert endings(pytester)[1] == "passed"


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("rollout.t, rollout.horizon = 3, 9; rollout.end('passed')", (3, 9)),
        ("rollout.t, rollout.horizon = 3, 9; rollout.end('passed', t=np.int64(4))", (4, 9)),
        ("rollout.t = 3; rollout.end('passed', t=12, horizon=20)", (12, 20)),
        ("rollout.t = 3; rollout.t += 1; assert 0", (4, None)),
    ],
)
def test_a_duration_may_be_set_before_the_end(pytester, body, kept):
    """What was set as `rollout.t` and `rollout.horizon` is stored, unless `end` says otherwise."""
    episode = run_body(pytester, body)
    assert (episode.t, episode.horizon) == kept


def test_numpy_numbers_are_stored_as_the_numbers_they_are(pytester):
    """A NumPy scalar in t, horizon or meta is kept as a plain number."""
    episode = run_body(
        pytester,
        "rollout.end('passed', t=np.int64(3), horizon=np.float64(4.5), meta={'a': np.float32(0.5), 'b': np.bool_(True)})",
    )
    assert (episode.t, episode.horizon, episode.meta) == (3, 4.5, {"a": 0.5, "b": True})


def test_odd_text_survives(pytester):
    """Lone surrogates, NUL, emoji and very long texts in errors and meta neither lose a row nor its neighbours."""
    body = "text = 'a\\udcff\\x00\\U0001f600' + 'x' * 100000\nrollout.end('passed', meta={'text': text})\n"
    body += "if rollout.replicate: raise ValueError(text)"
    pytester_mark = "replicates=2"
    episode = run_body(pytester, body, pytester_mark)
    assert episode.outcome == "passed"
    assert len(episode.meta["text"]) == 100004
    assert endings(pytester)[1] == "errored"


def test_fixtures_that_raise_leave_no_outcome(pytester):
    """Set-up that raises is errored, a skip in a function-scoped fixture skips one replicate, a wide one all."""
    pytester.makepyfile("""
        import pytest

        @pytest.fixture
        def picky(rollout):
            if rollout.replicate == 1:
                pytest.skip("not today")
            if rollout.replicate == 2:
                assert False, "broken"

        @pytest.mark.rollout(replicates=4)
        def test_picky(picky): pass

        @pytest.fixture(scope="module")
        def wide():
            pytest.skip("no server")

        @pytest.mark.rollout(replicates=3)
        def test_wide(wide): pass

        @pytest.mark.skipif(True, reason="not here")
        @pytest.mark.rollout(replicates=2)
        def test_marked(): pass

        @pytest.fixture(scope="module")
        def broken():
            raise OSError("no port")

        @pytest.mark.rollout(replicates=2)
        def test_broken(broken): pass
    """)
    result = sweep(pytester, "-rs")
    assert endings(pytester) == [
        *["passed", "skipped", "errored", "passed"],
        *["skipped"] * 3,
        *["skipped"] * 2,
        *["errored"] * 2,
    ]
    result.assert_outcomes(passed=1, skipped=2, failed=1)
    result.stdout.fnmatch_lines(["*no server*", "*not here*"])
    assert_accounted(pytester, planned=11)


@pytest.mark.parametrize("ends_at", [3975, 3985, 4010])
def test_a_long_error_holds_no_half_of_a_secret(pytester, ends_at):
    """What a pattern would redact as a whole is gone where the text is cut within it."""
    pytester.makepyfile(f"""
        import pytest

        @pytest.mark.rollout(replicates=1)
        def test_it():
            raise OSError("x " * (({ends_at} - 40) // 2) + "sk-" + "a" * 40 + " end" + " y" * 100)
    """)
    sweep(pytester, "-o", "poisson_redact=sk-a{40}")
    (episode,) = episodes(pytester)
    assert "sk-a" not in episode.error
    assert len(episode.error) <= 4000
    assert episode.error.endswith(".py:5)")


def test_a_long_error_without_a_space_is_cut_all_the_same(pytester):
    """However it is written, no more is kept than may be."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.rollout(replicates=1)
        def test_it():
            raise OSError("x" * 10_000)
    """)
    sweep(pytester)
    (episode,) = episodes(pytester)
    assert len(episode.error) == 4000


@pytest.mark.parametrize("error", ["SystemExit", "GeneratorExit", "asyncio.CancelledError"])
def test_a_fixture_that_raises_what_is_no_exception_costs_its_replicate_alone(pytester, error):
    """What it had set up before is torn down, and it is set up again for the next replicate."""
    pytester.makepyfile(f"""
        import asyncio
        import pytest

        closed = []

        @pytest.fixture
        def resource(rollout, request):
            request.addfinalizer(lambda: closed.append(rollout.replicate))
            if rollout.replicate == 1:
                raise {error}("gone")

        @pytest.fixture
        def client(resource): pass

        @pytest.mark.rollout(replicates=5)
        def test_it(client, rollout):
            assert closed == list(range(rollout.replicate))
    """)
    sweep(pytester)
    assert endings(pytester) == ["passed", "errored", "passed", "passed", "passed"]
    assert (
        f"in set-up: {error.replace('asyncio.', 'asyncio.exceptions.')}: gone" in episodes(pytester)[1].error
    )


def test_a_tear_down_that_raises_changes_no_outcome(pytester):
    """The replicate keeps its outcome, the error is kept beside it, and the next one runs."""
    pytester.makepyfile("""
        import pytest

        @pytest.fixture
        def leaky(rollout):
            yield
            if rollout.replicate == 1:
                raise OSError("cannot close")

        @pytest.mark.rollout(replicates=3)
        def test_it(leaky): pass
    """)
    sweep(pytester)
    assert endings(pytester) == ["passed"] * 3
    errors = [each.error for each in episodes(pytester)]
    assert errors[0] is errors[2] is None
    assert errors[1].startswith("in tear-down: OSError: cannot close")


def test_wide_tear_down_that_raises_is_a_note(pytester):
    """A wider fixture that raises in tear-down costs no replicate; the report says that it did."""
    pytester.makepyfile("""
        import pytest

        @pytest.fixture(scope="session")
        def server():
            yield
            raise OSError("still busy")

        @pytest.mark.rollout(replicates=3)
        def test_it(server): pass
    """)
    for workers, subprocess in ((0, False), (1, True)):
        result = sweep(pytester, workers=workers, subprocess=subprocess)
        assert result.ret == 0
        result.stdout.fnmatch_lines(["note: a wider fixture raised in tear-down: OSError: still busy"])
        assert endings(pytester) == ["passed"] * 3


@pytest.mark.parametrize(
    "act", ["pytest.fail('still busy')", "pytest.skip('still busy')", "sys.exit('still busy')"]
)
def test_wide_tear_down_may_raise_what_is_no_exception_in_this_process(pytester, act):
    """pytest.fail, pytest.skip and sys.exit in a wider tear-down are notes, too, with no workers; the run ends complete."""
    pytester.makepyfile(f"""
        import sys
        import pytest

        @pytest.fixture(scope="module")
        def server():
            yield
            {act}

        @pytest.mark.rollout(replicates=3)
        def test_it(server): pass
    """)
    result = sweep(pytester)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["note: a wider fixture raised in tear-down: *: still busy"])
    assert endings(pytester) == ["passed"] * 3


def test_a_parameter_that_raises_in_tear_down_costs_no_other_one_a_replicate(pytester):
    """A wider fixture's tear-down for one parameter is no part of the set-up for the next: all keep their outcomes."""
    pytester.makepyfile("""
        import pytest

        @pytest.fixture(params=["a", "b"], scope="module")
        def server(request):
            yield request.param
            raise OSError(f"{request.param} still busy")

        @pytest.fixture(scope="module")
        def client(server):
            yield server
            raise OSError("client still busy")

        @pytest.mark.rollout(replicates=3)
        def test_it(server, client): assert server == client
    """)
    result = sweep(pytester)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["note*: a wider fixture raised in tear-down: *"])
    assert endings(pytester) == ["passed"] * 6


def test_nothing_measured_is_never_a_pass(pytester):
    """A sweep without a single outcome fails its items and the session."""
    pytester.makepyfile(
        "import pytest\n@pytest.mark.rollout(replicates=3)\ndef test_it(): raise OSError('no key')\n"
    )
    result = sweep(pytester)
    result.assert_outcomes(failed=1)
    assert result.ret == 10
    result.stdout.fnmatch_lines(
        [
            "*none of its 3 replicates ended with an outcome; replicate 0 errored: OSError: no key*",
            "The session fails with exit status 10: no replicate ended with an outcome.",
        ]
    )


def test_a_sweep_without_a_rollout_is_no_pass(pytester):
    """Asking for a sweep where there is no rollout does not end with 0."""
    pytester.makepyfile("def test_plain(): pass")
    assert sweep(pytester).ret == 5
