"""A pytest session that sweeps: plan, run, store, gate, and one section at the end."""

from __future__ import annotations

import sys
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from poisson_store import Store, StoreError
from pytest_poisson import before_sweep, neighbours
from pytest_poisson.backends.registry import find_backend
from pytest_poisson.errors import UserError
from pytest_poisson.interleave import create_twins
from pytest_poisson.item_reports import ItemReports
from pytest_poisson.job import Job
from pytest_poisson.open_runs import OpenRuns
from pytest_poisson.opening import OpenedRun, continue_run, create_run, seed_keys
from pytest_poisson.plan import Plan, make_plan, refuse_cost
from pytest_poisson.progress import ProgressLine
from pytest_poisson.recording import RowCleaner, refuse_missing_clients, refuse_unfit_hooks
from pytest_poisson.render.layout import wrap
from pytest_poisson.resume import as_begun, given_again
from pytest_poisson.selection import SELECTION, Selection
from pytest_poisson.session_files import SessionFiles
from pytest_poisson.stopping_rule import declare_rule
from pytest_poisson.stops import Stop, stop_rules, unseen
from pytest_poisson.store_directory import store_directory
from pytest_poisson.sweep import Sweep

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from poisson_store import RunReader
    from poisson_store.records import Json, RunRecord
    from pytest_poisson.backends import Backend
    from pytest_poisson.batches import Ranges
    from pytest_poisson.gate import Gate
    from pytest_poisson.options import Settings
    from pytest_poisson.replay.declaration import ReplayDeclaration
    from pytest_poisson.sweep import Decider


TERMINAL_WIDTH = 80


