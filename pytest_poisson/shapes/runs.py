"""Runs: listed, shown, judged by what they promise, imported and exported."""

from typing import Any, Literal, TypedDict

from pytest_poisson.shapes.parts import AccountingShape, ConditionShape, CountShape

Status = Literal["running", "complete", "partial", "interrupted"]


class SummaryShape(TypedDict):
    """One line of the list of runs; of a file that cannot be read only its name and the problem are sure."""

    run_id: str
    name: str
    file: str
    status: Literal["running", "complete", "partial", "interrupted", "unreadable"]
    created_at: str | None
    ended_at: str | None
    salt: str | None
    paired_with: str | None
    whole: bool
    conditions: int
    accounting: AccountingShape | None
    problem: str | None


class SavedShape(TypedDict):
    """A saved comparison in a few words."""

    id: str
    saved_at: str
    before: str
    after: str
    verdict: str
    problem: str | None


class RunsDocument(TypedDict):
    """`pytest-poisson runs --json`."""

    schema: Literal["pytest-poisson.runs/1"]
    runs: list[SummaryShape]
    comparisons: list[SavedShape]
    comparisons_problem: str | None


class RolloutShape(TypedDict):
    """What a rollout declared."""

    id: str
    outcomes: list[str]
    failures: list[str]
    successes: list[str]
    t_unit: str | None
    nodeid: str
    settings: dict[str, Any]


class RunShape(TypedDict):
    """One run as it was recorded."""

    run_id: str
    name: str
    status: Status
    created_at: str
    ended_at: str | None
    salt: str
    paired_with: str | None
    selection: str | None
    shard: list[int] | None
    variant: dict[str, str]
    environment: dict[str, Any]
    settings: dict[str, Any]
    rollouts: list[RolloutShape]


class ShownShape(ConditionShape):
    """One condition of a run, and how its replicates ended."""

    accounting: AccountingShape
    outcomes: dict[str, int]


class PromiseShape(ConditionShape):
    """One promised bound, judged."""

    event: str
    kind: Literal["at most", "at least"]
    bound: float
    seen: CountShape
    missing: int
    word: Literal["met", "missed", "too small to tell"]
    withdrawn: bool
    p_holm: float | None
    low: float
    high: float
    level: float
    settle: int | None
    replay: int | None


class PromisesShape(TypedDict):
    """What a run promised."""

    run: str
    q: float
    promises: list[PromiseShape]
    importance: list[int]
    stoppable: bool


class EstimateShape(TypedDict):
    """A rate with its interval."""

    rate: float
    low: float | None
    high: float | None


PassRatesShape = TypedDict(
    "PassRatesShape",
    {
        "rollout": str,
        "successes": list[str],
        "conditions": int,
        "left_out": int,
        "missing": int,
        "confidence": float,
        "k": list[int],
        "pass^k": list[EstimateShape],
        "pass@k": list[EstimateShape],
    },
)


class ShowDocument(TypedDict):
    """`pytest-poisson show RUN --json`; of `merge` and `recover` as well, and of a session without a baseline."""

    schema: Literal["pytest-poisson.show/1"]
    run: RunShape
    accounting: AccountingShape
    conditions: list[ShownShape]
    promises: PromisesShape
    pass_rates: list[PassRatesShape]


class InitDocument(TypedDict):
    """`pytest-poisson init --json`."""

    schema: Literal["pytest-poisson.init/1"]
    file: str
    commands: list[str]


class BaselinesDocument(TypedDict):
    """`pytest-poisson baseline … --json`: run ids by name."""

    schema: Literal["pytest-poisson.baselines/1"]
    baselines: dict[str, str]


class ImportDocument(TypedDict):
    """`pytest-poisson import KIND FILE… --json`."""

    schema: Literal["pytest-poisson.import/1"]
    kind: str
    files: list[str]
    run_id: str
    name: str
    status: Status
    read: int
    imported: int
    left_out: dict[str, int]
    accounting: AccountingShape
    outcomes: dict[str, int]
    conditions: int
    fewest_replicates: int
    most_replicates: int
    rollouts: list[str]
    paired_by: Literal["trial", "none", "salt"]


class ImportRunDocument(TypedDict):
    """`pytest-poisson import-run FILE --json`."""

    schema: Literal["pytest-poisson.import-run/1"]
    run_id: str
    name: str
    status: Status
    added: bool
    accounting: AccountingShape


class ExportDocument(TypedDict):
    """`pytest-poisson export RUN FILE --json`."""

    schema: Literal["pytest-poisson.export/1"]
    file: str
    run_id: str
    name: str
    accounting: AccountingShape
