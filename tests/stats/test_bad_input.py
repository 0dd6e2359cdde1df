"""Bad input to any public function is a ValueError that names the argument and the value."""

import importlib
import inspect
import pkgutil
from math import nan

import numpy as np
import pytest

import poisson_stats
from poisson_stats import (
    agreement,
    attainable,
    boschloo,
    clustering,
    comparison,
    competing_risks,
    consistency,
    correlation,
    difference_intervals,
    discrete_fdr,
    e_values,
    equivalence,
    fault_lines,
    fisher,
    fragility,
    input_flags,
    item_interval,
    korn_graubard,
    limits,
    logrank,
    mcnemar,
    missing,
    multiplicity,
    omnibus,
    pass_at_k,
    planning,
    promises,
    rate_intervals,
    rates_over_time,
    replay,
    risk_difference,
    sequential,
    share_comparison,
    share_limit,
    sign_flip,
    significance,
    stratified,
    survival,
    survival_comparison,
)

UNPAIRED = {"k_before": [1, 3], "n_before": [5, 6], "k_after": [2, 6], "n_after": [5, 6]}
PAIRED = {"both": [1, 2], "only_before": [1, 0], "only_after": [2, 4], "neither": [3, 1]}
DISCORDANT = {"only_before": [1, 0], "only_after": [2, 4]}
WAYS = {"direction": [1, -1], "q": 0.05, "max_mde": 0.2}
DEATHS = {"times": [1, 2, 3, 3], "second": [True, False, True, False], "strata": [0, 0, 1, 1]}
SEEDED = {"confidence": 0.9, "resamples": 20}
CURVE = survival.survival_curve([1, 2, 3], [True, True, False])
LIMIT = share_limit.share_limit(**UNPAIRED)

