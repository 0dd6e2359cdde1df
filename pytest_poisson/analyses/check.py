"""Compare two runs and decide whether the change may pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_poisson.analyses.diff import diff
from pytest_poisson.analyses.promises import judge_run
from pytest_poisson.decision import decide
from pytest_poisson.fail_on import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.reader import RunReader
    from pytest_poisson.analyses.diff_result import DiffResult
    from pytest_poisson.analyses.promises import PromisesResult
    from pytest_poisson.decision import Decision
    from pytest_poisson.fail_on import FailWord


@dataclass(frozen=True, slots=True)
class CheckResult:
    """A comparison, the promises of the run after, and what the gate makes of them."""

    diff: DiffResult
    promises: PromisesResult
    decision: Decision


def check(
    before: RunReader,
    after: RunReader,
    *,
    events: Sequence[str] | None = None,
    q: float | None = None,
    max_mde: float | None = None,
    method: str | None = None,
    margin: float | None = None,
    full: bool = False,
    fail_on: tuple[FailWord, ...] = DEFAULT,
) -> CheckResult:
    """Compare two runs, judge what the second promises, and say which of the words in `fail_on` they meet.

    The other parameters, and what is raised, are those of `diff`.
    """
    result = diff(before, after, events=events, q=q, max_mde=max_mde, method=method, margin=margin, full=full)
    promises = judge_run(after, q=result.q)
    return CheckResult(result, promises, decide(result, fail_on, promises))
