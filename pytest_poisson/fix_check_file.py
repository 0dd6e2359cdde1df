"""A fix-check that was written as JSON, read back; what no report shows of it is not restored."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING, Any

from poisson_stats.consistency import Consistency
from poisson_stats.missing import missing_shares_unpaired
from poisson_stats.risk_difference import RiskDifference
from poisson_stats.share_comparison import RestsOn, ShareComparison
from poisson_stats.share_limit import ShareGuidance, ShareLimit
from poisson_stats.sign_flip import SignFlipTest
from poisson_stats.stratified import StratifiedTest
from poisson_store.records import Accounting, ConditionRecord
from pytest_poisson.analyses.event_set import EventSet
from pytest_poisson.analyses.fix_check import FixCheckResult, Selection
from pytest_poisson.analyses.input_shares import InputShares, LeftOutInputs, LeftOutRows
from pytest_poisson.analyses.side import Apart, Side
from pytest_poisson.fix_gate import FixVerdict

if TYPE_CHECKING:
    from pytest_poisson.render.documents import Document


def read_fix_check(document: Document) -> FixCheckResult | FixVerdict:
    """Return what `fix_check_document` wrote, or `fix_verdict_document`, which has the gate of a session as well."""
    gate = document.get("gate")
    result = None if document.get("refusal") else _result(document)
    if result is not None and gate is None:
        return result
    reasons = () if gate is None else tuple(gate["reasons"])
    return FixVerdict(result, document.get("refusal") or "", reasons, not_comparable=result is None)


def _result(document: Document) -> FixCheckResult:
    inputs = tuple(_input(each) for each in document["inputs"])
    places = {each.condition.key: place for place, each in enumerate(inputs)}
    rests_on, limits = document["rests_on"], document["limits"]
    events, rows, guidance = document["events"], document["rows_without_outcome"], document["guidance"]
    approximate = limits["approximate_drop"]
    return FixCheckResult(
        old=_side(document["old"]),
        new=_side(document["new"]),
        apart=None if document["apart"] is None else Apart(**document["apart"]),
        same_draws=document["same_draws"],
        events=EventSet(
            tuple(events["outcomes"]),
            tuple(events["declared_successes"]),
            frozenset(each.condition.rollout for each in inputs),
        ),
        selection=_selection(document["selection"]),
        left_out=LeftOutInputs(**document["left_out"]),
        rows=None if rows is None else _rows(rows, len(inputs)),
        comparison=_comparison(document, len(inputs)),
        approximate_drop=None if approximate is None else _limit(approximate, "drop", document["alpha"]),
        guidance=None if guidance is None else ShareGuidance(**_numbers(guidance, "ceiling")),
        rests_on=RestsOn(
            tuple(places[each["key"]] for each in rests_on["inputs"]),
            tuple(each["word_without"] for each in rests_on["inputs"]),
            rests_on["checked"],
            rests_on["given"],
        ),
        inputs=inputs,
        importance=tuple(document["importance"]),
    )


def _comparison(document: Document, inputs: int) -> ShareComparison:
    limits, alpha = document["limits"], document["alpha"]
    return ShareComparison(
        test=_test(document["test"], inputs),
        difference=RiskDifference(**_numbers(document["difference"], "low", "high"), strata=inputs),
        by_input=SignFlipTest(**_with_p(document["by_input"]), inputs=inputs),
        consistency=Consistency(
            **_numbers(document["consistency"], "share", "again", "within", "pooled", "kappa", "inflation")
        ),
        drop=_limit(limits["drop"], "drop", alpha),
        rise=_limit(limits["rise"], "rise", alpha),
        word=document["word"],
        failed=document["failed"],
        alpha=alpha,
        max_mde=document["max_mde"],
    )


def _side(document: Document) -> Side:
    fields = {name: value for name, value in document.items() if name != "rows"}
    return Side(**{**fields, "accounting": read_account(document["accounting"])})


def read_account(document: Document) -> Accounting:
    """Return an account that was written."""
    return Accounting(**{name: count for name, count in document.items() if name != "not_run"})


def read_condition(document: Document) -> ConditionRecord:
    """Return a condition that was written."""
    return ConditionRecord(document["key"], document["rollout"], document["axes"], document["nodeid"])


def _selection(document: Document) -> Selection:
    run = document["failing_from"]
    return Selection(None if run is None else _side(run), document["min_failures"] or 1, document["inputs"])


def _rows(document: Document, inputs: int) -> LeftOutRows:
    old, new = read_account(document["old"]), read_account(document["new"])
    shares = missing_shares_unpaired(old.without_outcome, old.stored, new.without_outcome, new.stored)
    tested = {name: value for name, value in document["as_failures"].items() if name != "failed"}
    return LeftOutRows(old, new, shares, _test(tested, inputs))


def _test(document: Document, inputs: int) -> StratifiedTest:
    return StratifiedTest(**_with_p(document), strata=inputs)


def _limit(document: Document, side: Any, alpha: float) -> ShareLimit:
    return ShareLimit(**_numbers(document, "limit", "ceiling", "theta"), side=side, alpha=alpha)


def _input(document: Document) -> InputShares:
    condition = read_condition(document)
    old, new = document["old"], document["new"]
    return InputShares(condition, old["events"], old["outcomes"], new["events"], new["outcomes"])


def _with_p(document: Document) -> Document:
    """Return a document with a p-value that was too small for a number as 0."""
    return {**document, "p": document["p"] or 0.0}


def _numbers(document: Document, *names: str) -> Document:
    """Return a document in which figures that were none or infinite are none again."""
    return {**document, **{name: nan if document[name] is None else document[name] for name in names}}
