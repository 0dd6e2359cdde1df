"""`pytest-poisson plan`."""

import json


def test_text_and_json_hold_the_same_numbers(traded):
    """The three sizes stand in the table, and the command to type next names the pair and the store."""
    status, text, _ = traded("plan", "base", "patched")
    document = json.loads(traded("plan", "base", "patched", "--json")[1])
    assert (status, document["schema"]) == (0, "pytest-poisson.plan/1")
    sizes = [document[name] for name in ("on_same_seeds", "if_independent", "on_fresh_seeds")]
    assert sizes[1:] == [194, 193]
    rows = [line for line in text.splitlines() if line.startswith("on ")]
    assert [f" {size} " in line for size, line in zip(sizes, rows, strict=True)] == [True] * 3
    assert f"--poisson-plan-from=base,patched --poisson-store={traded.store}" in text
    assert all(len(line) <= 80 for line in text.splitlines() if "pytest --" not in line)


def test_no_runs_means_the_newest_pair(traded):
    """Without runs the newest pair is meant."""
    assert traded("plan")[1] == traded("plan", "base", "patched")[1]


def test_another_accepted_change_is_carried_on(traded):
    """The command to type next plans for the change that was asked for."""
    assert "--poisson-max-mde=0.1" in traded("plan", "--max-mde=0.1")[1]
