"""`where` and `compare` from the command line: options, statuses, files, JSON."""

import json
from xml.etree import ElementTree as ET

import pytest

from poisson_store import Store
from tests.tau_runs import BEGAN_NS, HOUR_NS, write_tau
from tests.traced_runs import died, ended, task, write_traced


@pytest.fixture
def airline(shell):
    """Return a shell on a store with the airline episodes, whole and in halves by trial."""
    store = Store(shell.store)
    write_tau(store, "all", (0, 1, 2, 3))
    write_tau(store, "first", (0, 1))
    write_tau(store, "second", (2, 3), began_ns=BEGAN_NS + 5 * HOUR_NS)
    return shell


@pytest.fixture
def twins(shell):
    """Return a shell on a store with two equal runs that die often, and one that dies sooner."""
    store = Store(shell.store)
    for name in ("A", "B"):
        write_traced(store, name, [(task(i), [died(4), died(5), ended(6)]) for i in range(40)])
    write_traced(store, "worse", [(task(i), [died(1), died(2), ended(3)]) for i in range(40)])
    return shell


def test_where(airline):
    """The report is on stdout, nothing on stderr, status 0."""
    status, out, err = airline("where", "all", "--event=failed", "--boot=50")
    assert (status, err) == (0, "")
    assert "116 of 200 runs died (58 %)" in out


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("A", "B", "--max-mde-hr=1.3"), 2),
        (("A", "B", "--max-mde-hr=3"), 0),
        (("A", "worse", "--max-mde-hr=1.3"), 0),
    ],
)
def test_statuses_of_compare(twins, arguments, status):
    """Too small to tell is 2; both other words are 0."""
    assert twins("compare", *arguments, "--event=timeout")[0] == status


@pytest.mark.parametrize(
    "arguments",
    [
        ("A", "B", "--event=timeout"),
        ("A", "B", "--max-mde-hr=1.3"),
        ("A", "B", "--event=timeout", "--max-mde-hr=1"),
        ("A", "--event=timeout", "--max-mde-hr=1.3"),
        ("A", "B", "--event=timeout", "--max-mde-hr=1.3", "--alpha=2"),
        ("A", "B", "--event=timeout", "--max-mde-hr=1.3", "--nonsense"),
        ("A", "B", "--event=tiemout", "--max-mde-hr=1.3"),
        ("A", "A", "--event=timeout", "--max-mde-hr=1.3"),
        ("A", "nobody", "--event=timeout", "--max-mde-hr=1.3"),
    ],
)
def test_what_compare_refuses_is_1(twins, arguments):
    """A wrong command line of `compare` is refused like anything else, since 2 is too small to tell."""
    status, out, err = twins("compare", *arguments)
    assert (status, out) == (1, "")
    assert err


@pytest.mark.parametrize(
    "extra", ["--at=0", "--at=x", "--boot=-1", "--boot=100001", "--seed=1.5", "--by=name", "--nonsense"]
)
def test_a_wrong_command_line_of_where_is_2(twins, extra):
    """`where` has no word for too small: a wrong command line is 2, and names what is wrong."""
    status, out, err = twins("where", "A", "--event=timeout", extra)
    assert (status, out) == (2, "")
    assert extra.partition("=")[2] in err


def test_where_needs_an_event(twins):
    """`--event` is required."""
    status, _, err = twins("where", "A")
    assert status == 2
    assert "--event" in err


def test_steps_and_events_in_every_spelling(twins):
    """Steps may be repeated or joined by commas; events may be repeated or joined by plus signs."""
    spelled = [
        ("--at=2,5", "--event=timeout", "--event=resolved"),
        ("--at=5", "--at=2", "--event=timeout+resolved"),
    ]
    documents = [json.loads(twins("where", "A", *words, "--json")[1]) for words in spelled]
    assert documents[0] == documents[1]
    assert [each["step"] for each in documents[0]["survival"]["at"]] == [2, 5]
    assert documents[0]["survival"]["deaths"] == 120


@pytest.mark.parametrize(
    ("command", "schema"),
    [
        (("where", "A", "--boot=30"), "pytest-poisson.where/1"),
        (("compare", "A", "worse", "--max-mde-hr=1.3"), "pytest-poisson.compare/1"),
    ],
)
def test_json(twins, command, schema):
    """JSON is versioned, has no number that JSON lacks, and is the same bytes again."""
    _, first, _ = twins(*command, "--event=timeout", "--json")
    _, again, _ = twins(*command, "--event=timeout", "--json")
    assert first == again
    assert json.loads(first, parse_constant=pytest.fail)["schema"] == schema


def test_json_of_compare(twins):
    """The document has the test, the word and both curves."""
    found = json.loads(twins("compare", "A", "worse", "--event=timeout", "--max-mde-hr=1.3", "--json")[1])
    assert (found["word"], found["test"]["second_dies"], found["compared"]) == ("different", "sooner", 40)
    assert found["survival"]["first"]["median"] == 5
    assert found["by_cause"][0]["p_bh"] == found["test"]["p"]
    assert found["apart"] == {"overlap": True, "seconds": 0.0}


def test_markdown(airline):
    """Markdown has tables as GitHub renders them, and one bold line."""
    _, out, _ = airline("compare", "first", "second", "--event=failed", "--max-mde-hr=1.3", "--markdown")
    assert "| task | died A | died B |" in out
    assert [line for line in out.splitlines() if line.startswith("**")] == [
        "**too small to tell (p 0.410): a hazard ratio of 1.3 was asked, only one of 1.683 or more would have been seen 4 "
        "times in 5.**"
    ]


def test_svg(airline, tmp_path):
    """`--svg` writes one drawing beside the report; a folder that is not there is refused, and nothing is left."""
    file = tmp_path / "curve.svg"
    status, out, _ = airline("where", "all", "--event=failed", "--boot=0", f"--svg={file}")
    assert status == 0
    assert out.startswith("Where the runs of 'all' die")
    assert ET.parse(file).getroot().tag.endswith("svg")
    status, out, err = airline(
        "where", "all", "--event=failed", "--boot=0", f"--svg={tmp_path}/none/curve.svg"
    )
    assert (status, out) == (1, "")
    assert "none/curve.svg' cannot be written: no such file" in err
    assert [path.name for path in tmp_path.iterdir() if path.suffix != ""] == ["curve.svg"]


def test_top_and_verbose(airline):
    """Ten inputs are shown, and all of them with -v."""
    _, some, _ = airline("where", "all", "--event=failed", "--boot=0")
    _, every, _ = airline("where", "all", "--event=failed", "--boot=0", "-v")
    assert "40 more inputs: -v shows all." in some
    assert len(every.splitlines()) == len(some.splitlines()) + 40 - 1
