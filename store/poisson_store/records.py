"""What a run holds, as frozen values: runs, rollouts, conditions, episodes, spans and their accounting."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy import float64, int8, int16, int32, int64
    from numpy.typing import NDArray

Json: TypeAlias = "bool | int | float | str | Sequence[Json] | Mapping[str, Json] | None"

CAUSES = ("timed_out", "errored", "crashed", "skipped", "cancelled")
"""Why an episode has no outcome; a cause is stored as its position here."""

STATUSES = ("running", "complete", "partial", "interrupted")
"""`partial`: scheduling was stopped by a cap; `interrupted`: the session ended or died before it was done."""

ENDS = STATUSES[1:]
"""The statuses of a run that has ended."""

KINDS = ("llm", "tool", "retrieval", "db", "http", "agent", "other")
"""What a span may be; a kind is stored as its position here."""


@dataclass(frozen=True, slots=True)
class RolloutRecord:
    """A rollout as declared: `failures` and `successes` are disjoint subsets of `outcomes`."""

    id: str
    outcomes: tuple[str, ...]
    failures: tuple[str, ...] = ()
    successes: tuple[str, ...] = ()
    t_unit: str | None = None
    nodeid: str = ""
    settings: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ConditionRecord:
    """One combination of axis values and how many replicates this run planned for it."""

    key: str
    rollout: str
    axes: Mapping[str, Json]
    nodeid: str = ""
    planned: int = 0


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run without its episodes.

    `Store.create` fills in `run_id`, `name` and `created_at` where they are empty and sets `status`.
    `selection` says in words what a partial selection was (`-k refund`), `suite` is `suite_digest` of all
    condition keys there were to select from, and `shard` is (part, parts), from 1.
    """

    salt: str
    rollouts: tuple[RolloutRecord, ...] = ()
    conditions: tuple[ConditionRecord, ...] = ()
    run_id: str = ""
    name: str = ""
    status: str = "running"
    created_at: str = ""
    ended_at: str | None = None
    paired_with: str | None = None
    selection: str | None = None
    suite: str | None = None
    shard: tuple[int, int] | None = None
    environment: Mapping[str, Json] = field(default_factory=dict)
    variant: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Json] = field(default_factory=dict)

    @property
    def outcomes(self) -> tuple[str, ...]:
        """Every declared outcome once, in the order of first mention: what `EpisodeRow.outcome` points into."""
        return tuple(dict.fromkeys(outcome for rollout in self.rollouts for outcome in rollout.outcomes))

    @property
    def whole(self) -> bool:
        """Whether the run covers everything its suite declares: no selection, no shard."""
        return self.selection is None and self.shard is None