CALLS = {
    agreement.agreement: {"decisions": [[[0, 1, 1]], [[1, 1, 1]]], "cost_per_call": 1.0, **SEEDED},
    agreement.majority_stability: {
        "decisions": [[[0, 1, 1], [1, 1, 0]], [[1, 1, 1], [0, 1, 1]]],
        "cost_per_call": 1.0,
        **SEEDED,
    },
    attainable.attainable_fisher: UNPAIRED,
    attainable.attainable_mcnemar: DISCORDANT,
    boschloo.boschloo_test: UNPAIRED,
    clustering.clustering: {"events": [1, 2], "trials": [3, 4]},
    comparison.compare_paired: PAIRED | WAYS,
    comparison.compare_unpaired: UNPAIRED | WAYS,
    competing_risks.cumulative_incidence: {"times": [1, 2, 3], "causes": [1, 0, 2], "kinds": 2, **SEEDED},
    competing_risks.incidence_at: {
        "result": competing_risks.cumulative_incidence([1, 2], [1, 2], kinds=2, resamples=9),
        "time": 1.0,
    },
    consistency.consistency: {"k": [1, 2], "n": [3, 4]},
    correlation.pair_correlation: PAIRED,
    difference_intervals.miettinen_nurminen: {
        "k_first": [1, 2],
        "n_first": [4, 5],
        "k_second": [2, 2],
        "n_second": [4, 5],
        "confidence": 0.95,
    },
    difference_intervals.tango: {
        "both": [1, 2],
        "only_first": [1, 0],
        "only_second": [2, 4],
        "neither": [3, 1],
        "confidence": 0.95,
    },
    discrete_fdr.discrete_benjamini_hochberg: {
        "log_p": [-1.0, -2.0],
        "attainable": attainable.attainable_mcnemar(**DISCORDANT),
        "q": 0.05,
    },
    e_values.block_log_e: {
        "before": [1, 0],
        "after": [0, 1],
        "events_before": [1, 0],
        "events_after": [1, 1],
        "blocks": [2, 2],
    },
    e_values.e_benjamini_hochberg: {"log_e": [1.0, 2.0], "q": 0.05},
    e_values.sign_log_e: DISCORDANT,
    equivalence.equivalence_paired: PAIRED | {"margin": 0.1, "q": 0.05},
    equivalence.equivalence_unpaired: UNPAIRED | {"margin": 0.1, "q": 0.05},
    fault_lines.fault_lines_paired: PAIRED | {"groups": [[0], [1]], "q": 0.05},
    fault_lines.fault_lines_unpaired: UNPAIRED | {"groups": [[0], [1]], "q": 0.05},
    fisher.fisher_test: UNPAIRED,
    fragility.fragility_paired: PAIRED | WAYS,
    fragility.fragility_unpaired: UNPAIRED | WAYS,
    input_flags.flag_inputs: UNPAIRED | {"q": 0.05},
    input_flags.flips_needed_together: {"n_before": [4, 4], "n_after": [4, 4], "q": 0.05},
    input_flags.repeats_for_a_lone_flip: {"tests": 3, "q": 0.05},
    item_interval.item_interval: {"events": [1, 2], "trials": [3, 4], **SEEDED},
    korn_graubard.item_counts: {"events": [1, 2], "trials": [3, 4]},
    korn_graubard.korn_graubard: {"events": [1, 2], "trials": [3, 4], "confidence": 0.95},
    limits.limits_paired: {"k_before": [1, 2], "pairs": [9, 9], "alpha": 0.05, "correlation": 0.1},
    limits.limits_unpaired: {"k_before": [1, 2], "n_before": [9, 9], "n_after": [9, 9], "alpha": 0.05},
    logrank.cause_specific_log_rank: DEATHS | {"causes": [1, 2, 0, 1], "kinds": 2},
    logrank.detectable_hazard_ratio: {"deaths": 20, "share": 0.5, "alpha": 0.05, "power": 0.8},
    logrank.hazard_ratio_guidance: {
        "hazard_ratio": 1.3,
        "deaths": 20,
        "placed": (30, 30),
        "inputs": 5,
        "alpha": 0.05,
        "power": 0.8,
    },
    logrank.log_rank: DEATHS | {"died": [True, False, True, True]},
    mcnemar.mcnemar_test: DISCORDANT,
    missing.compare_paired_worst_case: PAIRED
    | {"incomplete": missing.IncompletePairs(*([[0, 1]] * 5)), **WAYS},
    missing.compare_unpaired_worst_case: UNPAIRED
    | {"missing_before": [0, 1], "missing_after": [1, 0], **WAYS},
    missing.missing_shares_paired: {"both": 1, "only_before": 2, "only_after": 3, "neither": 9},
    missing.missing_shares_unpaired: {
        "missing_before": 1,
        "planned_before": 9,
        "missing_after": 2,
        "planned_after": 9,
    },
    multiplicity.benjamini_hochberg: {"log_p": [-1.0, -2.0], "q": 0.05},
    multiplicity.false_coverage_level: {"flagged": 1, "tests": 2, "q": 0.05},
    multiplicity.holm: {"log_p": [-1.0, -2.0], "q": 0.05},
    omnibus.omnibus_paired: PAIRED | {"permutations": 20},
    omnibus.omnibus_unpaired: UNPAIRED | {"permutations": 20},
    pass_at_k.pass_all_of_k: {"successes": [1, 2], "trials": [3, 4], "k": 2, **SEEDED},
    pass_at_k.pass_any_of_k: {"successes": [1, 2], "trials": [3, 4], "k": 2, **SEEDED},
    planning.design_limit: {"n": 20, "tests": 2, "q": 0.05, "correlation": 0.1},
    planning.plan_pairs: {"max_mde": 0.5, "tests": 2, "q": 0.05, "correlation": 0.1},
    planning.plan_replicates: {"max_mde": 0.5, "tests": 2, "q": 0.05},
    promises.judge_promises: {
        "events": [1, 2],
        "trials": [9, 9],
        "bounds": [0.5, 0.5],
        "kinds": ["at most", "at least"],
        "q": 0.05,
    },
    rate_intervals.clopper_pearson: {"successes": [1, 2], "trials": [3, 4], "confidence": 0.95},
    rate_intervals.wilson: {"successes": [1, 2], "trials": [3, 4], "confidence": 0.95},
    rates_over_time.rates_at_horizon: {
        "t": [1.0, 2.0],
        "ended": [1, 0],
        "row": [0, 0],
        "rows": 1,
        "horizon": 3.0,
    },
    replay.arm_order: {"n10": 3, "n01": 1, "alpha": 0.05},
    replay.flip_outcome: {"low": 0.1, "high": 0.2, "floor": 0.3},
    replay.flip_rate: {"n11": 3, "n10": 2, "n01": 1, "n00": 4, "confidence": 0.95},
    replay.pooled_flips: {"flips": [1, 2], "pairs": [3, 4], **SEEDED},
    risk_difference.risk_difference: UNPAIRED | {"confidence": 0.95},
    sequential.StoppingRule: {"conditions": 2, "events": 1, "planned": 9, "paired": True, "q": 0.05},
    share_comparison.compare_shares: UNPAIRED | {"alpha": 0.05, "max_mde": 0.2},
    share_comparison.rests_on: UNPAIRED | {"result": share_comparison.compare_shares(**UNPAIRED)},
    share_limit.detects_change: UNPAIRED | {"max_change": 0.2, "limit": LIMIT},
    share_limit.share_guidance: UNPAIRED | {"max_change": 0.2, "limit": LIMIT},
    share_limit.share_limit: UNPAIRED | {"alpha": 0.05, "power": 0.8},
    sign_flip.sign_flip_test: UNPAIRED,
    significance.alpha_per_test: {"q": 0.05, "tests": 3},
    stratified.stratified_test: UNPAIRED,
    survival.survival_at: {"curve": CURVE, "times": [1, 2]},
    survival.survival_curve: {"times": [1, 2], "died": [True, False], "confidence": 0.95},
    survival.survival_difference: {"first": CURVE, "second": CURVE, "times": [1, 2]},
    survival_comparison.compare_survival: DEATHS
    | {"causes": [1, 2, 0, 1], "kinds": 2, "at": [2], "max_hazard_ratio": 3.0, "alpha": 0.05},
}

