"""Results of tau-bench and tau2-bench."""

import json
from collections import Counter
from pathlib import Path

import pytest

from poisson_store import Store
from poisson_store.importers import Cut
from tests.importers.bring import assert_refused, axes, bring, endings, episodes, run_record, save

SOLVED = {"judge": Cut("ge", 1.0)}
REAL = Path(__file__).parents[1] / "data" / "tau" / "results.json"

CALL = {"id": "c1", "name": "get_user_details", "arguments": {"user_id": "mia"}}
MESSAGES = [
    {"role": "assistant", "content": "Hi!", "timestamp": "2025-06-01T10:00:00.000000", "turn_idx": 0},
    {
        "role": "user",
        "content": "My flight \u2026",
        "timestamp": "2025-06-01T10:00:02",
        "usage": {"prompt_tokens": 9},
    },
    {
        "role": "assistant",
        "tool_calls": [CALL],
        "timestamp": "2025-06-01T10:00:05.500000",
        "generation_time_seconds": 1.5,
        "usage": {"prompt_tokens": 100, "completion_tokens": 7},
    },
    {
        "role": "tool",
        "id": "c1",
        "content": "{}",
        "requestor": "assistant",
        "error": True,
        "timestamp": "2025-06-01T10:00:06",
    },
]


def simulation(task, trial, reward=1.0, ended="user_stop", **more):
    """Return a simulation as tau2-bench writes it."""
    return {
        "id": f"{task}-{trial}",
        "task_id": task,
        "trial": trial,
        "start_time": "2025-06-01T10:00:00",
        "end_time": "2025-06-01T10:00:10",
        "duration": 10.0,
        "termination_reason": ended,
        "agent_cost": 0.01,
        "seed": 300 + trial,
        "reward_info": None if reward is None else {"reward": reward, "reward_basis": ["DB"]},
        "messages": MESSAGES,
        **more,
    }


def results(*simulations, trials=2, tasks=("0", "1")):
    """Return a result file of tau2-bench."""
    return {
        "timestamp": "2025-06-01T10:00:00",
        "info": {
            "git_commit": "abc",
            "num_trials": trials,
            "max_steps": 100,
            "agent_info": {"implementation": "llm_agent", "llm": "gpt-4.1"},
            "user_info": {"implementation": "user_simulator", "llm": "gpt-4.1"},
            "environment_info": {"domain_name": "airline", "policy": "A long policy."},
        },
        "tasks": [{"id": task, "user_scenario": {"instructions": "secret"}} for task in tasks],
        "simulations": list(simulations),
    }


def test_real_results(tmp_path):
    """Real simulations of tau-bench: every task and trial, cut at a reward of 1, messages as spans."""
    report = bring(tmp_path, "tau", [REAL], **SOLVED)
    rows = json.loads(REAL.read_text(encoding="utf-8"))
    expected = {
        (axes(task=row["task_id"]), row["trial"]): "pass" if row["reward"] >= 1 else "fail" for row in rows
    }
    assert endings(tmp_path) == expected
    assert report.outcomes == {"pass": 6, "fail": 42}
    first = episodes(tmp_path)[axes(task=0), 0]
    messages = [message for message in rows[0]["traj"] if message["role"] != "system"]
    kinds = {"assistant": "llm", "tool": "tool", "user": "other"}
    assert [span.kind for span in first.spans] == [kinds[message["role"]] for message in messages]
    assert [span.name for span in first.spans if span.kind == "tool"] == [
        message["name"] for message in messages if message["role"] == "tool"
    ]


def test_tau2(tmp_path):
    """tau2-bench: what its infrastructure ended has no outcome, what it planned and did not run is not run."""
    document = results(
        simulation("0", 0),
        simulation("0", 1, 0.0, "max_steps"),
        simulation("1", 0, None, "infrastructure_error"),
    )
    report = bring(tmp_path, "tau", [save(tmp_path / "r.json", document)], **SOLVED)
    assert list(endings(tmp_path).values()) == ["pass", "fail", "errored"]
    assert (report.accounting.planned, report.accounting.not_run) == (4, 1)
    record = run_record(tmp_path)
    assert record.environment["agent"] == {"implementation": "llm_agent", "llm": "gpt-4.1"}
    assert "secret" not in json.dumps(dict(record.environment))


