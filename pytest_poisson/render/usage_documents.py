"""Traces and token sums as JSON documents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_poisson.render.documents import condition_document

if TYPE_CHECKING:
    from poisson_store.records import Cut, Episode
    from pytest_poisson.analyses.episode_trace import EpisodeTrace, Node
    from pytest_poisson.analyses.tokens import ArmTokens, Prices, TokensResult, Used
    from pytest_poisson.render.documents import Document
    from pytest_poisson.span_files.attach import AttachResult

TRACE_SCHEMA = "pytest-poisson.trace/1"
TOKENS_SCHEMA = "pytest-poisson.tokens/1"
ATTACH_SCHEMA = "pytest-poisson.import-spans/1"


def trace_document(result: EpisodeTrace) -> Document:
    """Return one replicate as a document; spans are ordered from the outermost inwards."""
    return {
        "schema": TRACE_SCHEMA,
        "run_id": result.run.run_id,
        "name": result.run.name,
        "condition": condition_document(result.condition),
        "episode": _episode(result.episode),
        "spans": [_span(node) for node in result.nodes],
        "alike": [{"key": key, "replicate": number} for key, number in result.alike],
    }


def tokens_document(result: TokensResult) -> Document:
    """Return what runs used as a document."""
    return {
        "schema": TOKENS_SCHEMA,
        "prices": _prices(result.prices),
        "arms": [_arm(arm) for arm in result.arms],
    }


def attach_document(result: AttachResult) -> Document:
    """Return what became of imported spans as a document."""
    return {
        "schema": ATTACH_SCHEMA,
        "files": list(result.files),
        "run_id": result.run_id,
        "name": result.name,
        "read": result.read,
        "added": result.added,
        "left_out": dict(result.left_out),
    }


def _episode(episode: Episode) -> Document:
    return {
        "replicate": episode.replicate,
        "seed": episode.seed,
        "outcome": episode.outcome,
        "cause": episode.cause,
        "t": episode.t,
        "horizon": episode.horizon,
        "started_ns": episode.started_ns,
        "wall_s": episode.wall_s,
        "error": episode.error,
        "meta": None if episode.meta is None else dict(episode.meta),
        "tokens": {"in": episode.tokens_in, "out": episode.tokens_out},
        "unknown_usage": episode.unknown_usage or 0,
        "spans_left_out": episode.spans_left_out or 0,
        "attempts": [
            {"number": each.number, "error": each.error, "started_ns": each.started_ns, "wall_s": each.wall_s}
            for each in episode.attempts
        ],
    }


def _span(node: Node) -> Document:
    span = node.span
    return {
        "span_id": span.span_id,
        "parent_id": span.parent_id,
        "depth": node.depth,
        "kind": span.kind,
        "name": span.name,
        "step": span.step,
        "start_ns": span.start_ns,
        "end_ns": span.end_ns,
        "model": node.model,
        "tokens": None if span.tokens is None else {"in": span.tokens.input, "out": span.tokens.output},
        "counted": node.counted,
        "unknown_usage": node.silent,
        "input": span.input,
        "output": span.output,
        "input_cut": _cut(span.input_cut),
        "output_cut": _cut(span.output_cut),
        "attrs": dict(span.attrs),
        "error": span.error,
    }


def _cut(cut: Cut | None) -> Document | None:
    return None if cut is None else {"bytes": cut.bytes, "digest": cut.digest}


def _prices(prices: Prices) -> Document:
    return {
        "default": None if prices.default is None else list(prices.default),
        "models": {model: list(price) for model, price in prices.models.items()},
    }


def _arm(arm: ArmTokens) -> Document:
    return {
        "run_id": arm.run.run_id,
        "name": arm.run.name,
        "variant": dict(arm.run.variant),
        "replicates": arm.replicates,
        "traced": arm.traced,
        "rows": [
            {**condition_document(row.condition), "model": row.model, **_used(row.used)} for row in arm.rows
        ],
        "models": [{"model": model, **_used(used)} for model, used in arm.models.items()],
        "not_in_spans": _used(arm.beyond),
        "total": {**_used(arm.total), "cost_is_a_lower_bound": arm.total.cost is not None and arm.is_least},
        "per_outcome": [
            {"outcome": each.outcome, "count": each.count, "cost": each.cost} for each in arm.per
        ],
    }


def _used(used: Used) -> dict[str, Any]:
    return {
        "calls": used.calls,
        "tokens_in": used.tokens_in,
        "tokens_out": used.tokens_out,
        "unknown": used.unknown,
        "cost": used.cost,
        "cost_is_a_lower_bound": used.cost is not None and used.unknown > 0,
    }
