"""Shares compared input by input, as JSON documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.analyses.figures import finite, finite_list
from pytest_poisson.render.documents import (
    accounting_document,
    apart_document,
    condition_document,
    consistency_document,
    events_document,
    probability,
    side_document,
)

if TYPE_CHECKING:
    from poisson_stats.risk_difference import RiskDifference
    from poisson_stats.share_limit import ShareGuidance, ShareLimit
    from poisson_stats.sign_flip import SignFlipTest
    from poisson_stats.stratified import StratifiedTest
    from pytest_poisson.analyses.changes import ChangesResult
    from pytest_poisson.analyses.fix_check import FixCheckResult, Selection
    from pytest_poisson.analyses.input_shares import InputShares, LeftOutInputs, LeftOutRows
    from pytest_poisson.render.documents import Document

FIX_CHECK_SCHEMA = "pytest-poisson.fix-check/1"
CHANGES_SCHEMA = "pytest-poisson.changes/1"


def fix_check_document(result: FixCheckResult) -> Document:
    """Return what two versions say about a fix as a document."""
    found = result.comparison
    return {
        "schema": FIX_CHECK_SCHEMA,
        "old": side_document(result.old),
        "new": side_document(result.new),
        "apart": apart_document(result.apart),
        "same_draws": result.same_draws,
        "events": events_document(result.events),
        "selection": _selection(result.selection),
        "alpha": found.alpha,
        "max_mde": found.max_mde,
        "compared": len(result.inputs),
        "left_out": _left_out(result.left_out),
        "rows_without_outcome": None if result.rows is None else _rows(result.rows, found.alpha),
        "test": _test(found.test),
        "by_input": _sign_flip(found.by_input),
        "difference": _difference(found.difference),
        "consistency": consistency_document(found.consistency),
        "limits": {
            "drop": _limit(found.drop),
            "rise": _limit(found.rise),
            "approximate_drop": None if result.approximate_drop is None else _limit(result.approximate_drop),
        },
        "word": found.word,
        "failed": found.failed,
        "refusal": None,
        "gate": None,
        "rests_on": {
            "inputs": [
                {"key": result.inputs[i].condition.key, "word_without": word}
                for i, word in zip(result.rests_on.inputs, result.rests_on.words, strict=True)
            ],
            "checked": result.rests_on.checked,
            "given": result.rests_on.given,
        },
        "guidance": None if result.guidance is None else _guidance(result.guidance),
        "inputs": [_input(each) for each in result.inputs],
        "importance": list(result.importance),
    }


def changes_document(result: ChangesResult) -> Document:
    """Return which inputs changed as a document."""
    flags = result.flags
    columns = {
        "p": map(probability, flags.p.tolist()),
        "log_p": flags.log_p.tolist(),
        "p_bh": map(probability, flags.p_bh.tolist()),
        "log_p_bh": flags.log_p_bh.tolist(),
        "flagged": flags.flagged.tolist(),
        "smallest_p": map(probability, flags.smallest_p.tolist()),
        "log_smallest_p": flags.log_smallest_p.tolist(),
        "rise": _sizes(flags.limits.status_rise, finite_list(flags.limits.rise)),
        "fall": _sizes(flags.limits.status_fall, finite_list(flags.limits.fall)),
    }
    return {
        "schema": CHANGES_SCHEMA,
        "first": side_document(result.first),
        "second": side_document(result.second),
        "apart": apart_document(result.apart),
        "same_draws": result.same_draws,
        "events": events_document(result.events),
        "alpha": flags.q,
        "alpha_per_input": flags.alpha,
        "compared": len(result.inputs),
        "left_out": _left_out(result.left_out),
        "rows_without_outcome": None if result.rows is None else _rows(result.rows, flags.q),
        "changed": {"more": result.more, "less": result.less},
        "lone_flip_repeats": flags.lone_flip_repeats,
        "flip_together": flags.flip_together,
        "without_limit": result.blind,
        "together": _test(result.together),
        "difference": _difference(result.difference),
        "consistency": consistency_document(result.consistency),
        "inputs": [
            {**_input(each), **dict(zip(columns, values, strict=True))}
            for each, values in zip(result.inputs, zip(*columns.values(), strict=True), strict=True)
        ],
        "importance": list(result.importance),
    }


def _sizes(statuses: tuple[str, ...], sizes: list[float | None]) -> list[Document]:
    return [{"status": status, "size": size} for status, size in zip(statuses, sizes, strict=True)]


def _selection(selection: Selection) -> Document:
    return {
        "failing_from": None if selection.run is None else side_document(selection.run),
        "min_failures": None if selection.run is None else selection.min_failures,
        "inputs": selection.inputs,
    }


def _left_out(left_out: LeftOutInputs) -> Document:
    return {
        "not_run_old": left_out.not_run_old,
        "not_run_new": left_out.not_run_new,
        "no_outcome": left_out.no_outcome,
    }


def _rows(rows: LeftOutRows, alpha: float) -> Document:
    return {
        "old": accounting_document(rows.old),
        "new": accounting_document(rows.new),
        "p": probability(rows.shares.p),
        "log_p": rows.shares.log_p,
        "differ": rows.shares.differs,
        "as_failures": {**_test(rows.as_failures), "failed": rows.failed_as_failures(alpha)},
    }


def _test(test: StratifiedTest) -> Document:
    return {
        "observed": test.observed,
        "expected": test.expected,
        "variance": test.variance,
        "p": probability(test.p),
        "log_p": test.log_p,
        "informative": test.informative,
    }


def _sign_flip(test: SignFlipTest) -> Document:
    return {
        "statistic": test.statistic,
        "p": probability(test.p),
        "log_p": test.log_p,
        "moved": test.moved,
        "exact": test.exact,
    }


def _difference(found: RiskDifference) -> Document:
    return {
        "difference": found.difference,
        "low": finite(found.low),
        "high": finite(found.high),
        "variance": found.variance,
        "confidence": found.confidence,
    }


def _limit(limit: ShareLimit) -> Document:
    return {
        "status": limit.status,
        "limit": finite(limit.limit),
        "ceiling": finite(limit.ceiling),
        "theta": finite(limit.theta),
        "room": limit.room,
        "basis": limit.basis,
        "power": limit.power,
    }


def _guidance(guidance: ShareGuidance) -> Document:
    return {
        "max_change": guidance.max_change,
        "repeats": guidance.repeats,
        "inputs": guidance.inputs,
        "ceiling": finite(guidance.ceiling),
    }


def _input(each: InputShares) -> Document:
    return {
        **condition_document(each.condition),
        "old": {"events": each.old_events, "outcomes": each.old_runs},
        "new": {"events": each.new_events, "outcomes": each.new_runs},
        "change": each.change,
    }
