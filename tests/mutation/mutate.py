"""Changes one thing at a time in the modules that decide, and says which changes no test notices.

    python tests/mutation/mutate.py --module poisson_stats.verdict tests/stats/test_verdict.py
    python tests/mutation/mutate.py --processes 2          # everything, with all of their tests

The tests are collected once and run once, to see which of them runs which line. Each change is then tried in a fork of
that session: the tests that run the changed line, the quickest first, until one fails.
"""

from __future__ import annotations

import argparse
import bisect
import contextlib
import importlib
import itertools
import math
import os
import shutil
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import coverage
import pytest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT))

from tests.mutation.changes import Change, changes_of  # noqa: E402  the checkout is on the path from here on
from tests.mutation.explained import explanations, is_of  # noqa: E402
from tests.mutation.in_place import put_in_place  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TextIO

STATISTICS = [f"poisson_stats.{each.stem}" for each in sorted(ROOT.glob("stats/poisson_stats/[!_]*.py"))]
GATE = ["pytest_poisson.decision", "pytest_poisson.fail_on", "pytest_poisson.gate"]
TESTS = [
    "tests/stats",
    "tests/analyses/test_decide.py",
    "tests/analyses/test_fail_on.py",
    "tests/analyses/test_reasons.py",
    "tests/plugin/test_gate.py",
    "tests/plugin/test_promises.py",
    "tests/plugin/test_stops.py",
]


class Tried(NamedTuple):
    """What became of a change: `noticed`, `hung`, `unnoticed`, or run by `no test`."""

    change: Change
    ended: str


