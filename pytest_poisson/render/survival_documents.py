"""Where runs die, as JSON documents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_poisson.analyses.figures import finite, finite_list
from pytest_poisson.render.documents import (
    apart_document,
    condition_document,
    consistency_document,
    events_document,
    probability,
    side_document,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from poisson_stats.competing_risks import CumulativeIncidence
    from poisson_stats.logrank import LogRank, RatioGuidance
    from poisson_stats.survival import SurvivalAt, SurvivalCurve, SurvivalDifference
    from pytest_poisson.analyses.compare import CompareResult
    from pytest_poisson.analyses.input_deaths import InputDeaths
    from pytest_poisson.analyses.placement import Landed
    from pytest_poisson.analyses.reach import Reach, StepReach
    from pytest_poisson.analyses.where import CauseShares, WhereResult
    from pytest_poisson.render.documents import Document

WHERE_SCHEMA = "pytest-poisson.where/1"
COMPARE_SCHEMA = "pytest-poisson.compare/1"


def where_document(result: WhereResult) -> Document:
    """Return where one run's episodes die as a document."""
    return {
        "schema": WHERE_SCHEMA,
        "run": side_document(result.run),
        "events": events_document(result.events),
        "by": result.by,
        "landed": _landed(result.landed),
        "survival": {**_curve(result.curve), "censored": list(result.censored), "at": _at(result.at)},
        "causes": [_cause(each, result.at) for each in result.causes],
        "incidence": None if result.incidence is None else _incidence(result.incidence, result),
        "consistency": consistency_document(result.consistency),
        "detectable_hazard_ratio": finite(result.detectable),
        "inputs": [{**condition_document(each.condition), **_deaths(each)} for each in result.inputs],
        "importance": list(result.importance),
        "steps": [step_document(each, [result.run.name]) for each in result.reach],
    }


def compare_document(result: CompareResult) -> Document:
    """Return where two runs die as a document."""
    found, names = result.comparison, [result.first.name, result.second.name]
    return {
        "schema": COMPARE_SCHEMA,
        "first": side_document(result.first),
        "second": side_document(result.second),
        "apart": apart_document(result.apart),
        "same_draws": result.same_draws,
        "events": events_document(result.events),
        "by": result.by,
        "alpha": found.alpha,
        "max_hazard_ratio": found.max_hazard_ratio,
        "landed": {"first": _landed(result.landed[0]), "second": _landed(result.landed[1])},
        "compared": found.common,
        "left_out": {
            "not_first": result.left_out.not_first,
            "not_second": result.left_out.not_second,
            "unplaced": result.left_out.unplaced,
        },
        "excluded_differ": result.excluded.differs,
        "cut_off_differ": result.cut_off.differs,
        "test": _log_rank(found.test),
        "by_cause": _by_cause(result),
        "survival": {
            "first": {**_curve(found.first), "censored": list(result.censored[0])},
            "second": {**_curve(found.second), "censored": list(result.censored[1])},
            "difference": _difference(found.difference),
        },
        "consistency": consistency_document(result.consistency),
        "detectable_hazard_ratio": finite(found.detectable),
        "word": found.word,
        "guidance": None if result.guidance is None else _guidance(result.guidance, found.detectable),
        "inputs": [
            {
                **condition_document(each.condition),
                "first": _deaths(each.first),
                "second": _deaths(each.second),
                "change": each.change,
            }
            for each in result.inputs
        ],
        "importance": list(result.importance),
        "steps": [step_document(each, names) for each in result.reach],
    }


def step_document(step: StepReach, arms: Iterable[str]) -> Document:
    """Return a declared step and how many episodes of each run never reached it."""
    counted = [{"run": name, **_reach(reach)} for name, reach in zip(arms, step.arms, strict=True)]
    return {"step": step.step, "gate": step.gate, "arms": counted}


def _landed(landed: Landed) -> Document:
    return {
        "rows": landed.rows,
        "placed": landed.placed,
        "died": landed.died,
        "ended": landed.ended,
        "timed_out": landed.timed_out,
        "capped": landed.capped,
        "excluded": {
            "no_trace": landed.no_trace,
            "unreadable_trace": landed.unreadable_trace,
            "no_leaves": landed.no_leaves,
            "no_outcome": landed.no_outcome,
        },
    }


