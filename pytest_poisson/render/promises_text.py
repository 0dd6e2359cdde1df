"""Promises and pass rates as terminal text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.render import formatting as write
from pytest_poisson.render.commands import replicate_command
from pytest_poisson.render.layout import INDENT, Column, table, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pytest_poisson.analyses.pass_rates import Estimate, PassRates
    from pytest_poisson.analyses.promises import Promise, PromisesResult

ROWS_SHOWN = 10
SHORT_WORDS = {"too small to tell": "too small"}
COLUMNS = (
    Column("promise"),
    Column("seen", right=True),
    Column("verdict"),
    Column("settled by", right=True),
)
PASS_COLUMNS = (
    Column("k", right=True),
    Column("pass^k", right=True),
    Column("interval"),
    Column("pass@k", right=True),
    Column("interval"),
)


def promises_lines(result: PromisesResult, *, width: int, verbose: bool = False) -> list[str]:
    """Return how many promises were kept, and the table of those that were not proved: 10, or all of them."""
    if not result.promises:
        return []
    order = [result.promises[i] for i in result.importance]
    listed = order if verbose else [promise for promise in order if promise.word != "met"][:ROWS_SHOWN]
    lines = wrap(promises_headline(result), width)
    if listed:
        lines += _table(result, listed, width)
    hidden = len(order) - len(listed) - (0 if verbose else len(result.with_word("met")))
    if hidden:
        lines.append(f"{write.plural(hidden, 'more promise')}: -v shows all.")
    return lines + _legend(result, listed, width)


def explain_promise(
    result: PromisesResult, promise: Promise, *, width: int = 80, store: str | None = None
) -> str:
    """Return why a missed promise fails its condition's item; `store` as commands must name it."""
    upward = promise.kind == "at most"
    # Every figure of a missed promise is to read as beyond its bound, be it above or below.
    bound = promise.bound * (1 if upward else 1 - 1e-9)
    seen = f"{write.fraction(promise.count)} = {write.rate(promise.count.rate, bound)}"
    proof = (
        f"a rate of at least {write.rate(promise.low, bound)}"
        if upward
        else f"a rate of at most {write.rate(promise.high, bound)}"
    )
    details = (
        f"one-sided {write.percent(promise.level)} bound: {proof}; adjusted p {write.plain_p(promise.p, result.q)} (Holm), "
        f"{write.plural(len(result.promises), 'promise')} at q = {result.q:g}"
    )
    lines = [
        f"missed: {_promised(promise)} was promised, {seen} came",
        *wrap(details, width, first=INDENT, rest=INDENT * 2),
    ]
    command = replicate_command(result.run, promise.condition, promise.replay, store)
    if command:
        lines += [f"{INDENT}run one replicate again that went against it:", INDENT * 2 + command]
    return "\n".join(lines)


def pass_rates_lines(rates: PassRates, *, width: int) -> list[str]:
    """Return the table of one rollout's pass^k and pass@k, with what counts as an attempt."""
    if not rates.k:
        return []
    rows = [
        (str(k), write.rate(every.rate), _interval(every), write.rate(some.rate), _interval(some))
        for k, every, some in zip(rates.k, rates.all_succeed, rates.any_succeeds, strict=True)
    ]
    words = ", ".join(write.printable(word) for word in rates.successes)
    beside = "" if not rates.left_out else f" ({write.integer(rates.left_out)} more without an outcome)"
    text = (
        f"pass^k: all of k attempts succeed; pass@k: at least one does; means over "
        f"{write.plural(rates.conditions, 'condition')}{beside}, {write.percent(rates.confidence)} intervals by resampling them. "
        f"A success ended as {words}; any other ending is an attempt that failed, doing nothing included; replicates "
        f"without an outcome ({write.integer(rates.missing)}) are no attempts."
    )
    return [*table(PASS_COLUMNS, rows), *wrap(text, width)]


def promises_headline(result: PromisesResult) -> str:
    """Return how many promises were missed, met, or neither."""
    counts = [(word, len(result.with_word(word))) for word in ("missed", "too small to tell", "met")]
    listed = ", ".join(f"{write.integer(count)} {word}" for word, count in counts if count)
    return f"Promises: {listed} (one-sided exact bounds, Holm over all of them at {result.q:g})."


def _table(result: PromisesResult, listed: Sequence[Promise], width: int) -> list[str]:
    """Return one line a promise, or two where the conditions' names leave no room for one."""
    labels = write.condition_labels(promise.condition for promise in result.promises)
    names = [labels[promise.condition.key] for promise in listed]
    cells = [promise_cells(promise) for promise in listed]
    lines = table((Column("condition"), *COLUMNS), [(n, *c) for n, c in zip(names, cells, strict=True)])
    if max(map(write.width, lines)) <= width:
        return lines
    head, rule, *rows = table(COLUMNS, cells)
    body = [
        line for n, row in zip(names, rows, strict=True) for line in (write.shorten(n, width), INDENT + row)
    ]
    return ["condition", INDENT + head, INDENT + rule, *body]


def promise_cells(promise: Promise) -> tuple[str, ...]:
    """Return the cells of a promise, one for each of `COLUMNS`."""
    return (
        _promised(promise),
        write.fraction(promise.count),
        SHORT_WORDS.get(promise.word, promise.word),
        write.NONE if promise.settle is None else write.integer(promise.settle),
    )


def _promised(promise: Promise) -> str:
    return f"{write.printable(promise.event)} {promise.kind} {promise.bound:g}"


def _legend(result: PromisesResult, listed: Sequence[Promise], width: int) -> list[str]:
    texts = []
    if result.stoppable:
        texts.append("The run could stop early on its outcomes; promises are judged as if it could not.")
    if any(promise.settle is not None for promise in listed):
        texts.append("settled by: replicates of the condition that would tell, if the rate stays.")
    withdrawn = [promise for promise in listed if promise.withdrawn]
    if withdrawn:
        missing = write.integer(sum(promise.missing for promise in withdrawn))
        texts.append(
            f"{write.plural(len(withdrawn), 'promise')} would be met but for {missing} replicates without an outcome, "
            "which may have gone against it."
        )
    return [line for text in texts for line in wrap(text, width)]


def _interval(estimate: Estimate) -> str:
    if estimate.low is None or estimate.high is None:
        return write.NONE
    return f"{write.rate(estimate.low)} to {write.rate(estimate.high)}"
