"""`fix-check` and `changes` from the command line: the pilot end to end, options, statuses, JSON."""

import json

import pytest

from poisson_store import Store
from tests.fix_runs import PILOT_NEW, PILOT_OLD, cells
from tests.stored_runs import write_run
from tests.tau_runs import write_tau


@pytest.fixture
def pilot(shell):
    """Return a shell on a store with the published pilot and a run that chose its inputs."""
    store = Store(shell.store)
    write_run(store, "nightly", cells([(2, 4)] * 6), salt="c" * 32)
    write_run(store, "old", cells(PILOT_OLD), salt="a" * 32)
    write_run(store, "new", cells(PILOT_NEW), salt="b" * 32)
    return shell


def test_the_pilot_end_to_end(pilot):
    """From stored rows to the report: every published figure is in the text, and too small to tell is 2."""
    status, out, err = pilot(
        "fix-check",
        "old",
        "new",
        "--event=timeout",
        "--failing-from=nightly",
        "--min-failures=2",
        "--max-mde=0.2",
    )
    assert (status, err) == (2, "")
    text = " ".join(out.split())
    for figure in (
        "failed 3 times where 4.200 were expected if nothing had changed (variance 0.800), p 0.269",
        "Difference -25.0 points, 95 % interval -60.1 to +10.1",
        "p 0.375; 4 inputs moved",
        "21 of 30 runs failed (0.700); where one run of an input failed, another did with chance 0.762",
        "Kappa 0.206",
        "0.167 v 0.210",
        "varies 1.26 times",
        "By the normal approximation: 64.3",
        "even one of 30.0 points",
        "16 repeats of each input on both versions, or 55 inputs like these",
        "--max-mde=0.5664 accepts",
    ):
        assert figure in text


def test_the_ceiling_is_accepted(pilot):
    """The printed ceiling handed back makes the status 0."""
    status, out, _ = pilot("fix-check", "old", "new", "--event=timeout", "--inputs=all", "--max-mde=0.5664")
    assert status == 0
    assert "**no significant difference" in out


@pytest.mark.parametrize(
    "arguments",
    [
        ("old", "new", "--event=timeout", "--inputs=all"),
        ("old", "new", "--event=timeout", "--max-mde=0.2"),
        ("old", "new", "--inputs=all", "--max-mde=0.2"),
        ("old", "new", "--event=timeout", "--inputs=some", "--max-mde=0.2"),
        ("old", "new", "--event=timeout", "--inputs=all", "--failing-from=nightly", "--max-mde=0.2"),
        ("old", "new", "--event=timeout", "--inputs=all", "--min-failures=2", "--max-mde=0.2"),
        ("old", "new", "--event=timeout", "--failing-from=nightly", "--min-failures=0", "--max-mde=0.2"),
        ("old", "new", "--event=timeout", "--inputs=all", "--max-mde=1"),
        ("old", "new", "--event=timeout", "--inputs=all", "--max-mde=0.2", "--top=0"),
        ("old", "new", "--event=timeout", "--failing-from=old", "--max-mde=0.2"),
        ("old", "new", "--event=timeout", "--failing-from=new", "--max-mde=0.2"),
        ("old", "old", "--event=timeout", "--inputs=all", "--max-mde=0.2"),
        ("old", "new", "--event=resolved", "--inputs=all", "--max-mde=0.2"),
        ("old", "new", "--event=tiemout", "--inputs=all", "--max-mde=0.2"),
        ("old", "new", "--event=timeout", "--failing-from=nobody", "--max-mde=0.2"),
    ],
)
def test_what_fix_check_refuses_is_1(pilot, arguments):
    """A wrong command line of `fix-check` is refused like anything else, since 2 is too small to tell."""
    status, out, err = pilot("fix-check", *arguments)
    assert (status, out) == (1, "")
    assert err


def test_an_arm_that_selects_is_refused_in_one_sentence(pilot):
    """The sentence names the run and says why."""
    _, _, err = pilot("fix-check", "old", "new", "--event=timeout", "--failing-from=new", "--max-mde=0.2")
    assert err.count("\n") == 1
    assert "Run 'new' is one of the two compared, and its failures are there by selection" in err


def test_changes(pilot):
    """`changes` is 0 whatever it found; a wrong command line is 2."""
    status, out, err = pilot("changes", "old", "new", "--event=timeout")
    assert (status, err) == (0, "")
    assert "With 5 repeats of each input in both runs" in " ".join(out.split())
    assert pilot("changes", "old", "new")[0] == 2
    assert pilot("changes", "old", "old", "--event=timeout")[0] == 1


@pytest.mark.parametrize(
    ("command", "schema"),
    [
        (("fix-check", "old", "new", "--inputs=all", "--max-mde=0.2"), "pytest-poisson.fix-check/1"),
        (("changes", "old", "new"), "pytest-poisson.changes/1"),
    ],
)
def test_json(pilot, command, schema):
    """JSON is versioned, has no number that JSON lacks, and is the same bytes again."""
    _, first, _ = pilot(*command, "--event=timeout", "--json")
    _, again, _ = pilot(*command, "--event=timeout", "--json", "--top=1")
    assert first == again
    document = json.loads(first, parse_constant=pytest.fail)
    assert document["schema"] == schema
    assert len(document["inputs"]) == document["compared"] == 6


def test_json_of_the_pilot(pilot):
    """The document has test, difference, limits with their bases, guidance and the word."""
    _, out, _ = pilot("fix-check", "old", "new", "--inputs=all", "--max-mde=0.2", "--event=timeout", "--json")
    found = json.loads(out)
    assert found["test"]["p"] == pytest.approx(0.26875, abs=5e-4)
    assert found["limits"]["drop"]["ceiling"] == 0.5664
    assert found["limits"]["approximate_drop"]["ceiling"] == 0.643
    assert found["limits"]["rise"]["status"] == "none detectable"
    assert found["guidance"] == {"ceiling": 0.5664, "inputs": 55, "max_change": 0.2, "repeats": 16}
    assert (found["word"], found["failed"]) == ("too small to tell", None)


def test_top(shell):
    """`--top` cuts the table, not the figures."""
    store = Store(shell.store)
    write_tau(store, "first", (0, 1))
    write_tau(store, "second", (2, 3))
    _, some, _ = shell("changes", "first", "second", "--event=failed", "--top=3")
    _, more, _ = shell("changes", "first", "second", "--event=failed", "--top=5")
    assert "47 more inputs: --top shows more." in some
    assert len(more.splitlines()) == len(some.splitlines()) + 2
