"""Options: where a value comes from, and what a bad one is told."""

import pytest

PLAIN = "import pytest\n@pytest.mark.rollout(replicates=2)\ndef test_it(): pass\n"


@pytest.mark.parametrize(
    ("option", "sentence"),
    [
        ("--poisson-replicates=0", "--poisson-replicates=0 must be a whole number from 1."),
        ("--poisson-replicates=x", "--poisson-replicates=x must be a whole number from 1."),
        (
            "--poisson-replicates=1000000001",
            "--poisson-replicates=1000000001 must be * from 1 to 1,000,000,000.",
        ),
        (
            "--poisson-max-spans=9223372036854775808",
            "--poisson-max-spans=9223372036854775808 must be a whole*",
        ),
        ("--poisson-max-mde=1", "--poisson-max-mde=1 must be a number between 0 and 1."),
        ("--poisson-max-mde=nan", "--poisson-max-mde=nan must be a number between 0 and 1."),
        ("--poisson-q=1e-300", "--poisson-q=1e-300 must be at least 1e-15."),
        ("--poisson-q=-1", "--poisson-q=-1 must be a number between 0 and 1."),
        ("--poisson-workers=many", "--poisson-workers=many must be a whole number from 0, or auto."),
        ("--poisson-modal-cpu=0", "--poisson-modal-cpu=0 must be a number above 0."),
        ("--poisson-timeout=0", "--poisson-timeout=0 must be a number of seconds above 0."),
        ("--poisson-variant=a", "--poisson-variant=a must have the form KEY=VALUE, where KEY is a name."),
        ("--poisson-name=latest", "--poisson-name=latest must not be 'latest' or start with '@'*"),
        (
            "--poisson-fail-on=bad",
            "--poisson-fail-on=bad holds 'bad'; it takes worse, any, too-small, missing*",
        ),
        (
            "--poisson-method=z",
            "--poisson-method=z must be one of mcnemar_bh, fisher_bh, mcnemar_dbh, fisher_dbh, boschloo_bh, sign_ebh, block_ebh.",
        ),
        ("--poisson-replicate=-1", "--poisson-replicate=-1 must be a whole number from 0."),
        (
            "--poisson-json=no/such/x.json",
            "--poisson-json=no/such/x.json lies in a directory that does not exist.",
        ),
        ("--poisson-json=.", "--poisson-json=. is a directory; it takes a file."),
    ],
)
def test_a_bad_value_is_a_usage_error(pytester, option, sentence):
    """A bad value ends with 4 and one sentence that names option, value and rule; nothing is written."""
    pytester.makepyfile(PLAIN)
    result = pytester.runpytest_inprocess("--poisson-sweep", option)
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])
    assert not (pytester.path / ".poisson").exists()


@pytest.mark.parametrize(
    "options",
    [
        ["--poisson-pair-with=a", "--poisson-compare-with=b"],
        ["--poisson-replicate=1", "--poisson-sweep"],
        ["--poisson-sweep", "--poisson-workers=0", "--poisson-timeout=5"],
        ["--poisson-compare-with=a", "--poisson-method=mcnemar_bh"],
        ["--poisson-sweep", "--poisson-min-failures=2"],
        ["--poisson-fail-on=worse"],
        ["--poisson-json=out.json"],
        ["--poisson-report=folder"],
        ["--poisson-sweep", "--poisson-resume-anyway"],
        ["--poisson-sweep", "--poisson-run=a"],
        ["--poisson-sweep", "--poisson-workers=0", "--trace"],
    ],
)
def test_options_that_contradict_each_other_are_refused(pytester, options):
    """A combination without a meaning is a usage error."""
    pytester.makepyfile(PLAIN)
    assert pytester.runpytest_inprocess(*options).ret == 4


def test_what_a_suite_always_wants_of_its_sweeps_does_not_stop_its_other_sessions(pytester):
    """In addopts the report, the document and what to fail on wait for a sweep; typed without one they are refused."""
    wanted = ("--poisson-fail-on=any", "--poisson-json=out.json", "--poisson-report=folder")
    pytester.makeini(f"[pytest]\naddopts = {' '.join(wanted)}\n")
    pytester.makepyfile(PLAIN)
    assert pytester.runpytest_inprocess().ret == 0
    for option in wanted:
        assert pytester.runpytest_inprocess(option).ret == 4


