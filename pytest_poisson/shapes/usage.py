"""What replicates did and what they used."""

from typing import Any, Literal, TypedDict

from pytest_poisson.shapes.parts import ConditionShape

TokensShape = TypedDict("TokensShape", {"in": int | None, "out": int | None})


class AttemptShape(TypedDict):
    """An attempt that failed and was followed by another."""

    number: int
    error: str
    started_ns: int
    wall_s: float


class EpisodeShape(TypedDict):
    """What one replicate left."""

    replicate: int
    seed: int | None
    outcome: str | None
    cause: str | None
    t: float | None
    horizon: float | None
    started_ns: int | None
    wall_s: float | None
    error: str | None
    meta: dict[str, Any] | None
    tokens: TokensShape
    unknown_usage: int
    spans_left_out: int
    attempts: list[AttemptShape]


class CutShape(TypedDict):
    """A text that was cut: its whole length and digest."""

    bytes: int
    digest: str


class SpanShape(TypedDict):
    """One timed step of a replicate."""

    span_id: str
    parent_id: str | None
    depth: int
    kind: str
    name: str
    step: str | None
    start_ns: int
    end_ns: int
    model: str | None
    tokens: TokensShape | None
    counted: bool
    unknown_usage: bool
    input: str | None
    output: str | None
    input_cut: CutShape | None
    output_cut: CutShape | None
    attrs: dict[str, Any]
    error: str | None


class AlikeShape(TypedDict):
    """Another replicate that ended in the same way."""

    key: str
    replicate: int


class TraceDocument(TypedDict):
    """`pytest-poisson show RUN --replicate N --json`; spans from the outermost inwards."""

    schema: Literal["pytest-poisson.trace/1"]
    run_id: str
    name: str
    condition: ConditionShape
    episode: EpisodeShape
    spans: list[SpanShape]
    alike: list[AlikeShape]


class PricesShape(TypedDict):
    """What a million tokens cost, in and out."""

    default: list[float] | None
    models: dict[str, list[float]]


class UsedShape(TypedDict):
    """What calls used; where some reported nothing, the cost is a lower bound."""

    calls: int
    tokens_in: int
    tokens_out: int
    unknown: int
    cost: float | None
    cost_is_a_lower_bound: bool


class ModelUsedShape(UsedShape):
    """What calls to one model used."""

    model: str | None


class RowUsedShape(ConditionShape, ModelUsedShape):
    """What one condition used of one model."""


class PerOutcomeShape(TypedDict):
    """What one episode with an outcome cost on average."""

    outcome: str
    count: int
    cost: float | None


class ArmTokensShape(TypedDict):
    """What one run used."""

    run_id: str
    name: str
    variant: dict[str, str]
    replicates: int
    traced: int
    rows: list[RowUsedShape]
    models: list[ModelUsedShape]
    not_in_spans: UsedShape
    total: UsedShape
    per_outcome: list[PerOutcomeShape]


class TokensDocument(TypedDict):
    """`pytest-poisson tokens RUN… --json`."""

    schema: Literal["pytest-poisson.tokens/1"]
    prices: PricesShape
    arms: list[ArmTokensShape]


class ImportSpansDocument(TypedDict):
    """`pytest-poisson import otlp|litellm FILE… --json`."""

    schema: Literal["pytest-poisson.import-spans/1"]
    files: list[str]
    run_id: str
    name: str
    read: int
    added: int
    left_out: dict[str, int]


class NeighbourShape(TypedDict):
    """Another pytest plugin, and what it does in a sweep where that is not what it does elsewhere."""

    name: str
    version: str
    in_a_sweep: str | None


class StoreHealthShape(TypedDict):
    """What is in the store's directory."""

    path: str
    exists: bool
    writable: bool
    runs: int
    running: int
    problems: list[str]


class DoctorDocument(TypedDict):
    """`pytest-poisson doctor --json`: versions by name, and what each extra lacks."""

    schema: Literal["pytest-poisson.doctor/1"]
    platform: str
    versions: dict[str, str | None]
    plugins: list[NeighbourShape]
    extras: dict[str, list[str]]
    store: StoreHealthShape
    problems: list[str]