BLOCKS = {
    "validation",
    "normal",
    "rounding",
    "significance",
    "share_design",
    "risk_table",
    "grouping",
    "verdict",
}
"""Modules whose functions are parts of the others and take what those have checked."""

LEVELS = {"q", "alpha", "confidence", "power", "margin", "max_mde", "max_change", "share"}
PARTS = {
    "k_before": "n_before",
    "k_after": "n_after",
    "k_first": "n_first",
    "k_second": "n_second",
    "events": "trials",
    "successes": "trials",
    "flips": "pairs",
    "k": "n",
    "missing_before": "planned_before",
    "missing_after": "planned_after",
    "events_before": "blocks",
    "events_after": "blocks",
    "flagged": "tests",
}
SIGNED = {"log_p", "log_e", "direction", "correlation", "low", "high", "decisions", "strata"}
NAN_IS_NONE = {("limits_paired", "correlation"), ("flip_outcome", "low"), ("flip_outcome", "high")}
OF_A_LENGTH_OF_ITS_OWN = {"at"}


def _is_public(function):
    """Tell whether a function reads what users give: an argument that is array-like, or numbers alone."""
    kinds = [str(each.annotation) for each in inspect.signature(function).parameters.values()]
    return not any("IntArray" in kind or "FloatArray" in kind or "NDArray" in kind for kind in kinds)


def test_every_public_function_is_walked():
    """What takes user's arrays or numbers has a valid call here; the rest takes arrays that are checked already."""
    found = set()
    for name in {module.name for module in pkgutil.iter_modules(poisson_stats.__path__)} - BLOCKS:
        module = importlib.import_module(f"poisson_stats.{name}")
        found |= {
            value
            for public, value in vars(module).items()
            if inspect.isfunction(value)
            and value.__module__ == module.__name__
            and not public.startswith("_")
        }
    found -= {equivalence.apply_margin, missing.apply_missing_rule, stratified.two_sided_log_p}  # of results
    left_out = {each.__qualname__ for each in found if _is_public(each)} - {
        each.__qualname__ for each in CALLS
    }
    assert not left_out, sorted(left_out)