@pytest.mark.parametrize("table", ["[tool.pytest.ini_options]", "[tool.pytest]"])
def test_both_tables_of_pyproject_work_with_real_types(pytester, table):
    """Numbers are numbers and lists are lists in either table; the header says where a value came from."""
    if table == "[tool.pytest]" and tuple(map(int, pytest.__version__.split(".")[:2])) < (9, 0):
        pytest.skip("[tool.pytest] exists from pytest 9.0")
    pytester.makepyprojecttoml(
        f"{table}\npoisson_replicates = 3\npoisson_max_mde = 0.5\npoisson_workers = 0\npoisson_timeout = 2.5\n"
        'poisson_store = "here"\npoisson_variant = ["a=b"]\npoisson_fail_on = "never"\npoisson_event = ["failed"]\n'
    )
    pytester.makepyfile(PLAIN.replace("replicates=2", ""))
    result = pytester.runpytest_inprocess("--poisson-sweep", "--poisson-workers=1")
    assert result.ret == 0, result.stderr.str()
    result.stdout.fnmatch_lines(
        ["*replicates (ini), *workers (option)*", "replicates  3 each (ini), 3 in all"]
    )
    assert list((pytester.path / "here").glob("*.sqlite"))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("poisson_workers = many", "poisson_workers=many must be a whole number from 0, or auto."),
        ("poisson_replicates = 1e3", "poisson_replicates=1e3 must be a whole number from 1."),
        ("poisson_q = high", "poisson_q=high must be a number between 0 and 1."),
        ("poisson_github = maybe", "poisson_github=maybe must be true or false."),
    ],
)
def test_a_bad_value_in_the_configuration_file_is_named(pytester, line, sentence):
    """A bad value of a file ends with 4 and one sentence that names key, value and rule, as one of an option does."""
    pytester.makeini(f"[pytest]\n{line}\n")
    pytester.makepyfile(PLAIN)
    result = pytester.runpytest_inprocess("--poisson-sweep")
    assert result.ret == 4
    result.stderr.fnmatch_lines([f"ERROR: {sentence}"])


def test_a_worker_for_each_core_can_be_asked_for_in_the_file(pytester):
    """`auto` is no number, and is what poisson_workers takes beside one."""
    pytester.makeini("[pytest]\npoisson_workers = auto\n")
    pytester.makepyfile(PLAIN)
    result = pytester.runpytest_inprocess("--poisson-sweep", "--poisson-dry-run")
    result.stdout.fnmatch_lines(["*workers (ini)*"])
    assert result.ret == 0, result.stderr.str()


def test_a_result_that_cannot_be_written_is_one_sentence(pytester):
    """A full disk under --poisson-json is no internal error: the run is stored, and the sentence says what failed."""
    pytester.makepyfile(PLAIN)
    result = pytester.runpytest_inprocess(
        "--poisson-sweep", "--poisson-workers=0", "--poisson-json=/dev/full"
    )
    assert result.ret == 4
    result.stderr.fnmatch_lines(["ERROR: File '/dev/full' cannot be written: no space left on device."])
    result.stdout.fnmatch_lines(["run * is complete: 2 replicates planned = 2 with outcome"])


def test_the_environment_names_the_store_between_option_and_file(pytester, monkeypatch):
    """POISSON_STORE wins over the configuration file and loses to the option."""
    pytester.makeini("[pytest]\npoisson_store = from_file")
    pytester.makepyfile(PLAIN)
    monkeypatch.setenv("POISSON_STORE", "from_environment")
    pytester.runpytest_inprocess("--poisson-sweep", "--poisson-workers=0")
    pytester.runpytest_inprocess("--poisson-sweep", "--poisson-workers=0", "--poisson-store=from_option")
    stores = sorted(each.name for each in pytester.path.glob("from_*"))
    assert stores == ["from_environment", "from_option"]


def test_help_names_every_option(pytester):
    """`--help` lists every flag, `--markers` the mark, and neither imports NumPy."""
    from pytest_poisson.option_table import INI_ONLY, OPTIONS

    text = pytester.runpytest_inprocess("--help").stdout.str()
    for option in OPTIONS:
        if option.name not in INI_ONLY:
            assert option.flag in text
        if option.ini is not None:
            assert option.key in text
    pytester.runpytest_inprocess("--markers").stdout.fnmatch_lines(
        ["@pytest.mark.rollout(id=None, outcomes=None,*"]
    )
