"""Stored runs whose reports are opened in a browser: three axes, spans, errors, and words that attack."""

import json
import random

from poisson_store import Store
from poisson_store.records import Episode, RolloutRecord, RunRecord, Span, Tokens
from pytest_poisson.analyses.diff import diff
from pytest_poisson.analyses.fix_check import fix_check
from pytest_poisson.analyses.report_details import comparison_details, fix_details, run_details
from pytest_poisson.analyses.shares import shares
from pytest_poisson.analyses.show import show
from pytest_poisson.analyses.tokens import Price, Prices
from pytest_poisson.render.fix_check_report import fix_report_files
from pytest_poisson.render.report_files import comparison_files, run_files
from tests.render.scenarios import environment, fixed_store
from tests.stored_runs import SALT, cell, seed_of

HOSTILE = "<script>alert(1)</script></style></title><img src=x onerror=alert(2)>|`b`]]>\"'--><!--"
PRICES = Prices(Price(0.000001, 0.000004))
MODELS, TASKS, TOOLS = ("small", "large"), ("refund", "checkout", "search"), (0, 2)


def agent_report(folder):
    """Return the files of a comparison of an agent over three axes, with spans of every failing replicate."""
    cells = [
        cell(model=model, task=task, tools=tools) for model in MODELS for task in TASKS for tools in TOOLS
    ]
    worse = {each.key: 0.45 if each.axes["task"] == "refund" else 0.1 for each in cells}
    return _compared(folder, cells, lambda _: 0.12, worse.get, replicates=60)


def many_report(folder, conditions=1000, replicates=3):
    """Return the files of a comparison of as many values of one axis."""
    cells = [cell(item=f"item-{number:04}") for number in range(conditions)]
    return _compared(folder, cells, lambda _: 0.2, lambda _: 0.3, replicates=replicates)


def hostile_report(folder):
    """Return the files of a comparison in which every text that a user controls attacks the page."""
    cells = [cell(task=HOSTILE, **{"model " + HOSTILE: model}) for model in (HOSTILE + "m", "</script>")]
    words = (HOSTILE, "resolved")
    rollout = RolloutRecord(
        "support", outcomes=words, failures=(HOSTILE,), successes=("resolved",), nodeid=f"t.py::t[{HOSTILE}]"
    )
    return _compared(
        folder,
        cells,
        lambda _: 0.1,
        lambda _: 0.8,
        replicates=30,
        rollout=rollout,
        variant={HOSTILE: HOSTILE},
    )


def fix_report(folder):
    """Return the files of a fix-check."""
    cells = [cell(ticket=number) for number in range(8)]
    store = fixed_store(folder)
    for name, rate in (("nightly", 0.9), ("old", 0.8), ("new", 0.2)):
        _write(store, name, cells, lambda _, rate=rate: rate, 6, AGENT, salt=name.ljust(32, "0"))
    with store.open("nightly") as chosen, store.open("old") as old, store.open("new") as new:
        result = fix_check(old, new, events=["timeout", "violated"], failing_from=chosen, max_mde=0.2)
        return fix_report_files(result, fix_details(old, new, result, PRICES))


def run_report(folder):
    """Return the files of one run alone."""
    agent_report(folder)
    with Store(folder).open("patched") as run:
        result = show(run)
        found = shares(result)
        return run_files(result, found, run_details(run, found, PRICES))


AGENT = RolloutRecord(
    "support",
    outcomes=("timeout", "violated", "resolved"),
    failures=("timeout", "violated"),
    successes=("resolved",),
    t_unit="calls",
    nodeid="test_support.py::test_support",
)


def _compared(folder, cells, before, after, *, replicates, rollout=AGENT, variant=None):
    store = fixed_store(folder)
    first = _write(store, "base", cells, before, replicates, rollout, environment=environment("1.0"))
    _write(
        store,
        "patched",
        cells,
        after,
        replicates,
        rollout,
        paired_with=first,
        environment=environment("1.1"),
        variant=variant or {"policy": "retry"},
    )
    with store.open("base") as a, store.open("patched") as b:
        result = diff(a, b)
        return comparison_files(result, comparison_details(a, b, result, PRICES))


def _write(store, name, cells, rate_of, replicates, rollout, *, salt=SALT, **record):
    conditions = tuple(
        type(each)(each.key, each.rollout, each.axes, each.nodeid, replicates) for each in cells
    )
    writer = store.create(
        RunRecord(
            salt=salt,
            name=name,
            rollouts=(rollout,),
            conditions=conditions,
            suite="0123456789abcdef" * 4,
            **record,
        )
    )
    writer.add(
        _episode(each, replicate, rate_of(each.key), rollout, salt)
        for each in conditions
        for replicate in range(replicates)
    )
    writer.finish("complete")
    return writer.run.run_id


def _episode(condition, replicate, rate, rollout, salt):
    seed = seed_of(salt, condition.key, replicate)
    draws = random.Random(seed)
    failed = draws.random() < rate
    word = draws.choice(rollout.failures) if failed else rollout.successes[0]
    lost = failed and replicate % 7 == 2
    return Episode(
        condition=condition.key,
        replicate=replicate,
        seed=seed,
        outcome=None if lost else word,
        cause="errored" if lost else None,
        t=3 + replicate % 9,
        horizon=30,
        started_ns=1_700_000_000_000_000_000 + replicate,
        wall_s=0.5 + replicate / 100,
        error=f"ToolError: {rollout.failures[0]} was refused\n  at step 3" if lost else None,
        tokens_in=450 if failed else None,
        tokens_out=55 if failed else None,
        spans=tuple(_spans(draws, rollout.failures[0])) if failed and replicate < 40 else (),
    )


def _spans(draws, word):
    start = 1_700_000_000_000_000_000
    yield Span("a", None, "agent", f"solve {word}", start, start + 900_000_000)
    for number in range(draws.randint(1, 4)):
        begun = start + number * 200_000_000
        yield Span(
            f"m{number}",
            "a",
            "llm",
            "plan",
            begun,
            begun + 150_000_000,
            input=f"What about {word}?",
            output=f"I would call the tool. {word} " * 3,
            tokens=Tokens(150, 20),
            attrs={"llm.model_name": "large-1"},
        )
        yield Span(
            f"t{number}",
            f"m{number}",
            "tool",
            "lookup",
            begun + 1000,
            begun + 90_000,
            error=f"no such {word}",
        )


def rows_of(report, name="agent"):
    """Return the rows of the JSON of a report of a comparison."""
    return json.loads((report(name) / "report.json").read_text(encoding="utf-8"))["diff"]["rows"]
