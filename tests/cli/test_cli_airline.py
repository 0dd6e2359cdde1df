"""200 real episodes, imported as tau-bench wrote them, through every report on where runs die and on fixes."""

import json

import pytest

from poisson_store import Store
from tests.tau_runs import result_file, write_tau


@pytest.fixture
def imported(shell, tmp_path):
    """Return a shell on a store with the episodes, whole and in halves by trial, as `import tau` stores them."""
    for name, trials in (("all", (0, 1, 2, 3)), ("first", (0, 1)), ("second", (2, 3))):
        file = result_file(tmp_path, name, trials)
        options = (f"--name={name}", "--cut", "ge", "1", "--paired-by=none", "--renumber")
        status, _, err = shell("import", "tau", str(file), *options)
        assert status == 0, err
    return shell


def document(shell, *command):
    """Return what a command prints as JSON."""
    _, out, err = shell(*command, "--json")
    assert not err
    return json.loads(out)


def test_where(imported, tmp_path):
    """The imported episodes are those of the file: 116 of 200 died, and the curve is that of the same rows by hand."""
    found = document(imported, "where", "all", "--event=fail", "--boot=0")
    assert (found["landed"]["died"], found["landed"]["placed"], found["survival"]["median"]) == (116, 200, 31)
    store = Store(tmp_path / "by hand")
    write_tau(store, "all", (0, 1, 2, 3))
    _, out, _ = imported.bare(
        "where", "all", "--event=failed", "--boot=0", "--json", f"--store={tmp_path / 'by hand'}"
    )
    by_hand = json.loads(out)
    assert found["survival"] == by_hand["survival"]
    assert [(each["cause"], each["deaths"]) for each in found["causes"]] == [("tool", 16), ("other", 100)]


def test_halves(imported):
    """Two halves of the trials do not differ, and every report says how little it could have seen."""
    compared = document(imported, "compare", "first", "second", "--event=fail", "--max-mde-hr=1.3")
    assert (compared["word"], compared["test"]["deaths"], compared["apart"]) == (
        "too small to tell",
        [57, 59],
        None,
    )
    fixed = document(
        imported, "fix-check", "first", "second", "--event=fail", "--inputs=all", "--max-mde=0.2"
    )
    assert (fixed["word"], fixed["test"]["observed"], fixed["same_draws"]) == (
        "no significant difference",
        59,
        False,
    )
    changed = document(imported, "changes", "first", "second", "--event=fail")
    assert (changed["changed"], changed["flip_together"], changed["lone_flip_repeats"]) == (
        {"less": 0, "more": 0},
        None,
        7,
    )


def test_texts_say_that_times_were_not_recorded(imported):
    """tau-bench keeps no times: how far apart the halves were made is not known, and is said to be unknown."""
    _, out, _ = imported("compare", "first", "second", "--event=fail", "--max-mde-hr=1.3")
    text = " ".join(out.split())
    assert "When they began was not recorded for both." in text
    assert "Whether the time between the runs made the difference: when they began was not recorded." in text
