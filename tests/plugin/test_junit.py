"""`--junit-xml`: a sweep's items carry properties, the file is valid XML, and GitLab's reading of it is whole."""

import json
import xml.etree.ElementTree as ET

import pytest

from poisson_store import Store
from tests.plugin.support import DRIFTING, sweep

FAMILIES = ("xunit1", "xunit2")
ATTRIBUTES = {
    "testsuites": {"name"},
    "testsuite": {"name", "errors", "failures", "skipped", "tests", "time", "timestamp", "hostname"},
    "testcase": {"classname", "name", "time", "file", "line"},
    "properties": set(),
    "property": {"name", "value"},
    "failure": {"message"},
    "skipped": {"message", "type"},
    "system-out": set(),
    "system-err": set(),
}
"""The elements and attributes of JUnit XML that a sweep may write; `file` and `line` are of the family xunit1 alone."""
CHILDREN = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase"},
    "testcase": {"properties", "failure", "skipped", "system-out", "system-err"},
    "properties": {"property"},
}
WORD = "]]> <b> & \" ' | `x` \U0001f600"
HOSTILE = "]]> <b> & \" ' | `x` \x00\x1b[31m\x7f\ufffe\ud800 \U0001f600 end"


def cases(pytester, family):
    """Read the file strictly and return its test cases, after checking every element's place and attributes."""
    root = ET.fromstring((pytester.path / "out.xml").read_bytes())
    for element in root.iter():
        allowed = ATTRIBUTES[element.tag] - (set() if family == "xunit1" else {"file", "line"})
        assert set(element.attrib) <= allowed
        assert {child.tag for child in element} <= CHILDREN.get(element.tag, set())
    assert root.tag == "testsuites"
    return root.findall(".//testcase")


def properties(case):
    """Return a test case's properties by name, each of which is there once."""
    found = [(each.get("name"), each.get("value")) for each in case.iter("property")]
    assert len(dict(found)) == len(found)
    return dict(found)


@pytest.mark.parametrize("family", FAMILIES)
def test_properties_say_what_the_store_says(pytester, family):
    """Run, condition, counts, verdict and changes of each item are those of the stored run and its comparison."""
    pytester.makepyfile(DRIFTING)
    sweep(pytester, "--poisson-name=base")
    options = ["--poisson-pair-with=base", "--poisson-name=new", "--poisson-variant=b=1"]
    sweep(
        pytester, *options, "--junit-xml=out.xml", "-o", f"junit_family={family}", "--poisson-json=out.json"
    )
    document = json.loads((pytester.path / "out.json").read_text())["diff"]
    store = Store(pytester.path / ".poisson")
    with store.open("new") as run:
        counts, conditions = run.outcome_counts(), {each.key: each for each in run.conditions}
    found = [properties(case) for case in cases(pytester, family)]
    assert {each["poisson.condition"] for each in found} == set(conditions)
    for each in found:
        key = each["poisson.condition"]
        assert json.loads(each["poisson.axes"]) == dict(conditions[key].axes)
        assert json.loads(each["poisson.outcomes"]) == dict(counts[key])
        assert (each["poisson.planned"], each["poisson.without_outcome"]) == ("60", "{}")
        assert (each["poisson.run"], each["poisson.run_id"]) == ("new", document["after"]["run_id"])
        assert each["poisson.baseline_run_id"] == document["before"]["run_id"]
        assert each["poisson.verdict"] == document["verdict"] == "worse"
        assert [each["poisson.comparison"]] == list(store.comparisons())
        (row,) = [row for row in document["rows"] if row["key"] == key]
        (change,) = json.loads(each["poisson.changes"])
        assert change == {name: row[name] for name in change}