def test_times_tokens_and_errors_of_messages(tmp_path):
    """A message is a span that ends at its time, with the tokens of the agent alone and the failure of a tool."""
    bring(tmp_path, "tau", [save(tmp_path / "r.json", results(simulation("0", 0)))], **SOLVED)
    episode = episodes(tmp_path)[axes(task="0"), 0]
    assert (episode.tokens_in, episode.tokens_out, episode.unknown_usage, episode.wall_s) == (100, 7, 1, 10.0)
    called, answered = episode.spans[2:]
    assert called.end_ns - called.start_ns == 1_500_000_000
    assert called.attrs == {"calls": ["get_user_details"], "gen_ai.request.model": "gpt-4.1"}
    assert [span.step for span in episode.spans] == ["assistant", "user", "assistant", "get_user_details"]
    assert (answered.name, answered.error) == ("get_user_details", "the tool failed")
    assert (answered.input, answered.input_cut.bytes) == (None, len('{"user_id": "mia"}'))


@pytest.mark.parametrize(
    ("ended", "reward", "ending"),
    [
        ("infrastructure_error", 0.0, "errored"),
        ("context_window_exceeded", 0.0, "errored"),
        ("timeout", None, "timed_out"),
        ("unexpected_error", None, "errored"),
        ("agent_error", 0.0, "fail"),
        ("too_many_errors", 0.0, "fail"),
    ],
)
def test_why_a_simulation_ended(tmp_path, ended, reward, ending):
    """What tau2-bench leaves out of its own rates has no outcome; what it rewards with 0 fails."""
    document = results(simulation("0", 0), simulation("0", 1, reward, ended))
    bring(tmp_path, "tau", [save(tmp_path / "r.json", document)], **SOLVED)
    assert endings(tmp_path)[axes(task="0"), 1] == ending


def test_a_directory_of_tau2(tmp_path):
    """The directory form, a file a simulation, gives what the single file gives."""
    whole = results(simulation("0", 0), simulation("0", 1, 0.0), simulation("1", 0))
    bring(tmp_path, "tau", [save(tmp_path / "r.json", whole)], "whole", **SOLVED)
    save(
        tmp_path / "d" / "results.json", {key: value for key, value in whole.items() if key != "simulations"}
    )
    for each in whole["simulations"]:
        save(tmp_path / "d" / "simulations" / f"{each['id']}.json", each)
    bring(tmp_path, "tau", [tmp_path / "d"], "parts", **SOLVED)
    assert endings(tmp_path, "parts") == endings(tmp_path, "whole")


def test_imports_paired_by_trial_are_compared_in_pairs(tmp_path):
    """Two versions imported with paired_by=trial share their draws' names, so the paired test applies."""
    from pytest_poisson.analyses.diff import diff

    for name in ("before", "after"):
        bring(tmp_path, "tau", [REAL], name, **SOLVED)
    store = Store(tmp_path / "store")
    with store.open("before") as before, store.open("after") as after:
        result = diff(before, after)
    assert (result.method, result.refusal) == ("mcnemar_bh", None)


def test_imports_that_are_not_paired_are_compared_as_groups(tmp_path):
    """With paired_by=none every import has a salt of its own and records no draws."""
    for name in ("before", "after"):
        bring(tmp_path, "tau", [REAL], name, paired_by="none", **SOLVED)
    assert run_record(tmp_path, "before").salt != run_record(tmp_path, "after").salt
    assert {each.seed for each in episodes(tmp_path, "before").values()} == {None}


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ([], ["holds no simulation"]),
        ({"simulations": []}, ["holds no simulation"]),
        ({"a": 1}, ["holds no simulation"]),
        ([3], ["simulation 1", "an object is expected"]),
        ([{"reward": 1.0, "trial": 0}], ["no 'task'"]),
        ([{"task_id": 1, "reward": 1.0, "trial": "x"}], ["'x' is no number of a replicate"]),
        (
            [{"task_id": 1, "reward": 1.0, "trial": 0}] * 2,
            ["task 1 trial 0 is replicate 0", "--duplicates=keep-first"],
        ),
        ([{"task_id": 1, "reward": "1", "trial": 0}], ['"1" is no number']),
    ],
)
def test_what_is_refused(tmp_path, document, words):
    """A file of another shape, or a trial that comes twice, is one sentence; nothing is written."""
    assert_refused(tmp_path, "tau", [save(tmp_path / "r.json", document)], *words, **SOLVED)


def test_duplicates_are_counted_or_numbered_on_request(tmp_path):
    """keep-first stores the first and counts the others; renumber makes them replicates in file order."""
    rows = [{"task_id": 1, "reward": reward, "trial": 0} for reward in (1.0, 0.0, 0.0)]
    path = save(tmp_path / "r.json", rows)
    report = bring(tmp_path, "tau", [path], "first", duplicates="keep-first", **SOLVED)
    assert (report.read, report.imported, report.left_out) == (3, 1, {"duplicate": 2})
    assert list(endings(tmp_path, "first").values()) == ["pass"]
    bring(tmp_path, "tau", [path], "all", renumber=True, **SOLVED)
    assert Counter(endings(tmp_path, "all").values()) == {"fail": 2, "pass": 1}
