"""What spans cost: `python benchmarks/spans.py [--stored N]`.

Recording one is set beside a bare pair of `time.perf_counter()` calls; storing them beside as many JSON lines;
reading outcomes beside the same read of a run without spans. Times are processor time, so that a busy machine does not
count.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from poisson_store import Store
from poisson_store.records import ConditionRecord, RolloutRecord, RunRecord
from pytest_poisson import span
from pytest_poisson.conditions import Condition
from pytest_poisson.content import ContentRules
from pytest_poisson.declaration import Declaration
from pytest_poisson.recording import Recording
from pytest_poisson.rollout import Rollout
from pytest_poisson.seeds import derive_seeds
from pytest_poisson.span_rows import trace_row
from pytest_poisson.spans import enter_replicate, leave_replicate

SPANS = 1000  # of one replicate, as much as one has
KILOBYTE = "x" * 1000


def new_rollout() -> Rollout:
    return Rollout(
        condition=Condition("0" * 16, "demo", {}, "test_demo.py::test_demo"),
        declaration=Declaration("demo"),
        replicate=0,
        seeds=derive_seeds("0" * 32, "0" * 16, 0),
        run_id="run",
        variant={},
        recording=Recording((), 10_000, ContentRules()),
    )


def bare() -> None:
    for _ in range(SPANS):
        time.perf_counter()
        time.perf_counter()


def empty() -> None:
    for _ in range(SPANS):
        with span("tool", "search"):
            pass


def with_kilobyte() -> None:
    for _ in range(SPANS):
        with span("llm", "request", input=KILOBYTE) as each:
            each.output = KILOBYTE
            each.tokens = {"in": 250, "out": 250}


def microseconds(call: Callable[[], object], *, inside: bool = True, rows: bool = False) -> float:
    """Return the median over replicates of the time one span takes, in µs; with rows, of turning it into its row."""
    taken = []
    for _ in range(30):
        rollout = new_rollout()
        if inside:
            enter_replicate(rollout)
        begun = time.process_time()
        call()
        recorded = time.process_time()
        leave_replicate()
        if rows:
            begun = time.process_time()
            trace_row(rollout.trace)
            recorded = time.process_time()
        taken.append((recorded - begun) / SPANS * 1e6)
    return sorted(taken)[len(taken) // 2]


def recording() -> None:
    base = microseconds(bare)
    print(f"bare pair of perf_counter              {base:6.2f} us")
    for what, call, inside in (
        ("span outside a replicate", empty, False),
        ("span without content", empty, True),
        ("span with 1 kB in and out, tokens", with_kilobyte, True),
    ):
        cost = microseconds(call, inside=inside)
        print(f"{what:38} {cost:6.2f} us, {cost - base:6.2f} us more, ratio {cost / base:.0f}")
    for what, call in (
        ("row of one without content", empty),
        ("row of one with 1 kB in and out", with_kilobyte),
    ):
        print(f"{what:38} {microseconds(call, rows=True):6.2f} us")


def record(conditions: int, replicates: int) -> RunRecord:
    rollout = RolloutRecord("demo", ("passed", "failed"), ("failed",), ("passed",))
    cells = tuple(
        ConditionRecord(f"{n:016x}", "demo", {"n": n}, planned=replicates) for n in range(conditions)
    )
    return RunRecord("0" * 32, (rollout,), cells)


def rows_with_spans(episodes: int, spans: int, texts: int) -> list[tuple[object, ...]]:
    """Make rows as workers send them: each span has an input, one of `texts` distinct ones of about 200 bytes."""
    made = []
    for episode in range(episodes):
        group = [
            (
                *(
                    f"{place:04x}",
                    "0000" if place else None,
                    place % 7,
                    "grader.request",
                    episode,
                    episode + place,
                ),
                *(f"question {(episode * spans + place) % texts} " + "x" * 180, None, None, None, None, None),
                *(12, 3, '{"gen_ai.request.model":"m"}', None, None),
            )
            for place in range(spans)
        ]
        made.append(
            (0, episode, 1, episode % 2, None, None, None, 1, 0.1, None, None, 12, 3, None, None, group, None)
        )
    return made


def storing(count: int, folder: Path) -> None:
    episodes, spans = count // 100, 100
    for texts, what in ((1000, "1,000 distinct texts"), (count, "all texts distinct")):
        rows = rows_with_spans(episodes, spans, texts)
        begun = time.process_time()
        with Store(folder / f"spans{texts}").create(record(1, episodes)) as writer:
            for start in range(0, episodes, 200):
                writer.add(rows[start : start + 200])
        taken = time.process_time() - begun
        begun = time.process_time()
        with (folder / "lines").open("w", encoding="utf-8") as file:
            for start in range(0, episodes, 200):
                file.writelines(json.dumps(row) + "\n" for row in rows[start : start + 200])
                file.flush()
        lines = time.process_time() - begun
        print(f"{count:,} spans stored, {what}: {count / taken:,.0f}/s; as JSON lines {count / lines:,.0f}/s")
    reading(folder, episodes)


def reading(folder: Path, episodes: int) -> None:
    bare_rows = [row[:11] + (None,) * 6 for row in rows_with_spans(episodes, 1, 1)]
    with Store(folder / "bare").create(record(1, episodes)) as writer:
        writer.add(bare_rows)
    times = {}
    for name in ("spans1000", "bare"):
        with Store(folder / name).open("latest") as reader:
            taken = []
            for _ in range(20):
                begun = time.process_time()
                reader.outcome_columns()
                reader.outcome_counts()
                taken.append(time.process_time() - begun)
        times[name] = min(taken) * 1000
    print(
        f"outcomes of {episodes:,} episodes: {times['spans1000']:.2f} ms with 100 spans each, "
        f"{times['bare']:.2f} ms without, ratio {times['spans1000'] / times['bare']:.2f}"
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--stored", type=int, default=1_000_000)
    arguments = parser.parse_args()
    recording()
    with tempfile.TemporaryDirectory() as directory:
        storing(arguments.stored, Path(directory))
