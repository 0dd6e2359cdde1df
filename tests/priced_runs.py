"""Stored runs whose episodes have spans with tokens and texts, in seconds."""

from poisson_store.records import Cut, Episode, RunRecord, Span, Tokens
from tests.stored_runs import SALT, SUPPORT, cell

SECOND = 1_000_000_000
BEGAN = 1_700_000_000 * SECOND

REFUND, GREETING = cell(ticket="refund", planned=3), cell(ticket="greeting", planned=2)


def made(span_id, parent_id, kind, name, start_s, took_s, **rest):
    """Return a span by seconds."""
    start = BEGAN + round(start_s * SECOND)
    return Span(span_id, parent_id, kind, name, start, start + round(took_s * SECOND), **rest)


def turn(model="small", tokens_in=1000):
    """Return the spans of one turn: an agent that repeats its call's usage, a silent call, a tool that failed."""
    return (
        made("0000", None, "agent", "turn", 0, 2.5, tokens=Tokens(tokens_in, 20), step="plan"),
        made(
            "0001",
            "0000",
            "llm",
            "ChatCompletion",
            0.0004,
            1.2,
            input='[{"role":"user"',
            output="It is so.\nReally\x1b[31m.",
            tokens=Tokens(tokens_in, 20),
            attrs={"gen_ai.request.model": model},
            step="plan",
            input_cut=Cut(5000, "ab" * 32),
        ),
        made("0002", "0001", "http", "POST", 0.1, 1.0, step="plan"),
        made("0003", "0000", "llm", "summarise", 1.3, 0.5, step="act", output_cut=Cut(12, "cd" * 32)),
        made(
            "0004", "0000", "tool", "search", 1.9, 0.05, error="ValueError: refused\nby the index", step="act"
        ),
    )


def episode(condition, replicate, outcome, spans=(), cause=None, **sums):
    """Return an episode."""
    return Episode(
        condition.key,
        replicate,
        1000 + replicate,
        outcome,
        cause,
        t=4,
        horizon=20,
        started_ns=BEGAN + replicate,
        wall_s=2.6,
        spans=spans,
        **sums,
    )


def write_priced(store, name="traced", model="small", tokens_in=1000, **record):
    """Store a run of two conditions; return its id."""
    sums = {"tokens_in": tokens_in, "tokens_out": 20, "unknown_usage": 1}
    writer = store.create(
        RunRecord(salt=SALT, name=name, rollouts=(SUPPORT,), conditions=(REFUND, GREETING), **record)
    )
    writer.add(
        [
            episode(REFUND, 0, "resolved", turn(model, tokens_in), **sums),
            episode(REFUND, 1, "violated", turn(model, tokens_in), error="AssertionError: no refund", **sums),
            episode(REFUND, 2, None, cause="crashed"),
            episode(
                GREETING,
                0,
                "resolved",
                turn(model, tokens_in),
                spans_left_out=2,
                **{**sums, "tokens_in": tokens_in + 7},
            ),
            episode(GREETING, 1, "timeout", turn(model, tokens_in), **sums),
        ]
    )
    writer.finish()
    return writer.run.run_id
