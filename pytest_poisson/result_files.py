"""Results that were written as JSON, read back: a comparison, a gate, a fix-check, or one run."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from poisson_stats.omnibus import Omnibus
from poisson_store.records import ConditionRecord, RolloutRecord, RunRecord
from pytest_poisson.analyses.along import Along
from pytest_poisson.analyses.check import CheckResult
from pytest_poisson.analyses.diff_result import (
    Arm,
    Change,
    Count,
    Design,
    DiffResult,
    DiffRow,
    Limit,
    Missing,
    Observed,
    Pairs,
)
from pytest_poisson.analyses.fragility import Flip, Fragility
from pytest_poisson.analyses.margin import Band, Margin
from pytest_poisson.analyses.observed import Pairing
from pytest_poisson.analyses.over_time import OverTime
from pytest_poisson.analyses.promises import Promise, PromisesResult
from pytest_poisson.analyses.sequential import Early
from pytest_poisson.analyses.show import ShownCondition, ShowResult
from pytest_poisson.analyses.whole import Group, Node, Whole, WholeEvent
from pytest_poisson.decision import Decision
from pytest_poisson.errors import UserError, not_whole
from pytest_poisson.events import Event
from pytest_poisson.fix_check_file import read_account, read_condition, read_fix_check
from pytest_poisson.shapes.fit import require_types

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from pytest_poisson.analyses.fix_check import FixCheckResult
    from pytest_poisson.fix_gate import FixVerdict
    from pytest_poisson.render.documents import Document

NEVER = ["never"]
Result: TypeAlias = "CheckResult | DiffResult | ShowResult | FixCheckResult | FixVerdict"


@dataclass(frozen=True, slots=True)
class Nothing:
    """A file without a byte: the session ended before it had a result."""


def read_result(text: str, name: str) -> Result | Nothing:
    """Read what `check --json`, `diff --json`, `fix-check --json`, `show --json` or `--poisson-json` wrote.

    Parameters
    ----------
    text
        What the file holds; nothing at all is a result too.
    name
        How a refusal names the file.

    Raises
    ------
    UserError
        If it is none of these documents.
    """
    if not text.strip():
        return Nothing()
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise UserError(f"File '{name}' is not JSON: {problem}.") from None
    schema = document.get("schema") if isinstance(document, dict) else None
    if not isinstance(schema, str) or schema not in READERS:
        raise UserError(f"File '{name}' has the schema {schema!r}; it takes {', '.join(READERS)}.")
    try:
        require_types(document, schema)
        return READERS[schema](document)
    except (KeyError, TypeError, ValueError, AttributeError) as problem:
        raise UserError(not_whole(f"File '{name}'", schema, problem)) from None


def read_diff(document: Document) -> DiffResult:
    """Return the comparison that `diff_document` wrote: the one renders as the other does."""
    events = {(event["rollout"], event["name"]): _event(event) for event in document["events"]}
    plain = ("method", "paired", "q", "max_mde", "verdict", "verdict_by_test", "level", "refusal")
    return DiffResult(
        **{name: document[name] for name in plain},
        before=_arm(document["before"]),
        after=_arm(document["after"]),
        events=tuple(events.values()),
        rows=tuple(_row(row, events[row["rollout"], row["event"]]) for row in document["rows"]),
        importance=tuple(document["importance"]),
        design=None if document["design"] is None else Design(**document["design"]),
        pairing=None if document["pairing"] is None else Pairing(**_with_p(document["pairing"], "p")),
        fragility=None if document["fragility"] is None else _fragility(document["fragility"]),
        margin=None if document["margin"] is None else _margin(document["margin"]),
        missing=None if document["missing"] is None else _missing(document["missing"]),
        one_sided=tuple(map(_event, document.get("one_sided", []))),
        early=None if document["early"] is None else Early(**document["early"]),
        whole=None if document["whole"] is None else _whole(document, events),
        along=None if document["along"] is None else Along(**document["along"]),
        only_before=_conditions(document["only_before"]),
        only_after=_conditions(document["only_after"]),
        skipped=_conditions(document["skipped"]),
        changes=tuple(Change(**change) for change in document["changes"]),
        notes=tuple(document["notes"]),
    )


def read_check(document: Document) -> CheckResult:
    """Return the gate that `check_document` wrote."""
    fail_on = document["fail_on"]
    decision = Decision(
        fail_on=() if fail_on == NEVER else tuple(fail_on),
        reasons=tuple(document["reasons"]),
        rows=tuple(document["failing_rows"]),
        missed=tuple(document["missed_promises"]),
    )
    return CheckResult(read_diff(document["diff"]), _promises(document["promises"]), decision)


def read_show(document: Document) -> ShowResult:
    """Return the run that `show_document` wrote, without its pass rates."""
    run = dict(document["run"])
    rollouts = tuple(
        RolloutRecord(
            **{
                **each,
                **{name: tuple(each[name]) for name in ("outcomes", "failures", "successes")},
            }
        )
        for each in run.pop("rollouts")
    )
    shown = tuple(
        ShownCondition(read_condition(each), read_account(each["accounting"]), dict(each["outcomes"]))
        for each in document["conditions"]
    )
    shard = None if run["shard"] is None else tuple(run["shard"])
    record = RunRecord(
        **{**run, "shard": shard}, rollouts=rollouts, conditions=tuple(each.condition for each in shown)
    )
    return ShowResult(
        record, read_account(document["accounting"]), shown, _promises(document["promises"]), ()
    )


READERS: dict[str, Callable[[Document], Result]] = {
    "pytest-poisson.check/1": read_check,
    "pytest-poisson.diff/1": read_diff,
    "pytest-poisson.show/1": read_show,
    "pytest-poisson.fix-check/1": read_fix_check,
}


def _arm(document: Document) -> Arm:
    accounts = {name: read_account(document[name]) for name in ("accounting", "compared")}
    return Arm(**{**document, **accounts})


def _event(document: Document) -> Event:
    return Event(**{**document, "outcomes": tuple(document["outcomes"])})


def _conditions(documents: list[Document]) -> tuple[ConditionRecord, ...]:
    return tuple(map(read_condition, documents))


def _count(document: Document) -> Count:
    return Count(document["events"], document["outcomes"])


def _row(document: Document, event: Event) -> DiffRow:
    plain = ("word", "counted", "log_p", "log_p_bh", "log_p_holm", "change", "low", "high", "replay")
    observed, pairs, over_time = document["observed"], document["pairs"], document["over_time"]
    return DiffRow(
        **{name: document[name] for name in plain},
        p=document["p"] or 0.0,
        p_bh=document["p_bh"] or 0.0,
        p_holm=document["p_holm"] or 0.0,
        condition=read_condition(document),
        event=event,
        before=_count(document["before"]),
        after=_count(document["after"]),
        pairs=None if pairs is None else Pairs(**pairs),
        rise=Limit(**document["rise"]),
        fall=Limit(**document["fall"]),
        observed=None
        if observed is None
        else Observed(observed["correlation"], Limit(**observed["rise"]), Limit(**observed["fall"])),
        over_time=None if over_time is None else OverTime(**over_time),
    )


def _with_p(document: Document, name: str) -> dict[str, Any]:
    """Return a document with a p-value that was too small for a number as 0."""
    return {**document, name: document[name] or 0.0}


def _whole(document: Document, events: Mapping[tuple[str, str], Event]) -> Whole:
    conditions = {row["key"]: read_condition(row) for row in document["rows"]}
    tested = tuple(
        WholeEvent(
            event=events[each["rollout"], each["event"]],
            omnibus=Omnibus(**{name: value for name, value in each["omnibus"].items() if name != "changed"}),
            changed=each["omnibus"]["changed"],
            root=_node(each["root"], conditions),
            groups=tuple(
                Group(_node(group, conditions), tuple(_node(node, conditions) for node in group["below"]))
                for group in each["groups"]
            ),
            bound=each["bound"],
        )
        for each in document["whole"]["events"]
    )
    return Whole(tested, **document["whole"]["coverage"])


def _node(document: Document, conditions: Mapping[str, ConditionRecord]) -> Node:
    plain = ("axis", "value", "log_p", "level", "changed", "change", "resolvable")
    return Node(
        **{name: document[name] for name in plain},
        p=document["p"] or 0.0,
        conditions=tuple(conditions[key] for key in document["conditions"]),
    )


def _fragility(document: Document) -> Fragility:
    flips = tuple(Flip(**flip) for flip in document["flips"])
    return Fragility(**{**document, "flips": flips})


def _margin(document: Document) -> Margin:
    bands = tuple(Band(**band) for band in document["rows"])
    return Margin(document["size"], document["confidence"], bands)


def _missing(document: Document) -> Missing:
    return Missing(
        before_missing=document["before"]["missing"],
        before_ran=document["before"]["ran"],
        after_missing=document["after"]["missing"],
        after_ran=document["after"]["ran"],
        p=document["p"] or 0.0,
        log_p=document["log_p"],
        problem=document["problem"],
        emptied=_conditions(document["emptied"]),
        uneven=_conditions(document.get("uneven", [])),
        cause=document["cause"],
        verdict_as_failures=document["verdict_as_failures"],
    )


def _promises(document: Mapping[str, Any]) -> PromisesResult:
    return PromisesResult(
        document["run"],
        document["q"],
        tuple(_promise(each) for each in document["promises"]),
        tuple(document["importance"]),
        document["stoppable"],
    )


def _promise(document: Document) -> Promise:
    plain = ("event", "kind", "bound", "missing", "word", "withdrawn", "low", "high", "level")
    return Promise(
        **{name: document[name] for name in (*plain, "settle", "replay")},
        condition=read_condition(document),
        count=_count(document["seen"]),
        p=document["p_holm"] or 0.0,
    )
