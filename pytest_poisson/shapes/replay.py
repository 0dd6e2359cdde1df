"""A paired replay: one document of all of it, and one a file."""

from typing import Literal, TypedDict


class ReconciledShape(TypedDict):
    """The pairs of a sweep: those that are eligible and those that are not, by cause."""

    pairs: int
    eligible: int
    excluded: dict[str, int]


class TableShape(TypedDict):
    """The four kinds of pair at one cut; the first digit is arm a's pass, the second arm b's."""

    cut: str
    n11: int
    n10: int
    n01: int
    n00: int
    pairs: int
    items: int
    ties: int


class ContingencyShape(TypedDict):
    """The tables by sweep, and of all sweeps together."""

    sweeps: dict[str, list[TableShape]]
    pooled: list[TableShape]


class BoundsShape(TypedDict):
    """An interval."""

    low: float
    high: float


class ItemShape(TypedDict):
    """One item's mean score and flips."""

    item: str
    mean_score: float
    flips: int
    pairs: int


class IntervalShape(TypedDict):
    """The flip rate at one cut with its interval."""

    cut: str
    rate: float
    low: float | None
    high: float | None
    confidence: float
    basis: str
    icc: float | None
    design_effect: float | None
    net_swing: float
    order_p: float
    order_could_reject: bool
    outcome: str | None
    below_floor: bool | None
    korn_graubard: BoundsShape | None
    items: list[ItemShape]


class IntervalsShape(TypedDict):
    """The intervals by sweep, and of all sweeps together; the floor is a decimal number as text."""

    floor: str | None
    sweeps: dict[str, list[IntervalShape]]
    pooled: list[IntervalShape]


class ArmTimesShape(TypedDict):
    """When an arm began and ended, in nanoseconds since 1970."""

    run: str
    started_ns: int | None
    ended_ns: int | None


class WindowShape(TypedDict):
    """When the arms of a sweep ran, in seconds."""

    span_s: float | None
    gap_s: float | None
    held: bool | None
    arms: list[ArmTimesShape]


class WindowsShape(TypedDict):
    """The windows by sweep; the declared one is a decimal number as text."""

    declared_window_s: str | None
    windows: dict[str, WindowShape]


class ArmCostShape(TypedDict):
    """What an arm used: spans that recorded their usage, and those that did not."""

    run: str
    tokens_in: int
    recorded: int
    unrecorded: int


class CostShape(TypedDict):
    """What the replay used; prices are decimal numbers as text."""

    arms: list[ArmCostShape]
    tokens_in: int
    unrecorded: int
    price_per_input_token: str | None
    cost: str | None
    token_cap: int | None


class AgreementShape(TypedDict):
    """How often j repeats agree, or their majority does."""

    measure: Literal["agree", "majority"]
    j: int
    rate: float | None
    low: float | None
    high: float | None
    basis: str | None
    confidence: float
    compared: int
    items: int
    left_out: int
    cost: float | None


class RepeatsShape(TypedDict):
    """What repeats buy at one cut."""

    cut: str
    agreement: list[AgreementShape]
    majority: list[AgreementShape]


class CutsShape(TypedDict):
    """What repeats buy, by cut."""

    cuts: list[RepeatsShape]


class PairedDocument(TypedDict):
    """`pytest-poisson paired DECLARATION --json`."""

    schema: Literal["pytest-poisson.paired/1"]
    declaration_digest: str
    pairs: dict[str, ReconciledShape]
    unjudged: dict[str, int]
    contingency: ContingencyShape
    intervals: IntervalsShape
    windows: WindowsShape
    cost: CostShape
    replicates: CutsShape | None


class ClaimsShape(TypedDict):
    """What the declaration claims of the requests."""

    headers: str
    retries: str
    model: str | None


class PairShape(TypedDict):
    """One pair: why it is left out, or its scores as decimal numbers in text."""

    condition: str
    item: str
    cut: str
    replicate: int
    eligible: bool
    cause: str | None
    scores: list[str] | None
    request_digest: str | None
    exemptions_exercised: list[str]
    started_ns: list[int | None]


class SweepPairsShape(TypedDict):
    """Every pair of a sweep."""

    name: str
    pairs: list[PairShape]


class PairAssertionDocument(TypedDict):
    """`pair_assertion.json`."""

    schema: Literal["pytest-poisson.pair_assertion/1"]
    declaration_digest: str
    claims: ClaimsShape
    counts: dict[str, ReconciledShape]
    exemptions_exercised: dict[str, dict[str, int]]
    sweeps: list[SweepPairsShape]


class ContingencyDocument(ContingencyShape):
    """`contingency_by_cut.json`."""

    schema: Literal["pytest-poisson.contingency_by_cut/1"]
    declaration_digest: str


class IntervalsDocument(IntervalsShape):
    """`intervals_by_cut.json`."""

    schema: Literal["pytest-poisson.intervals_by_cut/1"]
    declaration_digest: str


class WindowsDocument(WindowsShape):
    """`windows.json`."""

    schema: Literal["pytest-poisson.windows/1"]
    declaration_digest: str


class CostDocument(CostShape):
    """`cost.json`."""

    schema: Literal["pytest-poisson.cost/1"]
    declaration_digest: str


class RepeatsDocument(CutsShape):
    """`replicates_by_cut.json`."""

    schema: Literal["pytest-poisson.replicates_by_cut/1"]
    declaration_digest: str


class CapCheckDocument(TypedDict):
    """`pytest-poisson paired DECLARATION --cap-check --json`."""

    schema: Literal["pytest-poisson.cap-check/1"]
    tokens_in: int
    token_cap: int
    under: bool
    unrecorded: int
