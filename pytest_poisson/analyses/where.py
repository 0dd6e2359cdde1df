"""Where the runs of one sweep die: survival over the steps, and what they die of."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isfinite
from typing import TYPE_CHECKING

import numpy as np

from poisson_stats.competing_risks import cumulative_incidence, incidence_at
from poisson_stats.consistency import consistency
from poisson_stats.logrank import detectable_hazard_ratio
from poisson_stats.survival import survival_at, survival_curve
from pytest_poisson.analyses.coverage import in_order
from pytest_poisson.analyses.event_set import choose_events
from pytest_poisson.analyses.input_deaths import count_inputs
from pytest_poisson.analyses.placement import order_causes, place
from pytest_poisson.analyses.reach import declared_steps, step_reaches
from pytest_poisson.analyses.side import describe_side
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_stats.competing_risks import CumulativeIncidence
    from poisson_stats.consistency import Consistency
    from poisson_stats.survival import SurvivalAt, SurvivalCurve
    from poisson_stats.validation import IntArray
    from poisson_store.reader import RunReader
    from pytest_poisson.analyses.event_set import EventSet
    from pytest_poisson.analyses.input_deaths import InputDeaths
    from pytest_poisson.analyses.placement import By, Landed, Placement
    from pytest_poisson.analyses.reach import StepReach
    from pytest_poisson.analyses.side import Side

FEWEST_INPUTS = 10
"""With fewer inputs to resample, percentile intervals over inputs cover too little: episodes are resampled."""


@dataclass(frozen=True, slots=True)
class CauseShares:
    """One cause of death.

    Attributes
    ----------
    cause
        A kind of span, or a named step.
    deaths
        Episodes that died of it.
    shares
        For each step asked about, the share of episodes that have died of it by then with the ends of its band;
        None where nobody was observed that long, and ends of None where there is no band.
    """

    cause: str
    deaths: int
    shares: tuple[tuple[float, float | None, float | None] | None, ...]


@dataclass(frozen=True, slots=True, eq=False)
class WhereResult:
    """Where one run's episodes die.

    Attributes
    ----------
    run
        The run.
    events
        What dying is.
    by
        Whether deaths are told apart by the kind of their last step or by its name.
    landed
        All episodes of the conditions that have the event, counted by where they landed.
    curve, at
        Survival over the steps, and read at the asked steps.
    causes
        What episodes died of.
    incidence
        The cumulative incidence of each cause; None where nobody died.
    unit
        What the incidence's band resamples.
    censored
        The steps at which episodes were censored, ascending, each once.
    consistency
        How strongly dying clings to inputs.
    detectable
        The hazard ratio that a comparison with a second run like this one would detect; infinite without deaths.
    inputs
        The inputs, sorted by rollout and axis values.
    importance
        Positions in `inputs`, the one of which the largest share died first.
    reach
        The declared steps, and how many episodes never reached them.
    """

    run: Side
    events: EventSet
    by: By
    landed: Landed
    curve: SurvivalCurve
    at: SurvivalAt
    causes: tuple[CauseShares, ...]
    incidence: CumulativeIncidence | None
    unit: str
    censored: tuple[int, ...]
    consistency: Consistency
    detectable: float
    inputs: tuple[InputDeaths, ...]
    importance: tuple[int, ...]
    reach: tuple[StepReach, ...]


def where(
    reader: RunReader,
    *,
    events: Sequence[str],
    by: By = "kind",
    at: Sequence[int] = (),
    resamples: int = 1000,
    seed: int = 0,
) -> WhereResult:
    """Estimate how far episodes get, and what they die of.

    Parameters
    ----------
    reader
        The run.
    events
        The outcomes that count as dying.
    by
        Whether deaths are told apart by the kind of their last step or by its name.
    at
        Steps at which to read the curve; by default the quarters of its length.
    resamples, seed
        Of the bootstrap band of the causes; no resamples, no band.

    Raises
    ------
    UserError
        If an event is the outcome of no stored row, or no episode has a place.
    """
    chosen = choose_events([reader], events)
    conditions = in_order(chosen.keep(reader.conditions))
    placement = place(reader, conditions, chosen, by=by)
    refuse_unplaced(reader, placement)
    steps = declared_steps(reader.run.rollouts, chosen)
    causes = order_causes([placement], by, steps)
    cause = placement.with_causes(causes)
    curve = survival_curve(placement.steps, cause > 0)
    asked = tuple(sorted(set(at))) or quarters(int(curve.last))
    incidence, unit = _incidence(placement, cause, len(causes), resamples, seed)
    inputs = count_inputs(placement, conditions, causes, cause)
    return WhereResult(
        run=describe_side(reader),
        events=chosen,
        by=by,
        landed=placement.landed,
        curve=curve,
        at=survival_at(curve, asked),
        causes=_shares(causes, cause, incidence, curve, asked),
        incidence=incidence,
        unit=unit,
        censored=tuple(np.unique(placement.steps[cause == 0]).tolist()),
        consistency=consistency([each.died for each in inputs], [each.placed for each in inputs]),
        detectable=detectable_hazard_ratio(2 * curve.deaths, 0.5),
        inputs=inputs,
        importance=tuple(
            sorted(range(len(inputs)), key=lambda i: (-inputs[i].died / inputs[i].placed, -inputs[i].died))
        ),
        reach=step_reaches([(reader, placement)], conditions, steps),
    )


def refuse_unplaced(reader: RunReader, placement: Placement) -> None:
    """Refuse a run of which no episode has a place, saying why.

    Raises
    ------
    UserError
        If there is none.
    """
    landed = placement.landed
    if landed.placed:
        return
    reasons = {
        "no trace": landed.no_trace,
        "an unreadable trace": landed.unreadable_trace,
        "no leaves": landed.no_leaves,
        "no outcome": landed.no_outcome,
    }
    counted = ", ".join(f"{count} with {reason}" for reason, count in reasons.items() if count)
    raise UserError(
        f"Run '{reader.run.name}' has no episode with a place: {counted or 'it has none at all'}; a step is a span, "
        "recorded with rollout.span."
    )


def quarters(last: int) -> tuple[int, ...]:
    """Return the steps at the quarters of a curve's length, where nobody asked for any."""
    return tuple(sorted({max(1, ceil(last * part / 4)) for part in range(1, 5)}))


