"""Commands that manage what is stored: baselines, merging, recovering."""

import json

import pytest


def test_a_baseline_names_a_run_until_it_is_moved(traded):
    """`baseline set` lets @NAME mean a run everywhere a run is named; `list` and `remove` do what they say."""
    assert traded("baseline", "list")[1] == "There are no baselines.\n"
    newest = json.loads(traded("runs", "--json")[1])["runs"][0]
    assert traded("baseline", "set", "main", newest["name"])[1] == f"@main is run {newest['run_id']}\n"
    assert json.loads(traded("show", "@main", "--json")[1])["run"]["run_id"] == newest["run_id"]
    assert json.loads(traded("baseline", "list", "--json")[1])["baselines"] == {"main": newest["run_id"]}
    assert traded("baseline", "remove", "@main")[1] == "There are no baselines.\n"
    refusal = traded("show", "@main")
    assert refusal[0] == 1
    assert "main" in refusal[2]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["set", "main"], "baseline set takes a name and a run, not main."),
        (["list", "main"], "baseline list takes nothing, not main."),
        (["set", "main", "nosuch"], "nosuch"),
    ],
)
def test_a_wrong_baseline_is_one_sentence(traded, words, sentence):
    """What is missing or unknown is refused by name."""
    result = traded("baseline", *words)
    assert result[0] == 1
    assert sentence in result[2]


def test_runs_of_different_salts_do_not_merge(traded):
    """Only parts of one design merge; the refusal is one sentence and nothing is written."""
    names = [run["name"] for run in json.loads(traded("runs", "--json")[1])["runs"]]
    result = traded("merge", *names, "--name=all")
    assert result[0] == 1
    assert "all" not in traded("runs")[1].split()


def test_what_is_no_run_cannot_be_recovered(traded, tmp_path):
    """A file from which nothing can be read is refused by its name."""
    file = tmp_path / "x.sqlite"
    file.write_bytes(b"nothing")
    result = traded("recover", str(file))
    assert result[0] == 1
    assert "x.sqlite" in result[2]
