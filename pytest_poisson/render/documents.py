"""Results as JSON documents: versioned, sorted, and byte-identical on equal inputs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poisson_store.records import Accounting, ConditionRecord, RunRecord, RunSummary
    from pytest_poisson.analyses.check import CheckResult
    from pytest_poisson.analyses.diff_result import (
        Arm,
        Count,
        Design,
        DiffResult,
        DiffRow,
        Limit,
        Missing,
        Observed,
    )
    from pytest_poisson.analyses.fragility import Fragility
    from pytest_poisson.analyses.observed import Pairing
    from pytest_poisson.analyses.show import ShownCondition, ShowResult
    from pytest_poisson.events import Event

Document: TypeAlias = "dict[str, Any]"

DIFF_SCHEMA = "pytest-poisson.diff/1"
CHECK_SCHEMA = "pytest-poisson.check/1"
SHOW_SCHEMA = "pytest-poisson.show/1"
RUNS_SCHEMA = "pytest-poisson.runs/1"
INIT_SCHEMA = "pytest-poisson.init/1"


def dump(document: Document) -> str:
    """Return a document as ASCII text that ends in a line feed: keys sorted, no NaN, floats as `repr` writes them."""
    return json.dumps(document, sort_keys=True, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


def diff_document(result: DiffResult) -> Document:
    """Return a comparison as a document."""
    return {
        "schema": DIFF_SCHEMA,
        "before": _arm(result.before),
        "after": _arm(result.after),
        "method": result.method,
        "paired": result.paired,
        "q": result.q,
        "max_mde": result.max_mde,
        "level": result.level,
        "verdict": result.verdict,
        "verdict_by_test": result.verdict_by_test,
        "refusal": result.refusal,
        "events": [_event(event) for event in result.events],
        "rows": [_row(row) for row in result.rows],
        "importance": list(result.importance),
        "design": None if result.design is None else _design(result.design),
        "pairing": None if result.pairing is None else _pairing(result.pairing),
        "fragility": None if result.fragility is None else _fragility(result.fragility),
        "missing": None if result.missing is None else _missing(result.missing),
        "only_before": _conditions(result.only_before),
        "only_after": _conditions(result.only_after),
        "skipped": _conditions(result.skipped),
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
        "diff": diff_document(result.diff),
    }


def show_document(result: ShowResult) -> Document:
    """Return one run as a document."""
    run = result.run
    return {
        "schema": SHOW_SCHEMA,
        "run": _run(run),
        "accounting": accounting_document(result.accounting),
        "conditions": [_shown(shown) for shown in result.conditions],
    }


def runs_document(runs: Iterable[RunSummary]) -> Document:
    """Return the list of runs as a document, newest first."""
    return {"schema": RUNS_SCHEMA, "runs": [_summary(run) for run in runs]}


def init_document(file: str, commands: Iterable[str]) -> Document:
    """Return what `init` wrote and the commands to try as a document."""
    return {"schema": INIT_SCHEMA, "file": file, "commands": list(commands)}


def accounting_document(accounting: Accounting) -> Document:
    """Return an account with its derived parts, so that a reader can check the sum."""
    return {
        "planned": accounting.planned,
        "with_outcome": accounting.with_outcome,
        "timed_out": accounting.timed_out,
        "errored": accounting.errored,
        "crashed": accounting.crashed,
        "skipped": accounting.skipped,
        "cancelled": accounting.cancelled,
        "not_run": accounting.not_run,
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
    }


def _event(event: Event) -> Document:
    return {
        "name": event.name,
        "rollout": event.rollout,
        "outcomes": list(event.outcomes),
        "kind": event.kind,
        "basis": event.basis,
    }


def condition_document(condition: ConditionRecord) -> Document:
    """Return which condition it is."""
    return {
        "key": condition.key,
        "rollout": condition.rollout,
        "axes": dict(condition.axes),
        "nodeid": condition.nodeid,
    }


def _conditions(conditions: Iterable[ConditionRecord]) -> list[Document]:
    return [condition_document(condition) for condition in conditions]


def _row(row: DiffRow) -> Document:
    return {
        **condition_document(row.condition),
        "event": row.event.name,
        "kind": row.event.kind,
        "before": _count(row.before),
        "after": _count(row.after),
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
        "rise": _limit(row.rise),
        "fall": _limit(row.fall),
        "observed": None if row.observed is None else _observed(row.observed),
        "replay": row.replay,
    }


def _count(count: Count) -> Document:
    return {"events": count.events, "outcomes": count.outcomes, "rate": count.rate}


def probability(p: float) -> float | None:
    """Return p, or None where it is too small for a number: a p-value is never 0, and `log_p` still has it."""
    return p or None


def _limit(limit: Limit) -> Document:
    return {"status": limit.status, "size": limit.size}


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
        "rise": _limit(observed.rise),
        "fall": _limit(observed.fall),
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


def _missing(missing: Missing) -> Document:
    return {
        "before": {"missing": missing.before_missing, "ran": missing.before_ran},
        "after": {"missing": missing.after_missing, "ran": missing.after_ran},
        "p": probability(missing.p),
        "log_p": missing.log_p,
        "problem": missing.problem,
        "emptied": _conditions(missing.emptied),
        "cause": missing.cause,
        "verdict_as_failures": missing.verdict_as_failures,
    }


def _run(run: RunRecord) -> Document:
    return {
        "run_id": run.run_id,
        "name": run.name,
        "status": run.status,
        "created_at": run.created_at,
        "ended_at": run.ended_at,
        "salt": run.salt,
        "paired_with": run.paired_with,
        "selection": run.selection,
        "shard": None if run.shard is None else list(run.shard),
        "variant": dict(run.variant),
        "environment": dict(run.environment),
        "settings": dict(run.settings),
        "rollouts": [
            {
                "id": rollout.id,
                "outcomes": list(rollout.outcomes),
                "failures": list(rollout.failures),
                "successes": list(rollout.successes),
                "t_unit": rollout.t_unit,
                "nodeid": rollout.nodeid,
                "settings": dict(rollout.settings),
            }
            for rollout in run.rollouts
        ],
    }


def _shown(shown: ShownCondition) -> Document:
    return {
        **condition_document(shown.condition),
        "accounting": accounting_document(shown.accounting),
        "outcomes": dict(shown.outcomes),
    }


def _summary(run: RunSummary) -> Document:
    return {
        "run_id": run.run_id,
        "name": run.name,
        "file": run.path.name,
        "status": run.status,
        "created_at": run.created_at or None,
        "ended_at": run.ended_at,
        "salt": run.salt or None,
        "paired_with": run.paired_with,
        "whole": run.whole,
        "conditions": run.conditions,
        "accounting": None if run.accounting is None else accounting_document(run.accounting),
        "problem": run.problem,
    }
