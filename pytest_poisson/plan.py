"""What a sweep is about to do, what it will be able to see, and what it may take."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isnan
from typing import TYPE_CHECKING

from poisson_store.records import RolloutRecord
from pytest_poisson.analyses.pace import mean_wall_s
from pytest_poisson.backends import Outlook
from pytest_poisson.batches import how_many
from pytest_poisson.declaration import FAILED, PASSED
from pytest_poisson.errors import UserError
from pytest_poisson.events import resolve_events
from pytest_poisson.shards import share_of_shard, whole_replicates
from pytest_poisson.stopping_rule import declared_rule

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from poisson_stats.planning import DesignLimit
    from poisson_store import RunReader
    from pytest_poisson.analyses.sizing import Sizing
    from pytest_poisson.backends import Backend
    from pytest_poisson.collect import CollectedCondition
    from pytest_poisson.events import Event
    from pytest_poisson.options import Settings


@dataclass(frozen=True)
class PlannedCondition:
    """A condition and how many replicates of it are to run."""

    found: CollectedCondition
    replicates: int


@dataclass(frozen=True)
class Plan:
    """A sweep before it starts.

    Attributes
    ----------
    conditions
        What is to run, in the suite's order.
    rollouts
        Their declarations, as the store keeps them.
    source
        Where the number of replicates comes from: `option`, `mark`, `ini`, `computed` or the baseline's name.
    tests
        m, the rows that a comparison of this run will test: conditions times events.
    events
        The names of the events.
    unpaired, paired
        The smallest change each kind of comparison would find; None where there is nothing to compare.
    alike, correlation
        The same of pairs whose arms are as alike as those that the sweep is sized by; None, and 0, without them.
    max_mde, q
        The accepted change and the error level.
    workers, backend
        How many replicates run at a time, and where.
    outlook
        What the backend says of the sweep: lines to print, and its cost.
    variant
        What the suite reads as `rollout.variant`.
    resumed
        The name of the run that is continued.
    estimated_s
        How long the sweep should take; None where nothing tells.
    estimated_from
        What the estimate comes from.
    baseline
        The name of the run it will be compared with.
    not_common
        Conditions of this plan that the baseline does not have.
    against
        The variant that is swept beside this one, to be compared with; None where there is none.
    stops_early
        Whether a condition stops as soon as it is decided.
    shard
        Which part of the replicates this session runs, of how many.
    to_run
        How many replicates this session runs: those of its shard, or those that the run to be continued lacks.
    """

    conditions: tuple[PlannedCondition, ...]
    rollouts: tuple[RolloutRecord, ...]
    source: str
    tests: int
    events: tuple[str, ...]
    unpaired: DesignLimit | None
    paired: DesignLimit | None
    alike: DesignLimit | None
    correlation: float
    max_mde: float
    q: float
    workers: int
    backend: str
    variant: Mapping[str, str]
    resumed: str | None = None
    outlook: Outlook = field(default_factory=Outlook)
    estimated_s: float | None = None
    estimated_from: str | None = None
    baseline: str | None = None
    not_common: int = 0
    against: Mapping[str, str] | None = None
    stops_early: bool = False
    shard: tuple[int, int] | None = None
    to_run: int = 0

    @property
    def replicates(self) -> int:
        """Replicates in all, of both variants where two are swept."""
        return sum(each.replicates for each in self.conditions) * self.variants

    @property
    def variants(self) -> int:
        """How many variants are swept side by side."""
        return 1 if self.against is None else 2

    @property
    def fewest(self) -> int:
        """The fewest replicates of a condition, which decide what can be seen."""
        return min(each.replicates for each in self.conditions)


def make_plan(
    found: Sequence[CollectedCondition],
    settings: Settings,
    *,
    backend: Backend,
    baseline: RunReader | None,
    resumed: RunReader | None,
    history: RunReader | None,
    sized_by: tuple[RunReader, RunReader] | None = None,
) -> Plan:
    """Return the plan of a sweep over these conditions.

    Replicates come from the command line (as a number, or as the pair of runs that they are `sized_by`), else from the
    run to resume or to pair with, else from the mark, else from the configuration file, else they are computed so that
    a comparison sees `max_mde`.

    Raises
    ------
    UserError
        If an event is unknown, the pair is none, or the backend could not start this sweep.
    """
    rollouts = rollout_records(found)
    events = _events(rollouts, settings)
    tests = sum(
        event.rollout == each.declaration.id for each in _compared(found, baseline) for event in events
    )
    sizing = None if sized_by is None else _size(found, settings, tests, *sized_by)
    counts, source = (
        _replicates(found, settings, tests, resumed or (baseline if settings.pair_with else None))
        if sizing is None
        else (
            [sizing.on_same_seeds] * len(found),
            f"computed for {settings.max_mde:g} from {sizing.before},{sizing.after}",
        )
    )
    plan = Plan(
        conditions=tuple(PlannedCondition(*pair) for pair in zip(found, counts, strict=True)),
        rollouts=rollouts,
        source=source,
        tests=tests,
        events=tuple(dict.fromkeys(event.name for event in events)),
        unpaired=None,
        paired=None,
        alike=None,
        correlation=0.0 if sizing is None else sizing.correlation,
        max_mde=settings.max_mde,
        q=settings.q,
        workers=backend.workers,
        backend=backend.name,
        variant=dict(settings.variant) if resumed is None else resumed.run.variant,
        resumed=None if resumed is None else resumed.run.name,
        baseline=None if baseline is None else baseline.run.name,
        not_common=_not_common(found, baseline),
        against=settings.variants[1] if settings.interleave else None,
        stops_early=bool(settings.stop_early)
        or (resumed is not None and declared_rule(resumed.run) is not None),
        shard=settings.shard if resumed is None else resumed.run.shard,
    )
    plan = replace(plan, to_run=_to_run(plan, resumed))
    return _with_estimate(_with_limits(plan), settings, baseline or history, backend)


def refuse_cost(plan: Plan, settings: Settings) -> None:
    """Hold the plan against `--poisson-max-cost`, as far as its cost can be known before it starts.

    Raises
    ------
    UserError
        If the backend should charge more, if nobody can tell what it will charge, if neither it nor tokens have a
        price, or if tokens have half of one.
    """
    most, cost = settings.max_cost, plan.outlook.cost_usd
    if most is None:
        return
    lacking = (settings.price_per_input_token, settings.price_per_output_token).count(None)
    if lacking == 1 or (cost is None and lacking):  # one side alone would count the other as free
        raise UserError(
            "--poisson-max-cost needs poisson_price_per_input_token and poisson_price_per_output_token; "
            "no provider's prices are built in."
        )
    if cost is not None and not cost <= most:
        known = "what it will cost cannot be told" if isnan(cost) else f"it should cost {cost:.4g}"
        raise UserError(
            f"--poisson-max-cost={most:g} forbids this sweep: {known}; "
            "plan fewer replicates, give --poisson-est-seconds, or raise the cap."
        )


def _events(rollouts: Sequence[RolloutRecord], settings: Settings) -> tuple[Event, ...]:
    """Return the events of a comparison; where it may stop early, `failed` too, which elsewhere is added where it came.

    What such a sweep is stopped by must be all that it will be compared by, and be known before anybody looks.
    """
    events = resolve_events(rollouts, settings.event)
    if settings.event or not settings.stop_early or not events:
        return events
    return resolve_events(rollouts, [*dict.fromkeys(each.name for each in events), FAILED])


def rollout_records(found: Sequence[CollectedCondition]) -> tuple[RolloutRecord, ...]:
    """Return each rollout once; `passed` and `failed` are words of every rollout, declared or not."""
    records = {}
    for each in found:
        declaration = each.declaration
        records[declaration.id] = RolloutRecord(
            id=declaration.id,
            outcomes=tuple(dict.fromkeys((*declaration.outcomes, PASSED, FAILED))),
            failures=declaration.failures,
            successes=declaration.successes,
            t_unit=declaration.t_unit,
            nodeid=_function_nodeid(each),
            settings=declaration.settings(),
        )
    return tuple(records.values())


def _function_nodeid(found: CollectedCondition) -> str:
    parent = found.item.parent
    return f"{parent.nodeid if parent is not None else ''}::{found.item.originalname}"


def _replicates(
    found: Sequence[CollectedCondition], settings: Settings, tests: int, earlier: RunReader | None
) -> tuple[list[int], str]:
    """Return the replicates of each condition, and where the number comes from."""
    if settings.sources["replicates"] == "option":
        return [settings.replicates] * len(found), "option"
    stored = {} if earlier is None else whole_replicates(earlier.run)
    known = [stored.get(each.condition.key) or each.declaration.replicates for each in found]
    if earlier is not None:
        source = f"as {earlier.run.name}"
    elif all(known):
        source = "mark"
    else:
        source = "ini" if settings.replicates else f"computed for {settings.max_mde:g}"
        source = f"mark, {source}" if any(known) else source
    if all(known):
        return [each for each in known if each], source
    rest = settings.replicates or _computed(settings, tests)
    return [each or rest for each in known], source


def _size(
    found: Sequence[CollectedCondition], settings: Settings, tests: int, before: RunReader, after: RunReader
) -> Sizing:
    """Return the replicates that see `max_mde` in a pair as alike as a stored one."""
    from pytest_poisson.analyses.sizing import size_from_pair

    return size_from_pair(
        before,
        after,
        events=list(settings.event) or None,
        q=settings.q,
        max_mde=settings.max_mde,
        conditions=len(found),
        tests=max(tests, 1),
    )


def _computed(settings: Settings, tests: int) -> int:
    from poisson_stats.planning import MOST_REPLICATES, TooManyReplicatesError, plan_replicates

    try:
        return plan_replicates(settings.max_mde, max(tests, 1), q=settings.q, paired=True)
    except TooManyReplicatesError:
        raise UserError(
            f"--poisson-max-mde={settings.max_mde:g} takes more than {MOST_REPLICATES:,} replicates of every condition; "
            "accept a larger change, or give --poisson-replicates."
        ) from None


def _with_limits(plan: Plan) -> Plan:
    """Return the plan with the smallest change that its weakest condition would show."""
    if not plan.tests:
        return plan
    from poisson_stats.planning import design_limit

    unpaired, paired = (
        design_limit(plan.fewest, plan.tests, q=plan.q, paired=paired) for paired in (False, True)
    )
    alike = None
    if plan.correlation:
        alike = design_limit(plan.fewest, plan.tests, q=plan.q, correlation=plan.correlation)
    return replace(plan, unpaired=unpaired, paired=paired, alike=alike)


def _with_estimate(plan: Plan, settings: Settings, earlier: RunReader | None, backend: Backend) -> Plan:
    """Return the plan with the time and cost it should take, where a setting or an earlier run tells."""
    mean_s, source = _seconds_each(plan, settings, earlier)
    plan = replace(plan, outlook=backend.outlook(plan.to_run, mean_s))
    if mean_s is None:
        return plan
    seconds = mean_s * plan.to_run / max(plan.workers, 1)
    return replace(plan, estimated_s=seconds, estimated_from=source)


def _seconds_each(plan: Plan, settings: Settings, earlier: RunReader | None) -> tuple[float | None, str]:
    """Return how long a replicate should take, and who says so."""
    if settings.est_seconds is not None:
        return settings.est_seconds, f"{settings.est_seconds:g} s each"
    keys = {each.found.condition.key for each in plan.conditions}
    if earlier is None or keys.isdisjoint(each.key for each in earlier.conditions):
        return None, ""
    return mean_wall_s(earlier), f"run {earlier.run.name}"


def _to_run(plan: Plan, resumed: RunReader | None) -> int:
    """Return how many of the plan's replicates this session runs."""
    if resumed is not None:
        accounts = resumed.accounting_by_condition()
        if resumed.run.shard is not None:
            keys = {each.found.condition.key for each in plan.conditions}
            return sum(account.not_run for key, account in accounts.items() if key in keys)
        stored = {key: account.stored for key, account in accounts.items()}
        return sum(
            max(0, each.replicates - stored.get(each.found.condition.key, 0)) for each in plan.conditions
        )
    if plan.shard is not None:
        shares = (share_of_shard(n, each.replicates, plan.shard) for n, each in enumerate(plan.conditions))
        return sum(map(how_many, shares)) * plan.variants
    return plan.replicates


def _compared(
    found: Sequence[CollectedCondition], baseline: RunReader | None
) -> Sequence[CollectedCondition]:
    """Return the conditions that a comparison would test: those that the baseline, where there is one, has too."""
    keys = set() if baseline is None else {each.key for each in baseline.conditions}
    return [each for each in found if each.condition.key in keys] or found


def _not_common(found: Sequence[CollectedCondition], baseline: RunReader | None) -> int:
    if baseline is None:
        return 0
    keys = {each.key for each in baseline.conditions}
    return sum(each.condition.key not in keys for each in found)
