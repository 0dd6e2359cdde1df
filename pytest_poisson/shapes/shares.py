"""Shares compared input by input."""

from typing import Literal, TypedDict

from pytest_poisson.shapes.parts import (
    AccountingShape,
    ApartShape,
    ConditionShape,
    ConsistencyShape,
    EventsShape,
    LimitShape,
    SideShape,
)


class SelectionShape(TypedDict):
    """Which inputs were chosen, and by the failures of which run."""

    failing_from: SideShape | None
    min_failures: int | None
    inputs: int


class LeftOutShape(TypedDict):
    """Inputs that are left out, by the reason."""

    not_run_old: int
    not_run_new: int
    no_outcome: int


class StratifiedShape(TypedDict):
    """The exact stratified test of one share over all inputs."""

    observed: int
    expected: float
    variance: float
    p: float | None
    log_p: float
    informative: int


class AsFailuresShape(StratifiedShape):
    """The same test with every row without an outcome counted as a failure."""

    failed: Literal["less", "more"] | None


class RowsShape(TypedDict):
    """Rows without an outcome, and what they may hide."""

    old: AccountingShape
    new: AccountingShape
    p: float | None
    log_p: float
    differ: bool
    as_failures: AsFailuresShape


class SignFlipShape(TypedDict):
    """The test over inputs, which are the unit."""

    statistic: float
    p: float | None
    log_p: float
    moved: int
    exact: bool


class RiskDifferenceShape(TypedDict):
    """The difference of the shares over all inputs."""

    difference: float
    low: float | None
    high: float | None
    variance: float
    confidence: float


class ShareLimitShape(TypedDict):
    """The smallest change of the share that would have been found."""

    status: Literal["limit", "no room", "none detectable"]
    limit: float | None
    ceiling: float | None
    theta: float | None
    room: float
    basis: Literal["exact", "approximate"]
    power: float


class LimitsShape(TypedDict):
    """The limits in each direction."""

    drop: ShareLimitShape
    rise: ShareLimitShape
    approximate_drop: ShareLimitShape | None


class RestingShape(TypedDict):
    """An input without which the word would be another."""

    key: str
    word_without: str


class RestsOnShape(TypedDict):
    """What the word rests on."""

    inputs: list[RestingShape]
    checked: int
    given: int


class ShareGuidanceShape(TypedDict):
    """What it takes to find the accepted change."""

    max_change: float
    repeats: int | None
    inputs: int | None
    ceiling: float | None


class TallyShape(TypedDict):
    """Runs with an event among those with an outcome."""

    events: int
    outcomes: int


class InputShape(ConditionShape):
    """One input in both runs."""

    old: TallyShape
    new: TallyShape
    change: float


class FixGateShape(TypedDict):
    """What a session's gate made of a fix-check."""

    failed: bool
    reasons: list[str]


class RefusedFixCheckDocument(TypedDict):
    """`--poisson-json` of a session in which nothing could be compared; `refusal` says why."""

    schema: Literal["pytest-poisson.fix-check/1"]
    word: Literal["not comparable"]
    failed: None
    refusal: str
    gate: FixGateShape


class FixCheckDocument(TypedDict):
    """`pytest-poisson fix-check --json`, and `--poisson-json` of a session that checks a fix, which has a gate."""

    schema: Literal["pytest-poisson.fix-check/1"]
    old: SideShape
    new: SideShape
    apart: ApartShape | None
    same_draws: bool
    events: EventsShape
    selection: SelectionShape
    alpha: float
    max_mde: float
    compared: int
    left_out: LeftOutShape
    rows_without_outcome: RowsShape | None
    test: StratifiedShape
    by_input: SignFlipShape
    difference: RiskDifferenceShape
    consistency: ConsistencyShape
    limits: LimitsShape
    word: str
    failed: Literal["less", "more"] | None
    refusal: None
    gate: FixGateShape | None
    rests_on: RestsOnShape
    guidance: ShareGuidanceShape | None
    inputs: list[InputShape]
    importance: list[int]


class FlaggedInputShape(InputShape):
    """One input in both runs, and whether it changed."""

    p: float | None
    log_p: float
    p_bh: float | None
    log_p_bh: float
    flagged: bool
    smallest_p: float | None
    log_smallest_p: float
    rise: LimitShape
    fall: LimitShape


class ChangedShape(TypedDict):
    """How many inputs changed which way."""

    more: int
    less: int


class ChangesDocument(TypedDict):
    """`pytest-poisson changes FIRST SECOND --json`."""

    schema: Literal["pytest-poisson.changes/1"]
    first: SideShape
    second: SideShape
    apart: ApartShape | None
    same_draws: bool
    events: EventsShape
    alpha: float
    alpha_per_input: float
    compared: int
    left_out: LeftOutShape
    rows_without_outcome: RowsShape | None
    changed: ChangedShape
    lone_flip_repeats: int
    flip_together: int | None
    without_limit: int
    together: StratifiedShape
    difference: RiskDifferenceShape
    consistency: ConsistencyShape
    inputs: list[FlaggedInputShape]
    importance: list[int]
