"""The key that names a condition everywhere, for imports.

A sweep makes it with `pytest_poisson.conditions`, which collects without loading the store; a test holds the
two together.
"""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poisson_store.records import Json

KEY_LENGTH = 16

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False).encode


def canonical_json(value: Json) -> str:
    """Return the one JSON text of a value: keys sorted, no blanks, no escapes beyond JSON's own.

    Raises
    ------
    ValueError
        If it holds a NaN or an infinity.
    """
    return _encode(value)


def condition_key(rollout: str, axes: Mapping[str, Json]) -> str:
    """Return the first 16 hex digits of SHA-256 over the canonical JSON of axes and rollout id."""
    text = canonical_json({"axes": dict(axes), "rollout": rollout})
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:KEY_LENGTH]
