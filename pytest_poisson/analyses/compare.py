"""Where two runs die, compared within the inputs that both ran."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.competing_risks import cumulative_incidence
from poisson_stats.consistency import consistency
from poisson_stats.logrank import hazard_ratio_guidance
from poisson_stats.missing import missing_shares_unpaired
from poisson_stats.survival_comparison import compare_survival
from pytest_poisson.analyses.coverage import in_order
from pytest_poisson.analyses.event_set import choose_events
from pytest_poisson.analyses.input_deaths import count_inputs
from pytest_poisson.analyses.one_sided import refuse_undeclared
from pytest_poisson.analyses.placement import order_causes, place
from pytest_poisson.analyses.reach import declared_steps, step_reaches
from pytest_poisson.analyses.side import describe_side, refuse_same, same_draws, time_apart
from pytest_poisson.analyses.where import quarters, refuse_unplaced
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_stats.competing_risks import CumulativeIncidence
    from poisson_stats.consistency import Consistency
    from poisson_stats.logrank import RatioGuidance
    from poisson_stats.missing import MissingShares
    from poisson_stats.survival_comparison import SurvivalComparison
    from poisson_stats.validation import IntArray
    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord
    from pytest_poisson.analyses.event_set import EventSet
    from pytest_poisson.analyses.input_deaths import InputDeaths
    from pytest_poisson.analyses.placement import By, Landed, Placement
    from pytest_poisson.analyses.reach import StepReach
    from pytest_poisson.analyses.side import Apart, Side


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Inputs that are not compared, under the first reason that applies.

    Attributes
    ----------
    not_first, not_second
        The run has no row of them.
    unplaced
        A run has rows of them, none with a place.
    """

    not_first: int
    not_second: int
    unplaced: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.not_first + self.not_second + self.unplaced


@dataclass(frozen=True, slots=True)
class InputPair:
    """One input in both runs."""

    first: InputDeaths
    second: InputDeaths

    @property
    def condition(self) -> ConditionRecord:
        """The input."""
        return self.first.condition

    @property
    def change(self) -> float:
        """The share of placed episodes that died, second minus first."""
        return self.second.died / self.second.placed - self.first.died / self.first.placed


@dataclass(frozen=True, slots=True, eq=False)
class CompareResult:
    """Where two runs die.

    Attributes
    ----------
    first, second
        The runs.
    apart
        How far apart they began; None where that was not recorded.
    same_draws
        Whether the second run took the first one's seeds; nothing is matched by them.
    events, by
        What dying is, and whether deaths are told apart by kind or by named step.
    landed
        All episodes of each run that belong to the event, counted by where they landed.
    left_out
        The inputs that are not compared.
    excluded
        Whether the runs lack places equally often, over the inputs that both ran.
    cut_off
        Whether the compared episodes were timed out or capped equally often: those count as alive, and may have died.
    causes
        The causes of death, in the order of the comparison's tests by kind.
    comparison
        Tests, curves, differences, and the word.
    censored
        For each run, the steps at which compared episodes were censored.
    incidence
        For each run, the cumulative incidence of the causes, without a band; None where nobody died in either.
    guidance
        What would settle it; None unless the word is `too small to tell`, or where nobody died.
    consistency
        How strongly dying clings to inputs, both runs pooled.
    inputs
        The inputs compared, sorted by rollout and axis values.
    importance
        Positions in `inputs`, the one whose share that died changed most first.
    reach
        The declared steps, and how many compared episodes of each run never reached them.
    """

    first: Side
    second: Side
    apart: Apart | None
    same_draws: bool
    events: EventSet
    by: By
    landed: tuple[Landed, Landed]
    left_out: LeftOut
    excluded: MissingShares
    cut_off: MissingShares
    causes: tuple[str, ...]
    comparison: SurvivalComparison
    censored: tuple[tuple[int, ...], tuple[int, ...]]
    incidence: tuple[CumulativeIncidence, CumulativeIncidence] | None
    guidance: RatioGuidance | None
    consistency: Consistency
    inputs: tuple[InputPair, ...]
    importance: tuple[int, ...]
    reach: tuple[StepReach, ...]


