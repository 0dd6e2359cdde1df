"""How figures and names are written; nothing is rounded anywhere else."""

from __future__ import annotations

import json
import math
import unicodedata
from typing import TYPE_CHECKING

from pytest_poisson.conditions import axis_label, canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from poisson_store.records import ConditionRecord, Json
    from pytest_poisson.analyses.diff_result import Count, Limit

MOST_DECIMALS = 13
"""So many are never needed to tell two figures apart."""

NONE = "-"
"""What stands where there is no figure: never 0."""

PROCEDURES = {"benjamini-hochberg": "Benjamini-Hochberg", "discrete": "the discrete false discovery rate"}
"""The procedures of the flags, by name."""


def integer(value: int) -> str:
    """Write a count with thousands apart."""
    return f"{value:,}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """Write a count with its noun."""
    return f"{integer(count)} {one if count == 1 else many or one + 's'}"


def fraction(count: Count) -> str:
    """Write `events/outcomes`."""
    return f"{count.events}/{count.outcomes}"


def rate(value: float | None, bound: float | None = None) -> str:
    """Write a rate with 3 decimals, beside a bound with those of `beside`; 0.000 and 1.000 are kept for none and all."""
    if value is None or not math.isfinite(value):
        return NONE
    text = f"{_settled(value):.3f}"
    if text == "0.000" and value > 0:
        return "<0.001"
    if text == "1.000" and value < 1:
        return ">0.999"
    return text if bound is None else size(value, bound)


def points(value: float | None) -> str:
    """Write a change of a rate with its sign and 3 decimals; a change that would read 0 gets its first digit."""
    if value is None:
        return NONE
    if value == 0:
        return "0.000"
    decimals = max(3, -math.floor(math.log10(abs(value)))) if abs(value) < 0.0005 else 3
    return f"{_settled(value):+.{decimals}f}"


def percentage_points(value: float | None, *, sign: bool = True, bound: float | None = None) -> str:
    """Write a change of a rate in percentage points with one decimal, a tiny one with its first digit.

    Beside a bound it has the decimals of `beside`.
    """
    if value is None or not math.isfinite(value):
        return NONE
    if value == 0:
        return "0.0"
    decimals = max(1, -math.floor(math.log10(100 * abs(value)))) if abs(value) < 0.0005 else 1
    if bound is not None:
        decimals = beside(100 * value, 100 * bound, decimals)
    return f"{100 * value:{'+' if sign else ''}.{decimals}f}"


def beside(value: float, bound: float, decimals: int) -> int:
    """Return how many decimals, at least so many, let a figure read as it compares with a bound: above it, or not."""
    from poisson_stats.significance import LEVEL_SLACK

    most = bound * (1 + LEVEL_SLACK)
    fits = (d for d in range(decimals, MOST_DECIMALS) if (float(f"{value:.{d}f}") > most) == (value > most))
    return next(fits, decimals)


def figure(value: float, decimals: int = 3) -> str:
    """Write any other figure with a fixed number of decimals; `-` where there is none."""
    return f"{value:,.{decimals}f}" if math.isfinite(value) else NONE


def limit(value: Limit, bound: float | None = None) -> str:
    """Write a row's limit as a `size`; `no room`, `none` where nothing is detectable, `-` where it is not known."""
    if value.status == "limit":
        return size(value.size, bound)
    return {"no room": "no room", "none detectable": "none"}.get(value.status, NONE)


def size(value: float | None, bound: float | None = None) -> str:
    """Write the size of a change, which has no sign, with 3 decimals, a tiny one with its first digit.

    Beside a bound it has the decimals of `beside`.
    """
    if value is None:
        return NONE
    settled = _settled(value)
    decimals = -math.floor(math.log10(settled)) if 0 < settled < 0.0005 else 3
    return f"{settled:.{decimals if bound is None else beside(settled, bound, decimals)}f}"


def accepted(value: float) -> str:
    """Write a change that somebody chose: with 3 decimals or all that it has, since limits are held against it."""
    text = f"{value:.3f}"
    return text if float(text) == value else f"{value:g}"


def accepted_points(value: float) -> str:
    """Write the same in percentage points, with one decimal or all that it has."""
    return f"{100 * value:.1f}" if round(value, 3) == value else f"{100 * value:g}"


def _settled(value: float) -> float:
    """Return a figure without the last digits, so that equal ones are rounded alike however they were computed."""
    return round(value, 12)


def ceiling(value: float) -> str:
    """Write a limit so that it can be handed back: limits are stated to the 4th decimal."""
    return f"{value:.4f}"


def p_value(p: float, log_p: float, level: float | None = None) -> str:
    """Write a p-value with 3 decimals, a small one in powers of ten, and never 0: `log_p` does not underflow.

    With the level it is held against it takes the decimals of `beside`: 0.0503 is not written as a significant 0.050.
    """
    if p >= 0.001:
        return f"{p:.{3 if level is None else beside(p, level, 3)}f}"
    exponent = math.floor(log_p / math.log(10))
    mantissa = math.exp(log_p - exponent * math.log(10))
    if f"{mantissa:.1f}" == "10.0":
        mantissa, exponent = 1.0, exponent + 1
    return f"{mantissa:.1f}e{exponent:03d}"


