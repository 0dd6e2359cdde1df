"""JUnit XML of any tool."""

import pytest

from tests.importers.bring import assert_refused, axes, bring, endings, episodes


def testsuite(*cases, name="pytest"):
    """Return a report as pytest writes it."""
    return f'<?xml version="1.0" encoding="utf-8"?><testsuites><testsuite name="{name}">{"".join(cases)}</testsuite></testsuites>'


def testcase(name, inner="", classname="tests.test_it", **more):
    attributes = "".join(
        f' {key}="{value}"'
        for key, value in {"name": name, "classname": classname, "time": "0.5", **more}.items()
    )
    return f"<testcase{attributes}>{inner}</testcase>"


testsuite.__test__ = testcase.__test__ = False
FAILURE = '<failure message="assert &quot;secret answer&quot; == 2" type="AssertionError">trace</failure>'
ERROR = '<error message="failed on setup" type="ConnectionError">trace</error>'
SKIPPED = '<skipped type="pytest.skip" message="not today"/>'


def write(path, *cases, **more):
    path.write_text(testsuite(*cases, **more), encoding="utf-8")
    return path


def key(name):
    return axes(classname="tests.test_it", name=name)


def test_each_file_is_a_replicate(tmp_path):
    """The i-th file is replicate i of its tests; a test that a file lacks did not run there."""
    first = write(
        tmp_path / "1.xml", testcase("a"), testcase("b", FAILURE), testcase("c \u00e9[x-1]", SKIPPED)
    )
    second = write(tmp_path / "2.xml", testcase("a", ERROR), testcase("c \u00e9[x-1]"))
    report = bring(tmp_path, "junit", [first, second])
    assert endings(tmp_path) == {
        (key("a"), 0): "pass",
        (key("a"), 1): "errored",
        (key("b"), 0): "fail",
        (axes(classname="tests.test_it", name="c \u00e9[x-1]"), 0): "skipped",
        (axes(classname="tests.test_it", name="c \u00e9[x-1]"), 1): "pass",
    }
    assert (report.accounting.planned, report.accounting.not_run) == (6, 1)
    assert episodes(tmp_path)[key("a"), 0].wall_s == 0.5


def test_an_error_fails_on_request(tmp_path):
    """With errors_fail an error is a failure, and the rollout's id says so, so that the two are never compared."""
    path = write(tmp_path / "1.xml", testcase("a", ERROR))
    report = bring(tmp_path, "junit", [path], errors_fail=True)
    assert list(endings(tmp_path).values()) == ["fail"]
    assert report.rollouts == ("junit:errors fail",)


def test_the_worst_of_a_testcase_counts(tmp_path):
    """A testcase that failed and then errored in its tear-down errored."""
    bring(tmp_path, "junit", [write(tmp_path / "1.xml", testcase("a", FAILURE + ERROR), testcase("b"))])
    assert endings(tmp_path)[key("a"), 0] == "errored"


def test_a_failed_test_whose_tear_down_raised_is_one_case(tmp_path):
    """A report by pytest has two testcases of one name then; the outcome of the call stands, as it does in a sweep."""
    raised = '<error message="failed on teardown with &quot;OSError: gone&quot;">trace</error>'
    path = write(
        tmp_path / "1.xml",
        testcase("a", FAILURE),
        testcase("b"),
        testcase("a", raised),
        testcase("c", raised),
    )
    report = bring(tmp_path, "junit", [path])
    assert endings(tmp_path) == {(key("a"), 0): "fail", (key("b"), 0): "pass", (key("c"), 0): "errored"}
    assert report.accounting.planned == 3


def test_two_failed_testcases_of_one_name_are_refused(tmp_path):
    """What is no tear-down is a duplicate as ever."""
    path = write(tmp_path / "1.xml", testcase("a", FAILURE), testcase("a", ERROR))
    assert_refused(tmp_path, "junit", [path], "'a'")


@pytest.mark.parametrize("keep_text", [False, True])
def test_messages_are_kept_on_request(tmp_path, keep_text):
    """A failure's message may quote an answer: without keep_text its type alone is stored."""
    bring(tmp_path, "junit", [write(tmp_path / "1.xml", testcase("a", FAILURE))], keep_text=keep_text)
    error = episodes(tmp_path)[key("a"), 0].error
    assert error == ('assert "secret answer" == 2' if keep_text else "AssertionError")


def test_reruns_are_counted_and_do_not_multiply(tmp_path):
    """What Surefire writes of a flaky test is one replicate that passed, with the number of its reruns."""
    flaky = '<flakyFailure message="x" type="y"><stackTrace>t</stackTrace></flakyFailure>'
    bring(tmp_path, "junit", [write(tmp_path / "1.xml", testcase("a", flaky * 2))])
    episode = episodes(tmp_path)[key("a"), 0]
    assert (episode.outcome, episode.meta) == ("pass", {"reruns": 2})


def test_a_bare_testsuite_and_other_durations(tmp_path):
    """A root `testsuite`, a missing class name and a duration with thousands separators are read."""
    (tmp_path / "1.xml").write_text(
        '<testsuite name="s"><testcase name="a" time="1,234.5"/></testsuite>', encoding="utf-8"
    )
    bring(tmp_path, "junit", [tmp_path / "1.xml"])
    assert episodes(tmp_path)[axes(classname="", name="a"), 0].wall_s == 1234.5


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", ["is empty"]),
        ("<testsuite>", ["broken XML"]),
        (testsuite(), ["holds no testcase"]),
        (testsuite(testcase("a"), testcase("a")), ["test 'a' is replicate 0", "--duplicates"]),
        (testsuite(testcase("a", SKIPPED)), ["None of the 1 cases", "1 skipped"]),
        ('<!DOCTYPE a [<!ENTITY b "c">]><testsuite><testcase name="&b;"/></testsuite>', ["document type"]),
        ("<testsuite><testcase name='\x01'/></testsuite>", ["broken XML"]),
        ('<?xml version="1.0" encoding="x-foo"?><testsuite/>', ["1.xml cannot be read", "x-foo"]),
        ('<?xml version="1.0" encoding="shift_jis"?><testsuite/>', ["1.xml cannot be read"]),
    ],
)
def test_what_is_refused(tmp_path, content, words):
    """A file that is empty, broken, or holds a test twice is one sentence; nothing is written."""
    (tmp_path / "1.xml").write_text(content, encoding="utf-8")
    assert_refused(tmp_path, "junit", [tmp_path / "1.xml"], *words)


def test_a_file_is_no_two_replicates(tmp_path):
    """A file that is given twice, here by name and by its directory, would double every count: it is refused."""
    (tmp_path / "reports").mkdir()
    path = write(tmp_path / "reports" / "1.xml", testcase("a"))
    assert_refused(tmp_path, "junit", [path, path.parent], "1.xml is given twice")


def test_a_real_report(pytester, tmp_path):
    """What pytest itself writes is read: a pass, a failure, an error in set-up, a skip and an expected failure."""
    pytester.makepyfile(
        "import pytest\n"
        "@pytest.fixture\ndef broken(): raise OSError('x')\n"
        "def test_pass(): pass\n"
        "def test_fail(): assert 0\n"
        "def test_error(broken): pass\n"
        "def test_skip(): pytest.skip('x')\n"
        "@pytest.mark.xfail\ndef test_xfail(): assert 0\n"
    )
    pytester.runpytest_inprocess("--junitxml=report.xml", "-p", "no:poisson")
    bring(tmp_path, "junit", [pytester.path / "report.xml"])
    assert list(endings(tmp_path).values()) == ["pass", "fail", "errored", "skipped", "skipped"]
