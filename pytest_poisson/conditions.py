"""Conditions: one combination of axis values, and the key that names it everywhere."""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import json
import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

KEY_LENGTH = 16


@dataclass(frozen=True)
class Condition:
    """One cell of a rollout: the axis values, in the JSON form that the key is made of."""

    key: str
    rollout: str
    axes: Mapping[str, Json]
    nodeid: str
    shared_seed_axes: tuple[str, ...] = ()

    @cached_property
    def seed_key(self) -> str:
        """What its seeds are derived from: the key, or that of the axes which are not left out of the seed."""
        if not self.shared_seed_axes:
            return self.key
        own = {name: value for name, value in self.axes.items() if name not in self.shared_seed_axes}
        return condition_key(self.rollout, own)

    def __str__(self) -> str:
        return " ".join(f"{name}={axis_label(value)}" for name, value in self.axes.items()) or self.rollout


def canonical_json(value: Json) -> str:
    """Return the one JSON text of a value: keys sorted, no blanks, no escapes beyond JSON's own."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def condition_key(rollout: str, axes: Mapping[str, Json]) -> str:
    """Return the first 16 hex digits of SHA-256 over the canonical JSON of axes and rollout id."""
    text = canonical_json({"axes": dict(axes), "rollout": rollout})
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:KEY_LENGTH]


def encode_axis(name: str, value: Any, given_id: str | None = None) -> Json:
    """Return the JSON form of an axis value.

    JSON values stand for themselves, so that 1, 1.0, "1" and true stay four conditions. An enum member is
    ``{"enum": "Class.NAME"}``, a dataclass ``{"dataclass": "Class", "fields": {…}}``, and any other object
    ``{"id": given_id}``, where ``id=`` or ``ids=`` gave it one.

    Raises
    ------
    UserError
        If the value is none of these.
    """
    try:
        return _encode_or_refuse(value)
    except _NotJsonError as refusal:
        if given_id is not None:
            return {"id": given_id}
        raise UserError(
            f"Axis {name!r} has the value {_short_repr(value)}, {refusal}; give JSON values, enums or "
            f"dataclasses, or name the value with pytest.param(..., id='...') or ids=[...]."
        ) from None


def axis_label(value: Json) -> str:
    """Return an axis value as people read it: text bare, objects by their name, the rest as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        if set(value) == {"enum"} or set(value) == {"id"}:
            return str(next(iter(value.values())))
        if set(value) == {"dataclass", "fields"} and isinstance(value["fields"], dict):
            fields = ", ".join(f"{key}={axis_label(field)}" for key, field in value["fields"].items())
            return f"{value['dataclass']}({fields})"
    return canonical_json(value)


class _NotJsonError(Exception):
    """Why a value has no JSON form, as the tail of a sentence."""


def _encode_or_refuse(value: Any) -> Json:
    try:
        return _encode(value)
    except RecursionError:
        raise _NotJsonError("which nests too deeply or holds itself") from None


def _encode(value: Any) -> Json:
    if isinstance(value, enum.Enum):
        name = value.value if value.name is None else value.name  # what is no single flag may have no name
        return {"enum": f"{type(value).__name__}.{name}"}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise _NotJsonError("which is not a finite number")
        return float(value)
    if isinstance(value, (list, tuple)):
        return [_encode(item) for item in value]
    if isinstance(value, dict):
        return _encode_dict(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {field.name: _encode(getattr(value, field.name)) for field in dataclasses.fields(value)}
        return {"dataclass": type(value).__name__, "fields": fields}
    raise _NotJsonError(f"a {type(value).__name__}")


def _encode_dict(value: dict[Any, Any]) -> Json:
    for key in value:
        if not isinstance(key, str):
            raise _NotJsonError(f"a dict with the key {key!r}, which is not text")
    return {key: _encode(item) for key, item in value.items()}


def _short_repr(value: Any, limit: int = 60) -> str:
    text = repr(value)
    return text if len(text) <= limit else f"{text[: limit - 3]}..."
