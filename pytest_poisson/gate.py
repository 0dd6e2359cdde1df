"""The gate: which conditions fail their own pytest item after a sweep, and what the session's exit status says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from pytest_poisson.analyses.check import CheckResult, check
from pytest_poisson.render.explain import explain_row

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store import RunReader
    from poisson_store.records import Accounting
    from pytest_poisson.options import Settings
    from pytest_poisson.stops import Stop

CAP_REACHED = 8
NO_SINGLE_ITEM = 9
NOT_COMPARABLE = 10


@dataclass(frozen=True)
class Gate:
    """What a sweep means for the session.

    Attributes
    ----------
    check
        The comparison and what of it fails; None without a baseline.
    worse
        The failure text of each condition, by key, that changed for the worse.
    unmeasured
        The failure text of each condition, by key, of which no replicate ended with an outcome.
    skipped
        The reason of each condition, by key, of which every replicate was skipped.
    nothing_measured
        Whether no replicate at all ended with an outcome.
    """

    check: CheckResult | None
    worse: dict[str, str]
    unmeasured: dict[str, str]
    skipped: dict[str, str]
    nothing_measured: bool

    @property
    def status(self) -> int:
        """The exit status that the sweep asks for where no item fails for it: 0, 9 or 10."""
        if self.nothing_measured:
            return NOT_COMPARABLE
        if self.check is None or not self.check.decision.failed:
            return 0
        if {"not-comparable", "missing"} & set(self.check.decision.reasons):
            return NOT_COMPARABLE
        return 0 if self.worse else NO_SINGLE_ITEM

    @property
    def status_reason(self) -> str:
        """Why, as the tail of a sentence; empty where the status is 0."""
        if not self.status:
            return ""
        if self.nothing_measured or self.check is None:
            return "no replicate ended with an outcome"
        return f"the verdict is {self.check.diff.verdict} ({', '.join(self.check.decision.reasons)})"


def judge(run: RunReader, baseline: RunReader | None, settings: Settings, *, store: str | None) -> Gate:
    """Compare a run with its baseline, if it has one, and say what fails.

    `store` is the store's directory as commands must name it, or None where it is the default.

    Raises
    ------
    UserError
        If an event cannot be compared.
    """
    result = None
    if baseline is not None:
        result = check(
            baseline,
            run,
            events=list(settings.event) or None,
            q=settings.q,
            max_mde=settings.max_mde,
            method=settings.method,
            fail_on=settings.fail_on,
        )
    accounts = run.accounting_by_condition()
    return Gate(
        check=result,
        worse=_worse(result, store),
        unmeasured=_unmeasured(run, accounts),
        skipped=_skipped(run, accounts),
        nothing_measured=not any(each.with_outcome for each in accounts.values()),
    )


def _worse(result: CheckResult | None, store: str | None) -> dict[str, str]:
    if result is None:
        return {}
    texts: dict[str, list[str]] = {}
    for position in result.decision.rows:
        row = result.diff.rows[position]
        texts.setdefault(row.condition.key, []).append(explain_row(result.diff, row, store=store))
    return {key: "\n\n".join(parts) for key, parts in texts.items()}


def _unmeasured(run: RunReader, accounts: dict[str, Accounting]) -> dict[str, str]:
    """Say of each condition that ran without ever ending with an outcome what its first replicate left."""
    texts = {}
    for key, account in accounts.items():
        if account.stored and not account.with_outcome and account.skipped < account.stored:
            first = next((each for each in run.episodes(key) if each.cause != "skipped"), None)
            error = "" if first is None else f"; replicate {first.replicate} {first.cause}: {first.error}"
            texts[key] = f"none of its {account.stored} replicates ended with an outcome{error}"
    return texts


def _skipped(run: RunReader, accounts: dict[str, Accounting]) -> dict[str, str]:
    reasons = {}
    for key, account in accounts.items():
        if account.stored and account.skipped == account.stored:
            first = next(iter(run.episodes(key)), None)
            reasons[key] = (first.error if first is not None else None) or "every replicate was skipped"
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
