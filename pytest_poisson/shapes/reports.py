"""A report's figures: `report.json`."""

from typing import Any, Literal, TypedDict

from pytest_poisson.shapes.comparison import DiffDocument
from pytest_poisson.shapes.parts import ApartShape, ConditionShape, CountShape
from pytest_poisson.shapes.replay import PairedDocument
from pytest_poisson.shapes.runs import ShowDocument
from pytest_poisson.shapes.shares import FixCheckDocument
from pytest_poisson.shapes.survival import WhereDocument
from pytest_poisson.shapes.usage import TokensDocument, TokensShape


class ReportArmShape(TypedDict):
    """A run of the report, with its counts by condition and word."""

    run_id: str
    name: str
    salt: str
    suite: str | None
    variant: dict[str, str]
    environment: dict[str, Any]
    outcomes: dict[str, dict[str, int]]


class ShownSpanShape(TypedDict):
    """One step of a failing replicate, its texts cut short; times in seconds."""

    depth: int
    kind: str
    name: str
    step: str | None
    model: str | None
    after_s: float
    took_s: float
    tokens: TokensShape | None
    error: str | None
    input: str | None
    output: str | None


class FailingShape(TypedDict):
    """One failing replicate, with the first of its spans; `partner` says how its pair's other half ended."""

    condition: str
    run_id: str
    replicate: int
    seed: int | None
    outcome: str | None
    cause: str | None
    partner: str | None
    t: float | None
    horizon: float | None
    wall_s: float | None
    tokens: TokensShape
    unknown_usage: int
    error: str | None
    spans: int
    spans_left_out: int
    spans_shown: list[ShownSpanShape]


class FailuresShape(TypedDict):
    """How many replicates failed, by condition and run, and those that are shown."""

    total: dict[str, list[int]]
    most_spans: int
    shown: list[FailingShape]


class DetailsShape(TypedDict, total=False):
    """What was found out about the runs besides; absent where nothing was looked up."""

    arms: list[ReportArmShape]
    apart: ApartShape | None
    failing: FailuresShape
    survival: list[WhereDocument | None]
    tokens: TokensDocument | None


class ShareShape(ConditionShape):
    """How often one condition of one run had an event, with its interval."""

    event: str
    seen: CountShape
    low: float | None
    high: float | None


class ComparisonReportDocument(DetailsShape):
    """`report.json` of two runs."""

    schema: Literal["pytest-poisson.report/1"]
    id: str
    kind: Literal["comparison"]
    diff: DiffDocument


class RunReportDocument(DetailsShape):
    """`report.json` of one run."""

    schema: Literal["pytest-poisson.report/1"]
    id: str
    kind: Literal["run"]
    description: str
    show: ShowDocument
    confidence: float
    shares: list[ShareShape]


class FixCheckReportDocument(DetailsShape):
    """`report.json` of a fix-check."""

    schema: Literal["pytest-poisson.report/1"]
    id: str
    kind: Literal["fix-check"]
    fix_check: FixCheckDocument


class PairedReportDocument(TypedDict):
    """`report.json` of a paired replay."""

    schema: Literal["pytest-poisson.report/1"]
    id: str
    kind: Literal["paired"]
    paired: PairedDocument
