"""The declaration of a paired replay: TOML, written before results are read, checked in full."""

from __future__ import annotations

import hashlib
import json
import sys
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from pytest_poisson.errors import UserError
from pytest_poisson.files import reason

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

REQUIRED = (
    "value_key",
    "cluster_key",
    "stratum_key",
    "request_span",
    "model_key",
    "model_pin",
    "exemptions",
    "headers",
    "retries",
    "bootstrap_b",
    "bootstrap_seed",
    "cuts",
    "sweeps",
)
OPTIONAL = ("floor", "declared_window_s", "conditioning", "price_per_input_token", "token_cap")
CLAIMS = ("asserted", "not_recorded")
COMPARISONS = ("ge", "gt")
BLANK = "CHOOSE"


@dataclass(frozen=True, slots=True)
class Cut:
    """A threshold, the side that it belongs to (`ge`: at or above is yes), and the stratum it is for."""

    name: str
    threshold: Decimal
    comparison: str

    def decides(self, score: Decimal) -> bool:
        """Tell whether a score is a yes; decimals as recorded, never binary floats."""
        return score >= self.threshold if self.comparison == "ge" else score > self.threshold


@dataclass(frozen=True, slots=True)
class SweepArms:
    """The runs of one sweep of the replay: a, b, and any further arms."""

    name: str
    arms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReplayDeclaration:
    """What a paired replay is asked, before its results are read.

    Attributes
    ----------
    value_key
        Dotted path of the score in an episode's meta.
    cluster_key, stratum_key
        The axis that names the item, and the axis that names the cut an item is under.
    request_span
        Name of the span that carries the request.
    model_key, model_pin
        Dotted path of the model in the request's body, and the model that every request must name.
    exemptions
        Dotted paths of the body in which the arms may differ.
    headers, retries
        `asserted`: the recorded headers, and the one request a call, are evidence; `not_recorded`: they are not, and
        nothing is claimed of them.
    bootstrap_b, bootstrap_seed
        Resamples and seed of the bootstrap over items.
    cuts, sweeps
        As declared.
    floor
        The flip rate below which flips do not matter.
    declared_window_s
        How far apart in time the arms of a sweep were to run, at most.
    conditioning
        What the replay is conditional on, in the user's words.
    price_per_input_token, token_cap
        For the cost and its cap.
    digest
        SHA-256 of the normalised declaration.
    """

    value_key: str
    cluster_key: str
    stratum_key: str
    request_span: str
    model_key: str
    model_pin: str
    exemptions: tuple[str, ...]
    headers: str
    retries: str
    bootstrap_b: int
    bootstrap_seed: int
    cuts: tuple[Cut, ...]
    sweeps: tuple[SweepArms, ...]
    floor: Decimal | None
    declared_window_s: Decimal | None
    conditioning: str | None
    price_per_input_token: Decimal | None
    token_cap: int | None
    digest: str


def read_declaration(file: Path) -> ReplayDeclaration:
    """Read and check a declaration.

    Raises
    ------
    UserError
        If the file cannot be read, is no TOML, or has a key or value that is not accepted; the sentence names the
        line or the key.
    """
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as problem:
        raise UserError(f"Declaration {file} cannot be read: {reason(problem)}.") from None
    except UnicodeDecodeError:
        raise UserError(f"{file} is not TOML: it is no UTF-8 text.") from None
    try:
        content = tomllib.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError) as failure:
        raise UserError(f"{file} is not TOML: {failure}.") from None
    return parse_declaration(content, where=str(file))


def parse_declaration(content: Mapping[str, Any], *, where: str) -> ReplayDeclaration:
    """Check a declaration's content, whose floats are decimals.

    Raises
    ------
    UserError
        As `read_declaration`.
    """
    reader = _Reader(content, where)
    reader.check_keys((*REQUIRED, *OPTIONAL), required=REQUIRED)
    return ReplayDeclaration(
        **{name: reader.text(name) for name in REQUIRED[:6]},
        exemptions=reader.texts("exemptions"),
        headers=reader.word("headers", CLAIMS),
        retries=reader.word("retries", CLAIMS),
        bootstrap_b=reader.whole("bootstrap_b", least=1),
        bootstrap_seed=reader.whole("bootstrap_seed", least=0),
        cuts=_cuts(reader),
        sweeps=_sweeps(reader),
        floor=reader.number("floor", low=Decimal(0), high=Decimal(1)) if reader.has("floor") else None,
        declared_window_s=reader.number("declared_window_s", low=Decimal(0))
        if reader.has("declared_window_s")
        else None,
        conditioning=reader.text("conditioning") if reader.has("conditioning") else None,
        price_per_input_token=(
            reader.number("price_per_input_token", low=Decimal(0))
            if reader.has("price_per_input_token")
            else None
        ),
        token_cap=reader.whole("token_cap", least=1) if reader.has("token_cap") else None,
        digest=digest(content),
    )


