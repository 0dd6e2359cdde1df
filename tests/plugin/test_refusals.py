"""What cannot be a rollout is refused at collection, by name."""

import pytest

from tests.plugin.support import COIN, open_run, sweep

CASES = {
    "testcase": (
        "import pytest, unittest\n@pytest.mark.rollout\nclass TestX(unittest.TestCase):\n    def test_it(self): pass\n",
        "*::TestX::test_it is a method of a unittest.TestCase*",
    ),
    "xfail": (
        "import pytest\n@pytest.mark.xfail\n@pytest.mark.rollout\ndef test_it(): pass\n",
        "*::test_it is marked xfail, which has no meaning for a rollout*",
    ),
    "soft failures": (
        "import pytest\ndef check(): return 1\ncheck.__module__ = 'pytest_check.plugin'\ncheck = pytest.fixture(check)\n"
        "@pytest.mark.rollout\ndef test_it(check): pass\n",
        "*::test_it takes the fixture 'check', which catches what fails, so that every replicate would pass; *",
    ),
    "positional": (
        "import pytest\n@pytest.mark.rollout(5)\ndef test_it(): pass\n",
        "*test_it takes keyword arguments only, not 5.*",
    ),
    "shadowed": (
        "import pytest\n@pytest.fixture\ndef rollout(): return 1\n@pytest.mark.rollout\ndef test_it(rollout): pass\n",
        "*takes the fixture 'rollout' that test_* defines, which hides the one of pytest-poisson; rename it.",
    ),
    "coroutine": (
        "import pytest\n@pytest.mark.rollout\nasync def test_it(): pass\n",
        "*test_it is a coroutine that nothing would await; install pytest-asyncio or anyio and mark it.",
    ),
    "given": (
        "import pytest\nfrom hypothesis import given, strategies as st\n@pytest.mark.rollout\n"
        "@given(x=st.integers())\ndef test_it(x): pass\n",
        "*test_it is a @given test, whose examples are no replicates; draw from rollout.rng instead.",
    ),
    "object": (
        "import pytest\n@pytest.mark.rollout\n@pytest.mark.parametrize('x', [object()])\ndef test_it(x): pass\n",
        "*test_it?x0?: Axis 'x' has the value <object object at *, a object; give JSON values*",
    ),
    "twins": (
        "import pytest\n@pytest.mark.rollout\n@pytest.mark.parametrize('x', [(1, 2), [1, 2]])\ndef test_it(x): pass\n",
        "*test_it?x1? and *test_it?x0? are the same condition*",
    ),
    "one id": (
        "import pytest\n@pytest.mark.rollout(id='r', replicates=2)\ndef test_a(): pass\n"
        "@pytest.mark.rollout(id='r', replicates=3)\n@pytest.mark.parametrize('x', [1])\ndef test_b(x): pass\n",
        "*test_b?1? and *test_a name their rollout 'r' but declare different things*",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_what_cannot_be_a_rollout_is_refused(pytester, case):
    """Each refusal is one sentence that names the test, with pytest's status for a usage error."""
    source, sentence = CASES[case]
    pytester.makepyfile(source)
    result = pytester.runpytest_inprocess("-p", "no:asyncio", "-p", "no:anyio", "--poisson-sweep")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])


@pytest.mark.parametrize(
    "ids", ["ids=['one', 'two']", "ids=(word for word in ('one', 'two'))", "ids=lambda thing: next(WORDS)"]
)
def test_ids_of_generated_tests_are_as_good_as_those_of_a_mark(pytester, ids):
    """What `pytest_generate_tests` gives an id is an axis; what it gives none is refused."""
    suite = """
        import pytest

        WORDS = iter(["one", "two"])

        def pytest_generate_tests(metafunc):
            metafunc.parametrize("thing", [object(), object()]{})

        @pytest.mark.rollout(replicates=1)
        def test_it(thing): pass
    """
    pytester.makepyfile(suite.format(f", {ids}"))
    assert sweep(pytester).ret == 0
    with open_run(pytester) as run:
        assert [each.axes for each in run.conditions] == [{"thing": {"id": "one"}}, {"thing": {"id": "two"}}]
    pytester.makepyfile(suite.format(""))
    assert sweep(pytester).ret == 4


def test_ids_of_a_generator_are_kept(pytester):
    """A mark's ids may come from a generator, which is run out when the axes are read."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.parametrize("thing", [object(), object()], ids=(word for word in ("one", "two")))
        @pytest.mark.rollout(replicates=1)
        def test_it(thing): pass
    """)
    assert sweep(pytester).ret == 0
    with open_run(pytester) as run:
        assert [each.axes for each in run.conditions] == [{"thing": {"id": "one"}}, {"thing": {"id": "two"}}]


def test_objects_with_an_id_are_axes(pytester):
    """An object is an axis value where `id=` or `ids=` names it, on a mark or on a fixture; the key has the name."""
    pytester.makepyfile("""
        import pytest

        class Thing: ...

        @pytest.fixture(params=[Thing(), Thing()], ids=["one", "two"])
        def listed(request): return request.param

        @pytest.fixture(params=[pytest.param(Thing(), id="three")])
        def named(request): return request.param

        @pytest.mark.parametrize("x, y", [pytest.param(Thing(), 1, id="four")])
        @pytest.mark.parametrize("z", [Thing()], ids=lambda thing: "five")
        @pytest.mark.rollout(replicates=1)
        def test_it(listed, named, x, y, z): pass
    """)
    assert sweep(pytester).ret == 0
    with open_run(pytester) as run:
        axes = [each.axes for each in run.conditions]
    common = {"named": {"id": "three"}, "x": {"id": "four"}, "y": 1, "z": {"id": "five"}}
    assert axes == [{**common, "listed": {"id": "one"}}, {**common, "listed": {"id": "two"}}]


def test_a_dry_run_refuses_a_name_that_is_taken(pytester):
    """What the sweep itself would be refused for is said of its plan too."""
    pytester.makepyfile(COIN)
    sweep(pytester, "--poisson-name=one")
    result = sweep(pytester, "--poisson-name=one", "--poisson-dry-run")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: The name 'one' is taken by run *; choose another."])
    assert sweep(pytester, "--poisson-name=two", "--poisson-dry-run").ret == 0
