"""The plan of a sweep as text: what will run, what it will be able to see, how long it may take."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from pytest_poisson.progress import duration
from pytest_poisson.render.formatting import plural, size

if TYPE_CHECKING:
    from collections.abc import Mapping

    from poisson_stats.planning import DesignLimit
    from pytest_poisson.plan import Plan


def render_plan(plan: Plan) -> list[str]:
    """Return the lines of the plan, none longer than 80 columns but for names."""
    lines = [
        ("conditions", f"{len(plan.conditions):,} of {_rollouts(plan)}"),
        ("replicates", f"{_each(plan)} ({plan.source}), {plan.replicates:,} in all"),
        ("variant", _variant(plan.variant)),
        (
            "against",
            "" if plan.against is None else f"{_variant(plan.against) or 'none'}, batches alternating",
        ),
        ("shard", _shard(plan)),
        ("resumes", _resumes(plan)),
        ("baseline", _baseline(plan)),
        ("events", _events(plan)),
        *_limits(plan),
        ("workers", str(plan.workers) if plan.workers else "none: in this process"),
        *plan.outlook.lines,
        ("time", _time(plan)),
    ]
    return [f"{name:<11} {text}" for name, text in lines if text]


def render_plan_briefly(plan: Plan) -> str:
    """Return the plan as one line, for a session that is to say little: what runs, and what it could not see."""
    limits = [each.limit for each in (plan.unpaired, plan.paired) if each is not None]
    design = max(limits, default=float("nan"))
    seen = ", limit none" if math.isnan(design) else f", limit {size(design, plan.max_mde)}"
    return (
        f"plan: {plural(len(plan.conditions), 'condition')}, {_each(plan)}, "
        f"{plural(plan.replicates, 'replicate')} in all{_here(plan)}{seen}"
    )


def _here(plan: Plan) -> str:
    """Say how many replicates this session runs, where they are not all."""
    return "" if plan.to_run == plan.replicates else f", {plan.to_run:,} of them here"


def _shard(plan: Plan) -> str:
    return (
        ""
        if plan.shard is None
        else f"{plan.shard[0]} of {plan.shard[1]}: {plural(plan.to_run, 'replicate')}"
    )


def _resumes(plan: Plan) -> str:
    return "" if plan.resumed is None else f"{plan.resumed}: {plural(plan.to_run, 'replicate')} to run"


def _variant(variant: Mapping[str, str]) -> str:
    return " ".join(f"{name}={value}" for name, value in variant.items())


def _rollouts(plan: Plan) -> str:
    ids = [each.id for each in plan.rollouts]
    return f"rollout {ids[0]}" if len(ids) == 1 else f"{len(ids)} rollouts"


def _each(plan: Plan) -> str:
    most = max(each.replicates for each in plan.conditions)
    return f"{most:,} each" if most == plan.fewest else f"{plan.fewest:,} to {most:,} each"


def _baseline(plan: Plan) -> str:
    if plan.baseline is None:
        return ""
    alone = f"; {plural(plan.not_common, 'condition')} it does not have" if plan.not_common else ""
    return f"{plan.baseline}{alone}"


def _events(plan: Plan) -> str:
    if not plan.tests:
        return "none declared: a comparison needs failures=[...] or successes=[...]"
    return f"{', '.join(plan.events)}: {plural(plan.tests, 'test')} at q = {plan.q:g}"


def _limits(plan: Plan) -> list[tuple[str, str]]:
    """Say what the smallest change is that each kind of comparison would find 4 times in 5, at the worst rate."""
    if plan.stops_early:
        return [("stopping", "each condition once e-BH decides it; no limit is known for that")]
    if plan.unpaired is None or plan.paired is None:
        return []
    designs = [("on fresh seeds", plan.unpaired), ("on the same seeds", plan.paired)]
    if plan.alike is not None:
        designs.append((f"at correlation {plan.correlation:+.3f}", plan.alike))
    texts = [text for how, design in designs for text in _limit(how, design, plan)]
    return [("" if number else "limit", text) for number, text in enumerate(texts)]


def _limit(how: str, design: DesignLimit, plan: Plan) -> list[str]:
    if design.limit != design.limit:  # NaN: nothing can be found
        return [f"{how}: not even a change from 0 to 1 would be found"]
    text = f"{how}: a change of {size(design.limit, plan.max_mde)} at base rate {design.base_rate:.3f}"
    return [text] if design.limit <= plan.max_mde else [f"{text},", f"  above the accepted {plan.max_mde:g}"]


def _time(plan: Plan) -> str:
    if plan.estimated_s is None:
        return ""
    return f"about {duration(plan.estimated_s)}, from {plan.estimated_from}"
