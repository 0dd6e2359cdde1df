"""Documents: results as JSON, versioned, sorted, and byte-identical on equal inputs; and the parts they share."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_poisson.analyses.figures import finite

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poisson_stats.consistency import Consistency
    from poisson_store.records import Accounting, ConditionRecord
    from pytest_poisson.analyses.diff_result import Count, Limit
    from pytest_poisson.analyses.event_set import EventSet
    from pytest_poisson.analyses.side import Apart, Side

Document: TypeAlias = "dict[str, Any]"

INIT_SCHEMA = "pytest-poisson.init/1"


def dump(document: Document) -> str:
    """Return a document as ASCII text that ends in a line feed: keys sorted, no NaN, floats as `repr` writes them."""
    return json.dumps(document, sort_keys=True, indent=2, ensure_ascii=True, allow_nan=False) + "\n"


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


def condition_document(condition: ConditionRecord) -> Document:
    """Return which condition it is."""
    return {
        "key": condition.key,
        "rollout": condition.rollout,
        "axes": dict(condition.axes),
        "nodeid": condition.nodeid,
    }


def condition_documents(conditions: Iterable[ConditionRecord]) -> list[Document]:
    """Return which conditions they are."""
    return [condition_document(condition) for condition in conditions]


def count_document(count: Count) -> Document:
    """Return events, outcomes and their rate."""
    return {"events": count.events, "outcomes": count.outcomes, "rate": count.rate}


def probability(p: float) -> float | None:
    """Return p, or None where it is too small for a number: a p-value is never 0, and `log_p` still has it."""
    return p or None


def limit_document(limit: Limit) -> Document:
    """Return a detection limit."""
    return {"status": limit.status, "size": limit.size}


def apart_document(apart: Apart | None) -> Document | None:
    """Return how far apart two runs began."""
    return None if apart is None else {"seconds": apart.seconds, "overlap": apart.overlap}


def side_document(side: Side) -> Document:
    """Return a run of a report."""
    return {
        "run_id": side.run_id,
        "name": side.name,
        "status": side.status,
        "created_at": side.created_at,
        "selection": side.selection,
        "variant": dict(side.variant),
        "rows": side.accounting.stored,
        "accounting": accounting_document(side.accounting),
        "stoppable": side.stoppable,
    }


def events_document(events: EventSet) -> Document:
    """Return which outcomes count."""
    return {"outcomes": list(events.names), "declared_successes": list(events.successes)}


def consistency_document(found: Consistency) -> Document:
    """Return how alike the runs of one input are; None for what the counts cannot say."""
    return {
        "share": finite(found.share),
        "again": finite(found.again),
        "within": finite(found.within),
        "pooled": finite(found.pooled),
        "kappa": finite(found.kappa),
        "inflation": finite(found.inflation),
        "inputs": found.inputs,
        "repeated": found.repeated,
        "runs": found.runs,
        "events": found.events,
    }
