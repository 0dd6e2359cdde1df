"""The log of a LiteLLM proxy: its standard logging payloads, or the rows of its spend log, as JSON."""

from __future__ import annotations

import json
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

from poisson_store.records import Span, Tokens
from pytest_poisson.capture.attributes import tokens_of
from pytest_poisson.errors import UserError
from pytest_poisson.span_files.documents import read_documents
from pytest_poisson.span_files.found import FoundSpan, Identity, checked_times, read_identity
from pytest_poisson.spans import as_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

WHAT = "LiteLLM log"
KEPT = ("call_type", "custom_llm_provider", "response_cost", "spend", "cache_hit", "stream", "model_id")


def read_litellm(path: Path) -> Iterator[FoundSpan]:
    """Yield a log's calls as spans.

    Raises
    ------
    UserError
        If the file is no log of LiteLLM's, or an entry lacks its id or its times.
    """
    try:
        for entry in _entries(path):
            yield _found(entry)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as problem:
        raise UserError(f"{path} is no {WHAT}: {type(problem).__name__} {problem}.") from None


def _entries(path: Path) -> Iterator[Mapping[str, Any]]:
    for document in read_documents(path, WHAT):
        if isinstance(document, dict) and isinstance(document.get("data"), list):
            yield from document["data"]  # as the proxy's own address for its log answers
        else:
            yield document


def _found(entry: Mapping[str, Any]) -> FoundSpan:
    response = _object(entry.get("response"))
    response_id = response.get("id") if isinstance(response, dict) else None
    model = entry.get("model_group") or entry.get("model")
    attrs = {"gen_ai.request.model": model, "gen_ai.response.model": entry.get("model")}
    attrs |= {f"litellm.{name}": entry.get(name) for name in KEPT}
    tokens = tokens_of(
        {
            "gen_ai.usage.input_tokens": entry.get("prompt_tokens"),
            "gen_ai.usage.output_tokens": entry.get("completion_tokens"),
        }
    )
    own_id = str(entry.get("litellm_call_id") or entry.get("request_id") or entry["id"])
    start_ns, end_ns = checked_times(_moment(entry["startTime"]), _moment(entry["endTime"]))
    span = Span(
        span_id=own_id,
        parent_id=None,
        kind="llm",
        name=str(entry.get("call_type") or "litellm"),
        start_ns=start_ns,
        end_ns=end_ns,
        input=_text(entry.get("messages")),
        output=_text(entry.get("response")),
        tokens=None if tokens is None else Tokens(tokens["in"], tokens["out"]),
        attrs={name: value for name, value in attrs.items() if value is not None},
        error=_error(entry),
    )
    return FoundSpan(span, _identity(entry), str(response_id or entry.get("id") or own_id))


def _identity(entry: Mapping[str, Any]) -> Identity | None:
    """Look where the proxy keeps what a request's `metadata` said."""
    metadata = _object(entry.get("metadata"))
    if not isinstance(metadata, dict):
        return None
    places = [
        metadata,
        *(_object(metadata.get(name)) for name in ("requester_metadata", "spend_logs_metadata")),
    ]
    found = (read_identity(place) for place in places if isinstance(place, dict))
    return next((identity for identity in found if identity is not None), None)


def _error(entry: Mapping[str, Any]) -> str | None:
    if entry.get("error_str"):
        return str(entry["error_str"])
    return "failure" if entry.get("status") == "failure" else None


def _object(value: Any) -> Any:
    """Return what a column holds, which the spend log writes as JSON text."""
    if isinstance(value, str):
        try:
            return json.loads(value)
        except ValueError:
            return None
    return value


def _text(value: Any) -> str | None:
    return None if value in (None, "", {}, [], "{}", "[]") else as_text(value)


def _moment(value: Any) -> int:
    """Return a time in UTC epoch ns: seconds, or ISO 8601, which is UTC where it names no zone."""
    if isinstance(value, str):
        moment = datetime.fromisoformat(value.replace("Z", "+00:00"))
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=timezone.utc)
        value = moment.timestamp()
    return round(float(value) * 1_000_000) * 1000
