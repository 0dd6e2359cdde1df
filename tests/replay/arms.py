"""Arms of a paired replay, written straight into a store."""

import json

from poisson_store import Store
from poisson_store.records import ConditionRecord, Episode, RolloutRecord, RunRecord, Span, Tokens

DECLARATION = {
    "value_key": "grade.score",
    "cluster_key": "item",
    "stratum_key": "cut",
    "request_span": "request",
    "model_key": "model",
    "model_pin": "m-1",
    "exemptions": ["user"],
    "headers": "asserted",
    "retries": "asserted",
    "bootstrap_b": 500,
    "bootstrap_seed": 0,
    "cuts": [{"name": "pass", "threshold": "0.60", "comparison": "ge"}],
    "sweeps": [{"name": "s1", "a": "a", "b": "b"}],
}


def request(body=None, *, url="https://x/1", headers=None, tokens=5, name="request", text=None):
    """Return a request span; `text` replaces the body."""
    body = {"model": "m-1", "prompt": "p", "user": "u"} if body is None else body
    attrs = {"url.full": url, **{f"http.request.header.{k}": v for k, v in (headers or {}).items()}}
    return Span(
        span_id="1",
        parent_id=None,
        kind="llm",
        name=name,
        start_ns=1,
        end_ns=2,
        input=json.dumps(body) if text is None else text,
        tokens=Tokens(tokens, 1) if tokens is not None else None,
        attrs=attrs,
    )


def call(score=0.7, *, spans=None, outcome="ok", cause=None, meta=None):
    """Return what one arm leaves of one replicate."""
    return {
        "outcome": outcome,
        "cause": cause,
        "meta": {"grade": {"score": score}} if meta is None else meta,
        "spans": (request(),) if spans is None else tuple(spans),
    }


ERRORED = {"outcome": None, "cause": "errored", "meta": None, "spans": ()}


def _axes(names, item, cut):
    """Return a condition's axes; an item may be a pair, of itself and the value of a third axis."""
    given = (item, cut) if isinstance(item, str) else (item[0], cut, item[1])
    return dict(zip(names, given, strict=False))


def write_arm(
    store, name, calls, *, salt="0" * 32, cut="pass", axes=("item", "cut"), started_ns=10**18, seed=None
):
    """Store an arm: `calls` maps an item to its replicates' calls, None for a replicate that did not run."""
    conditions = tuple(
        ConditionRecord(
            f"{number:016x}",
            "r",
            _axes(axes, item, cut if isinstance(cut, str) else cut[item]),
            "",
            len(row),
        )
        for number, (item, row) in enumerate(calls.items())
    )
    rollout = RolloutRecord("r", ("ok", "bad"), ("bad",), ("ok",))
    record = RunRecord(salt=salt, name=name, rollouts=(rollout,), conditions=conditions)
    with Store(store).create(record) as writer:
        writer.add(
            Episode(
                condition=condition.key,
                replicate=replicate,
                seed=(replicate if seed is None else seed),
                started_ns=started_ns,
                wall_s=1.0,
                tokens_in=sum(span.tokens.input for span in made["spans"] if span.tokens) or None,
                **made,
            )
            for condition, row in zip(conditions, calls.values(), strict=False)
            for replicate, made in enumerate(row)
            if made is not None
        )
