"""Did the fix work: two fresh runs of the same inputs, share by share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from poisson_stats.share_comparison import compare_shares, rests_on
from poisson_stats.share_limit import share_guidance, share_limit
from pytest_poisson.analyses.coverage import in_order
from pytest_poisson.analyses.event_set import choose_events, refuse_successes
from pytest_poisson.analyses.input_shares import event_counts, gather_shares
from pytest_poisson.analyses.one_sided import refuse_undeclared
from pytest_poisson.analyses.side import describe_side, refuse_same, same_draws, time_apart
from pytest_poisson.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from poisson_stats.share_comparison import RestsOn, ShareComparison
    from poisson_stats.share_limit import ShareGuidance, ShareLimit
    from poisson_store.reader import RunReader
    from poisson_store.records import ConditionRecord
    from pytest_poisson.analyses.event_set import EventSet
    from pytest_poisson.analyses.input_shares import InputShares, LeftOutInputs, LeftOutRows
    from pytest_poisson.analyses.side import Apart, Side


@dataclass(frozen=True, slots=True)
class Selection:
    """How the inputs were chosen.

    Attributes
    ----------
    run
        The run in which they failed; None where all inputs are asked about.
    min_failures
        How often each failed there, at least.
    inputs
        How many there are.
    """

    run: Side | None
    min_failures: int
    inputs: int


@dataclass(frozen=True, slots=True, eq=False)
class FixCheckResult:
    """What two fresh runs of the same inputs say about a fix.

    Attributes
    ----------
    old, new
        The runs.
    apart
        How far apart they began; None where that was not recorded.
    same_draws
        Whether the new run took the old one's seeds; nothing is matched by them.
    events
        What failing is.
    selection
        How the inputs were chosen.
    left_out
        Those that are not compared.
    rows
        The rows without an outcome; None where there are none.
    comparison
        Test, difference, limits and the word.
    approximate_drop
        The limit on a drop by the normal approximation, where the comparison's own is exact; else None.
    guidance
        What would settle it; None unless the word is `too small to tell`.
    rests_on
        The inputs without any one of which the word would be another.
    inputs
        The inputs compared, sorted by rollout and axis values.
    importance
        Positions in `inputs`, the one whose share changed most first.
    """

    old: Side
    new: Side
    apart: Apart | None
    same_draws: bool
    events: EventSet
    selection: Selection
    left_out: LeftOutInputs
    rows: LeftOutRows | None
    comparison: ShareComparison
    approximate_drop: ShareLimit | None
    guidance: ShareGuidance | None
    rests_on: RestsOn
    inputs: tuple[InputShares, ...]
    importance: tuple[int, ...]


def fix_check(
    old: RunReader,
    new: RunReader,
    *,
    events: Sequence[str],
    failing_from: RunReader | None,
    min_failures: int = 1,
    max_mde: float,
    alpha: float = 0.05,
) -> FixCheckResult:
    """Compare how often two versions fail on the same inputs.

    Parameters
    ----------
    old, new
        Fresh runs of the two versions. Nothing is matched by seed.
    events
        The outcomes that count as failing; none may be declared a success.
    failing_from
        A third run: the inputs that failed there are asked about. None: all inputs of either run.
    min_failures
        How often an input must have failed there.
    max_mde
        The drop of the mean failure share, in (0, 1), that must not go unseen: where only a larger one would be
        detected, `no significant difference` becomes `too small to tell`.
    alpha
        Level of the test; the interval is at 1 - alpha.

    Raises
    ------
    UserError
        If the runs are one, `failing_from` is one of them or drew what one of them drew, an event is the outcome of no
        stored row or a success, or no input can be compared; if the new run does not declare what the old one failed by.
    """
    refuse_same(old, new)
    if failing_from is not None:
        refuse_arms(failing_from, (old, new))
    readers = [reader for reader in (failing_from, old, new) if reader is not None]
    chosen = choose_events(readers, events)
    refuse_successes(chosen)
    asked = (
        in_order({each.key: each for reader in readers for each in chosen.keep(reader.conditions)}.values())
        if failing_from is None
        else failed_inputs(failing_from, chosen, min_failures)
    )
    material = gather_shares(old, new, asked, chosen)
    if not material.inputs:
        raise UserError(_nothing(old, new, len(asked), material.left_out))
    refuse_undeclared(new.run, chosen, (each.condition for each in material.inputs if each.old_events))
    counts = material.counts()
    comparison = compare_shares(*counts, alpha=alpha, max_mde=max_mde)
    drop = comparison.drop
    return FixCheckResult(
        old=describe_side(old),
        new=describe_side(new),
        apart=time_apart(old, new),
        same_draws=same_draws(old, new, material.inputs[0].condition.key),
        events=chosen,
        selection=Selection(
            None if failing_from is None else describe_side(failing_from), min_failures, len(asked)
        ),
        left_out=material.left_out,
        rows=material.rows,
        comparison=comparison,
        approximate_drop=share_limit(*counts, alpha=alpha, basis="approximate")
        if drop.basis == "exact"
        else None,
        guidance=share_guidance(*counts, max_change=max_mde, limit=drop)
        if comparison.word == "too small to tell"
        else None,
        rests_on=rests_on(*counts, result=comparison),
        inputs=material.inputs,
        importance=by_change(material.inputs),
    )


def failed_inputs(reader: RunReader, events: EventSet, min_failures: int) -> tuple[ConditionRecord, ...]:
    """Return the inputs of a run that failed at least so often, sorted.

    Raises
    ------
    UserError
        If there is none.
    """
    counts = event_counts(reader, events)
    failed = in_order(each for each in events.keep(reader.conditions) if counts[each.key] >= min_failures)
    if not failed:
        most = max(counts.values(), default=0)
        raise UserError(
            f"Run '{reader.run.name}' has no input that failed ({events}) at least {min_failures} times; the most is {most}."
        )
    return failed


def refuse_arms(selecting: RunReader, arms: Sequence[RunReader]) -> None:
    """Refuse a run that selects the inputs and is compared itself, or whose draws a compared run has repeated.

    Raises
    ------
    UserError
        Saying why.
    """
    for arm in arms:
        if arm.run.run_id == selecting.run.run_id:
            raise UserError(
                f"Run '{arm.run.name}' is one of the two compared, and its failures are there by selection; select by a "
                "third run, or ask about all inputs."
            )
        if any(same_draws(selecting, arm, each.key) for each in arm.conditions):
            raise repeated_draws(f"Run '{arm.run.name}'", selecting)


def repeated_draws(arm: str, selecting: RunReader) -> UserError:
    """Return the refusal of an arm that has the seeds of the run that selects: it may repeat that run's failures."""
    return UserError(
        f"{arm} has the seeds of '{selecting.run.name}', whose failures are there by selection; sweep on other seeds, or "
        "ask about all inputs."
    )


def by_change(inputs: Sequence[InputShares]) -> tuple[int, ...]:
    """Rank inputs by how much their share changed."""
    return tuple(sorted(range(len(inputs)), key=lambda i: -abs(inputs[i].change)))


def _nothing(old: RunReader, new: RunReader, asked: int, left_out: LeftOutInputs) -> str:
    return (
        f"None of {asked} inputs can be compared: {left_out.not_run_old} were not run in '{old.run.name}', "
        f"{left_out.not_run_new} not in '{new.run.name}', and {left_out.no_outcome} have no outcome in one of them."
    )
