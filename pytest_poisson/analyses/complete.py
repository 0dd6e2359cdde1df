"""From two arms laid out over one grid to a whole comparison, whatever the arms are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from pytest_poisson.analyses import compare_rows
from pytest_poisson.analyses.design import describe_design
from pytest_poisson.analyses.fragility import describe_fragility
from pytest_poisson.analyses.margin import describe_margin, word_within
from pytest_poisson.analyses.missing import (
    describe_missing,
    emptied_conditions,
    uneven_conditions,
    word_with_missing,
)
from pytest_poisson.analyses.notes import write_notes
from pytest_poisson.analyses.observed import describe_pairing
from pytest_poisson.analyses.one_sided import one_sided_gains, word_one_sided
from pytest_poisson.analyses.over_time import rates_over_time
from pytest_poisson.analyses.sequential import describe_early, until_decided
from pytest_poisson.analyses.tally import first_replicates
from pytest_poisson.analyses.whole import Whole, describe_events
from pytest_poisson.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from poisson_stats.comparison import Comparison
    from poisson_stats.verdict import Verdict
    from poisson_store.records import Accounting, EpisodeColumns
    from pytest_poisson.analyses.compare_rows import Compared
    from pytest_poisson.analyses.diff_result import DiffResult, Missing
    from pytest_poisson.analyses.material import Material
    from pytest_poisson.analyses.over_time import OverTime
    from pytest_poisson.analyses.sequential import Decided


class Extras(NamedTuple):
    """What a comparison has beside its tests.

    Attributes
    ----------
    columns
        The arms' episodes with their times, where both carry horizons.
    margin
        The declared margin.
    full
        Whether the comparison is tested as a whole too.
    notes
        What a reader must know of how it was chosen.
    accounts
        The after run's accounts by condition, for what stopping early saved; None where there is no such run.
    """

    columns: tuple[EpisodeColumns, EpisodeColumns] | None
    margin: float | None
    full: bool
    notes: Iterable[str]
    accounts: dict[str, Accounting] | None = None


def complete(frame: DiffResult, material: Material, extras: Extras) -> DiffResult:
    """Return a comparison that is not refused with everything the statistics say of it."""
    decided = until_decided(material, q=frame.q) if METHODS[frame.method].sequential else None
    if decided is not None:
        material = decided.material
    grid, before, after = material.grid, material.before, material.after
    compared = compare_rows.compare(
        grid, before, after, method=frame.method, q=frame.q, max_mde=frame.max_mde
    )
    replays = first_replicates(grid, after, before if material.joined else None)
    over_time = _over_time(material, extras, decided)
    rows = compare_rows.build_rows(grid, compared, replays, over_time)
    comparison, observed, margin = compared.comparison, compared.observed, extras.margin
    by_test = word_within(comparison.verdict, comparison, margin)
    verdict, missing = _with_missing(by_test, compared, material, frame, margin)
    gains = one_sided_gains(*material.runs, rows)
    if decided is not None:
        frame = replace(
            frame, early=describe_early(material, comparison, extras.accounts or {}, decided.late)
        )
    else:
        frame = replace(
            frame,
            level=comparison.level,
            design=describe_design(comparison, paired=material.joined),
            pairing=describe_pairing(grid.event, comparison, observed.correlation) if observed else None,
            fragility=describe_fragility(comparison, grid.condition)
            if by_test == comparison.verdict
            else None,
        )
    return replace(
        frame,
        verdict=word_one_sided(verdict, gains),
        verdict_by_test=by_test,
        rows=rows,
        importance=compare_rows.by_importance(rows),
        margin=None if margin is None else describe_margin(comparison, margin),
        missing=missing,
        one_sided=gains,
        whole=_whole(material, comparison, fixed=decided is None) if extras.full else None,
        notes=write_notes(
            *material.runs,
            events=material.events,
            conditions=material.coverage.common,
            chosen=extras.notes,
        ),
    )


def _over_time(material: Material, extras: Extras, decided: Decided | None) -> Mapping[int, OverTime]:
    """Return the rates of rows with replicates that were cut off, by a row's position."""
    if extras.columns is None:
        return {}
    before, after = extras.columns if decided is None else map(decided.timed, extras.columns)
    return rates_over_time(material.grid, before, after, material.words)


def _whole(material: Material, comparison: Comparison, *, fixed: bool) -> Whole:
    """Test the comparison as a whole, where the numbers of replicates were fixed, and say what it covers."""
    coverage = material.coverage
    both = len(coverage.common) + len(coverage.skipped)
    return Whole(
        events=describe_events(material.grid, comparison) if fixed else (),
        planned_before=both + len(coverage.only_before),
        planned_after=both + len(coverage.only_after),
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
    uneven = uneven_conditions(
        material.before, material.after, len(conditions), joined=material.joined
    ).tolist()
    missing = describe_missing(
        compared.shares,
        word_within(compared.worst_case.verdict, compared.worst_case, margin),
        (frame.before.compared, frame.after.compared),
        tuple(conditions[position] for position in emptied),
        tuple(conditions[position] for position in uneven),
    )
    return word_with_missing(word, compared.shares, len(emptied), len(uneven)), missing