@pytest.mark.parametrize("family", FAMILIES)
def test_hostile_texts_leave_the_file_whole(pytester, family):
    """Control characters, surrogates, emoji and ends of CDATA in axes, outcomes and errors are kept in valid XML."""
    pytester.makepyfile(f"""
        import pytest

        BAD, WORD = {HOSTILE!a}, {WORD!a}

        @pytest.mark.rollout(id="hostile", outcomes=[WORD, "ok"], failures=[WORD], successes=["ok"], replicates=40)
        @pytest.mark.parametrize("text", [pytest.param(BAD, id="x")])
        @pytest.mark.parametrize("way", ["ends", "raises", "skips"])
        def test_it(text, way, rollout):
            if way == "raises":
                raise OSError(BAD)
            if way == "skips":
                pytest.skip(BAD)
            rollout.end(WORD if rollout.variant.get("bad") else "ok")
    """)
    sweep(pytester, "--poisson-name=base")
    options = ["--poisson-pair-with=base", "--poisson-variant=bad=1", "--junit-xml=out.xml"]
    sweep(pytester, *options, "-o", f"junit_family={family}")
    found = {json.loads(properties(case)["poisson.axes"])["way"]: case for case in cases(pytester, family)}
    for case in found.values():
        assert json.loads(properties(case)["poisson.axes"])["text"] == HOSTILE
    assert json.loads(properties(found["ends"])["poisson.outcomes"]) == {WORD: 40}
    assert json.loads(properties(found["raises"])["poisson.without_outcome"]) == {"errored": 40}
    assert json.loads(properties(found["skips"])["poisson.without_outcome"]) == {"skipped": 40}
    assert "\U0001f600 end" in found["raises"].find("failure").text
    assert "]]> <b> & " in found["ends"].find("failure").text
    assert found["skips"].find("skipped") is not None


def test_gitlab_reads_it(pytester):
    """With the family xunit1 each case has suite, name, file and a result, no two the same suite and name."""
    pytester.mkdir("tests").joinpath("test_drift.py").write_text(DRIFTING)
    sweep(pytester, "--poisson-name=base")
    options = ["--poisson-pair-with=base", "--poisson-variant=b=1", "--junit-xml=out.xml"]
    sweep(pytester, *options, "-o", "junit_family=xunit1")
    found = cases(pytester, "xunit1")
    assert len({(case.get("classname"), case.get("name")) for case in found}) == len(found) == 3
    for case in found:
        assert case.get("classname") == "tests.test_drift"
        assert (pytester.path / case.get("file")).is_file()
        assert float(case.get("time")) >= 0
    (failed,) = [case for case in found if case.find("failure") is not None]
    assert "worse: bad rose from" in failed.find("failure").text


def test_the_time_of_a_case_is_that_of_its_replicates(pytester):
    """A test case's time, and what `--durations` lists, is the sum over its stored replicates."""
    pytester.makepyfile("""
        import time

        import pytest

        @pytest.mark.rollout(id="r", replicates=3)
        @pytest.mark.parametrize("pause", [0.01, 0.2])
        def test_it(pause, rollout):
            time.sleep(pause)
    """)
    result = sweep(pytester, "--junit-xml=out.xml", "--durations=1", "--poisson-name=r")
    with Store(pytester.path / ".poisson").open("r") as run:
        stored = [sum(each.wall_s for each in run.episodes(one.key)) for one in run.conditions]
    assert [float(case.get("time")) for case in cases(pytester, "xunit2")] == pytest.approx(stored, abs=0.05)
    assert stored[1] >= 0.6
    result.stdout.fnmatch_lines([f"{stored[1]:.2f}s call *test_it?0.2?"])


def test_promises_are_properties(pytester):
    """A condition that promises something says which, and what became of it."""
    pytester.makepyfile("""
        import pytest

        @pytest.mark.rollout(id="r", outcomes=["ok", "bad"], failures=["bad"], replicates=100, at_most={"bad": 0.1})
        def test_it(rollout):
            rollout.end("bad")
    """)
    sweep(pytester, "--junit-xml=out.xml")
    (case,) = cases(pytester, "xunit2")
    (promise,) = json.loads(properties(case)["poisson.promises"])
    assert (promise["event"], promise["bound"], promise["word"]) == ("bad", 0.1, "missed")


def test_properties_can_be_left_out(pytester):
    """With `--poisson-properties=false`, for readers that know none, no test case has any."""
    pytester.makepyfile(DRIFTING)
    sweep(pytester, "--junit-xml=out.xml", "--poisson-properties=false", "--poisson-replicates=3")
    assert [case.find("properties") for case in cases(pytester, "xunit2")] == [None] * 3


def test_ordinary_tests_have_none(pytester):
    """Beside a sweep, and without one, other tests carry no property of ours."""
    pytester.makepyfile(f"{DRIFTING}\n\ndef test_plain():\n    pass\n")
    sweep(pytester, "--junit-xml=out.xml", "--poisson-replicates=3")
    assert [bool(properties(case)) for case in cases(pytester, "xunit2")] == [True, True, True, False]
    pytester.runpytest_inprocess("--junit-xml=out.xml", "-k", "plain", "-p", "no:cacheprovider")
    assert [properties(case) for case in cases(pytester, "xunit2")] == [{}]
