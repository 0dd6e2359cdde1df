"""OTLP JSON, as the OpenTelemetry collector's file exporter and the SDKs' console exporters of OTLP write it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from poisson_store.records import Span, Tokens
from pytest_poisson.capture.attributes import error_of, read_attributes
from pytest_poisson.errors import UserError
from pytest_poisson.span_files.documents import read_documents
from pytest_poisson.span_files.found import FoundSpan, Identity, checked_times, read_identity

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

WHAT = "OTLP JSON file"
ERROR_CODES = (2, "2", "STATUS_CODE_ERROR")


class _Raw(NamedTuple):
    """A span as the file has it, with its attributes read."""

    trace_id: str
    fields: Mapping[str, Any]
    attributes: dict[str, Any]
    identity: Identity | None


def read_otlp(path: Path) -> Iterator[FoundSpan]:
    """Yield a file's spans; one that names no replicate belongs to that of what it is inside of, else of its trace.

    Raises
    ------
    UserError
        If the file is no OTLP JSON, or a span in it lacks what every span has.
    """
    try:
        raw = list(_raw_spans(path))
        identities = _inherited(raw)
        for each in raw:
            yield _found(each, identities.get((each.trace_id, each.fields["spanId"])))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as problem:
        raise UserError(f"{path} is no {WHAT}: {type(problem).__name__} {problem}.") from None


def _raw_spans(path: Path) -> Iterator[_Raw]:
    for document in read_documents(path, WHAT):
        if not isinstance(document, dict) or "resourceSpans" not in document:
            raise UserError(f"{path} is no {WHAT}: a document in it has no resourceSpans.")
        for resource in document["resourceSpans"] or ():
            shared = read_identity(_attributes((resource.get("resource") or {}).get("attributes")))
            for scope in resource.get("scopeSpans") or ():
                for fields in scope.get("spans") or ():
                    attributes = _attributes(fields.get("attributes"))
                    yield _Raw(
                        str(fields["traceId"]), fields, attributes, read_identity(attributes) or shared
                    )


def _inherited(raw: Sequence[_Raw]) -> dict[tuple[str, str], Identity]:
    """Find the replicate of every span: its own, its nearest ancestor's, or the only one its trace names."""
    by_id = {(each.trace_id, str(each.fields["spanId"])): each for each in raw}
    in_trace: dict[str, set[Identity]] = {}
    for each in raw:
        if each.identity is not None:
            in_trace.setdefault(each.trace_id, set()).add(each.identity)
    found: dict[tuple[str, str], Identity] = {}
    for key in by_id:
        identity = _nearest(key, by_id)
        named = in_trace.get(key[0], set())
        if identity is None and len(named) == 1:
            (identity,) = named
        if identity is not None:
            found[key] = identity
    return found


def _nearest(key: tuple[str, str], by_id: Mapping[tuple[str, str], _Raw]) -> Identity | None:
    seen: set[tuple[str, str]] = set()
    while key in by_id and key not in seen:
        seen.add(key)
        each = by_id[key]
        if each.identity is not None:
            return each.identity
        key = (each.trace_id, str(each.fields.get("parentSpanId") or ""))
    return None


def _found(raw: _Raw, identity: Identity | None) -> FoundSpan:
    fields, status = raw.fields, raw.fields.get("status") or {}
    events = [(event["name"], _attributes(event.get("attributes"))) for event in fields.get("events") or ()]
    reading = read_attributes(raw.attributes, events)
    failed = status.get("code") in ERROR_CODES
    start_ns, end_ns = checked_times(int(fields["startTimeUnixNano"]), int(fields["endTimeUnixNano"]))
    span = Span(
        span_id=str(fields["spanId"]),
        parent_id=str(fields["parentSpanId"]) if fields.get("parentSpanId") else None,
        kind=reading.kind,
        name=str(fields.get("name", "")),
        start_ns=start_ns,
        end_ns=end_ns,
        input=reading.input,
        output=reading.output,
        tokens=None if reading.tokens is None else Tokens(reading.tokens["in"], reading.tokens["out"]),
        attrs=reading.attrs,
        error=error_of(status.get("message"), raw.attributes, events) if failed else None,
    )
    response_id = raw.attributes.get("gen_ai.response.id")
    return FoundSpan(span, identity, None if response_id is None else str(response_id))


def _attributes(pairs: Sequence[Mapping[str, Any]] | None) -> dict[str, Any]:
    """Return attributes by name; null stands for none, as for every field of JSON that is made of Protocol Buffers."""
    return {str(pair["key"]): _value(pair.get("value") or {}) for pair in pairs or ()}


def _value(value: Mapping[str, Any]) -> Any:
    """Return what OTLP's tagged value holds; 64-bit integers are written as text."""
    if "intValue" in value:
        return int(value["intValue"])
    if "arrayValue" in value:
        return [_value(item) for item in value["arrayValue"].get("values") or ()]
    if "kvlistValue" in value:
        return _attributes(value["kvlistValue"].get("values"))
    return next(
        (value[kind] for kind in ("stringValue", "boolValue", "doubleValue", "bytesValue") if kind in value),
        None,
    )
