"""Compare two runs: did the change make a condition fail more often, less often, or can nobody tell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_poisson.analyses import compare_rows
from pytest_poisson.analyses.coverage import total
from pytest_poisson.analyses.design import describe_design
from pytest_poisson.analyses.diff_result import Arm, DiffResult
from pytest_poisson.analyses.fragility import describe_fragility
from pytest_poisson.analyses.margin import chosen_margin, describe_margin, word_within
from pytest_poisson.analyses.material import gather, why_not_comparable
from pytest_poisson.analyses.missing import describe_missing, emptied_conditions, word_with_missing
from pytest_poisson.analyses.notes import changed_settings, undeclared, write_notes
from pytest_poisson.analyses.observed import describe_pairing
from pytest_poisson.analyses.over_time import rates_over_time
from pytest_poisson.analyses.pairing import choose_method, claims_pairing
from pytest_poisson.analyses.tally import first_replicates
from pytest_poisson.analyses.whole import Whole, describe_events
from pytest_poisson.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poisson_stats.comparison import Comparison
    from poisson_stats.verdict import Verdict
    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord
    from pytest_poisson.analyses.compare_rows import Compared
    from pytest_poisson.analyses.diff_result import Missing
    from pytest_poisson.analyses.material import Material
    from pytest_poisson.analyses.over_time import OverTime


def diff(
    before: RunReader,
    after: RunReader,
    *,
    events: Sequence[str] | None = None,
    q: float = 0.05,
    max_mde: float = 0.20,
    method: str | None = None,
    margin: float | None = None,
    full: bool = False,
) -> DiffResult:
    """Compare two runs, condition by condition and event by event.

    Parameters
    ----------
    before, after
        The runs.
    events
        Names as `pytest_poisson.events.resolve_events` reads them; by default the declared failures.
    q
        Error level: of the flags the false discovery rate (Benjamini-Hochberg), of the verdict the chance of any
        wrong change (Holm).
    max_mde
        The change that must not go unseen: a larger limit makes `no significant change` `too small to tell`.
    method
        A key of `pytest_poisson.methods.METHODS`; by default the one that the after run was swept with, else
        `mcnemar_bh` where the runs share their draws and `fisher_bh` where not.
    margin
        The largest change that does not matter, declared before the run; by default the one the after run was swept
        with. Where every row is within it the word is `within the margin`.
    full
        Whether to test the comparison as a whole too, and walk down to where it changed.

    Returns
    -------
    DiffResult
        Its verdict is `not comparable` where there is nothing to compare (`refusal` says why) or where missing
        outcomes undermine a reassuring word.

    Raises
    ------
    UserError
        If an event is unknown or mixed, the method does not fit the runs, or the margin does not fit q.
    """
    chosen = choose_method(before.run, after.run, method)
    size = chosen_margin(after.run, margin, q)
    material = gather(before, after, events, joined=METHODS[chosen].paired)
    compared = material.coverage.common
    frame = DiffResult(
        before=_describe(before, compared, material.unpartnered[0]),
        after=_describe(after, compared, material.unpartnered[1]),
        method=chosen,
        paired=claims_pairing(before.run, after.run),
        q=q,
        max_mde=max_mde,
        verdict="not comparable",
        verdict_by_test="not comparable",
        events=material.events,
        only_before=material.coverage.only_before,
        only_after=material.coverage.only_after,
        skipped=material.coverage.skipped,
        changes=changed_settings(before.run, after.run),
        refusal=why_not_comparable(material),
    )
    if frame.refusal:
        return frame
    notes = write_notes(
        *material.runs,
        events=material.events,
        conditions=material.coverage.common,
        chosen=undeclared(after.run, chosen, size),
    )
    over_time = rates_over_time(material.grid, before, after, material.words)
    return _compare(replace(frame, notes=notes), material, Extras(over_time, size, full))


class Extras(NamedTuple):
    """What a comparison has beside its tests: rates by the horizon, a margin, and whether it is seen as a whole."""

    over_time: Mapping[int, OverTime]
    margin: float | None
    full: bool


def _compare(frame: DiffResult, material: Material, extras: Extras) -> DiffResult:
    """Fill in what the statistics say."""
    grid, before, after = material.grid, material.before, material.after
    compared = compare_rows.compare(
        grid, before, after, method=frame.method, q=frame.q, max_mde=frame.max_mde
    )
    replays = first_replicates(grid, after, before if material.joined else None)
    rows = compare_rows.build_rows(grid, compared, replays, extras.over_time)
    comparison, observed, margin = compared.comparison, compared.observed, extras.margin
    by_test = word_within(comparison.verdict, comparison, margin)
    verdict, missing = _with_missing(by_test, compared, material, frame, margin)
    return replace(
        frame,
        verdict=verdict,
        verdict_by_test=by_test,
        rows=rows,
        importance=compare_rows.by_importance(rows),
        level=comparison.level,
        design=describe_design(comparison, paired=material.joined),
        pairing=describe_pairing(grid.event, comparison, observed.correlation) if observed else None,
        fragility=describe_fragility(comparison, grid.condition) if by_test == comparison.verdict else None,
        margin=None if margin is None else describe_margin(comparison, margin),
        missing=missing,
        whole=_whole(material, comparison) if extras.full else None,
    )


def _whole(material: Material, comparison: Comparison) -> Whole:
    coverage = material.coverage
    return Whole(
        events=describe_events(material.grid, comparison),
        planned_before=len(material.runs[0].conditions),
        planned_after=len(material.runs[1].conditions),
        common=len(coverage.common),
        absent_before=len(coverage.only_after),
        absent_after=len(coverage.only_before),
        skipped=len(coverage.skipped),
    )


def _with_missing(
    word: Verdict, compared: Compared, material: Material, frame: DiffResult, margin: float | None
) -> tuple[Verdict, Missing | None]:
    """Return the word once missing outcomes are considered, and what is said of them."""
    if compared.shares is None or compared.worst_case is None:
        return word, None
    conditions = material.grid.conditions
    emptied = emptied_conditions(material.before, material.after, len(conditions)).tolist()
    missing = describe_missing(
        compared.shares,
        word_within(compared.worst_case.verdict, compared.worst_case, margin),
        (frame.before.compared, frame.after.compared),
        tuple(conditions[position] for position in emptied),
    )
    return word_with_missing(word, compared.shares, len(emptied)), missing


def _describe(reader: RunReader, compared: Sequence[ConditionRecord], unpartnered: int) -> Arm:
    run = reader.run
    return Arm(
        run_id=run.run_id,
        name=run.name,
        status=run.status,
        created_at=run.created_at,
        salt=run.salt,
        selection=run.selection,
        accounting=reader.accounting(),
        compared=total(reader.accounting_by_condition(), compared),
        unpartnered=unpartnered,
    )
