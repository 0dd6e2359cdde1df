"""What a reader yields: one case, as its file tells it; and what a file says about all of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from poisson_store.texts import describe_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poisson_store.records import Attempt, Cut, Json, RolloutRecord, Span

MODEL = "gen_ai.request.model"
"""The attribute of a span that names the model that was asked, by OpenTelemetry's convention."""

LONGEST_ERROR = 300
"""Characters of an error that are kept: enough to tell causes apart, too few for a transcript."""


class Case(NamedTuple):
    """One result, before it has a condition and a replicate.

    Exactly one of `outcome` (a word), `cause` (of having none) and `score` (to be judged by what the user
    declared) is given. `replicate` is the number its file gives it; None is numbered in file order. `texts` are
    prompts and answers, kept only where the user says so.
    """

    where: str
    fields: Mapping[str, Any]
    rollout: str | None = None
    replicate: int | None = None
    outcome: str | None = None
    cause: str | None = None
    score: Any = None
    seed: int | None = None
    t: float | None = None
    horizon: float | None = None
    started_ns: int | None = None
    wall_s: float | None = None
    error: str | None = None
    meta: Mapping[str, Json] | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    unknown_usage: int | None = None
    spans_left_out: int | None = None
    spans: Sequence[Span] = ()
    attempts: Sequence[Attempt] = ()
    texts: Mapping[str, Any] | None = None


class Planned(NamedTuple):
    """How many replicates a condition was to have, as its file tells."""

    fields: Mapping[str, Any]
    rollout: str | None
    replicates: int
    nodeid: str = ""


@dataclass(frozen=True, slots=True)
class Origin:
    """What the files say about all their cases; known once a reader has read them to the end.

    `salt` is None where the files name no draws, and `rollouts` is empty where the user declares them.
    """

    salt: str | None = None
    status: str = "complete"
    rollouts: tuple[RolloutRecord, ...] = ()
    paired_with: str | None = None
    selection: str | None = None
    suite: str | None = None
    shard: tuple[int, int] | None = None
    environment: Mapping[str, Json] = field(default_factory=dict)
    variant: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Json] = field(default_factory=dict)


def keep(text: str | None, *, kept: bool) -> tuple[str | None, Cut | None]:
    """Give a text as a span holds it: itself, or its length and digest where it is not kept."""
    if text is None or kept:
        return text, None
    return None, describe_text(text)


def plain(value: Any) -> Any:
    """Give a value as JSON has it: a NaN or an infinity, which Python tools write, is null."""
    return json.loads(json.dumps(value, default=str), parse_constant=lambda _: None)


def brief(error: object) -> str:
    """Give the first line of an error, cut to what tells causes apart."""
    line = str(error).strip().partition("\n")[0]
    return line if len(line) <= LONGEST_ERROR else f"{line[: LONGEST_ERROR - 3]}..."
