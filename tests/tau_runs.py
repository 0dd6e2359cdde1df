"""The tau-bench airline episodes as stored runs: a span a message, nothing else assumed."""

import json
from pathlib import Path

from poisson_store.records import ConditionRecord, Episode, RolloutRecord, RunRecord, Span
from pytest_poisson.conditions import condition_key

FILE = Path(__file__).parent / "data" / "tau" / "airline.json"
AIRLINE = RolloutRecord("airline", ("solved", "failed"), ("failed",), ("solved",))
KINDS = {"u": "other", "a": "llm", "t": "tool"}
HOUR_NS = 3_600_000_000_000
BEGAN_NS = 1_700_000_000_000_000_000


def episodes():
    """Return the episodes as they are in the file."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def result_file(folder, name, trials):
    """Write some of the trials as a result file of tau-bench, its texts left out, and return the file."""
    roles = {"s": "system", "u": "user", "a": "assistant", "t": "tool"}
    rows = []
    for each in episodes():
        if each["trial"] in trials:
            steps = [word.partition(":") for word in each["steps"].split()]
            messages = [
                {
                    "role": roles[role],
                    **({"name": tool} if role == "t" else {"tool": tool.split("+")} if tool else {}),
                }
                for role, _, tool in steps
            ]
            rows.append({**each, "info": {}, "steps": messages})
    file = folder / f"{name}.json"
    file.write_text(json.dumps(rows), encoding="utf-8")
    return file


def write_tau(store, name, trials, *, began_ns=BEGAN_NS, salt="0" * 32):
    """Store some of the trials as one run, replicates numbered from 0, and return its id."""
    chosen = [each for each in episodes() if each["trial"] in trials]
    tasks = sorted({each["task_id"] for each in chosen})
    conditions = tuple(
        ConditionRecord(condition_key("airline", {"task": task}), "airline", {"task": task}, "", len(trials))
        for task in tasks
    )
    record = RunRecord(salt=salt, name=name, rollouts=(AIRLINE,), conditions=conditions)
    with store.create(record) as writer:
        writer.add(_episode(each, trials.index(each["trial"]), began_ns) for each in chosen)
    return writer.run.run_id


def _episode(each, replicate, began_ns):
    spans = tuple(
        Span(f"{number:03}", None, KINDS[word[0]], word, began_ns + number, began_ns + number + 1)
        for number, word in enumerate(each["steps"].split())
        if word != "s"
    )
    return Episode(
        condition=condition_key("airline", {"task": each["task_id"]}),
        replicate=replicate,
        seed=None,
        outcome="solved" if each["reward"] == 1.0 else "failed",
        cause=None,
        started_ns=began_ns + each["task_id"],
        spans=spans,
    )
