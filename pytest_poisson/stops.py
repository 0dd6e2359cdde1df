"""Why a sweep stops before everything has run: caps on tokens, cost and time, and a provider that is down."""

from __future__ import annotations

import json
import time
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from poisson_store.records import CAUSES, KINDS, EpisodeRow, SpanRow
from poisson_store.usage import SpanUsage, counted_spans
from pytest_poisson.capture.attributes import gives_no_tokens
from pytest_poisson.errors import first_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pytest_poisson.options import Settings

OUTCOME, CAUSE, ERROR, TOKENS_IN, TOKENS_OUT, UNKNOWN, SPANS = (
    EpisodeRow._fields.index(name)
    for name in ("outcome", "cause", "error", "tokens_in", "tokens_out", "unknown_usage", "spans")
)
USAGE = tuple(SpanRow._fields.index(name) for name in SpanUsage._fields)
ATTRS = SpanRow._fields.index("attrs")
LLM = KINDS.index("llm")
SKIPPED = CAUSES.index("skipped")
Row = tuple[Any, ...]


class Stop(NamedTuple):
    """The end of scheduling: why, in a sentence, and whether a cap of the user's is the reason."""

    sentence: str
    cap: bool


class StopRule(Protocol):
    """Watches rows as they arrive."""

    def observe(self, rows: Sequence[Row]) -> Stop | None:
        """Take in rows and say whether scheduling is to stop."""


@dataclass
class Usage:
    """What a run has used so far, summed over the rows that have arrived."""

    tokens_in: int = 0
    tokens_out: int = 0
    unknown: int = 0  # llm spans whose provider reported nothing, or not what a cap is of

    def add(self, rows: Sequence[Row]) -> None:
        """Add the rows' sums."""
        for row in rows:
            self.tokens_in += row[TOKENS_IN] or 0
            self.tokens_out += row[TOKENS_OUT] or 0
            self.unknown += row[UNKNOWN] or 0


class UsageCap:
    """Stops when what the run has used reaches a cap.

    Spans without usage, or without the side of it that a cap is of, are counted and named, since a cap that does not
    see them is no cap; with `fail_closed` the first of them stops the sweep.
    """

    def __init__(self, settings: Settings, already: Usage) -> None:
        self.usage = already
        self.token_cap: int | None = settings.token_cap
        self.token_cap_total: int | None = settings.token_cap_total
        self.max_cost: float | None = settings.max_cost
        self.fail_closed = settings.unknown_usage == "fail"
        self.price_in = settings.price_per_input_token or 0.0
        self.price_out = settings.price_per_output_token or 0.0

    @property
    def cost(self) -> float:
        """What the tokens seen so far cost at the declared prices."""
        return self.usage.tokens_in * self.price_in + self.usage.tokens_out * self.price_out

    def observe(self, rows: Sequence[Row]) -> Stop | None:
        """Add the rows' usage and compare it with the caps."""
        self.usage.add(rows)
        self.usage.unknown += sum(self._half_known(row[SPANS] or ()) for row in rows)
        return self.reached()

    def _half_known(self, spans: Sequence[Row]) -> int:
        """Return how many of a replicate's calls reported one side of their usage, and not one that a cap is of."""
        usage = [SpanUsage(*(span[place] for place in USAGE)) for span in spans]
        if all((each.tokens_in is None) == (each.tokens_out is None) for each in usage):
            return 0
        return sum(self._lacks(usage[place], spans[place][ATTRS]) for place in counted_spans(usage)[0])

    def _lacks(self, call: SpanUsage, attrs: str | None) -> bool:
        if call.kind != LLM:
            return False
        output = self.token_cap_total is not None or self.max_cost is not None
        return call.tokens_in is None or (
            output and call.tokens_out is None and not gives_no_tokens(json.loads(attrs or "{}"))
        )

    @property
    def blind(self) -> str:
        """What the caps do not see, in words; empty where they see everything."""
        count = self.usage.unknown
        return (
            f"{count:,} {'span' if count == 1 else 'spans'} reported no usage, or not all of it"
            if count
            else ""
        )

    def reached(self) -> Stop | None:
        """Say whether a cap is reached by what has been used."""
        used, total = self.usage.tokens_in, self.usage.tokens_in + self.usage.tokens_out
        blind = f"; {self.blind}" if self.blind else ""
        if self.fail_closed and self.blind:
            return Stop(f"{self.blind}, so that no cap can be kept", cap=True)
        if self.token_cap is not None and used >= self.token_cap:
            return Stop(f"{used:,} input tokens reach the cap of {self.token_cap:,}{blind}", cap=True)
        if self.token_cap_total is not None and total >= self.token_cap_total:
            return Stop(f"{total:,} tokens reach the cap of {self.token_cap_total:,}{blind}", cap=True)
        if self.max_cost is not None and self.cost >= self.max_cost:
            return Stop(f"a cost of {self.cost:.4f} reaches the cap of {self.max_cost:g}{blind}", cap=True)
        return None


def unseen(rules: Iterable[StopRule]) -> list[str]:
    """Say what caps that were not reached did not see."""
    caps = [rule for rule in rules if isinstance(rule, UsageCap) and rule.reached() is None]
    return [f"{cap.blind}, which the cap does not count." for cap in caps if cap.blind]


class TimeCap:
    """Stops when the sweep has run for so many seconds."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._until = time.monotonic() + seconds

    def observe(self, rows: Sequence[Row]) -> Stop | None:  # noqa: ARG002  time passes without rows too
        """Look at the clock."""
        if time.monotonic() < self._until:
            return None
        return Stop(f"the sweep has run for {self._seconds:g} s, its cap", cap=True)


class ConsecutiveErrors:
    """Stops after so many replicates in a row without an outcome: the provider is down, or the suite is broken."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._errors: list[str] = []

    def observe(self, rows: Sequence[Row]) -> Stop | None:
        """Count the rows without an outcome since the last one with; skipped replicates do not count."""
        for row in rows:
            if row[OUTCOME] is not None:
                self._errors.clear()
            elif row[CAUSE] != SKIPPED:
                self._errors.append(row[ERROR] or CAUSES[row[CAUSE]])
                if len(self._errors) >= self._most:
                    return self._stop()
        return None

    def _stop(self) -> Stop:
        commonest, count = Counter(self._errors).most_common(1)[0]
        return Stop(
            f"{len(self._errors)} replicates in a row ended without an outcome, {count} of them with: "
            f"{first_line(commonest)}",
            cap=False,
        )


def stop_rules(settings: Settings, already: Usage) -> list[StopRule]:
    """Return the rules that the options ask for; `already` is what a resumed run has used before."""
    rules: list[StopRule] = [ConsecutiveErrors(settings.max_consecutive_errors)]
    capped = (settings.token_cap, settings.token_cap_total, settings.max_cost)
    if any(cap is not None for cap in capped) or settings.unknown_usage == "fail":
        rules.append(UsageCap(settings, already))
    if settings.max_seconds is not None:
        rules.append(TimeCap(settings.max_seconds))
    return rules
