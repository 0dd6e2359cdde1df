"""What each command prints."""

import json

import pytest

from poisson_store import Store
from pytest_poisson.analyses.diff import diff
from pytest_poisson.render.diff_documents import diff_document
from pytest_poisson.render.documents import dump
from tests.stored_runs import OTHER_SALT, cell, endings, write_run


def test_json_is_the_analysis(traded):
    """`diff --json` prints the document of the very comparison that the analysis makes of the two runs."""
    store = Store(traded.store)
    with store.open("base") as before, store.open("patched") as after:
        expected = dump(diff_document(diff(before, after)))
    assert traded("diff", "base", "patched", "--json")[1] == expected


def test_options_reach_the_analysis(traded):
    """Events, levels and the method of the command line are those of the result."""
    _, out, _ = traded(
        "diff",
        "base",
        "patched",
        "--event=timeout",
        "--q=0.1",
        "--max-mde=0.3",
        "--method=fisher_bh",
        "--json",
    )
    document = json.loads(out)
    assert (document["q"], document["max_mde"], document["method"]) == (0.1, 0.3, "fisher_bh")
    assert {row["event"] for row in document["rows"]} == {"timeout"}


def test_no_runs_means_the_newest_pair(traded):
    """Without names the newest complete run is compared with the one it was paired with."""
    write_run(Store(traded.store), "half", [(cell(task="refund"), endings(resolved=2))], status="interrupted")
    _, out, _ = traded("diff", "--json")
    document = json.loads(out)
    assert (document["before"]["name"], document["after"]["name"]) == ("base", "patched")


def test_a_part_is_never_meant_by_no_runs(traded):
    """A run of `-k`, or a shard, is not what a comparison without names is about, though it is the newest."""
    refund = [(cell(task="refund"), endings(resolved=20))]
    write_run(Store(traded.store), "one", refund, selection="-k refund")
    write_run(Store(traded.store), "shard", refund, shard=(1, 2))
    document = json.loads(traded("diff", "--json")[1])
    assert (document["before"]["name"], document["after"]["name"]) == ("base", "patched")


def test_an_unpaired_run_means_the_one_before(traded):
    """A newest run that is paired with none is compared with the complete run before it."""
    refund = [(cell(task="refund", tool_fail_rate=0.1), endings(resolved=20))]
    write_run(Store(traded.store), "fresh", refund, salt=OTHER_SALT)
    _, out, _ = traded("diff", "--json")
    document = json.loads(out)
    assert (document["before"]["name"], document["after"]["name"]) == ("patched", "fresh")


def test_a_partner_that_is_gone_is_not_replaced(traded):
    """Where the paired run is not in the store the command says so rather than compare with another."""
    refund = [(cell(task="refund", tool_fail_rate=0.1), endings(resolved=20))]
    write_run(Store(traded.store), "fresh", refund, paired_with="20200101-000000-0000")
    status, out, err = traded("diff")
    assert (status, out) == (1, "")
    assert "20200101-000000-0000" in err


def test_runs_lists_the_newest_first(traded):
    """Every run is listed by name with its status and outcomes, the newest first, partners by name."""
    _, out, _ = traded("runs")
    assert out.index("patched") < out.index("base")
    assert "paired with base" in out
    assert out.count("complete") == 2


def test_a_damaged_file_is_listed_with_its_reason(traded):
    """A file that is no run is in the list with what is wrong; the others are still there."""
    (traded.store / "20260101-000000-dead.sqlite").write_bytes(b"not a database at all" * 100)
    status, out, _ = traded("runs")
    assert status == 0
    assert "patched" in out
    listed = json.loads(traded("runs", "--json")[1])["runs"]
    assert [run["file"] for run in listed if run["problem"]] == ["20260101-000000-dead.sqlite"]
    assert len(listed) == 3


def test_show_accounts_for_every_replicate(traded):
    """The JSON of a run holds its account, its declarations and the counts of every condition."""
    _, out, _ = traded("show", "patched", "--json")
    document = json.loads(out)
    account = document["accounting"]
    assert account["planned"] == sum(count for name, count in account.items() if name != "planned") == 9 * 194
    for each in document["conditions"]:
        assert sum(each["outcomes"].values()) == each["accounting"]["with_outcome"]
    assert document["run"]["variant"] == {"policy": "retry"}


def test_show_text(traded):
    """The text of a run has its accounting line, its conditions and its environment."""
    _, out, _ = traded("show", "patched")
    assert "1,746 replicates planned = 1,744 with outcome + 1 timed out + 1 errored" in out
    assert "search, 0.2" in out
    assert "git: commit 11f3c2a97, branch main" in out
    assert all(len(line) <= 80 for line in out.splitlines())


@pytest.mark.parametrize("arguments", [("runs",), ("show", "base"), ("diff",), ("check", "--fail-on=never")])
def test_json_of_every_command_is_stable(traded, arguments):
    """Each command's JSON is the same twice and names its schema."""
    first, second = (traded(*arguments, "--json")[1] for _ in range(2))
    assert first == second
    assert json.loads(first)["schema"].startswith(f"pytest-poisson.{arguments[0]}/")
