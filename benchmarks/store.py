"""The store beside JSON Lines, on the same rows in the same process: `python benchmarks/store.py [--rows N]`.

JSON Lines is the usual alternative: one object a line, appended and flushed batch by batch, read line by line.
"""

import argparse
import json
import random
import shutil
import sqlite3
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path

from poisson_store import Store, open_run
from poisson_store.records import ConditionRecord, EpisodeRow, RolloutRecord, RunRecord

OUTCOMES = ("resolved", "timeout", "violated")
NOTHING = (None,) * 8
BATCH = 2_000


def record(conditions: int, replicates: int) -> RunRecord:
    rollout = RolloutRecord("support", OUTCOMES, OUTCOMES[1:], OUTCOMES[:1], "tool_calls")
    cells = tuple(
        ConditionRecord(f"{number:016x}", "support", {"n": number}, planned=replicates)
        for number in range(conditions)
    )
    return RunRecord("0" * 32, (rollout,), cells)


def make_rows(conditions: int, replicates: int) -> list[tuple[object, ...]]:
    """Deal rows as a sweep does: round-robin over the conditions."""
    draw = random.Random(0)
    start = 1_790_000_000_000_000_000
    rows = []
    for replicate in range(replicates):
        for condition in range(conditions):
            start += draw.randrange(1_000_000)
            outcome = draw.choice((0, 1, 2, None))
            cause = 1 if outcome is None else None
            numbers = (condition, replicate, draw.getrandbits(32), outcome, cause, draw.randrange(20), 12)
            rows.append((*numbers, start, round(draw.random() * 3, 6), *NOTHING))
    return rows


def with_spans(rows: list[tuple[object, ...]], spans: int, body: str | None) -> list[tuple[object, ...]]:
    """Give every row spans; `body` is a distinct input of 1 kB each (`own`), one for all (`same`) or none."""
    text = "x" * 1000
    return [
        (
            *row[:15],
            [
                (
                    f"{place:016x}",
                    None,
                    place % 7,
                    "grader.request",
                    place,
                    place + 1,
                    _body(body, text, number, place),
                )
                + (None,) * 5
                + (12, 3, None, None, None)
                for place in range(spans)
            ],
            None,
        )
        for number, row in enumerate(rows)
    ]


def _body(body: str | None, text: str, number: int, place: int) -> str | None:
    return {"own": f"{number} {place} {text}", "same": text, None: None}[body]


def timed(label: str, work, amount: int, unit: str = "rows") -> float:
    began = time.perf_counter()
    work()
    took = time.perf_counter() - began
    print(f"{label:<44} {took:8.3f} s {amount / took:>12,.0f} {unit}/s")
    return took


def write_run(folder: Path, run: RunRecord, rows: list[tuple[object, ...]]) -> Path:
    with Store(folder).create(run) as writer:
        for start in range(0, len(rows), BATCH):
            writer.add(rows[start : start + BATCH])
    return writer.path


def write_lines(path: Path, run: RunRecord, rows: list[tuple[object, ...]]) -> None:
    names = EpisodeRow._fields
    with path.open("w", encoding="utf-8") as file:
        for start in range(0, len(rows), BATCH):
            for row in rows[start : start + BATCH]:
                episode = {name: value for name, value in zip(names, row, strict=True) if value is not None}
                episode["condition"] = run.conditions[row[0]].key
                file.write(json.dumps(episode, separators=(",", ":")) + "\n")
            file.flush()


def count_lines(path: Path) -> dict[str, Counter[int | None]]:
    counts: dict[str, Counter[int | None]] = {}
    with path.open(encoding="utf-8") as file:
        for line in file:
            episode = json.loads(line)
            counts.setdefault(episode["condition"], Counter())[episode.get("outcome")] += 1
    return counts


def compare(folder: Path, conditions: int, replicates: int) -> None:
    run, rows = record(conditions, replicates), make_rows(conditions, replicates)
    lines = folder / f"{conditions}.jsonl"
    print(f"\n{conditions:,} conditions x {replicates:,} replicates, batches of {BATCH:,}")
    paths: list[Path] = []
    store = timed("store: write", lambda: paths.append(write_run(folder, run, rows)), len(rows))
    other = timed("JSON Lines: write", lambda: write_lines(lines, run, rows), len(rows))
    print(f"{'ratio':<44} {other / store:8.1f}")
    size, other_size = paths[0].stat().st_size, lines.stat().st_size
    print(
        f"{'size: store, JSON Lines, ratio':<44} {size / 1e6:8.1f} MB {other_size / 1e6:8.1f} MB {other_size / size:8.1f}"
    )
    with open_run(paths[0]) as reader:
        store = timed("store: outcome counts", reader.outcome_counts, len(rows))
        timed("store: outcomes as arrays", reader.outcome_columns, len(rows))
        timed("store: everything as arrays", reader.columns, len(rows))
        timed("store: episodes as dataclasses", lambda: sum(1 for _ in reader.episodes()), len(rows))
        timed("store: stored replicates (resume)", reader.replicates, len(rows))
    other = timed("JSON Lines: outcome counts", lambda: count_lines(lines), len(rows))
    print(f"{'ratio of the counts':<44} {other / store:8.1f}")


def spans(folder: Path, episodes: int) -> None:
    run, rows = record(episodes // 10, 10), make_rows(episodes // 10, 10)
    for body in (None, "same", "own"):
        traced = with_spans(rows, 20, body)
        total, place = 20 * len(rows), folder / f"spans-{body}"
        print(f"\n20 spans an episode, body: {body}")
        timed("store: write", partial(write_run, place, run, traced), total, "spans")
        (path,) = place.glob("2*.sqlite")
        print(f"{'size':<44} {path.stat().st_size / 1e6:8.1f} MB")
        with open_run(path) as reader:
            timed("store: outcome counts", reader.outcome_counts, len(rows))
            timed("store: how far each episode got", reader.trace_columns, len(rows))


def many_runs(folder: Path, runs: int) -> None:
    print(f"\na store of {runs:,} runs")
    store, run, rows = Store(folder / "many"), record(9, 20), make_rows(9, 20)
    seed = write_run(folder / "many", run, rows)
    with open_run(seed) as reader:
        salt = reader.run.salt

    for number in range(runs - 1):
        run_id = f"20260101T{number // 3600:02d}{number // 60 % 60:02d}{number % 60:02d}Z-{number:04x}"
        copy = seed.with_name(f"{run_id}.sqlite")
        shutil.copyfile(seed, copy)
        connection = sqlite3.connect(copy)
        connection.execute("UPDATE run SET run_id = ?, name = ?, salt = ?", (run_id, f"run {number}", salt))
        connection.commit()
        connection.close()
    timed("list, first time", store.runs, runs, "runs")
    timed("list", store.runs, runs, "runs")
    timed("resolve latest", lambda: store.resolve("latest"), runs, "runs")
    timed("begin one more", lambda: store.create(run).finish(), 1, "runs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=1_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        compare(Path(folder), 1_000, options.rows // 1_000)
        compare(Path(folder), 1, options.rows)
        spans(Path(folder), options.rows // 20)
        many_runs(Path(folder), options.runs)


if __name__ == "__main__":
    main()
