"""The worker program: a process that holds a collected pytest session and serves batches of replicates.

It reads a job, then batches ``[condition, [[start, stop], …], alone]`` until its input ends. It answers with
``["hello", missing, trouble]`` once it has collected (the keys it lacks, and why), and for each batch ``["ready"]`` when
the wider fixtures are set up (then ``["concurrent"]`` where replicates are in flight together, ``["pause"]`` and
``["again"]`` around the wait before one is tried again), one row (a list that begins with a number) as each replicate
ends, and ``["done"]``. ``["notice", text]`` may come at any time, as may ``["spans", replicate, items]``, what a replicate has recorded whose time is nearly over;
``["exit", text]`` asks to end the sweep.
"""

from __future__ import annotations

import os
import sys
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest

from pytest_poisson import neighbours
from pytest_poisson.channel import WorkerChannel
from pytest_poisson.collect import CollectedCondition, collect_conditions
from pytest_poisson.errors import telling_line
from pytest_poisson.job import Job
from pytest_poisson.last_words import LastWords
from pytest_poisson.pytest_internals import FixtureFailures, leave_for, tear_down_all
from pytest_poisson.rollout import CURRENT_ROLLOUT
from pytest_poisson.runners import Runners
from pytest_poisson.stash import IN_WORKER

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from pytest_poisson.replicate import ConditionRunner
    from pytest_poisson.rollout import Rollout


def main() -> int:
    """Serve one job on the standard streams; return pytest's exit status."""
    channel = WorkerChannel.take_standard_streams()
    _end_with_parent()
    job = Job.from_json(channel.receive())
    os.chdir(job.directory)
    return int(pytest.main([*job.arguments], plugins=[WorkerSession(channel, job)]))


def _end_with_parent() -> None:
    """On Linux, ask the kernel to end this process when the one that started it dies, even in mid-replicate."""
    if sys.platform == "linux":
        import ctypes
        import signal

        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def replicates_of(ranges: list[list[int]]) -> Iterator[int]:
    """Return the replicate numbers of a batch's half-open ranges, in order."""
    return chain.from_iterable(range(start, stop) for start, stop in ranges)


class WorkerSession(FixtureFailures):
    """The hooks by which a pytest session serves batches instead of running its items."""

    def __init__(self, channel: WorkerChannel, job: Job) -> None:
        self.channel = channel
        self.job = job
        self.conditions: list[CollectedCondition] = []
        self.trouble = ""
        self.batch: tuple[ConditionRunner, list[list[int]], bool] | None = None

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_load_initial_conftests(self, early_config: pytest.Config) -> Generator[None, object, object]:
        """Capture nothing: output goes where errors go. There may be no option to say so (`-p no:capture`)."""
        early_config.known_args_namespace.capture = "no"
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_configure(self, config: pytest.Config) -> None:
        """Switch off what would make this process a session of its own."""
        config.stash[IN_WORKER] = True
        neighbours.silence_options(config)

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Take the plugins out that have no part here, once all are configured."""
        neighbours.unregister(session.config)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep what the first failure to collect was."""
        if report.failed and not self.trouble:
            self.trouble = f"{report.nodeid}: {telling_line(report.longreprtext)}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Find the conditions before anything deselects or reorders them."""
        self.conditions = collect_conditions(items)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Serve batches until the controlling process closes its end."""
        runners = Runners(self.conditions, self.job)
        if self.job.timeout_s is not None:
            LastWords(self.job.timeout_s, self._under_way, self._tell_spans).start()
        self.channel.send(["hello", runners.missing(), self.trouble])
        while (batch := self.channel.receive()) is not None:
            index, ranges, alone = batch
            self._serve(runners[index], ranges, alone=alone)
        self._noting(tear_down_all, session)
        return True

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self) -> bool:
        """Run the batch at hand, inside what pytest wraps around every item."""
        if self.batch is not None:
            runner, ranges, alone = self.batch
            runner.run(
                replicates_of(ranges), self.channel.send, lambda word: self.channel.send([word]), alone=alone
            )
        return True

    def _under_way(self) -> Rollout | None:
        """Return the replicate that only the controlling process can end; those in flight together are cancelled."""
        if self.batch is None:
            return None
        runner, _, alone = self.batch
        return None if runner.is_concurrent and not alone else runner.item.stash.get(CURRENT_ROLLOUT, None)

    def _tell_spans(self, replicate: int, trace: list[Any]) -> None:
        self.channel.send(["spans", replicate, trace])

    def _serve(self, runner: ConditionRunner, ranges: list[list[int]], *, alone: bool) -> None:
        self.channel.renew_output()
        self._noting(leave_for, runner.item)
        self.batch = (runner, ranges, alone)
        try:
            runner.item.ihook.pytest_runtest_protocol(item=runner.item, nextitem=None)
        except pytest.exit.Exception as request:
            self.channel.send(["exit", str(request.msg)])
        finally:
            self.batch = None
        self.channel.send(["done"])

    def _noting(self, tear_down: Any, node: Any) -> None:
        """Tear down wider fixtures; what they raise belongs to no replicate, so it is passed on as a notice."""
        try:
            tear_down(node)
        except BaseException as error:  # noqa: BLE001  a fixture may raise anything
            self.channel.send(
                ["notice", f"a wider fixture raised in tear-down: {type(error).__name__}: {error}"]
            )
