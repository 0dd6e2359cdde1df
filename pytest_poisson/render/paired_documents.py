"""A paired replay as JSON documents, one a file."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_poisson.render.documents import dump
from pytest_poisson.replay.eligibility import CAUSES

if TYPE_CHECKING:
    from pytest_poisson.analyses.paired_result import Flips, PairedResult, SweepResult
    from pytest_poisson.render.documents import Document
    from pytest_poisson.replay.eligibility import Pair

SCHEMA = "pytest-poisson.paired/1"


def paired_files(result: PairedResult) -> dict[str, str]:
    """Return the files by name; each states the declaration's digest."""
    documents = {
        "pair_assertion": _assertion(result),
        "contingency_by_cut": _contingency(result),
        "intervals_by_cut": _intervals(result),
        "windows": _windows(result),
        "cost": _cost(result),
    }
    if result.repeats:
        documents["replicates_by_cut"] = _repeats(result)
    return {f"{name}.json": dump(_stated(result, name, body)) for name, body in documents.items()}


def paired_document(result: PairedResult) -> Document:
    """Return everything but the single pairs as one document."""
    return _stated(
        result,
        "paired",
        {
            "pairs": _counts(result),
            "unjudged": dict(result.unjudged),
            "contingency": _contingency(result),
            "intervals": _intervals(result),
            "windows": _windows(result),
            "cost": _cost(result),
            "replicates": _repeats(result) if result.repeats else None,
        },
    )


def _stated(result: PairedResult, name: str, body: dict[str, Any]) -> Document:
    return {
        "schema": SCHEMA.replace("paired", name, 1),
        "declaration_digest": result.declaration.digest,
        **body,
    }


def _counts(result: PairedResult) -> dict[str, Any]:
    return {sweep.name: _reconciled(sweep) for sweep in result.sweeps}


def _reconciled(sweep: SweepResult) -> dict[str, Any]:
    excluded = {cause: sweep.excluded.get(cause, 0) for cause in CAUSES}
    return {"pairs": len(sweep.pairs), "eligible": sweep.eligible, "excluded": excluded}


def _assertion(result: PairedResult) -> dict[str, Any]:
    declaration = result.declaration
    return {
        "claims": {
            "headers": declaration.headers,
            "retries": declaration.retries,
            "model": declaration.model_pin,
        },
        "counts": _counts(result),
        "exemptions_exercised": {
            sweep.name: dict(sorted(Counter(path for pair in sweep.pairs for path in pair.exercised).items()))
            for sweep in result.sweeps
        },
        "sweeps": [
            {"name": sweep.name, "pairs": [_pair(result, pair) for pair in sweep.pairs]}
            for sweep in result.sweeps
        ],
    }


def _pair(result: PairedResult, pair: Pair) -> dict[str, Any]:
    return {
        "condition": pair.condition,
        "item": result.item_of[pair.condition],
        "cut": result.cut_of[pair.condition],
        "replicate": pair.replicate,
        "eligible": pair.cause is None,
        "cause": pair.cause,
        "scores": None if pair.scores is None else [format(score, "f") for score in pair.scores],
        "request_digest": pair.digest,
        "exemptions_exercised": list(pair.exercised),
        "started_ns": list(pair.started_ns),
    }


def _contingency(result: PairedResult) -> dict[str, Any]:
    def table(flips: Flips) -> dict[str, Any]:
        names = ("n11", "n10", "n01", "n00", "pairs", "items", "ties")
        return {"cut": flips.cut, **{name: getattr(flips, name) for name in names}}

    return _by_sweep(result, table)


def _intervals(result: PairedResult) -> dict[str, Any]:
    def interval(flips: Flips) -> dict[str, Any]:
        names = (
            "rate",
            "low",
            "high",
            "confidence",
            "basis",
            "icc",
            "design_effect",
            "net_swing",
            "order_p",
            "order_could_reject",
            "outcome",
            "below_floor",
        )
        kg = flips.korn_graubard
        return {
            "cut": flips.cut,
            **{name: getattr(flips, name) for name in names},
            "korn_graubard": None if kg is None else {"low": kg[0], "high": kg[1]},
            "items": [
                {"item": item, "mean_score": mean, "flips": count, "pairs": pairs}
                for item, mean, count, pairs in flips.points
            ],
        }

    floor = result.declaration.floor
    return {"floor": None if floor is None else format(floor, "f"), **_by_sweep(result, interval)}


def _by_sweep(result: PairedResult, write: Any) -> dict[str, Any]:
    return {
        "sweeps": {sweep.name: [write(flips) for flips in sweep.flips] for sweep in result.sweeps},
        "pooled": [write(flips) for flips in result.pooled],
    }


def _windows(result: PairedResult) -> dict[str, Any]:
    declared = result.declaration.declared_window_s
    return {
        "declared_window_s": None if declared is None else format(declared, "f"),
        "windows": {
            sweep.name: {
                **asdict(sweep.window),
                "arms": [
                    {"run": arm.name, "started_ns": arm.started_ns, "ended_ns": arm.ended_ns}
                    for arm in sweep.arms
                ],
            }
            for sweep in result.sweeps
        },
    }


def _cost(result: PairedResult) -> dict[str, Any]:
    price, total = result.declaration.price_per_input_token, sum(arm.tokens_in for arm in result.arms)
    return {
        "arms": [
            {
                "run": arm.name,
                "tokens_in": arm.tokens_in,
                "recorded": arm.recorded,
                "unrecorded": arm.unrecorded,
            }
            for arm in result.arms
        ],
        "tokens_in": total,
        "unrecorded": sum(arm.unrecorded for arm in result.arms),
        "price_per_input_token": None if price is None else format(price, "f"),
        "cost": None if price is None else format(price * total, "f"),
        "token_cap": result.declaration.token_cap,
    }


def _repeats(result: PairedResult) -> dict[str, Any]:
    def rate(each: Any) -> dict[str, Any]:
        numbers = asdict(each)
        return {name: None if value != value else value for name, value in numbers.items()}  # noqa: PLR0124  NaN

    return {
        "cuts": [
            {
                "cut": each.cut,
                "agreement": [rate(one) for one in each.agreement],
                "majority": [rate(one) for one in each.majority],
            }
            for each in result.repeats
        ]
    }
