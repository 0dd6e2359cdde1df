"""What several documents share."""

from typing import Any, Literal, TypedDict

Axes = dict[str, Any]
"""A condition's values by axis: any JSON."""


class AccountingShape(TypedDict):
    """Planned replicates, and where each of them went: the seven others add up to the first."""

    planned: int
    with_outcome: int
    timed_out: int
    errored: int
    crashed: int
    skipped: int
    cancelled: int
    not_run: int


class ConditionShape(TypedDict):
    """Which condition it is."""

    key: str
    rollout: str
    axes: Axes
    nodeid: str


class CountShape(TypedDict):
    """Replicates with an event among those with an outcome; without any the rate is null."""

    events: int
    outcomes: int
    rate: float | None


class LimitShape(TypedDict):
    """The smallest change that would have been flagged 4 times in 5; null where there is none."""

    status: Literal["limit", "no room", "none detectable", "not stated"]
    size: float | None


class ApartShape(TypedDict):
    """How far apart two runs began, and whether they overlap."""

    seconds: float
    overlap: bool


class SideShape(TypedDict):
    """A run of a report on shares or on where runs die."""

    run_id: str
    name: str
    status: str
    created_at: str
    selection: str | None
    stoppable: bool
    variant: dict[str, str]
    rows: int
    accounting: AccountingShape


class EventsShape(TypedDict):
    """The outcomes that count, and the declared successes."""

    outcomes: list[str]
    declared_successes: list[str]


class ConsistencyShape(TypedDict):
    """How alike the runs of one input are; null for what the counts cannot say."""

    share: float | None
    again: float | None
    within: float | None
    pooled: float | None
    kappa: float | None
    inflation: float | None
    inputs: int
    repeated: int
    runs: int
    events: int
