"""Installed and unused, the plugin costs nothing and leaves nothing."""

import sys

import pytest

HEAVY = ("numpy", "scipy", "modal", "sqlite3", "poisson_stats", "poisson_store")


@pytest.mark.parametrize("arguments", [["test_plain.py"], ["--version"], ["--help"], ["--collect-only"]])
def test_nothing_heavy_is_imported(pytester, arguments):
    """Without a rollout, or without a sweep option, no heavy module is imported and nothing is written."""
    pytester.makepyfile(test_plain="def test_plain(): pass")
    pytester.makepyfile(test_rollout="import pytest\n@pytest.mark.rollout\ndef test_it(): pass")
    code = (
        "import sys, pytest; status = pytest.main(sys.argv[1:]); "
        f"print('HEAVY', [name for name in {HEAVY!r} if name in sys.modules])"
    )
    plugins = ["-p", "no:hypothesispytest"] if "--version" not in arguments else []
    result = pytester.run(sys.executable, "-c", code, "-p", "no:cacheprovider", *plugins, *arguments)
    result.stdout.fnmatch_lines(["HEAVY []"])
    allowed = {"test_plain.py", "test_rollout.py", "__pycache__", "stdout", "stderr"}
    assert {each.name for each in pytester.path.iterdir()} <= allowed


def test_without_the_plugin_nothing_of_it_is_left(pytester):
    """`-p no:poisson` removes options, fixture and hooks."""
    pytester.makepyfile("def test_it(rollout): pass")
    result = pytester.runpytest_subprocess("-p", "no:poisson")
    result.stdout.fnmatch_lines(["*fixture 'rollout' not found"])
    assert "poisson" not in pytester.runpytest_subprocess("-p", "no:poisson", "--help").stdout.str().lower()


def test_the_plugin_loads_by_name_where_autoload_is_off(pytester, monkeypatch):
    """With PYTEST_DISABLE_PLUGIN_AUTOLOAD=1, `-p pytest_poisson.plugin` works, also in the workers."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile("import pytest\n@pytest.mark.rollout(replicates=3)\ndef test_it(): pass")
    result = pytester.runpytest_subprocess(
        "-p", "pytest_poisson.plugin", "--poisson-sweep", "--poisson-workers=1"
    )
    result.assert_outcomes(passed=1)


def test_the_fixture_without_the_mark_says_what_is_missing(pytester):
    """A test that takes `rollout` without the mark fails with a sentence."""
    pytester.makepyfile("def test_it(rollout): pass")
    result = pytester.runpytest_inprocess()
    result.stdout.fnmatch_lines(["*takes the fixture 'rollout' without the mark @pytest.mark.rollout*"])


def test_strict_sessions_with_warnings_as_errors_are_clean(pytester):
    """Strict markers, strict configuration and -W error find nothing to say, in session and workers."""
    pytester.makepyfile(
        "import pytest\n@pytest.mark.rollout(replicates=3)\ndef test_it(rollout): rollout.end('passed')"
    )
    options = ["--strict-markers", "--strict-config", "-W", "error", "-p", "no:asyncio"]
    result = pytester.runpytest_subprocess(*options, "--poisson-sweep", "--poisson-workers=1")
    result.assert_outcomes(passed=1)
    assert "warnings summary" not in result.stdout.str()