def suite_digest(keys: Iterable[str]) -> str:
    """Give the SHA-256, in hex, of a set of condition keys: parts of one suite are known by it."""
    return sha256("\n".join(sorted(set(keys))).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Cut:
    """What a text was before it was cut or left out: its length in UTF-8 bytes and its SHA-256 in hex."""

    bytes: int
    digest: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """What a provider reported; None is unknown, which is never 0."""

    input: int | None = None
    output: int | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """One timed step of an episode; times are UTC epoch nanoseconds.

    A cut beside a text says that the text is its beginning only; a cut beside None, that it was not kept.
    """

    span_id: str
    parent_id: str | None
    kind: str
    name: str
    start_ns: int
    end_ns: int
    input: str | None = None
    output: str | None = None
    tokens: Tokens | None = None
    attrs: Mapping[str, Json] = field(default_factory=dict)
    error: str | None = None
    step: str | None = None
    input_cut: Cut | None = None
    output_cut: Cut | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """An earlier try of a replicate that failed for its infrastructure and was made again on the same seed."""

    number: int
    error: str
    started_ns: int
    wall_s: float


@dataclass(frozen=True, slots=True)
class Episode:
    """What one replicate left: an outcome, or exactly one cause of having none.

    `seed`, `started_ns` (UTC epoch) and `wall_s` are None only in results imported from a tool that did
    not record them. The token sums are over the spans, each call once (`usage.counted_spans`);
    `unknown_usage` counts the calls without usage.
    `spans_left_out` counts the spans beyond the cap; above 0 the episode is capped.
    """

    condition: str
    replicate: int
    seed: int | None
    outcome: str | None
    cause: str | None
    t: int | float | None = None
    horizon: int | float | None = None
    started_ns: int | None = None
    wall_s: float | None = None
    error: str | None = None
    meta: Mapping[str, Json] | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    unknown_usage: int | None = None
    spans_left_out: int | None = None
    spans: tuple[Span, ...] = ()
    attempts: tuple[Attempt, ...] = ()


class SpanRow(NamedTuple):
    """A span as `RunWriter.add` takes it: a plain tuple in this order, `attrs` as JSON text.

    `kind` is a position in `KINDS`; the full lengths (bytes) and digests (hex) are given where a text was cut.
    """

    span_id: str
    parent_id: str | None
    kind: int
    name: str
    start_ns: int
    end_ns: int
    input: str | None = None
    output: str | None = None
    input_bytes: int | None = None
    input_digest: str | None = None
    output_bytes: int | None = None
    output_digest: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    attrs: str | None = None
    error: str | None = None
    step: str | None = None


class AttemptRow(NamedTuple):
    """An earlier attempt as `RunWriter.add` takes it: a plain tuple in this order."""

    number: int
    error: str
    started_ns: int
    wall_s: float


class EpisodeRow(NamedTuple):
    """An episode as `RunWriter.add` takes it on the fast path: a plain tuple in this order.

    `condition` is a position in `RunRecord.conditions`, `outcome` one in `RunRecord.outcomes`, `cause` one
    in `CAUSES`; exactly one of `outcome` and `cause` is None. `meta` is JSON text. Items after `wall_s` may be
    left off from the end where they are None. Nothing is parsed on the way in.
    """

    condition: int
    replicate: int
    seed: int | None
    outcome: int | None
    cause: int | None
    t: int | float | None = None
    horizon: int | float | None = None
    started_ns: int | None = None
    wall_s: float | None = None
    error: str | None = None
    meta: str | None = None
    tokens_in: int | None = None
    tokens_out: int | None = None
    unknown_usage: int | None = None
    spans_left_out: int | None = None
    spans: Sequence[tuple[object, ...]] | None = None
    attempts: Sequence[tuple[object, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Accounting:
    """Where every planned replicate went; what is not stored is `not_run`."""

    planned: int
    with_outcome: int = 0
    timed_out: int = 0
    errored: int = 0
    crashed: int = 0
    skipped: int = 0
    cancelled: int = 0

    def __post_init__(self) -> None:
        """Refuse an account that holds more rows than were planned.

        Raises
        ------
        ValueError
            If more replicates are stored than planned.
        """
        if self.stored > self.planned:
            raise ValueError(f"{self.stored} stored replicates exceed planned={self.planned}.")

    @property
    def without_outcome(self) -> int:
        """Stored replicates that have no outcome, whatever the cause."""
        return self.timed_out + self.errored + self.crashed + self.skipped + self.cancelled

    @property
    def stored(self) -> int:
        """Stored replicates."""
        return self.with_outcome + self.without_outcome

    @property
    def skipped_whole(self) -> bool:
        """Whether replicates are stored and every one of them was skipped."""
        return 0 < self.skipped == self.stored

    @property
    def not_run(self) -> int:
        """Planned replicates that left no row."""
        return self.planned - self.stored

    def __add__(self, other: Accounting) -> Accounting:
        """Sum two accounts, field by field."""
        return Accounting(
            self.planned + other.planned,
            self.with_outcome + other.with_outcome,
            self.timed_out + other.timed_out,
            self.errored + other.errored,
            self.crashed + other.crashed,
            self.skipped + other.skipped,
            self.cancelled + other.cancelled,
        )


@dataclass(frozen=True, slots=True)
class RunSummary:
    """One line of a list of runs; `problem` is the reason, in a sentence, why a file cannot be read.

    Of a file with a problem only `path` is sure; its `run_id` and `name` are the file's stem.
    """

    path: Path
    run_id: str
    name: str
    status: str = "unreadable"
    created_at: str = ""
    ended_at: str | None = None
    salt: str = ""
    paired_with: str | None = None
    variant: Mapping[str, str] = field(default_factory=dict)
    whole: bool = True
    conditions: int = 0
    accounting: Accounting | None = None
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Token sums as far as they are known, and how many model calls reported none."""

    tokens_in: int = 0
    tokens_out: int = 0
    unknown: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class OutcomeColumns:
    """What became of every episode, as NumPy arrays of one length, ordered by condition, then replicate.

    `condition` points into `conditions` (keys), `outcome` into `outcomes` and `cause` into `CAUSES`; -1 is none,
    in `seed` too, which says whether two runs drew the same.
    """

    conditions: tuple[str, ...]
    outcomes: tuple[str, ...]
    condition: NDArray[int32]
    replicate: NDArray[int64]
    seed: NDArray[int64]
    outcome: NDArray[int16]
    cause: NDArray[int8]


@dataclass(frozen=True, slots=True, eq=False)
class TraceColumns(OutcomeColumns):
    """How far every episode got, in the same order.

    `leaves` counts the spans that are parent of none and is -1 where there are no spans; `last_kind` points
    into `KINDS` and `last_step` into `steps` (the names that last leaves have, sorted), both of the last leaf by
    (start_ns, span_id); -1 is none.
    """

    steps: tuple[str, ...]
    leaves: NDArray[int32]
    last_kind: NDArray[int8]
    last_step: NDArray[int32]
    spans_left_out: NDArray[int64]


@dataclass(frozen=True, slots=True, eq=False)
class EpisodeColumns(OutcomeColumns):
    """Every episode's numbers beside its outcome, in the same order.

    In `t`, `horizon` and `wall_s` NaN is none; in `started_ns` (UTC epoch) -1 is none.
    """

    t: NDArray[float64]
    horizon: NDArray[float64]
    started_ns: NDArray[int64]
    wall_s: NDArray[float64]
