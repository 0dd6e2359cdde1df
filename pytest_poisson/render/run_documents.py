"""Runs, what they promise and how often they succeed, as JSON documents."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from pytest_poisson.render.documents import (
    accounting_document,
    condition_document,
    count_document,
    probability,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poisson_store.records import RunRecord, RunSummary
    from pytest_poisson.analyses.pass_rates import Estimate, PassRates
    from pytest_poisson.analyses.promises import Promise, PromisesResult
    from pytest_poisson.analyses.show import ShownCondition, ShowResult
    from pytest_poisson.render.documents import Document
    from pytest_poisson.saved import SavedComparisons

SHOW_SCHEMA = "pytest-poisson.show/1"
RUNS_SCHEMA = "pytest-poisson.runs/1"


def show_document(result: ShowResult) -> Document:
    """Return one run as a document."""
    run = result.run
    return {
        "schema": SHOW_SCHEMA,
        "run": _run(run),
        "accounting": accounting_document(result.accounting),
        "conditions": [_shown(shown) for shown in result.conditions],
        "promises": promises_document(result.promises),
        "pass_rates": [_pass_rates(rates) for rates in result.pass_rates],
    }


def runs_document(runs: Iterable[RunSummary], saved: SavedComparisons | None = None) -> Document:
    """Return the list of runs, and of saved comparisons, as a document, newest first."""
    return {
        "schema": RUNS_SCHEMA,
        "runs": [_summary(run) for run in runs],
        "comparisons": [asdict(each) for each in saved.shown] if saved else [],
        "comparisons_problem": saved.problem if saved else None,
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


def promises_document(result: PromisesResult) -> Document:
    """Return the promises of a run, judged."""
    return {
        "run": result.run,
        "q": result.q,
        "promises": [_promise(promise) for promise in result.promises],
        "importance": list(result.importance),
        "stoppable": result.stoppable,
    }


def _promise(promise: Promise) -> Document:
    return {
        **condition_document(promise.condition),
        "event": promise.event,
        "kind": promise.kind,
        "bound": promise.bound,
        "seen": count_document(promise.count),
        "missing": promise.missing,
        "word": promise.word,
        "withdrawn": promise.withdrawn,
        "p_holm": probability(promise.p),
        "low": promise.low,
        "high": promise.high,
        "level": promise.level,
        "settle": promise.settle,
        "replay": promise.replay,
    }


def _pass_rates(rates: PassRates) -> Document:
    return {
        "rollout": rates.rollout,
        "successes": list(rates.successes),
        "conditions": rates.conditions,
        "left_out": rates.left_out,
        "missing": rates.missing,
        "confidence": rates.confidence,
        "k": list(rates.k),
        "pass^k": [_estimate(each) for each in rates.all_succeed],
        "pass@k": [_estimate(each) for each in rates.any_succeeds],
    }


def _estimate(estimate: Estimate) -> Document:
    return {"rate": estimate.rate, "low": estimate.low, "high": estimate.high}
