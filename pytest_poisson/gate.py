"""The gate: which conditions fail their own pytest item after a sweep, and what the session's exit status says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_poisson.analyses.check import CheckResult, check
from pytest_poisson.analyses.paired import paired
from pytest_poisson.analyses.promises import judge_run
from pytest_poisson.decision import decide
from pytest_poisson.fix_gate import judge_fix
from pytest_poisson.render.check_text import session_reason
from pytest_poisson.render.explain import explain_row
from pytest_poisson.render.formatting import plural, printable_lines
from pytest_poisson.render.promises_text import explain_promise

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from poisson_store import RunReader
    from poisson_store.records import Accounting
    from pytest_poisson.analyses.paired_result import PairedResult
    from pytest_poisson.analyses.promises import PromisesResult
    from pytest_poisson.decision import Decision
    from pytest_poisson.fix_gate import FixVerdict
    from pytest_poisson.options import Settings
    from pytest_poisson.replay.declaration import ReplayDeclaration
    from pytest_poisson.stops import Stop

CAP_REACHED = 8
"""A cap on tokens, cost or time was reached: nothing more was started, and what was bought is stored."""

NO_SINGLE_ITEM = 9
"""A word of `--poisson-fail-on` that fails no item here, or a fix that is not shown.

No item fails for `too-small`, `flips` and `any`, nor for a condition that a session which resumes a part leaves out.
"""

NOT_COMPARABLE = 10
"""Not comparable: nothing measured, no common condition, other seeds than were claimed, too much without an outcome."""


@dataclass(frozen=True)
class Gate:
    """What a sweep means for the session.

    Attributes
    ----------
    check
        The comparison and what of it fails; None without a baseline.
    promises
        What the rollouts promise, judged.
    decision
        What of both fails.
    failures
        The failure text of each condition, by key, that changed for the worse or missed a promise.
    unmeasured
        The failure text of each condition, by key, of which no replicate ended with an outcome.
    skipped
        The reason of each condition, by key, of which nothing ran or every replicate was skipped.
    nothing_measured
        Whether no replicate at all ended with an outcome.
    replay
        The paired replay that `--poisson-paired` declares; None without one.
    flips
        Cuts of the replay whose outcome is B, where those are to fail the session.
    fix
        What a fix-check says, which stands in place of the comparison; None without one.
    elsewhere
        How many conditions that fail have no item in this session, which resumed a part of the run: no item fails for
        them.
    empty_shard
        The shard that this session is, of how many, where none of the replicates is its share; None else.
    """

    check: CheckResult | None
    promises: PromisesResult
    decision: Decision
    failures: dict[str, str]
    unmeasured: dict[str, str]
    skipped: dict[str, str]
    nothing_measured: bool
    replay: PairedResult | None = None
    flips: tuple[str, ...] = ()
    fix: FixVerdict | None = None
    elsewhere: int = 0
    empty_shard: tuple[int, int] | None = None

    @property
    def status(self) -> int:
        """The exit status that the sweep asks for where no item fails for it: 0, 9 or 10."""
        if self.nothing_measured:
            return NOT_COMPARABLE
        if self.fix is not None and self.fix.reasons:
            return NOT_COMPARABLE if self.fix.not_comparable else NO_SINGLE_ITEM
        if not self.decision.failed:
            return NO_SINGLE_ITEM if self.flips else 0
        if {"not-comparable", "missing"} & set(self.decision.reasons):
            return NOT_COMPARABLE
        return 0 if self.failures and not self.elsewhere else NO_SINGLE_ITEM

    @property
    def status_reason(self) -> str:
        """Why, as the tail of a sentence; empty where the status is 0."""
        if not self.status:
            return ""
        if self.empty_shard is not None:
            part, parts = self.empty_shard
            return f"there are too few replicates for {parts} shards, and shard {part} has none of them; take fewer shards"
        if self.nothing_measured:
            return "no replicate ended with an outcome"
        if self.fix is not None and self.fix.reasons:
            return f"the fix-check says {self.fix.word} ({', '.join(self.fix.reasons)})"
        if not self.decision.failed:
            return f"decisions flip at {', '.join(self.flips)}"
        return self._why_decided()

    def _why_decided(self) -> str:
        """Say what the decision failed on."""
        if self.elsewhere and self.status == NO_SINGLE_ITEM:
            return (
                f"{plural(self.elsewhere, 'condition')} of the run that this session left out failed the gate"
            )
        if self.check is None:
            return f"{len(self.promises.with_word('too small to tell'))} promises are too small to tell"
        return session_reason(self.decision, self.check.diff.verdict)


def judge(
    run: RunReader,
    baseline: RunReader | None,
    settings: Settings,
    *,
    store: str | None,
    declaration: ReplayDeclaration | None,
    open_run: Callable[[str], RunReader],
    selecting: RunReader | None,
    here: Collection[str],
) -> Gate:
    """Judge what a run promises, compare it with its baseline, if it has one, and say what fails.

    Parameters
    ----------
    run, baseline, settings
        The run that was swept, what it is compared with, and how.
    store
        The store's directory as commands must name it, or None where it is the default.
    declaration, open_run
        A paired replay to analyse as well, and how its arms are opened.
    selecting
        The run that selected the conditions of a fix-check, which is then asked in place of the comparison; None
        without one.
    here
        Keys of the conditions that have an item in this session.

    Raises
    ------
    UserError
        If an event cannot be compared, or the replay not be analysed.
    """
    result = fix = None
    if baseline is not None and selecting is not None:
        fix = judge_fix(baseline, run, selecting, settings)
    elif baseline is not None:
        result = check(
            baseline,
            run,
            events=list(settings.event) or None,
            q=settings.q,
            max_mde=settings.max_mde,
            method=settings.method,
            margin=settings.margin,
            full=settings.full,
            fail_on=settings.fail_on,
        )
    replay = None if declaration is None else paired(declaration, open_run)
    flipping = [each.cut for each in replay.judged if each.outcome == "B"] if replay is not None else []
    promises = judge_run(run, q=settings.q) if result is None else result.promises
    decision = decide(None, settings.fail_on, promises) if result is None else result.decision
    accounts, failures = run.accounting_by_condition(), _failures(result, promises, decision, store)
    return Gate(
        check=result,
        promises=promises,
        decision=decision,
        failures=failures,
        unmeasured=_unmeasured(run, accounts),
        skipped=_skipped(run, accounts),
        nothing_measured=not any(each.with_outcome for each in accounts.values()),
        replay=replay,
        flips=tuple(flipping) if "flips" in settings.fail_on else (),
        fix=fix,
        elsewhere=len(failures.keys() - set(here)),
        empty_shard=None if any(each.planned for each in accounts.values()) else run.run.shard,
    )


def _failures(
    result: CheckResult | None, promises: PromisesResult, decision: Decision, store: str | None
) -> dict[str, str]:
    """Write why each condition fails its item: every change for the worse, then every missed promise."""
    texts: dict[str, list[str]] = {}
    if result is not None:
        for row in (result.diff.rows[position] for position in decision.rows):
            texts.setdefault(row.condition.key, []).append(explain_row(result.diff, row, store=store))
    for promise in (promises.promises[position] for position in decision.missed):
        text = explain_promise(promises, promise, store=store)
        texts.setdefault(promise.condition.key, []).append(text)
    return {key: "\n\n".join(parts) for key, parts in texts.items()}


def _unmeasured(run: RunReader, accounts: dict[str, Accounting]) -> dict[str, str]:
    """Say of each condition that ran without ever ending with an outcome what its first replicate left."""
    texts = {}
    for key, account in accounts.items():
        if account.stored and not account.with_outcome and not account.skipped_whole:
            first = next((each for each in run.episodes(key) if each.cause != "skipped"), None)
            error = (
                ""
                if first is None
                else f"; replicate {first.replicate} {first.cause}: {printable_lines(first.error or 'no text')}"
            )
            texts[key] = f"none of its {account.stored} replicates ended with an outcome{error}"
    return texts


def _skipped(run: RunReader, accounts: dict[str, Accounting]) -> dict[str, str]:
    """Say of each condition of which nothing ran why; an item that passed would say that it did."""
    reasons = {}
    for key, account in accounts.items():
        if not account.stored:
            planned = plural(account.planned, "planned replicate")
            reasons[key] = (
                f"none of its {planned} ran" if account.planned else "no replicate of it was planned"
            )
        elif account.skipped_whole:
            first = next(iter(run.episodes(key)), None)
            given = first.error if first is not None else None
            reasons[key] = printable_lines(given or "every replicate was skipped")
    return reasons


def rank_status(
    present: int, gate: Gate | None, stop: Stop | None, failed_for_outcomes: Sequence[str], failed: int
) -> int:
    """Return the session's exit status: pytest's own 2, 3 and 4 stand; then a failed item; then a cap; then the gate.

    A session in which the only items that failed are conditions without an outcome measured nothing there: where
    the gate finds that nothing is comparable, 10 says so better than 1. A sweep that stopped because replicates
    no longer ended with outcomes is no pass either.
    """
    if present in (
        pytest.ExitCode.INTERRUPTED,
        pytest.ExitCode.INTERNAL_ERROR,
        pytest.ExitCode.USAGE_ERROR,
    ):
        return present
    asked = 0 if gate is None else gate.status
    only_unmeasured = failed > 0 and failed == len(failed_for_outcomes)
    if present == pytest.ExitCode.TESTS_FAILED and not (only_unmeasured and asked == NOT_COMPARABLE):
        return present
    if stop is not None:
        return CAP_REACHED if stop.cap else NOT_COMPARABLE
    return asked or present