def plain_p(p: float, level: float | None = None) -> str:
    """Write a p-value of which no logarithm is kept, with 3 decimals, or more beside a level as in `p_value`."""
    return p_value(p, 0.0, level) if p >= 0.001 else "<0.001"


def percent(value: float) -> str:
    """Write a probability as a percentage with at most 3 decimals, or what it takes to differ from 0 and 100 %."""
    texts = (f"{value * 100:.{decimals}f}" for decimals in range(3, MOST_DECIMALS))
    text = next((text for text in texts if 0 < float(text) < 100), f"{value * 100:.3f}")
    return text.rstrip("0").rstrip(".") + " %"


def share(part: float, whole: float) -> str:
    """Write `part` of `whole` as a percentage with one decimal; 0 % and 100 % are kept for none and all."""
    if not whole:
        return NONE
    text = f"{100 * part / whole:.1f}"
    if text == "0.0" and part:
        return "<0.1 %"
    if text == "100.0" and part < whole:
        return ">99.9 %"
    return text.removesuffix(".0") + " %"


def duration(seconds: float | None) -> str:
    """Write a duration in its largest two units: `340 ms`, `12.5 s`, `3 min 20 s`, `2 h 5 min`."""
    if seconds is None:
        return NONE
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def moment(stamp: str) -> str:
    """Write a stored UTC time to the minute."""
    return f"{stamp[:10]} {stamp[11:16]} UTC" if len(stamp) >= 16 else stamp or NONE


def value(item: Json) -> str:
    """Write a setting of any JSON type; text bare, none as `-`."""
    if item is None:
        return NONE
    return printable(item if isinstance(item, str) else json.dumps(item, sort_keys=True))


def printable(text: str) -> str:
    """Return text with everything a terminal would act upon (line ends, escapes, directions) written out."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def printable_lines(text: str) -> str:
    """Return a text of several lines so that each is `printable`; line ends and tabs stay."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.splitlines())


def width(text: str) -> int:
    """Return how many terminal columns a text takes: East Asian wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def shorten(text: str, columns: int) -> str:
    """Cut the middle out of a text that is wider than `columns`, so that both ends can be told apart."""
    if width(text) <= columns:
        return text
    head = (columns - 2) // 2
    return f"{text[:head]}..{text[len(text) - (columns - 2 - head) :]}"


def condition_labels(conditions: Iterable[ConditionRecord]) -> dict[str, str]:
    """Return a label for every condition, by key: its axis values, with the rollout where there are several.

    Values that read alike but are not (`1` and `"1"`) are written as JSON, so that no two labels are the same.
    """
    unique = {condition.key: condition for condition in conditions}
    several = len({condition.rollout for condition in unique.values()}) > 1
    short = _short_rollouts(unique.values())
    labels = {key: _label(condition, short if several else None) for key, condition in unique.items()}
    for duplicate in _duplicates(labels):
        for key in duplicate:
            labels[key] = _exact_label(unique[key])
    for duplicate in _duplicates(labels):
        for key in duplicate:
            labels[key] = f"{labels[key]} ({key})"
    return labels


def axis_names(conditions: Iterable[ConditionRecord]) -> tuple[str, ...] | None:
    """Return the axes' names where all conditions have the same, in the same order; else None."""
    names = {tuple(condition.axes) for condition in conditions}
    return names.pop() if len(names) == 1 else None


def axes_of_rollouts(conditions: Iterable[ConditionRecord], shown: Iterable[ConditionRecord]) -> str:
    """Return which axes' values the labels of shown conditions hold, by rollout, where these have different ones.

    Empty where all have the same, which head their column, and where a rollout's conditions differ in them.
    """
    conditions, told = list(conditions), {condition.rollout for condition in shown}
    short = _short_rollouts(conditions)
    axes = {condition.rollout: tuple(condition.axes) for condition in conditions}
    alike = all(axes[condition.rollout] == tuple(condition.axes) for condition in conditions)
    if len(set(axes.values())) < 2 or not alike:
        return ""
    return printable(
        "; ".join(f"{', '.join(own)} of {short[name]}" for name, own in axes.items() if own and name in told)
    )


def _label(condition: ConditionRecord, short: dict[str, str] | None) -> str:
    values = ", ".join(axis_label(item) for item in condition.axes.values())
    if short is None:
        return printable(values or condition.rollout)
    return printable(f"{short[condition.rollout]}: {values}" if values else short[condition.rollout])


def _exact_label(condition: ConditionRecord) -> str:
    values = ", ".join(canonical_json(item) for item in condition.axes.values())
    return printable(f"{condition.rollout}: {values}")


def _duplicates(labels: dict[str, str]) -> list[list[str]]:
    by_label: dict[str, list[str]] = {}
    for key, label in labels.items():
        by_label.setdefault(label, []).append(key)
    return [keys for keys in by_label.values() if len(keys) > 1]


def _short_rollouts(conditions: Iterable[ConditionRecord]) -> dict[str, str]:
    """Return each rollout's id without its path, where that is still unique."""
    ids: Sequence[str] = sorted({condition.rollout for condition in conditions})
    tails = {rollout: rollout.rpartition("::")[2] for rollout in ids}
    counts = list(tails.values())
    return {rollout: tail if counts.count(tail) == 1 else rollout for rollout, tail in tails.items()}
