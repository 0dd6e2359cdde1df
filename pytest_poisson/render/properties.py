"""What each condition's item carries as properties, which JUnit XML files keep.

Names are fixed words, since not every writer of XML escapes a name; whatever a suite or a program chose stands in a
value: as text, or in JSON of ASCII alone, which any XML can hold and any reader takes apart again.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, TypeAlias

from poisson_store.records import CAUSES
from pytest_poisson.analyses.outcomes import outcomes_alone
from pytest_poisson.render.documents import count_document, probability

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poisson_store import RunReader
    from poisson_store.records import Accounting, ConditionRecord
    from pytest_poisson.analyses.diff_result import DiffRow
    from pytest_poisson.analyses.promises import Promise
    from pytest_poisson.gate import Gate

Properties: TypeAlias = "list[tuple[str, str]]"


def condition_properties(run: RunReader, gate: Gate | None, *, comparison: str = "") -> dict[str, Properties]:
    """Return the properties of every condition of a run, by key.

    Parameters
    ----------
    run, gate
        What was swept, and what it means.
    comparison
        The id under which the comparison was saved, if it was.
    """
    counts, accounts = outcomes_alone(run), run.accounting_by_condition()
    found = {
        condition.key: [
            ("poisson.run_id", run.run.run_id),
            ("poisson.run", run.run.name),
            *_measured(condition, counts[condition.key], accounts[condition.key]),
        ]
        for condition in run.conditions
    }
    if gate is not None:
        _add_judged(found, gate, comparison)
    return found


def _measured(condition: ConditionRecord, counts: Mapping[str, int], account: Accounting) -> Properties:
    lost = {cause: getattr(account, cause) for cause in (*CAUSES, "not_run") if getattr(account, cause)}
    return [
        ("poisson.rollout", condition.rollout),
        ("poisson.condition", condition.key),
        ("poisson.axes", _json(dict(condition.axes))),
        ("poisson.planned", str(account.planned)),
        ("poisson.outcomes", _json({word: n for word, n in counts.items() if n})),
        ("poisson.without_outcome", _json(lost)),
    ]


def _add_judged(found: dict[str, Properties], gate: Gate, comparison: str) -> None:
    """Add the verdict and the changes to every condition's own, the promises to those that made any."""
    shared: Properties = []
    changes: dict[str, list[Any]] = {}
    if gate.check is not None:
        result = gate.check.diff
        shared = [("poisson.baseline_run_id", result.before.run_id), ("poisson.verdict", result.verdict)]
        shared += [("poisson.comparison", comparison)] if comparison else []
        for row in result.rows:
            changes.setdefault(row.condition.key, []).append(_change(row))
    elif gate.fix is not None:
        shared = [("poisson.fix_check", gate.fix.word)]
    promises: dict[str, list[Any]] = {}
    for each in gate.promises.promises:
        promises.setdefault(each.condition.key, []).append(_promise(each))
    for key, carried in found.items():
        carried.extend(shared)
        for name, judged in (("poisson.changes", changes), ("poisson.promises", promises)):
            if key in judged:
                carried.append((name, _json(judged[key])))


def _change(row: DiffRow) -> dict[str, Any]:
    return {
        "event": row.event.name,
        "word": row.word,
        "counted": row.counted,
        "before": count_document(row.before),
        "after": count_document(row.after),
        "change": row.change,
        "low": row.low,
        "high": row.high,
        "p_holm": probability(row.p_holm),
    }


def _promise(promise: Promise) -> dict[str, Any]:
    return {
        "event": promise.event,
        "kind": promise.kind,
        "bound": promise.bound,
        "word": promise.word,
        "seen": count_document(promise.count),
    }


def _json(value: object) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)
