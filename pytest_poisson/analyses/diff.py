"""Compare two runs: did the change make a condition fail more often, less often, or can nobody tell."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_poisson.analyses import compare_rows
from pytest_poisson.analyses.coverage import total
from pytest_poisson.analyses.design import describe_design
from pytest_poisson.analyses.diff_result import Arm, DiffResult
from pytest_poisson.analyses.fragility import describe_fragility
from pytest_poisson.analyses.material import gather, why_not_comparable
from pytest_poisson.analyses.missing import describe_missing, emptied_conditions, word_with_missing
from pytest_poisson.analyses.notes import changed_settings, write_notes
from pytest_poisson.analyses.observed import describe_pairing
from pytest_poisson.analyses.pairing import choose_method, claims_pairing
from pytest_poisson.analyses.tally import first_replicates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord
    from pytest_poisson.analyses.material import Material


def diff(
    before: RunReader,
    after: RunReader,
    *,
    events: Sequence[str] | None = None,
    q: float = 0.05,
    max_mde: float = 0.20,
    method: str | None = None,
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
        `mcnemar_bh` or `fisher_bh`; by default the first where the runs share their draws.

    Returns
    -------
    DiffResult
        Its verdict is `not comparable` where there is nothing to compare (`refusal` says why) or where missing
        outcomes undermine a reassuring word.

    Raises
    ------
    UserError
        If an event is unknown or mixed, or the method does not fit the runs.
    """
    chosen = choose_method(before.run, after.run, method)
    material = gather(before, after, events, joined=chosen == "mcnemar_bh")
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
    return frame if frame.refusal else _compare(frame, material)


def _compare(frame: DiffResult, material: Material) -> DiffResult:
    """Fill in what the statistics say."""
    grid, before, after = material.grid, material.before, material.after
    compare = compare_rows.compare_paired if material.joined else compare_rows.compare_unpaired
    compared = compare(grid, before, after, q=frame.q, max_mde=frame.max_mde)
    rows = compare_rows.build_rows(
        grid, compared, first_replicates(grid, after, before if material.joined else None)
    )
    verdict, missing, observed = compared.comparison.verdict, None, compared.observed
    if compared.shares and compared.worst_case:
        emptied = emptied_conditions(before, after, len(grid.conditions)).tolist()
        verdict = word_with_missing(verdict, compared.shares, len(emptied))
        missing = describe_missing(
            compared.shares,
            compared.worst_case,
            (frame.before.compared, frame.after.compared),
            tuple(grid.conditions[position] for position in emptied),
        )
    return replace(
        frame,
        verdict=verdict,
        verdict_by_test=compared.comparison.verdict,
        rows=rows,
        importance=compare_rows.by_importance(rows),
        level=compared.comparison.level,
        design=describe_design(compared.comparison, paired=material.joined),
        pairing=describe_pairing(grid.event, compared.comparison, observed.correlation) if observed else None,
        fragility=describe_fragility(compared.comparison, grid.condition),
        missing=missing,
        notes=write_notes(*material.runs, events=material.events, conditions=material.coverage.common),
    )


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