def _curve(curve: SurvivalCurve) -> Document:
    return {
        "steps": curve.times.tolist(),
        "at_risk": curve.at_risk.tolist(),
        "died": curve.died.tolist(),
        "survival": curve.survival.tolist(),
        "low": finite_list(curve.low),
        "high": finite_list(curve.high),
        "median": curve.median,
        "placed": curve.placed,
        "deaths": curve.deaths,
        "last": curve.last,
        "confidence": curve.confidence,
    }


def _at(at: SurvivalAt) -> list[Document]:
    columns = (map(int, at.times), finite_list(at.survival), finite_list(at.low), finite_list(at.high))
    return [
        {"step": step, "survival": survival, "low": low, "high": high}
        for step, survival, low, high in zip(*columns, strict=True)
    ]


def _cause(each: CauseShares, at: SurvivalAt) -> Document:
    return {
        "cause": each.cause,
        "deaths": each.deaths,
        "at": [
            {"step": int(step), **dict(zip(("incidence", "low", "high"), share or (None,) * 3, strict=True))}
            for step, share in zip(at.times.tolist(), each.shares, strict=True)
        ],
    }


def _incidence(incidence: CumulativeIncidence, result: WhereResult) -> Document:
    return {
        "steps": incidence.times.tolist(),
        "confidence": incidence.confidence,
        "resamples": incidence.resamples,
        "seed": incidence.seed,
        "resampled": result.unit,
        "units": incidence.units,
        "causes": [
            {
                "cause": each.cause,
                "died": incidence.died[i].tolist(),
                "incidence": incidence.incidence[i].tolist(),
                "low": finite_list(incidence.low[i]),
                "high": finite_list(incidence.high[i]),
            }
            for i, each in enumerate(result.causes)
        ],
    }


def _deaths(each: InputDeaths) -> Document:
    return {
        "placed": each.placed,
        "died": each.died,
        "cut_off": each.cut_off,
        "ended": each.ended,
        "median_step": each.median_step,
        "cause": each.cause,
    }


def _reach(reach: Reach) -> Document:
    return {
        "placed": reach.placed,
        "reached": reach.reached,
        "never_reached": reach.never_reached,
        "died": reach.died,
        "cut_off": reach.cut_off,
        "ended": reach.ended,
    }


def _log_rank(test: LogRank) -> Document:
    return {
        "observed": test.observed,
        "expected": test.expected,
        "variance": test.variance,
        "chi_square": test.chi_square,
        "p": probability(test.p),
        "log_p": test.log_p,
        "deaths": list(test.deaths),
        "placed": list(test.placed),
        "inputs": test.strata,
        "informative": test.informative,
        "second_dies": test.second_dies,
    }


def _by_cause(result: CompareResult) -> list[Document]:
    adjusted = result.comparison.by_kind_adjusted
    return [
        {
            "cause": cause,
            **_log_rank(test),
            "p_bh": probability(float(adjusted.p[i])),
            "log_p_bh": float(adjusted.log_p[i]),
        }
        for i, (cause, test) in enumerate(
            zip(result.causes, result.comparison.by_kind, strict=bool(result.causes))
        )
    ]


def _difference(found: SurvivalDifference) -> Document:
    columns = (found.first, found.second, found.difference, found.low, found.high)
    names = ("first", "second", "difference", "low", "high")
    return {
        "confidence": found.confidence,
        "at": [
            {"step": int(step), **dict(zip(names, row, strict=True))}
            for step, *row in zip(found.times.tolist(), *map(finite_list, columns), strict=True)
        ],
    }


def _guidance(guidance: RatioGuidance, ceiling: float) -> Document:
    return {
        "hazard_ratio": guidance.hazard_ratio,
        "deaths": guidance.deaths,
        "runs": guidance.runs,
        "inputs": guidance.inputs,
        "repeats": guidance.repeats,
        "ceiling": finite(ceiling),
    }
