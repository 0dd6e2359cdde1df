"""What a report says of its runs beside the comparison itself: endings, failing replicates, survival, cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_poisson.analyses.failing import failing_replicates
from pytest_poisson.analyses.outcomes import carried_failures, outcomes_alone
from pytest_poisson.analyses.side import time_apart
from pytest_poisson.analyses.tokens import count_tokens
from pytest_poisson.analyses.where import where
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from poisson_store.reader import RunReader
    from poisson_store.records import Accounting, RunRecord
    from pytest_poisson.analyses.diff_result import DiffResult
    from pytest_poisson.analyses.failing import Failing
    from pytest_poisson.analyses.fix_check import FixCheckResult
    from pytest_poisson.analyses.shares import Share
    from pytest_poisson.analyses.side import Apart
    from pytest_poisson.analyses.tokens import Prices, TokensResult
    from pytest_poisson.analyses.where import WhereResult


@dataclass(frozen=True, slots=True, eq=False)
class ArmDetails:
    """One run of a report.

    Attributes
    ----------
    run
        As stored.
    outcomes, accounts
        How often each outcome came, and where the planned replicates went, by condition key.
    survival
        How far its replicates get; None without spans or without deaths to look at.
    """

    run: RunRecord
    outcomes: Mapping[str, Mapping[str, int]]
    accounts: Mapping[str, Accounting]
    survival: WhereResult | None


@dataclass(frozen=True, slots=True, eq=False)
class ReportDetails:
    """What was found out about the runs of a report.

    Attributes
    ----------
    arms
        One run, or before and after.
    failing
        Replicates to look at.
    tokens
        What the runs used; None where no replicate left spans.
    apart
        How far apart two runs began; None of one run, or where that was not recorded.
    """

    arms: tuple[ArmDetails, ...]
    failing: Failing
    tokens: TokensResult | None
    apart: Apart | None


def comparison_details(
    before: RunReader, after: RunReader, result: DiffResult, prices: Prices | None = None
) -> ReportDetails:
    """Look into the runs of a comparison.

    Parameters
    ----------
    before, after
        The runs that were compared.
    result
        Their comparison.
    prices
        What tokens cost.
    """
    failures = _unique(word for event in result.events if event.kind == "failure" for word in event.outcomes)
    keys = _unique(result.rows[number].condition.key for number in result.importance)
    return _details((before, after), keys, failures, prices, paired=result.paired)


def run_details(run: RunReader, shares: Sequence[Share], prices: Prices | None = None) -> ReportDetails:
    """Look into one run, the conditions in the order of their shares."""
    keys = _unique(each.condition.key for each in shares)
    return _details((run,), keys, carried_failures([run]), prices, paired=False)


def fix_details(
    old: RunReader, new: RunReader, result: FixCheckResult, prices: Prices | None = None
) -> ReportDetails:
    """Look into the runs of a fix-check, the inputs that changed most first."""
    keys = _unique(result.inputs[number].condition.key for number in result.importance)
    return _details((old, new), keys, result.events.names, prices, paired=result.same_draws)


def _details(
    readers: Sequence[RunReader],
    keys: Sequence[str],
    failures: Sequence[str],
    prices: Prices | None,
    *,
    paired: bool,
) -> ReportDetails:
    spans = any(reader.has_spans() for reader in readers)
    return ReportDetails(
        arms=tuple(_arm(reader, failures, spans=spans) for reader in readers),
        failing=failing_replicates(readers, keys, failures=failures, paired=paired),
        tokens=count_tokens(readers, prices=prices) if spans else None,
        apart=time_apart(readers[0], readers[1]) if len(readers) == 2 else None,
    )


def _arm(reader: RunReader, failures: Sequence[str], *, spans: bool) -> ArmDetails:
    outcomes = outcomes_alone(reader)
    carried = [word for word in failures if any(each.get(word) for each in outcomes.values())]
    survival = _survival(reader, carried) if spans else None
    return ArmDetails(reader.run, outcomes, reader.accounting_by_condition(), survival)


def _survival(reader: RunReader, carried: Sequence[str]) -> WhereResult | None:
    """Return how far a run's replicates get; None where no failure came, or nothing has a place."""
    try:
        return where(reader, events=carried, resamples=0) if carried else None
    except UserError:
        return None


def _unique(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))
