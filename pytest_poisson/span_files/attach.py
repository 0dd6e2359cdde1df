"""Adding the spans of a file to the episodes of a stored run that they say they belong to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from poisson_store.merge import parts_of
from poisson_store.records import Cut
from pytest_poisson.spans import KIND_INDEX, Span, Trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from poisson_store import RunReader, Store
    from poisson_store.records import Span as StoredSpan
    from pytest_poisson.content import ContentRules
    from pytest_poisson.span_files.found import FoundSpan, Identity

NO_IDENTITY = "name no run, condition and replicate"
OTHER_RUN = "are of another run"
NO_CONDITION = "are of a condition that the run does not have"
NO_EPISODE = "are of a replicate that is not stored"
REPEATED = "are in the run already"


@dataclass(frozen=True, slots=True)
class AttachResult:
    """What became of the spans of some files.

    Attributes
    ----------
    read, added
        Spans found, and those that are in the run now.
    left_out
        How many were not added, by reason; with `added` they make up `read`.
    """

    files: tuple[str, ...]
    run_id: str
    name: str
    read: int
    added: int
    left_out: Mapping[str, int]


def attach_spans(
    store: Store,
    run: str,
    files: Sequence[Path],
    read: Callable[[Path], Iterable[FoundSpan]],
    rules: ContentRules,
) -> AttachResult:
    """Add what fits and count the rest.

    Raises
    ------
    UserError
        If a file cannot be read as what it is said to be; nothing is added then.
    StoreError
        If the run cannot be opened or written.
    """
    found = [each for file in files for each in read(file)]
    left_out: Counter[str] = Counter()
    with store.open(run) as reader:
        record = reader.run
        keys = {condition.key for condition in reader.conditions}
        names = {record.run_id, record.name, *(part["run_id"] for part in parts_of(record))}
        fitting = []
        for each in found:
            reason = _misfit(each.identity, names, keys)
            if reason is None:
                fitting.append(each)
            else:
                left_out[reason] += 1
        placed = list(_placed(reader, fitting, rules))
    added = store.add_spans(record.run_id, placed)
    left_out += Counter({REPEATED: added.repeated, NO_EPISODE: added.without_episode})
    return AttachResult(
        tuple(map(str, files)),
        record.run_id,
        record.name,
        len(found),
        added.added,
        dict(sorted(left_out.items())),
    )


def _misfit(identity: Identity | None, names: set[str], keys: set[str]) -> str | None:
    """Say why a span is not of the run; None where it is."""
    if identity is None:
        return NO_IDENTITY
    if identity.run not in names:
        return OTHER_RUN
    return None if identity.condition in keys else NO_CONDITION


def _placed(
    reader: RunReader, found: Iterable[FoundSpan], rules: ContentRules
) -> Iterator[tuple[str, int, StoredSpan]]:
    by_episode: dict[tuple[str, int], list[FoundSpan]] = {}
    for each in found:
        if each.identity is not None:
            by_episode.setdefault((each.identity.condition, each.identity.replicate), []).append(each)
    for (key, replicate), group in by_episode.items():
        present = [span for episode in reader.episodes(key, replicate, spans=True) for span in episode.spans]
        for each in group:
            span = each.span
            if span.parent_id is None and each.response_id:
                span = replace(span, parent_id=_recorded_call(present, each.response_id, span.span_id))
            yield key, replicate, keep(span, rules)


def _recorded_call(present: Iterable[StoredSpan], response_id: str, own_id: str) -> str | None:
    """Return the call that brought the same answer, where the program's own client was recorded too.

    Inside of it the span counts once: what one call used is not summed twice.
    """
    for span in present:
        known = span.attrs.get("gen_ai.response.id") == response_id or f'"{response_id}"' in (
            span.output or ""
        )
        if span.kind == "llm" and span.span_id != own_id and known:
            return span.span_id
    return None


def keep(span: StoredSpan, rules: ContentRules) -> StoredSpan:
    """Return a span as it may be stored: without secrets, redacted and cut by the same rules as recorded ones."""
    live = Span(Trace(), KIND_INDEX[span.kind], span.name, span.input)
    live.output, live.attrs, live.error = span.output, dict(span.attrs), span.error
    kept = rules.keep(live)
    return replace(
        span,
        name=kept.name,
        input=kept.input,
        output=kept.output,
        attrs=_parsed(kept.attrs),
        error=kept.error,
        input_cut=_cut(kept.input_bytes, kept.input_digest),
        output_cut=_cut(kept.output_bytes, kept.output_digest),
    )


def _parsed(attrs: str | None) -> dict[str, Any]:
    import json

    return {} if attrs is None else dict(json.loads(attrs))


def _cut(length: int | None, digest: str | None) -> Cut | None:
    return None if length is None or digest is None else Cut(length, digest)
