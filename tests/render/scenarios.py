"""Comparisons to render: the same stored runs every time, made through the store."""

import random
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from itertools import count

from poisson_store import Store
from pytest_poisson.analyses.along import diff_along
from pytest_poisson.analyses.diff import diff
from pytest_poisson.analyses.over_time import OverTime
from tests.stored_runs import OTHER_SALT, SALT, cell, endings, seed_of, write_run

TASKS = {"refund": 3, "checkout": 5, "search": 8}
RATES = (0.0, 0.1, 0.2)
LONG = "a customer writes in anger about a parcel that never came, case"


def fixed_store(folder):
    """Return a store whose run ids and times do not change from day to day."""
    minutes, suffixes = count(), count(0xA1B2)
    start = datetime(2026, 11, 29, 13, 25, 1, tzinfo=timezone.utc)
    return Store(
        folder,
        clock=lambda: start + timedelta(minutes=next(minutes)),
        new_suffix=lambda: f"{next(suffixes):04x}",
    )


def ending_of(seed, steps, fail_rate, *, retry):
    """Run a mock agent: every step may fail; a retry costs a call and too many calls are a timeout."""
    draws, calls = random.Random(seed), 0
    for _ in range(steps):
        calls += 1
        done = draws.random() >= fail_rate
        if not done and retry:
            calls += 1
            done = draws.random() >= fail_rate
        if not done:
            return "violated"
        if calls > steps * 1.3:
            return "timeout"
    return "resolved"


def agent_cells(*, retry, replicates=194):
    """Return the mock agent's endings in nine conditions."""
    cells = [
        (cell(task=task, tool_fail_rate=rate), steps, rate) for task, steps in TASKS.items() for rate in RATES
    ]
    return [
        (each, [ending_of(seed_of(SALT, each.key, i), steps, rate, retry=retry) for i in range(replicates)])
        for each, steps, rate in cells
    ]


def trade(folder):
    """Return the mock agent against its patched version, two outcomes missing."""
    store = fixed_store(folder)
    first = write_run(store, "base", agent_cells(retry=False), environment=environment("1.0"))
    patched = agent_cells(retry=True)
    patched[0][1][5], patched[1][1][7] = "timed_out", "errored"
    write_run(
        store,
        "patched",
        patched,
        paired_with=first,
        variant={"policy": "retry"},
        environment=environment("1.1"),
    )
    return compare(store, "base", "patched")


def environment(version):
    """Return an environment as a sweep records it."""
    return {
        "python": "3.12.4",
        "platform": "Linux-6.8-x86_64",
        "packages": {"agentlib": version, "numpy": "2.1.0"},
        "git": {"commit": f"{version.replace('.', '')}f3c2a97", "branch": "main", "dirty": False},
        "command": ["pytest", "--poisson-sweep"],
    }


def two(folder, before, after, *, events=None, paired=False, **record):
    """Return two runs of a few conditions, compared."""
    store = fixed_store(folder)
    first = write_run(store, "base", before)
    write_run(
        store,
        "patched",
        after,
        salt=SALT if paired else OTHER_SALT,
        paired_with=first if paired else None,
        **record,
    )
    return compare(store, "base", "patched", events=events)


def equal(folder):
    """Return a comparison of equal runs that are large enough to say so."""
    cells = [(cell(task=task), endings(resolved=270, timeout=30)) for task in "ab"]
    return two(folder, cells, cells, paired=True)


def too_small(folder):
    """Return a comparison of 20 replicates."""
    cells = [cell(task=task) for task in "abc"]
    return two(
        folder,
        [(each, endings(resolved=15, timeout=5)) for each in cells],
        [(each, endings(resolved=13, timeout=7)) for each in cells],
        paired=True,
    )


def missing(folder):
    """Return a comparison whose improvement is made of time-outs."""
    cells = [cell(task=task) for task in "abc"]
    return two(
        folder,
        [(each, endings(resolved=150, timeout=50)) for each in cells],
        [(each, endings(resolved=150, timeout=15, timed_out=35)) for each in cells],
    )


def within(folder):
    """Return a comparison of two axis values of one run, within a margin, with replicates that were cut off."""
    store = fixed_store(folder)
    cells = [cell(task=task, model=model) for task in "ab" for model in ("small", "large")]
    write_run(store, "models", [(each, endings(resolved=900, timeout=100)) for each in cells])
    with store.open("models") as run:
        result = diff_along(run, "model=small:large", margin=0.1)
    first, *rest = result.rows
    return replace(result, rows=(replace(first, over_time=OverTime(9.0, 0.1, None, 1, 2)), *rest))


def long_labels(folder):
    """Return a comparison with labels wider than a table's column, and conditions of one run alone."""
    shared = [cell(story=f"{LONG} {number}") for number in (1, 2)]
    return two(
        folder,
        [
            *((each, endings(resolved=150, timeout=50)) for each in shared),
            (cell(story="old"), endings(resolved=9)),
        ],
        [
            *((each, endings(resolved=50, timeout=150)) for each in shared),
            (cell(story="new"), endings(resolved=9)),
        ],
        status="interrupted",
        selection="-k story",
    )


def refused(folder):
    """Return a comparison of runs that share no condition."""
    return two(folder, [(cell(task="a"), endings(resolved=9))], [(cell(task="b"), endings(resolved=9))])


def compare(store, before, after, **choices):
    """Compare two stored runs."""
    with store.open(before) as first, store.open(after) as second:
        return diff(first, second, **choices)
