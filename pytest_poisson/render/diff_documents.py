"""Comparisons and gates as JSON documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.methods import METHODS
from pytest_poisson.render.documents import (
    accounting_document,
    condition_document,
    condition_documents,
    count_document,
    limit_document,
    probability,
)
from pytest_poisson.render.run_documents import promises_document
from pytest_poisson.render.whole_documents import whole_document

if TYPE_CHECKING:
    from pytest_poisson.analyses.along import Along
    from pytest_poisson.analyses.check import CheckResult
    from pytest_poisson.analyses.diff_result import Arm, Design, DiffResult, DiffRow, Missing, Observed
    from pytest_poisson.analyses.fragility import Fragility
    from pytest_poisson.analyses.margin import Margin
    from pytest_poisson.analyses.observed import Pairing
    from pytest_poisson.analyses.over_time import OverTime
    from pytest_poisson.analyses.sequential import Early
    from pytest_poisson.events import Event
    from pytest_poisson.methods import Method
    from pytest_poisson.render.documents import Document

DIFF_SCHEMA = "pytest-poisson.diff/1"
CHECK_SCHEMA = "pytest-poisson.check/1"


def diff_document(result: DiffResult) -> Document:
    """Return a comparison as a document."""
    return {
        "schema": DIFF_SCHEMA,
        "before": _arm(result.before),
        "after": _arm(result.after),
        "method": result.method,
        "test": _test(result.method),
        "fdr": "e-benjamini-hochberg" if METHODS[result.method].sequential else METHODS[result.method].fdr,
        "paired": result.paired,
        "q": result.q,
        "max_mde": result.max_mde,
        "level": result.level,
        "verdict": result.verdict,
        "verdict_by_test": result.verdict_by_test,
        "along": None if result.along is None else _along(result.along),
        "refusal": result.refusal,
        "events": [_event(event) for event in result.events],
        "rows": [_row(row) for row in result.rows],
        "importance": list(result.importance),
        "design": None if result.design is None else _design(result.design),
        "pairing": None if result.pairing is None else _pairing(result.pairing),
        "fragility": None if result.fragility is None else _fragility(result.fragility),
        "margin": None if result.margin is None else _margin(result.margin),
        "missing": None if result.missing is None else _missing(result.missing),
        "one_sided": [_event(event) for event in result.one_sided],
        "early": None if result.early is None else _early(result.early),
        "whole": None if result.whole is None else whole_document(result.whole),
        "only_before": condition_documents(result.only_before),
        "only_after": condition_documents(result.only_after),
        "skipped": condition_documents(result.skipped),
        "changes": [
            {"name": change.name, "before": change.before, "after": change.after} for change in result.changes
        ],
        "notes": list(result.notes),
    }


def check_document(result: CheckResult) -> Document:
    """Return a gate's decision and the comparison it rests on as a document."""
    decision = result.decision
    return {
        "schema": CHECK_SCHEMA,
        "failed": decision.failed,
        "fail_on": list(decision.fail_on) or ["never"],
        "reasons": list(decision.reasons),
        "failing_rows": list(decision.rows),
        "missed_promises": list(decision.missed),
        "promises": promises_document(result.promises),
        "diff": diff_document(result.diff),
    }


def _test(method: Method) -> str:
    """Return the test's name, or that of the evidence in its place."""
    spec = METHODS[method]
    if spec.sequential:
        return "sign e-process" if spec.paired else "block e-process"
    return spec.test or "mcnemar"


def _early(early: Early) -> Document:
    return {
        "conditions": early.conditions,
        "decided": early.decided,
        "planned": early.planned,
        "saved": early.saved,
        "late": early.late,
    }


def _along(along: Along) -> Document:
    return {
        "axis": along.axis,
        "before": along.before,
        "after": along.after,
        "shares_seeds": along.shares_seeds,
    }


def _arm(arm: Arm) -> Document:
    return {
        "run_id": arm.run_id,
        "name": arm.name,
        "status": arm.status,
        "created_at": arm.created_at,
        "salt": arm.salt,
        "selection": arm.selection,
        "accounting": accounting_document(arm.accounting),
        "compared": accounting_document(arm.compared),
        "unpartnered": arm.unpartnered,
        "part": arm.part,
    }


def _event(event: Event) -> Document:
    return {
        "name": event.name,
        "rollout": event.rollout,
        "outcomes": list(event.outcomes),
        "kind": event.kind,
        "basis": event.basis,
    }


def _row(row: DiffRow) -> Document:
    return {
        **condition_document(row.condition),
        "event": row.event.name,
        "kind": row.event.kind,
        "before": count_document(row.before),
        "after": count_document(row.after),
        "pairs": None
        if row.pairs is None
        else {
            "both": row.pairs.both,
            "only_before": row.pairs.only_before,
            "only_after": row.pairs.only_after,
            "neither": row.pairs.neither,
        },
        "word": row.word,
        "counted": row.counted,
        "p": probability(row.p),
        "log_p": row.log_p,
        "p_bh": probability(row.p_bh),
        "log_p_bh": row.log_p_bh,
        "p_holm": probability(row.p_holm),
        "log_p_holm": row.log_p_holm,
        "change": row.change,
        "low": row.low,
        "high": row.high,
        "rise": limit_document(row.rise),
        "fall": limit_document(row.fall),
        "observed": None if row.observed is None else _observed(row.observed),
        "over_time": None if row.over_time is None else _over_time(row.over_time),
        "replay": row.replay,
    }


def _design(design: Design) -> Document:
    return {
        "replicates": design.replicates,
        "tests": design.tests,
        "limit": design.limit,
        "base_rate": design.base_rate,
        "largest": design.largest,
        "largest_row": design.largest_row,
        "largest_is_rise": design.largest_is_rise,
        "too_small": design.too_small,
        "ceiling": design.ceiling,
        "needed": design.needed,
    }


def _observed(observed: Observed) -> Document:
    return {
        "correlation": observed.correlation,
        "rise": limit_document(observed.rise),
        "fall": limit_document(observed.fall),
    }


def _over_time(rates: OverTime) -> Document:
    return {
        "horizon": rates.horizon,
        "before": rates.before,
        "after": rates.after,
        "cut_off_before": rates.cut_off_before,
        "cut_off_after": rates.cut_off_after,
    }


def _pairing(pairing: Pairing) -> Document:
    return {
        "correlation": pairing.correlation,
        "p": probability(pairing.p),
        "helped": pairing.helped,
        "limit": pairing.limit,
        "base_rate": pairing.base_rate,
    }


def _fragility(fragility: Fragility) -> Document:
    return {
        "word": fragility.word,
        "becomes": fragility.becomes,
        "outcomes": fragility.outcomes,
        "flips": [
            {"row": flip.row, "arm": flip.arm, "to_event": flip.to_event, "count": flip.count}
            for flip in fragility.flips
        ],
        "certified": fragility.certified,
    }


def _margin(margin: Margin) -> Document:
    return {
        "size": margin.size,
        "confidence": margin.confidence,
        "within": margin.within,
        "rows": [{"low": band.low, "high": band.high, "within": band.within} for band in margin.bands],
    }


def _missing(missing: Missing) -> Document:
    return {
        "before": {"missing": missing.before_missing, "ran": missing.before_ran},
        "after": {"missing": missing.after_missing, "ran": missing.after_ran},
        "p": probability(missing.p),
        "log_p": missing.log_p,
        "problem": missing.problem,
        "emptied": condition_documents(missing.emptied),
        "uneven": condition_documents(missing.uneven),
        "cause": missing.cause,
        "verdict_as_failures": missing.verdict_as_failures,
    }
