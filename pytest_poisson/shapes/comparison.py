"""Two runs compared and gated; one run compared with itself; the size of the next sweep."""

from typing import Any, Literal, TypedDict

from poisson_stats.missing import MissingProblem
from poisson_stats.verdict import RowWord, Verdict
from pytest_poisson.shapes.parts import AccountingShape, ConditionShape, CountShape, LimitShape
from pytest_poisson.shapes.runs import PromisesShape

EventKind = Literal["failure", "success"]


class ArmShape(TypedDict):
    """A run as one side of a comparison."""

    run_id: str
    name: str
    status: str
    created_at: str
    salt: str
    selection: str | None
    accounting: AccountingShape
    compared: AccountingShape
    unpartnered: int
    part: str


class AlongShape(TypedDict):
    """The axis along which conditions of one run are compared."""

    axis: str
    before: Any
    after: Any
    shares_seeds: bool


class EventShape(TypedDict):
    """An event of one rollout."""

    name: str
    rollout: str
    outcomes: list[str]
    kind: EventKind
    basis: Literal["declared", "neutral", "implicit"]


class PairsShape(TypedDict):
    """The pairs of a paired row, by which arm had the event."""

    both: int
    only_before: int
    only_after: int
    neither: int


class ObservedShape(TypedDict):
    """The limits at the correlation that the pairs of a row had."""

    correlation: float | None
    rise: LimitShape
    fall: LimitShape


class OverTimeShape(TypedDict):
    """The rates by the horizon, where replicates were cut off before it."""

    horizon: float
    before: float | None
    after: float | None
    cut_off_before: int
    cut_off_after: int


class RowShape(ConditionShape):
    """One condition and event, compared; a p-value too small for a number is null, its logarithm is not."""

    event: str
    kind: EventKind
    before: CountShape
    after: CountShape
    pairs: PairsShape | None
    word: RowWord
    counted: bool
    p: float | None
    log_p: float
    p_bh: float | None
    log_p_bh: float
    p_holm: float | None
    log_p_holm: float
    change: float | None
    low: float | None
    high: float | None
    rise: LimitShape
    fall: LimitShape
    observed: ObservedShape | None
    over_time: OverTimeShape | None
    replay: int | None


class DesignShape(TypedDict):
    """What the comparison could have seen at all."""

    replicates: int
    tests: int
    limit: float | None
    base_rate: float | None
    largest: float | None
    largest_row: int | None
    largest_is_rise: bool
    too_small: int
    ceiling: float | None
    needed: int | None


class PairingShape(TypedDict):
    """How alike the arms of the pairs were."""

    correlation: float | None
    p: float | None
    helped: bool
    limit: float | None
    base_rate: float | None


class FlipShape(TypedDict):
    """Outcomes of one row and arm that would have to end otherwise."""

    row: int
    arm: Literal["before", "after"]
    to_event: bool
    count: int


class FragilityShape(TypedDict):
    """How many outcomes the word hangs on."""

    word: Verdict
    becomes: Verdict | None
    outcomes: int | None
    flips: list[FlipShape]
    certified: bool


class BandShape(TypedDict):
    """The interval of a row that is held against the margin."""

    low: float | None
    high: float | None
    within: bool


class MarginShape(TypedDict):
    """The rows held against a declared margin."""

    size: float
    confidence: float
    within: int
    rows: list[BandShape]


class MissingShareShape(TypedDict):
    """Replicates without an outcome among those that ran."""

    missing: int
    ran: int


class MissingShape(TypedDict):
    """What the replicates without an outcome may hide."""

    before: MissingShareShape
    after: MissingShareShape
    p: float | None
    log_p: float
    problem: MissingProblem | None
    emptied: list[ConditionShape]
    uneven: list[ConditionShape]
    cause: str
    verdict_as_failures: Verdict


class EarlyShape(TypedDict):
    """What stopping early came to."""

    conditions: int
    decided: int
    planned: int
    saved: int
    late: int


class OmnibusShape(TypedDict):
    """The test that nothing changed anywhere."""

    changed: bool
    p: float
    location: float
    p_location: float
    dispersion: float
    p_dispersion: float
    floor: float
    conditions: int
    informative: int
    permutations: int
    seed: int


class NodeShape(TypedDict):
    """A set of conditions, tested as one."""

    axis: str | None
    value: Any
    conditions: list[str]
    p: float | None
    log_p: float
    level: float
    changed: bool
    change: float | None
    resolvable: float | None


class GroupShape(NodeShape):
    """The conditions that share an axis value, and what they divide into."""

    below: list[NodeShape]


class WholeEventShape(TypedDict):
    """One event over all conditions."""

    event: str
    rollout: str
    omnibus: OmnibusShape
    root: NodeShape
    groups: list[GroupShape]
    bound: float
    bound_established: bool


class CoverageShape(TypedDict):
    """The conditions that each run planned."""

    planned_before: int
    planned_after: int
    common: int
    absent_before: int
    absent_after: int
    skipped: int


class WholeShape(TypedDict):
    """The comparison as a whole."""

    events: list[WholeEventShape]
    coverage: CoverageShape


class ChangeShape(TypedDict):
    """A setting that is not the same in both runs."""

    name: str
    before: Any
    after: Any


class DiffDocument(TypedDict):
    """`pytest-poisson diff --json`."""

    schema: Literal["pytest-poisson.diff/1"]
    before: ArmShape
    after: ArmShape
    method: str
    test: str
    fdr: str
    paired: bool
    q: float
    max_mde: float
    level: float | None
    verdict: Verdict
    verdict_by_test: Verdict
    along: AlongShape | None
    refusal: str | None
    events: list[EventShape]
    rows: list[RowShape]
    importance: list[int]
    design: DesignShape | None
    pairing: PairingShape | None
    fragility: FragilityShape | None
    margin: MarginShape | None
    missing: MissingShape | None
    one_sided: list[EventShape]
    early: EarlyShape | None
    whole: WholeShape | None
    only_before: list[ConditionShape]
    only_after: list[ConditionShape]
    skipped: list[ConditionShape]
    changes: list[ChangeShape]
    notes: list[str]


class CheckDocument(TypedDict):
    """`pytest-poisson check --json`, and `--poisson-json` of a session with a baseline."""

    schema: Literal["pytest-poisson.check/1"]
    failed: bool
    fail_on: list[str]
    reasons: list[str]
    failing_rows: list[int]
    missed_promises: list[int]
    promises: PromisesShape
    diff: DiffDocument


class NullDocument(TypedDict):
    """`pytest-poisson null RUN --json`."""

    schema: Literal["pytest-poisson.null/1"]
    run: str
    splits: int
    seed: int
    conditions: int
    tests: int
    half: int
    q: float
    max_mde: float
    fail_on: list[str]
    failed: int
    rate: float
    low: float
    high: float
    confidence: float
    flagged: int
    words: dict[str, int]


class SizingPairingShape(TypedDict):
    """How alike the pairs were that the size rests on."""

    correlation: float | None
    p: float | None
    helped: bool


class PlanDocument(TypedDict):
    """`pytest-poisson plan BEFORE AFTER --json`."""

    schema: Literal["pytest-poisson.plan/1"]
    before: str
    after: str
    pairs: int
    conditions: int
    tests: int
    max_mde: float
    q: float
    pairing: SizingPairingShape
    correlation: float
    on_same_seeds: int
    if_independent: int
    on_fresh_seeds: int
    seconds_each: float | None