@pytest.mark.parametrize("function", CALLS, ids=lambda each: each.__qualname__)
def test_the_calls_are_valid(function):
    """Each call of the table is accepted, so that a refusal below is due to what was changed in it."""
    function(**CALLS[function])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: limits.limits_unpaired([[1]], [[2]], [[2]], alpha=0.1),
            "k_before has shape (1, 1); one dimension, one row each, is accepted.",
        ),
        (lambda: rate_intervals.wilson(0, 2**53 + 1), "trials=9007199254740993 must not exceed 2**53."),
        (
            lambda: discrete_fdr.discrete_benjamini_hochberg(
                [0.5, -1.0], attainable.attainable_mcnemar(**DISCORDANT), q=0.05
            ),
            "log_p[0]=0.5 must be the logarithm of a p-value, at most 0.",
        ),
    ],
)
def test_what_the_table_cannot_spoil(call, message):
    """Rows of two dimensions, counts that no double holds, and the logarithm of what is no p-value."""
    with pytest.raises(ValueError, match=r"\S") as refusal:
        call()
    assert str(refusal.value) == message


def test_the_ends_of_what_is_accepted_are_accepted():
    """2**53 is a count, 0 and 1 are probabilities, and 0 is the logarithm of a p-value."""
    assert rate_intervals.wilson(0, 2**53).low == 0
    for floor in (0.0, 1.0):
        assert replay.flip_outcome(0.0, 1.0, floor=floor)
    discrete_fdr.discrete_benjamini_hochberg([0.0, -1.0], attainable.attainable_mcnemar(**DISCORDANT), q=0.05)


def _spoilt(value, bad):
    """Put a bad value first in an array, whatever its shape."""
    array = np.array(value, dtype=np.float64)
    array.flat[0] = bad
    return array


def _cases():
    for function, call in CALLS.items():
        for name, value in call.items():
            for bad in _bad_values(name, value, call):
                if (function.__qualname__, name) in NAN_IS_NONE and np.isnan(bad):
                    continue
                yield pytest.param(function, name, bad, id=f"{function.__qualname__}-{name}-{_label(bad)}")


def _label(bad):
    return str(np.asarray(bad).tolist()).replace(" ", "")


def _bad_values(name, value, call):
    if isinstance(value, bool) or not isinstance(value, (int, float, list)):
        return
    if isinstance(value, list):
        if isinstance(value[0], str) or name == "groups":
            return
        yield []
        if name not in OF_A_LENGTH_OF_ITS_OWN and sum(isinstance(other, list) for other in call.values()) > 1:
            yield [*value, value[0]]
        if not isinstance(value[0], bool):
            yield _spoilt(value, nan)
            if name not in SIGNED:
                yield _spoilt(value, -1)
        if PARTS.get(name) in call:
            yield _spoilt(value, 99)
        return
    yield nan
    if name in LEVELS:
        yield from (0.0, 1.0, -0.5, 2.0)
    elif isinstance(value, int):
        yield from (-1, 1.5)
        if PARTS.get(name) in call:
            yield 99
    elif name not in SIGNED:
        yield -1.0


@pytest.mark.parametrize(("function", "name", "bad"), list(_cases()))
def test_what_is_wrong_is_named(function, name, bad):
    """One bad argument in a call that is valid otherwise is a ValueError with the argument's name and what was given."""
    with pytest.raises(ValueError) as refusal:
        function(**(CALLS[function] | {name: bad}))
    message = str(refusal.value)
    longer = isinstance(bad, list) and bad
    assert any(each in message for each in (CALLS[function] if longer else [name]))
    if np.ndim(bad) == 0:
        assert str(bad) in message