class SweepSession:
    """The hooks of a session in which rollouts are swept."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self.config = config
        self.settings = settings
        self._files = SessionFiles(config, settings)
        self.store = Store(store_directory(config, settings))
        self._runs = OpenRuns(self.store)
        self.xdist_workers = neighbours.take_over_xdist(config)
        self._replay = _replay_declaration(config, settings)
        self.plan: Plan | None = None
        self.run: RunReader | None = None
        self.beside: RunReader | None = None  # swept side by side with it
        self.gate: Gate | None = None
        self.comparison = ""  # the id under which it was saved
        self.notices: list[str] = []
        self.stop: Stop | None = None
        self._conditions: dict[pytest.Item, str] = {}
        self._status = 0
        self._items = ItemReports({}, None, {})

    # Before

    def pytest_report_header(self) -> list[str]:
        """Say which settings were given, and where."""
        given = [
            f"{name} ({source})" for name, source in self.settings.sources.items() if source != "default"
        ]
        lines = [f"poisson: store {self.store.path}, set: {', '.join(given)}"]
        if self.xdist_workers is not None and self.settings.backend == "local":
            lines.append(
                "poisson: the workers of pytest-xdist run replicates; ordinary tests run in this process"
            )
        return lines

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool | None:
        """Sweep, then let pytest go through the items, each of which reports its condition."""
        selection = session.config.stash.get(SELECTION, Selection())
        if session.testsfailed and not session.config.option.continue_on_collection_errors:
            return None
        if not selection.conditions or self._only_shows_set_up():
            return None
        self._conditions = {each.item: each.condition.key for each in selection.conditions}
        return self._refusing(lambda: self._plan_and_sweep(session, selection))

    def _only_shows_set_up(self) -> bool:
        return bool(
            self.config.getoption("setuponly", default=False)
            or self.config.getoption("setupplan", default=False)
        )

    def _refusing(self, work: Callable[[], bool | None]) -> bool | None:
        """Do something a user's input can make impossible; say so as pytest says it of a bad option."""
        try:
            return work()
        except (UserError, StoreError) as refusal:
            raise pytest.UsageError(str(refusal)) from None

    def _plan_and_sweep(self, session: pytest.Session, selection: Selection) -> bool | None:
        refuse_missing_clients([each.declaration for each in selection.conditions], self.settings)
        refuse_unfit_hooks(each.item for each in selection.conditions)
        resumed = self._runs.open_named(self.settings.resume)
        if resumed is not None:
            self.settings = as_begun(self.settings, resumed.run)
        baseline = self._runs.open_named(self.settings.baseline or before_sweep.baseline_of(resumed))
        before_sweep.refuse_own_failures(
            self._runs.open_named(self.settings.fix_check), baseline, self.settings
        )
        backend = find_backend(self.settings.backend, session, self.workers)
        sizing = self.settings.plan_from
        self.plan = make_plan(
            selection.conditions,
            self.settings,
            backend=backend,
            baseline=baseline,
            resumed=resumed,
            history=resumed or baseline or self._runs.open_if_there("latest"),
            sized_by=None if sizing is None else (self._runs.open(sizing[0]), self._runs.open(sizing[1])),
        )
        self._write_plan(self.plan)
        self._note(before_sweep.what_latest_lacks(self.plan, baseline, self._runs, self.settings))
        self._note(before_sweep.what_code_changed(resumed, self.config.rootpath))
        refuse_cost(self.plan, self.settings)
        before_sweep.refuse_without_common_condition(self.plan, baseline)
        before_sweep.refuse_unfit_replay(self._replay, selection, self._runs, self.settings)
        before_sweep.refuse_taken_names(self.store, self.settings, resumed)
        if self.settings.dry_run:
            return True
        opened, against = self._begin(selection, self.plan, baseline, resumed)
        decider = before_sweep.decider_of(opened.writer.run, baseline, resumed)
        self._note(before_sweep.what_waits(decider, opened))
        self._sweep(backend, opened, against, decider)
        self._judge(baseline if against is None else self.beside)
        self._report_items()
        return None

    def _begin(
        self, selection: Selection, plan: Plan, baseline: RunReader | None, resumed: RunReader | None
    ) -> tuple[OpenedRun, str | None]:
        """Open what is to be written; beside it the id of the run swept along, to be compared with."""
        if resumed is not None:
            return continue_run(self.store, self.settings, selection, plan, resumed), None
        if self.settings.interleave:
            return create_twins(
                self.store, config=self.config, settings=self.settings, selection=selection, plan=plan
            )
        opened = create_run(
            self.store,
            config=self.config,
            settings=self.settings,
            selection=selection,
            plan=plan,
            variant=dict(self.settings.variant),
            name=self.settings.name or "",
            paired=baseline.run if baseline is not None and self.settings.pair_with else None,
            compared=baseline.run if baseline is not None and self.settings.compare_with else None,
            rule=self._stopping_rule(plan, baseline),
        )
        return opened, None

    def _stopping_rule(self, plan: Plan, baseline: RunReader | None) -> dict[str, Json] | None:
        """Return what conditions are to stop early by, if they are."""
        if baseline is None or not self.settings.stop_early:
            return None
        paired = self.settings.pair_with is not None
        return declare_rule(baseline.run, paired=paired, q=self.settings.q, events=plan.events)

    @property
    def workers(self) -> int | None:
        """How many replicates are to run at a time; None where the backend is to choose."""
        if self.settings.sources["workers"] != "default" and self.settings.workers is not None:
            return int(self.settings.workers)
        return self.xdist_workers

    def _write_plan(self, plan: Plan) -> None:
        from pytest_poisson.render.plan import render_plan, render_plan_briefly

        reporter = self.reporter
        if reporter is None:
            return
        reporter.ensure_newline()
        if self.config.option.verbose < 0 and not self.settings.dry_run:
            reporter.write_line(render_plan_briefly(plan))
            return
        reporter.section("pytest-poisson plan")
        for line in render_plan(plan):
            reporter.write_line(line)

    def _note(self, sentences: Iterable[str]) -> None:
        """Print sentences under the plan."""
        if self.reporter is not None:
            for line in chain.from_iterable(wrap(each, TERMINAL_WIDTH, rest="  ") for each in sentences):
                self.reporter.write_line(line)

    # The sweep

    def _sweep(
        self, backend: Backend, opened: OpenedRun, against: str | None, decider: Decider | None
    ) -> None:
        progress = ProgressLine(self.reporter)
        run, rules = opened.writer.run, stop_rules(self.settings, opened.already)
        job = self._job(run, opened.missing, against)
        sweep = Sweep(
            opened.missing,
            job=job,
            backend=backend,
            writer=opened.writer,
            show=progress.show,
            rules=rules,
            decider=decider,
            clean=self._cleaner(job).clean,
            leaves_gaps=opened.leaves_gaps,
        )
        try:
            sweep.run()
        except StoreError as failure:
            pytest.exit(
                f"the store failed during the sweep: {failure}", returncode=pytest.ExitCode.INTERRUPTED
            )
        finally:
            progress.close()
            self.notices = [*sweep.notices, *unseen(rules)]
            self.stop = sweep.stop
            self.run = self._runs.open_if_there(run.run_id)
            self.beside = None if against is None else self._runs.open_if_there(against)
        if sweep.exit_request is not None:
            pytest.exit(sweep.exit_request)

    def _cleaner(self, job: Job) -> RowCleaner:
        selection = self.config.stash.get(SELECTION, Selection())
        declared = {each.condition.key: each.declaration.recording for each in selection.conditions}
        return RowCleaner(job.keys, declared, self.settings)

    def _job(self, run: RunRecord, missing: Sequence[Ranges], against: str | None) -> Job:
        times = 1 if against is None else 2
        conditions = [each for each in run.conditions for _ in range(times)]
        return Job(
            arguments=tuple(map(str, self.config.invocation_params.args)),
            directory=str(self.config.invocation_params.dir),
            import_path=tuple(sys.path),
            run_id=run.run_id,
            salt=run.salt,
            variant=dict(run.variant),
            outcomes=run.outcomes,
            keys=tuple(each.key if ranges else "" for each, ranges in zip(conditions, missing, strict=True)),
            timeout_s=self.settings.timeout,
            retries=self.settings.retries,
            concurrency=self.settings.concurrency,
            against=None if against is None else (against, self.settings.variants[1]),
            seed_keys=seed_keys(run),
        )

    # After

    def _judge(self, baseline: RunReader | None) -> None:
        from pytest_poisson.analyses.sameness import sameness_notices
        from pytest_poisson.gate import judge

        if self.run is None:
            return
        self.gate = judge(
            self.run,
            baseline,
            self.settings,
            store=self._store_to_name,
            declaration=self._replay,
            open_run=self.store.open,
            selecting=self._runs.open_named(self.settings.fix_check),
            here=set(self._conditions.values()),
        )
        self.notices += sameness_notices(self.run)
        self._save_comparison(self.gate)
        self._set_properties(self.run, self.gate)
        self._files.write(self.run, baseline, self.gate, store=self._store_to_name)

    def _save_comparison(self, gate: Gate) -> None:
        """Keep the comparison, so that it can be named later; a store that refuses is worth a note and no failure."""
        from pytest_poisson.saved import try_to_save

        if gate.check is None or gate.check.diff.refusal:
            return
        self.comparison, complaint = try_to_save(self.store, gate.check.diff)
        self.notices += [complaint] if complaint else []

    def _set_properties(self, run: RunReader, gate: Gate) -> None:
        """Let each item carry its condition's figures, for JUnit XML and for other plugins that keep properties."""
        if not self.settings.properties:
            return
        from pytest_poisson.render.properties import condition_properties

        found = condition_properties(run, gate, comparison=self.comparison)
        for item, key in self._conditions.items():
            item.user_properties += found.get(key, [])

    def _report_items(self) -> None:
        """Let pytest go through the items; their durations are what their replicates took, where anybody is told."""
        option = self.config.option
        told = getattr(option, "xmlpath", None) or getattr(option, "durations", None) is not None
        took_s = self.run.took_s() if told and self.run is not None else {}
        self._items = ItemReports(self._conditions, self.gate, took_s)
        self.config.pluginmanager.register(self._items, "poisson-items")

    @property
    def _store_to_name(self) -> str | None:
        """Return the store as commands must name it, or None where it is the default."""
        return None if self.settings.sources["store"] == "default" else str(self.settings.store)

    def pytest_terminal_summary(self, terminalreporter: Any, exitstatus: int) -> None:
        """Print the run's accounting, the verdict, and the next command to type."""
        told = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)
        if told and not self._conditions and not self._only_shows_set_up():
            run, least = self.settings.selecting_run, self.settings.min_failures
            often = "" if least == 1 else f" at least {least} times"
            which = "" if run is None else f" that failed in '{run}'{often}"
            terminalreporter.write_line(f"No rollout was selected{which}, so nothing was swept.")
        if self.run is None:
            return
        from pytest_poisson.render.session import render_session

        terminalreporter.section("pytest-poisson")
        lines = render_session(
            self.run,
            self.gate,
            self.stop,
            self.notices,
            width=TERMINAL_WIDTH,
            colour=terminalreporter.hasmarkup,
            verbosity=self.config.option.verbose,
            store=self._store_to_name,
            beside=self.beside,
            comparison=self.comparison,
            status=self._status,
            again=given_again(self.settings),
        )
        for line in [*lines, *self._left_for_github(self.run)]:
            terminalreporter.write_line(line)

    def _left_for_github(self, run: RunReader) -> list[str]:
        if not self.settings.github:
            return []
        from pytest_poisson.github_session import leave_for_github

        return leave_for_github(self._conditions, run, self.gate, store=self._store_to_name)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Set the exit status where the sweep has something to say that pytest's own does not."""
        from pytest_poisson.gate import rank_status

        if not self._conditions and exitstatus == pytest.ExitCode.OK and not self._only_shows_set_up():
            session.exitstatus = pytest.ExitCode.NO_TESTS_COLLECTED
            return
        self._status = rank_status(
            int(exitstatus), self.gate, self.stop, self._items.unmeasured, session.testsfailed
        )
        session.exitstatus = self._status

    def pytest_unconfigure(self) -> None:
        """Close the runs."""
        self._runs.close()

    @property
    def reporter(self) -> Any:
        """Return pytest's terminal reporter, or None where there is none."""
        return self.config.pluginmanager.getplugin("terminalreporter")


def _replay_declaration(config: pytest.Config, settings: Settings) -> ReplayDeclaration | None:
    """Return the paired replay to analyse after the sweep; refuse a bad declaration before anything is spent."""
    if settings.paired is None:
        return None
    from pytest_poisson.replay.declaration import read_declaration

    try:
        return read_declaration(Path(config.invocation_params.dir, settings.paired))
    except UserError as refusal:
        raise pytest.UsageError(f"--poisson-paired: {refusal}") from None
