"""Which pairs of calls are replays of one request, and why the others are not."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_poisson.replay.declaration import as_decimal

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from decimal import Decimal

    from poisson_store.records import Episode, Span
    from pytest_poisson.replay.declaration import ReplayDeclaration

CAUSES = (
    "unmatched",
    "errored",
    "no_request_span",
    "retry_or_multicall",
    "malformed_body",
    "model_pin",
    "body_field_absent",
    "body",
    "target",
    "header",
    "value_missing",
    "value_out_of_range",
)
"""Why a pair is left out; a pair with several causes is counted under the first in this order."""

ABSENT = object()
TARGET_KEYS = ("url.full", "http.url", "server.address")
HEADER_PREFIX = "http.request.header."


class Pair(NamedTuple):
    """Two arms' calls of one (condition, replicate), eligible or excluded under exactly one cause."""

    condition: str
    replicate: int
    cause: str | None
    scores: tuple[Decimal, Decimal] | None = None
    digest: str | None = None  # of the request body, without its exempt fields
    exercised: tuple[str, ...] = ()  # exemptions in which the bodies did differ
    started_ns: tuple[int | None, int | None] = (None, None)


@dataclass(frozen=True, slots=True)
class Call:
    """What one arm recorded of one replicate, read once for all pairs it is part of."""

    episode: Episode
    requests: tuple[Span, ...]
    body: Mapping[str, Any] | None
    score: Decimal | None
    scored: bool

    @classmethod
    def of(cls, episode: Episode, declaration: ReplayDeclaration) -> Call:
        """Read an episode's request and score as the declaration names them."""
        requests = tuple(span for span in episode.spans if span.name == declaration.request_span)
        value = _at(episode.meta or {}, declaration.value_key)
        return cls(
            episode,
            requests,
            _body(requests[0]) if len(requests) == 1 else None,
            as_decimal(value),
            value is not ABSENT and value is not None,
        )


def judge_pair(key: tuple[str, int], a: Call | None, b: Call | None, declaration: ReplayDeclaration) -> Pair:
    """Return the pair, under the first cause that excludes it, if any does."""
    started = (None if a is None else a.episode.started_ns, None if b is None else b.episode.started_ns)
    if a is None or b is None:
        return Pair(*key, "unmatched", started_ns=started)
    cause = _cause(a, b, declaration)
    if cause is not None or a.score is None or b.score is None:
        return Pair(*key, cause, started_ns=started)
    return Pair(
        *key,
        None,
        (a.score, b.score),
        _digest(a.body or {}, declaration.exemptions),
        tuple(path for path in declaration.exemptions if _at(a.body or {}, path) != _at(b.body or {}, path)),
        started,
    )


def _cause(a: Call, b: Call, declaration: ReplayDeclaration) -> str | None:
    """Go through the causes in their order; each is looked at only where those before it do not hold."""
    both = (a, b)
    if any(call.episode.outcome is None for call in both):
        return "errored"
    if any(not call.requests for call in both):
        return "no_request_span"
    if any(len(call.requests) > 1 for call in both):
        return "retry_or_multicall"
    if a.body is None or b.body is None:
        return "malformed_body"
    if any(_at(body, declaration.model_key) != declaration.model_pin for body in (a.body, b.body)):
        return "model_pin"
    return _cause_in_request(a, b, declaration) or _cause_in_score(both)


def _cause_in_request(a: Call, b: Call, declaration: ReplayDeclaration) -> str | None:
    first = dict(_leaves(_without(a.body or {}, declaration.exemptions)))
    second = dict(_leaves(_without(b.body or {}, declaration.exemptions)))
    if first.keys() != second.keys():
        return "body_field_absent"
    if first != second:
        return "body"
    if _attributes(a.requests[0], *TARGET_KEYS) != _attributes(b.requests[0], *TARGET_KEYS):
        return "target"
    if declaration.headers == "asserted" and _headers(a.requests[0]) != _headers(b.requests[0]):
        return "header"
    return None


def _cause_in_score(both: tuple[Call, Call]) -> str | None:
    if any(not call.scored for call in both):
        return "value_missing"
    if any(call.score is None or not 0 <= call.score <= 1 for call in both):
        return "value_out_of_range"
    return None


def _body(span: Span) -> Mapping[str, Any] | None:
    """Return a request's body as an object; None where it was cut, left out, or is no JSON object."""
    if span.input is None or span.input_cut is not None:
        return None
    try:
        body = json.loads(span.input, parse_float=str)  # numbers as they were sent
    except (ValueError, RecursionError):
        return None
    return body if isinstance(body, dict) else None


def _at(value: Any, path: str) -> Any:
    """Return what stands at a dotted path; digits index lists."""
    for part in path.split("."):
        if isinstance(value, dict) and part in value:
            value = value[part]
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return ABSENT
    return value


def _without(body: Mapping[str, Any], exemptions: tuple[str, ...]) -> Any:
    """Return a copy of a body without what stands at the exempt paths."""
    copy = json.loads(json.dumps(body))
    for path in exemptions:
        *parents, last = path.split(".")
        holder = _at(copy, ".".join(parents)) if parents else copy
        if isinstance(holder, dict):
            holder.pop(last, None)
    return copy


def _leaves(value: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Return every scalar of a body with its path; an empty container counts as one."""
    items: Any = None
    if isinstance(value, dict):
        items = value.items()
    elif isinstance(value, list):
        items = ((str(index), item) for index, item in enumerate(value))
    if items is None or not value:
        yield path, (type(value).__name__, json.dumps(value))
        return
    for key, item in items:
        yield from _leaves(item, (*path, str(key)))


def _digest(body: Mapping[str, Any], exemptions: tuple[str, ...]) -> str:
    normal = json.dumps(_without(body, exemptions), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(normal.encode()).hexdigest()


def _attributes(span: Span, *keys: str) -> list[Any]:
    return [span.attrs.get(key) for key in keys]


def _headers(span: Span) -> dict[str, Any]:
    return {key.lower(): value for key, value in span.attrs.items() if key.startswith(HEADER_PREFIX)}
