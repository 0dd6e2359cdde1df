"""Compare two runs: did the change make a condition fail more often, less often, or can nobody tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.analyses.complete import Extras, complete
from pytest_poisson.analyses.coverage import total
from pytest_poisson.analyses.diff_result import Arm, DiffResult
from pytest_poisson.analyses.levels import events_of, levels_of
from pytest_poisson.analyses.margin import chosen_margin
from pytest_poisson.analyses.material import gather, why_not_comparable
from pytest_poisson.analyses.notes import changed_settings, undeclared
from pytest_poisson.analyses.pairing import choose_method, claims_pairing
from pytest_poisson.methods import METHODS
from pytest_poisson.stopping_rule import declared_rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord


def diff(
    before: RunReader,
    after: RunReader,
    *,
    events: Sequence[str] | None = None,
    q: float | None = None,
    max_mde: float | None = None,
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
        Names as `pytest_poisson.events.resolve_events` reads them; by default those that the after run was swept with,
        else the declared failures.
    q
        Error level: of the flags the false discovery rate (Benjamini-Hochberg), of the verdict the chance of any
        wrong change (Holm). By default the one the after run was swept with, else 0.05.
    max_mde
        The change that must not go unseen: a larger limit makes `no significant change` `too small to tell`. By default
        the one the after run was swept with, else 0.20.
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
    q, max_mde = levels_of(after.run, q, max_mde)
    size = chosen_margin(after.run, margin, q, chosen)
    timed = before.has_horizons() and after.has_horizons()
    columns = (before.columns(), after.columns()) if timed else None
    asked = events or _rule_events(before, after) or events_of(after.run)
    material = gather(before, after, asked, joined=METHODS[chosen].paired, columns=columns)
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
    extras = Extras(
        columns=columns,
        margin=size,
        full=full,
        notes=undeclared((before.run, after.run), chosen, size),
        accounts=after.accounting_by_condition(),
    )
    return complete(frame, material, extras)


def _rule_events(before: RunReader, after: RunReader) -> Sequence[str] | None:
    """Return the events that a run could be stopped by: the ones its error statement is about."""
    rules = (declared_rule(reader.run) for reader in (after, before))
    return next((rule["events"] for rule in rules if rule is not None), None)


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
