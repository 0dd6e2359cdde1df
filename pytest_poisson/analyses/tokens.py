"""What runs used, condition by condition and model by model, and what that cost at declared prices."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from poisson_store.usage import counted_spans
from pytest_poisson.analyses.coverage import in_order
from pytest_poisson.analyses.outcomes import outcomes_alone
from pytest_poisson.capture.attributes import gives_no_tokens, model_of
from pytest_poisson.errors import UserError
from pytest_poisson.spans import KIND_INDEX

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord, Json, RunRecord
    from poisson_store.usage import SpanUsage


class Price(NamedTuple):
    """What one token costs, in and out."""

    per_input_token: float
    per_output_token: float


@dataclass(frozen=True, slots=True)
class Prices:
    """The user's prices: one for every model that has none of its own, and those that have."""

    default: Price | None = None
    models: Mapping[str, Price] = field(default_factory=dict)

    def of(self, model: str | None) -> Price | None:
        """Return a model's price."""
        return self.default if model is None else self.models.get(model, self.default)


@dataclass(frozen=True, slots=True)
class Used:
    """What some model calls used.

    Attributes
    ----------
    calls
        Calls that were recorded, with usage or without; 0 where only sums are known.
    tokens_in, tokens_out
        As far as providers reported them.
    unknown
        Calls without usage, or without a side of it: not 0 tokens, but nobody knows how many.
    cost
        At the declared prices; None where a price is missing. With unknown calls it is the least there was.
    """

    calls: int
    tokens_in: int
    tokens_out: int
    unknown: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class ModelUse:
    """What one model was used for in one condition; `model` is None where spans name none."""

    condition: ConditionRecord
    model: str | None
    used: Used


@dataclass(frozen=True, slots=True)
class PerOutcome:
    """How often an outcome came in an arm, and what the arm cost for each; None without a cost or the outcome."""

    outcome: str
    count: int
    cost: float | None


@dataclass(frozen=True, slots=True)
class ArmTokens:
    """One run.

    Attributes
    ----------
    replicates, traced
        Stored replicates, and those of them that left spans: what the others used is not known.
    rows
        By condition, sorted by rollout and axis values, then by model.
    models
        Summed over conditions.
    total
        Of the run, what no stored span says included.
    beyond
        What is known as a sum alone, without a model: spans beyond `max_spans`, and attempts that were made again.
    per
        Cost for each of the outcomes asked for.
    """

    run: RunRecord
    replicates: int
    traced: int
    rows: tuple[ModelUse, ...]
    models: Mapping[str | None, Used]
    beyond: Used
    total: Used
    per: tuple[PerOutcome, ...]

    @property
    def is_least(self) -> bool:
        """Whether the total is the least there was: calls or whole replicates did not say what they used."""
        return self.total.unknown > 0 or self.traced < self.replicates


@dataclass(frozen=True, slots=True)
class TokensResult:
    """The arms, in the order they were named, and the prices they were costed at."""

    arms: tuple[ArmTokens, ...]
    prices: Prices


def count_tokens(
    readers: Sequence[RunReader], *, prices: Prices | None = None, per: Sequence[str] = ()
) -> TokensResult:
    """Sum what runs used.

    Parameters
    ----------
    readers
        The runs.
    prices
        What tokens cost.
    per
        Outcomes to divide the cost by; by default the declared successes.

    Raises
    ------
    UserError
        If no run declares one of the outcomes.
    """
    prices = prices or Prices()
    declared = {word for reader in readers for word in reader.run.outcomes}
    for outcome in per:
        if outcome not in declared:
            raise UserError(
                f"Outcome {outcome!r} is declared by no run; they declare {', '.join(sorted(declared))}."
            )
    return TokensResult(tuple(_arm(reader, prices, per) for reader in readers), prices)