def digest(content: Mapping[str, Any]) -> str:
    """Return SHA-256, in hex, of the normalised declaration: compact, keys sorted, numbers as decimal strings."""
    normal = json.dumps(_normal(content), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(normal.encode()).hexdigest()


def _normal(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _normal(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_normal(item) for item in value]
    if isinstance(value, bool) or not isinstance(value, (int, Decimal)):
        return value
    return format(Decimal(value).normalize(), "f")


def _cuts(reader: _Reader) -> tuple[Cut, ...]:
    cuts = []
    for each in reader.tables("cuts", ("name", "threshold", "comparison")):
        each.check_keys(("name", "threshold", "comparison"), required=("name", "threshold", "comparison"))
        threshold = each.number("threshold", low=Decimal(0), high=Decimal(1))
        cuts.append(Cut(each.text("name"), threshold, each.word("comparison", COMPARISONS)))
    reader.refuse_twins("cuts", [cut.name for cut in cuts])
    return tuple(cuts)


def _sweeps(reader: _Reader) -> tuple[SweepArms, ...]:
    sweeps = []
    for each in reader.tables("sweeps", ("name", "a", "b")):
        each.check_keys(("name", "a", "b", "more"), required=("name", "a", "b"))
        arms = (each.text("a"), each.text("b"), *(each.texts("more") if each.has("more") else ()))
        if "latest" in arms:
            raise each.refuse("an arm", "latest", "must name a run for good, which 'latest' does not")
        each.refuse_twins("arms", arms)
        sweeps.append(SweepArms(each.text("name"), arms))
    reader.refuse_twins("sweeps", [sweep.name for sweep in sweeps])
    return tuple(sweeps)


class _Reader:
    """Reads one table; every refusal names the key, the value and what would be accepted."""

    def __init__(self, table: Mapping[str, Any], where: str) -> None:
        self._table = table
        self._where = where

    def has(self, key: str) -> bool:
        return key in self._table

    def refuse(self, key: str, value: object, rule: str) -> UserError:
        shown = format(value, "f") if isinstance(value, Decimal) else repr(value)
        return UserError(f"{key} = {shown} in {self._where} {rule}.")

    def check_keys(self, known: Iterable[str], *, required: Iterable[str]) -> None:
        known = tuple(known)
        for key in self._table:
            if key not in known:
                raise UserError(
                    f"{key!r} in {self._where} is not a key of a declaration; it takes {', '.join(known)}."
                )
        for key in required:
            if key not in self._table:
                raise UserError(f"{self._where} lacks the key {key!r}, which has no default.")

    def refuse_twins(self, key: str, names: Iterable[str]) -> None:
        seen: set[str] = set()
        for name in names:
            if name in seen:
                raise self.refuse(key, name, "is named twice")
            seen.add(name)

    def text(self, key: str) -> str:
        value = self._table[key]
        if not isinstance(value, str) or not value.strip():
            raise self.refuse(key, value, "must be a text")
        if value == BLANK:
            raise self.refuse(key, value, "is still to be chosen")
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._table[key]
        if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
            raise self.refuse(key, value, "must be a list of texts")
        return tuple(value)

    def word(self, key: str, words: tuple[str, ...]) -> str:
        value = self._table[key]
        if value not in words:
            raise self.refuse(key, value, f"must be one of {', '.join(words)}")
        return str(value)

    def whole(self, key: str, *, least: int) -> int:
        value = self._table[key]
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise self.refuse(key, value, f"must be a whole number from {least}")
        return value

    def number(self, key: str, *, low: Decimal, high: Decimal | None = None) -> Decimal:
        value = self._table[key]
        number = as_decimal(value)
        if number is None or number < low or (high is not None and number > high):
            raise self.refuse(
                key, value, f"must be a number from {low}" + (f" to {high}" if high is not None else "")
            )
        return number

    def tables(self, key: str, keys: tuple[str, ...]) -> list[_Reader]:
        value = self._table[key]
        if not isinstance(value, list) or not value or not all(isinstance(item, dict) for item in value):
            raise self.refuse(key, value, f"must be one or more [[{key}]] with {', '.join(keys)}")
        return [_Reader(item, f"[[{key}]] {index} of {self._where}") for index, item in enumerate(value, 1)]


def as_decimal(value: object) -> Decimal | None:
    """Return a number exactly as it was recorded, whether as text, as a whole number or as a decimal; else None."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float, Decimal)):
        return None
    try:
        number = Decimal(repr(value) if isinstance(value, float) else value)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None
