"""How long a report takes to make and to open: `python benchmarks/report.py [--conditions N] [--chromium PATH]`.

Two paired runs of so many conditions, 200 replicates and 2 events each, with the spans of 50 failing replicates. Given a
Chromium, the page is opened from disk and timed until its script has drawn it; needs playwright.
"""

import argparse
import random
import tempfile
import time
from contextlib import ExitStack, redirect_stdout
from io import StringIO
from pathlib import Path

from poisson_store import Store
from poisson_store.records import ConditionRecord, EpisodeRow, RolloutRecord, RunRecord, SpanRow
from pytest_poisson.cli import main
from pytest_poisson.conditions import condition_key

OUTCOMES = ("resolved", "timeout", "violated")
TRACED = 50
SPANS = 20
START = 1_790_000_000_000_000_000


def write_run(store, name, conditions, replicates, *, rate, paired_with=None):
    """Store a run; 50 failing replicates have 20 spans each."""
    rollout = RolloutRecord(
        "support", OUTCOMES, OUTCOMES[1:], OUTCOMES[:1], "calls", "test_support.py::test_support"
    )
    cells = tuple(
        ConditionRecord(
            condition_key("support", {"item": n}),
            "support",
            {"item": n},
            f"test_support.py::test_support[{n}]",
            replicates,
        )
        for n in range(conditions)
    )
    record = RunRecord("0" * 32, (rollout,), cells, name=name, paired_with=paired_with)
    draw, traced = random.Random(name), 0
    with store.create(record) as writer:
        for replicate in range(replicates):
            rows = []
            for condition in range(conditions):
                outcome = draw.randint(1, 2) if draw.random() < rate else 0
                spans = None
                if outcome and traced < TRACED:
                    traced, spans = traced + 1, make_spans(draw)
                seed = condition * 100_000 + replicate
                tokens = (2000, 400) if spans else (None, None)
                rows.append(
                    EpisodeRow(
                        condition,
                        replicate,
                        seed,
                        outcome,
                        None,
                        5,
                        30,
                        START + replicate,
                        0.5,
                        None,
                        None,
                        *tokens,
                        spans=spans,
                    )
                )
            writer.add(rows)
        writer.finish("complete")
    return writer.run.run_id


def make_spans(draw):
    """Return the spans of one replicate, one kilobyte of text each."""
    text = "".join(draw.choices("abcdefghij ", k=500))
    return [
        SpanRow(
            f"{n:04}",
            "0000" if n else None,
            n % 7,
            "call",
            START + n,
            START + n + 10,
            text,
            text,
            tokens_in=100,
            tokens_out=20,
        )
        for n in range(SPANS)
    ]


def open_page(chromium, page):
    """Return the milliseconds from navigation to a drawn page, and the number of elements."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 (an extra that the rest does without)

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        tab = browser.new_page()
        tab.goto("about:blank")
        tab.goto(page.as_uri())
        tab.wait_for_selector("[data-ready]")
        timing = tab.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd")
        elements = tab.evaluate("document.getElementsByTagName('*').length")
        browser.close()
    return timing, elements


def run(arguments):
    """Make the runs, write the report, open it."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        store = Store(folder / "store")
        first = write_run(store, "base", arguments.conditions, arguments.replicates, rate=0.2)
        write_run(store, "patched", arguments.conditions, arguments.replicates, rate=0.21, paired_with=first)
        began = time.perf_counter()
        with redirect_stdout(StringIO()):
            status = main(
                ["report", "base", "patched", f"--store={folder / 'store'}", f"--out={folder / 'out'}"]
            )
        took = time.perf_counter() - began
        print(f"report of {arguments.conditions} conditions: {took:.2f} s, status {status}")
        for each in sorted((folder / "out").iterdir()):
            print(f"  {each.name}: {each.stat().st_size:,} bytes")
        for _ in range(3 if arguments.chromium else 0):
            timing, elements = open_page(arguments.chromium, folder / "out" / "report.html")
            print(f"  drawn after {timing:.0f} ms, {elements:,} elements")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conditions", type=int, default=1000)
    parser.add_argument("--replicates", type=int, default=200)
    parser.add_argument("--chromium")
    run(parser.parse_args())
