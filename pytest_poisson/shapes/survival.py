"""Where runs die."""

from typing import Literal, TypedDict

from pytest_poisson.shapes.parts import (
    ApartShape,
    ConditionShape,
    ConsistencyShape,
    EventsShape,
    SideShape,
)


class ExcludedShape(TypedDict):
    """Rows that have no place, by the reason."""

    no_trace: int
    unreadable_trace: int
    no_leaves: int
    no_outcome: int


class LandedShape(TypedDict):
    """Where the rows of a run went."""

    rows: int
    placed: int
    died: int
    ended: int
    timed_out: int
    capped: int
    excluded: ExcludedShape


class CurveShape(TypedDict):
    """A survival curve (Kaplan-Meier), by step."""

    steps: list[int]
    at_risk: list[int]
    died: list[int]
    survival: list[float]
    low: list[float | None]
    high: list[float | None]
    median: float | None
    placed: int
    deaths: int
    last: float
    confidence: float
    censored: list[int]


class SurvivalAtShape(TypedDict):
    """The curve at one step."""

    step: int
    survival: float | None
    low: float | None
    high: float | None


class RunCurveShape(CurveShape):
    """The curve of one run, and its values at the steps that were asked for."""

    at: list[SurvivalAtShape]


class IncidenceAtShape(TypedDict):
    """The share that has died of one cause by one step."""

    step: int
    incidence: float | None
    low: float | None
    high: float | None


class CauseShape(TypedDict):
    """One cause of death."""

    cause: str
    deaths: int
    at: list[IncidenceAtShape]


class CauseIncidenceShape(TypedDict):
    """The cumulative incidence of one cause, by step."""

    cause: str
    died: list[int]
    incidence: list[float]
    low: list[float | None]
    high: list[float | None]


class IncidenceShape(TypedDict):
    """Cumulative incidences (Aalen-Johansen) with intervals by resampling."""

    steps: list[int]
    confidence: float
    resamples: int
    seed: int
    resampled: str
    units: int
    causes: list[CauseIncidenceShape]


class DeathsShape(TypedDict):
    """How the runs of one input ended."""

    placed: int
    died: int
    cut_off: int
    ended: int
    median_step: float | None
    cause: str | None


class InputDeathsShape(ConditionShape, DeathsShape):
    """One input of one run."""


class ReachShape(TypedDict):
    """How many episodes of a run reached a declared step."""

    run: str
    placed: int
    reached: int
    never_reached: int
    died: int
    cut_off: int
    ended: int


class StepShape(TypedDict):
    """A declared step, by run."""

    step: str
    gate: bool
    arms: list[ReachShape]


class WhereDocument(TypedDict):
    """`pytest-poisson where RUN --json`."""

    schema: Literal["pytest-poisson.where/1"]
    run: SideShape
    events: EventsShape
    by: str
    landed: LandedShape
    survival: RunCurveShape
    causes: list[CauseShape]
    incidence: IncidenceShape | None
    consistency: ConsistencyShape
    detectable_hazard_ratio: float | None
    inputs: list[InputDeathsShape]
    importance: list[int]
    steps: list[StepShape]


class BothLandedShape(TypedDict):
    """Where the rows of each run went."""

    first: LandedShape
    second: LandedShape


class UnmatchedShape(TypedDict):
    """Inputs that are left out, by the reason."""

    not_first: int
    not_second: int
    unplaced: int


class LogRankShape(TypedDict):
    """The stratified log-rank test."""

    observed: int
    expected: float
    variance: float
    chi_square: float
    p: float | None
    log_p: float
    deaths: list[int]
    placed: list[int]
    inputs: int
    informative: int
    second_dies: Literal["sooner", "later", "alike"]


class CauseLogRankShape(LogRankShape):
    """The test of one cause, adjusted over the causes."""

    cause: str
    p_bh: float | None
    log_p_bh: float


class DifferenceAtShape(TypedDict):
    """The two curves and their difference at one step."""

    step: int
    first: float | None
    second: float | None
    difference: float | None
    low: float | None
    high: float | None


class CurveDifferenceShape(TypedDict):
    """The difference of the two curves."""

    confidence: float
    at: list[DifferenceAtShape]


class BothCurvesShape(TypedDict):
    """The two curves."""

    first: CurveShape
    second: CurveShape
    difference: CurveDifferenceShape


class RatioGuidanceShape(TypedDict):
    """What it takes to detect the hazard ratio that was asked for."""

    hazard_ratio: float
    deaths: int
    runs: int
    inputs: int
    repeats: int
    ceiling: float | None


class BothDeathsShape(ConditionShape):
    """One input in both runs."""

    first: DeathsShape
    second: DeathsShape
    change: float | None


class CompareDocument(TypedDict):
    """`pytest-poisson compare FIRST SECOND --json`."""

    schema: Literal["pytest-poisson.compare/1"]
    first: SideShape
    second: SideShape
    apart: ApartShape | None
    same_draws: bool
    events: EventsShape
    by: str
    alpha: float
    max_hazard_ratio: float
    landed: BothLandedShape
    compared: int
    left_out: UnmatchedShape
    excluded_differ: bool
    cut_off_differ: bool
    test: LogRankShape
    by_cause: list[CauseLogRankShape]
    survival: BothCurvesShape
    consistency: ConsistencyShape
    detectable_hazard_ratio: float | None
    word: str
    guidance: RatioGuidanceShape | None
    inputs: list[BothDeathsShape]
    importance: list[int]
    steps: list[StepShape]