class _Sum:
    """Counts up what calls used."""

    def __init__(self) -> None:
        self.calls = self.tokens_in = self.tokens_out = self.unknown = 0

    def used(self, price: Price | None) -> Used:
        tokens = self.tokens_in + self.tokens_out
        cost = 0.0 if not tokens else None
        if price is not None:
            cost = self.tokens_in * price.per_input_token + self.tokens_out * price.per_output_token
        return Used(self.calls, self.tokens_in, self.tokens_out, self.unknown, cost)


def _arm(reader: RunReader, prices: Prices, per: Sequence[str]) -> ArmTokens:
    sums, traced = _sums(reader)
    rows = tuple(
        ModelUse(condition, model, sums[condition.key, model].used(prices.of(model)))
        for condition in in_order(reader.conditions)
        for model in sorted((model for key, model in sums if key == condition.key), key=_none_last)
    )
    models = sorted({row.model for row in rows}, key=_none_last)
    beyond = _beyond(reader, rows, prices)
    total = _add([*(row.used for row in rows), beyond])
    return ArmTokens(
        run=reader.run,
        replicates=reader.accounting().stored,
        traced=traced,
        rows=rows,
        models={model: _add(row.used for row in rows if row.model == model) for model in models},
        beyond=beyond,
        total=total,
        per=tuple(_per_outcome(reader, outcome, total) for outcome in per or _successes(reader.run)),
    )


def _sums(reader: RunReader) -> tuple[dict[tuple[str, str | None], _Sum], int]:
    """Sum the spans that count by condition and model; return the number of episodes with spans as well."""
    sums: dict[tuple[str, str | None], _Sum] = {}
    traced = 0
    for episode in reader.span_usage():
        traced += 1
        counted, unknown = counted_spans(episode.spans)
        for place in (*counted, *unknown):
            span = episode.spans[place]
            one = sums.setdefault((episode.condition, model_of(episode.attrs[place])), _Sum())
            one.calls += 1
            one.tokens_in += span.tokens_in or 0
            one.tokens_out += span.tokens_out or 0
            one.unknown += _is_unknown(span, episode.attrs[place])
    return sums, traced


def _is_unknown(span: SpanUsage, attrs: Mapping[str, Json]) -> bool:
    """Tell whether a call has used what nobody knows, be it what it took or what it gave alone."""
    if not span.known or span.kind != KIND_INDEX["llm"]:
        return not span.known
    return span.tokens_in is None or (span.tokens_out is None and not gives_no_tokens(attrs))


def _beyond(reader: RunReader, rows: Iterable[ModelUse], prices: Prices) -> Used:
    """Return what episodes used that their stored spans do not say."""
    kept = _add(row.used for row in rows)
    everything = reader.usage().values()
    rest = _Sum()
    rest.tokens_in = max(0, sum(each.tokens_in for each in everything) - kept.tokens_in)
    rest.tokens_out = max(0, sum(each.tokens_out for each in everything) - kept.tokens_out)
    rest.unknown = max(0, sum(each.unknown for each in everything) - kept.unknown)
    return rest.used(prices.default)


def _add(parts: Iterable[Used]) -> Used:
    parts = list(parts)
    costs = [part.cost for part in parts]
    return Used(
        sum(part.calls for part in parts),
        sum(part.tokens_in for part in parts),
        sum(part.tokens_out for part in parts),
        sum(part.unknown for part in parts),
        None if None in costs else sum(cost for cost in costs if cost is not None),
    )


def _per_outcome(reader: RunReader, outcome: str, total: Used) -> PerOutcome:
    counted = outcomes_alone(reader) if outcome in reader.run.outcomes else reader.outcome_counts()
    count = sum(counts[outcome] for counts in counted.values())
    return PerOutcome(outcome, count, total.cost / count if count and total.cost is not None else None)


def _successes(run: RunRecord) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word for rollout in run.rollouts for word in rollout.successes))


def _none_last(model: str | None) -> tuple[bool, str]:
    return model is None, model or ""