class Mutation:
    """A plugin that runs the collected tests on the changes instead of once."""

    def __init__(self, options: argparse.Namespace, out: TextIO) -> None:
        self.options = options
        self.out = out
        self.seconds: dict[str, float] = {}
        self.failed = False

    def pytest_collection(self) -> None:
        """Leave out what Hypothesis does after it has found a failure."""
        from hypothesis import Phase, settings

        settings.register_profile(
            "mutation", settings.get_profile("tests"), phases=[Phase.explicit, Phase.generate]
        )
        settings.load_profile("mutation")

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Note how long a test takes and that one has failed."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0) + report.duration
        self.failed = self.failed or report.failed

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run the tests once unchanged, then the changes."""
        if session.testsfailed:
            raise session.Interrupted("not all tests could be collected")
        for module in self.options.module:
            importlib.import_module(module)
        lines = self._run_unchanged(session.items)
        items = {each.nodeid: each for each in session.items}
        for module in self.options.module:
            covering = {
                line: sorted((name for name in names if name in items), key=self.seconds.__getitem__)
                for line, names in lines[sys.modules[module].__file__].items()
            }
            every = sorted(
                {name for names in covering.values() for name in names}, key=self.seconds.__getitem__
            )
            tests = {line: [items[name] for name in names] for line, names in covering.items()}
            self._try_module(module, tests, [items[name] for name in every])
        return True

    def _run_unchanged(self, items: Sequence[pytest.Item]) -> dict[str, dict[int, list[str]]]:
        started = time.monotonic()
        measured = coverage.Coverage(
            data_file=None, config_file=False, include=[str(ROOT / "stats/*"), str(ROOT / "pytest_poisson/*")]
        )
        measured.start()
        for position, item in enumerate(items):
            measured.switch_context(item.nodeid)
            _run(item, items[position + 1] if position + 1 < len(items) else None)
            if self.failed:
                self._say(f"{item.nodeid} fails without a change")
                pytest.exit("a test fails without a change", returncode=1)
        measured.stop()
        self._say(f"{len(items)} tests pass unchanged in {time.monotonic() - started:.0f} s")
        files = (sys.modules[module].__file__ for module in self.options.module)
        return {each: measured.get_data().contexts_by_lineno(each) for each in files}

    def _try_module(self, module: str, tests: dict[int, list], every: list) -> None:
        source = Path(sys.modules[module].__file__).read_text(encoding="utf-8")
        unchanged = Change(0, "", "nothing")
        if next(iter(self._try_all(module, [unchanged], {}, every))).ended != "unnoticed":
            self._say(f"{module}: its tests fail in a fork without a change")
            return
        changes = changes_of(source)[:: self.options.every]
        entries = explanations().get(module, [])
        noticed = unexplained = 0
        for tried in self._try_all(module, changes, tests, every):
            noticed += tried.ended in ("noticed", "hung")
            if tried.ended in ("unnoticed", "no test") and not any(
                is_of(each, tried.change) for each in entries
            ):
                unexplained += 1
                self._say(
                    f"  line {tried.change.line}: {tried.change.what}: {tried.ended}\n    {tried.change.text}"
                )
        others = len(changes) - noticed - unexplained
        self._say(
            f"{module}: {len(changes)} changes, {noticed} noticed, {others} explained, {unexplained} neither"
        )

    def _try_all(
        self, module: str, changes: list[Change], tests: dict[int, list], every: list
    ) -> Iterator[Tried]:
        running: dict[int, tuple[Change, float]] = {}
        waiting = list(reversed(changes))
        while waiting or running:
            while waiting and len(running) < self.options.processes:
                change = waiting.pop()
                chosen = self._affordable(tests.get(change.line, []) or every)
                if not chosen:
                    yield Tried(change, "no test")
                    continue
                child = os.fork()
                if not child:
                    self._try(module, change, chosen)
                usual = sum(self.seconds[each.nodeid] for each in chosen)
                running[child] = change, time.monotonic() + 10 + 5 * usual
            child, status = os.waitpid(-1, os.WNOHANG)
            if child in running:
                change, _ = running.pop(child)
                yield Tried(change, "noticed" if status else "unnoticed")
                continue
            for late in [each for each, (_, ends) in running.items() if ends < time.monotonic()]:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(late, signal.SIGKILL)
                os.waitpid(late, 0)
                yield Tried(running.pop(late)[0], "hung")
            time.sleep(0.005)

    def _affordable(self, items: list) -> list:
        """Return the first of the items, which take no longer than `--seconds` together; one at least."""
        spent = list(itertools.accumulate(self.seconds[each.nodeid] for each in items))
        return items[: max(1, bisect.bisect_right(spent, self.options.seconds))] if items else items

    def _try(self, module: str, change: Change, items: list[pytest.Item]) -> None:
        """Run the tests with a change; never returns. The status is not 0 if one of them fails."""
        os.setsid()
        try:
            put_in_place(module, change)
            for position, item in enumerate(items):
                _run(item, items[position + 1] if position + 1 < len(items) else None)
                if self.failed:
                    break
        except BaseException:  # noqa: BLE001  a change may raise anything, at import already
            self.failed = True
        finally:
            os._exit(int(self.failed))

    def _say(self, what: str) -> None:
        print(what, file=self.out, flush=True)


def _run(item: pytest.Item, following: pytest.Item | None) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def main() -> None:
    """Try the changes and print those that nothing notices and nothing explains."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "tests", nargs="*", help="tests that are to notice; without any, all of those modules'"
    )
    parser.add_argument("--module", choices=[*STATISTICS, *GATE], action="append")
    parser.add_argument("--every", type=int, default=1, help="try one change in so many")
    parser.add_argument("--processes", type=int, default=1, help="try so many changes at once")
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="try each on so many seconds of tests"
    )
    options = parser.parse_args()
    options.module = options.module or [*STATISTICS, *GATE]
    out = os.fdopen(os.dup(1), "w")
    with Path(os.devnull).open("w") as nothing:
        os.dup2(nothing.fileno(), 1)
        os.dup2(nothing.fileno(), 2)
    os.environ["PYTEST_ADDOPTS"] = ""
    tests = [str(Path(each).resolve()) for each in options.tests or (ROOT / each for each in TESTS)]
    os.chdir(ROOT)
    scratch = tempfile.mkdtemp()
    words = ["-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--basetemp", f"{scratch}/tests"]
    try:
        status = pytest.main([*words, *tests], plugins=[Mutation(options, out)])
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        print(f"without a change the tests do not pass: pytest ended with {status!r}", file=out)
        sys.exit(1)


if __name__ == "__main__":
    main()