def _incidence(
    placement: Placement, cause: IntArray, causes: int, resamples: int, seed: int
) -> tuple[CumulativeIncidence | None, str]:
    """Return the incidence of every cause, and what its band resamples: inputs where there are enough."""
    if not causes:
        return None, "runs"
    inputs = np.unique(placement.condition).size
    clustered = FEWEST_INPUTS <= inputs < placement.condition.size
    result = cumulative_incidence(
        placement.steps,
        cause,
        kinds=causes,
        clusters=placement.condition if clustered else None,
        resamples=resamples,
        seed=seed,
    )
    return result, "inputs" if clustered else "runs"


def _shares(
    causes: Sequence[str],
    cause: IntArray,
    incidence: CumulativeIncidence | None,
    curve: SurvivalCurve,
    asked: Sequence[int],
) -> tuple[CauseShares, ...]:
    if incidence is None:
        return ()
    deaths = np.bincount(cause, minlength=len(causes) + 1)[1:].tolist()
    read = [incidence_at(incidence, step) if _observed(curve, step) else None for step in asked]
    return tuple(
        CauseShares(
            name,
            deaths[i],
            tuple(
                None if each is None else (float(each[0][i]), *_ends(each[1][i], each[2][i])) for each in read
            ),
        )
        for i, name in enumerate(causes)
    )


def _observed(curve: SurvivalCurve, step: int) -> bool:
    """Tell whether the curve says anything at a step: somebody got that far, or everybody had died."""
    return step <= curve.last or bool(curve.survival.size and curve.survival[-1] == 0)


def _ends(low: float, high: float) -> tuple[float | None, float | None]:
    return (float(low), float(high)) if isfinite(low) and isfinite(high) else (None, None)