def compare(
    first: RunReader,
    second: RunReader,
    *,
    events: Sequence[str],
    max_hazard_ratio: float,
    by: By = "kind",
    at: Sequence[int] = (),
    alpha: float = 0.05,
) -> CompareResult:
    """Compare how far the episodes of two runs get, input by input.

    Parameters
    ----------
    first, second
        The runs.
    events
        The outcomes that count as dying.
    max_hazard_ratio
        The ratio, above 1, that must not go unseen: where only a larger one would be detected, `no significant
        difference` becomes `too small to tell`.
    by
        Whether deaths are told apart by the kind of their last step or by its name.
    at
        Steps at which to read the curves; by default the quarters of the shorter one.
    alpha
        Level of the tests.

    Raises
    ------
    UserError
        If the runs are one, an event is the outcome of no stored row, or no input has a placed episode in both; if the
        second run does not declare what the first one died with.
    """
    refuse_same(first, second)
    material = _gather((first, second), events, by)
    ours, theirs = material.arms
    comparison = compare_survival(
        np.concatenate((ours.steps, theirs.steps)),
        np.concatenate(material.cause),
        np.repeat((0, 1), (ours.steps.size, theirs.steps.size)),
        kinds=max(1, len(material.causes)),
        strata=np.concatenate((ours.condition, theirs.condition)),
        at=tuple(sorted(set(at))) or quarters(min(int(ours.steps.max()), int(theirs.steps.max()))),
        max_hazard_ratio=max_hazard_ratio,
        alpha=alpha,
    )
    inputs = _pair_inputs(material)
    refuse_undeclared(second.run, material.events, (each.condition for each in inputs if each.first.died))
    return CompareResult(
        first=describe_side(first),
        second=describe_side(second),
        apart=time_apart(first, second),
        same_draws=same_draws(first, second, material.conditions[0].key),
        events=material.events,
        by=by,
        landed=material.landed,
        left_out=material.left_out,
        excluded=material.excluded,
        cut_off=_cut_off(inputs),
        causes=material.causes,
        comparison=comparison,
        censored=(_censored(ours), _censored(theirs)),
        incidence=_incidence(material),
        guidance=_guidance(comparison),
        consistency=consistency(
            [each.first.died + each.second.died for each in inputs],
            [each.first.placed + each.second.placed for each in inputs],
        ),
        inputs=inputs,
        importance=tuple(sorted(range(len(inputs)), key=lambda i: -abs(inputs[i].change))),
        reach=step_reaches([(first, ours), (second, theirs)], material.conditions, material.steps),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Material:
    """What is compared: the placed episodes of the common inputs, and how they were found."""

    events: EventSet
    conditions: tuple[ConditionRecord, ...]
    landed: tuple[Landed, Landed]
    left_out: LeftOut
    excluded: MissingShares
    arms: tuple[Placement, Placement]
    causes: tuple[str, ...]
    cause: tuple[IntArray, IntArray]
    steps: dict[str, bool]


def _gather(readers: tuple[RunReader, RunReader], events: Sequence[str], by: By) -> _Material:
    chosen = choose_events(readers, events)
    known = {each.key: each for reader in readers for each in chosen.keep(reader.conditions)}
    conditions = in_order(known.values())
    first, second = (place(reader, conditions, chosen, by=by) for reader in readers)
    refuse_unplaced(readers[0], first)
    refuse_unplaced(readers[1], second)
    left_out, excluded, common = _common(readers, (first, second), conditions)
    if not common.size:
        raise UserError(
            f"Runs '{readers[0].run.name}' and '{readers[1].run.name}' have no input with a placed episode in both: "
            f"{left_out.not_first + left_out.not_second} ran in one alone, {left_out.unplaced} have no place in one."
        )
    ours, theirs = first.restrict(common), second.restrict(common)
    steps = declared_steps((rollout for reader in readers for rollout in reader.run.rollouts), chosen)
    causes = order_causes((ours, theirs), by, steps)
    return _Material(
        events=chosen,
        conditions=tuple(conditions[i] for i in common.tolist()),
        landed=(first.landed, second.landed),
        left_out=left_out,
        excluded=excluded,
        arms=(ours, theirs),
        causes=causes,
        cause=(ours.with_causes(causes), theirs.with_causes(causes)),
        steps=steps,
    )


def _common(
    readers: tuple[RunReader, RunReader],
    placements: tuple[Placement, Placement],
    conditions: Sequence[ConditionRecord],
) -> tuple[LeftOut, MissingShares, IntArray]:
    """Return the inputs left out, counted, what both runs lack of those they ran, and the positions of the compared."""
    rows = [_rows_by_input(reader, conditions) for reader in readers]
    kept = [np.bincount(each.condition, minlength=len(conditions)) for each in placements]
    ran, placed = [each > 0 for each in rows], [each > 0 for each in kept]
    both, common = ran[0] & ran[1], placed[0] & placed[1]
    lacking = [(int((n - k)[both].sum()), int(n[both].sum())) for n, k in zip(rows, kept, strict=True)]
    left_out = LeftOut(
        not_first=int((~ran[0]).sum()),
        not_second=int((ran[0] & ~ran[1]).sum()),
        unplaced=int((ran[0] & ran[1] & ~common).sum()),
    )
    return left_out, missing_shares_unpaired(*lacking[0], *lacking[1]), np.flatnonzero(common)


def _rows_by_input(reader: RunReader, conditions: Sequence[ConditionRecord]) -> IntArray:
    counts = reader.outcome_counts()
    return np.array([sum(counts.get(each.key, {}).values()) for each in conditions], dtype=np.int64)


def _pair_inputs(material: _Material) -> tuple[InputPair, ...]:
    counted = [
        count_inputs(arm, material.conditions, material.causes, cause)
        for arm, cause in zip(material.arms, material.cause, strict=True)
    ]
    return tuple(InputPair(*pair) for pair in zip(*counted, strict=True))


def _cut_off(inputs: Sequence[InputPair]) -> MissingShares:
    first, second = (
        (sum(each.cut_off for each in arm), sum(each.placed for each in arm))
        for arm in ([each.first for each in inputs], [each.second for each in inputs])
    )
    return missing_shares_unpaired(*first, *second)


def _censored(arm: Placement) -> tuple[int, ...]:
    return tuple(np.unique(arm.steps[arm.cause == 0]).tolist())


def _incidence(material: _Material) -> tuple[CumulativeIncidence, CumulativeIncidence] | None:
    kinds = len(material.causes)
    if not kinds:
        return None
    first, second = (
        cumulative_incidence(arm.steps, cause, kinds=kinds, resamples=0)
        for arm, cause in zip(material.arms, material.cause, strict=True)
    )
    return first, second


def _guidance(comparison: SurvivalComparison) -> RatioGuidance | None:
    if comparison.word != "too small to tell":
        return None
    test = comparison.test
    return hazard_ratio_guidance(
        comparison.max_hazard_ratio,
        deaths=sum(test.deaths),
        placed=test.placed,
        inputs=comparison.common,
        alpha=comparison.alpha,
    )
